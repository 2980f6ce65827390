import { beforeAll, expect, test } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import type { Fixture } from '../http/fixtures.ts';
import { allowCards, getApp, makeFixture, provider, user } from '../http/fixtures.ts';
import { ALL_SENSITIVE } from '../../contract/sensitive-calls.ts';
import { Browser } from './factor-fixtures.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

const fresh = ALL_SENSITIVE;

test('G44: every sensitive call requires a factor once the last one is older than five minutes, and only then', async () => {
  const { host, tenant } = await provider(fixture);
  await allowCards(fixture, tenant);
  await user(fixture, tenant, { roles: ['super-admin', 'admin', 'o365_admin'] });
  const kate = new Browser(getApp(fixture.context, allHandlers(fixture.context)), host);
  await kate.login();
  const loadKind = async (name: CallName): Promise<string> => {
    const { method, path } = getCall(name);
    // What is named is nobody's: past this gate each call finds nothing, or something wrong with
    // what was sent.
    const answer = await kate.send(
      path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
      method === 'GET' || method === 'DELETE' ? undefined : {},
      method,
    );
    const body = answer.body as typeof answer.body | null;
    return body === null || body.success ? 'done' : body.error.kind;
  };
  fixture.pass(LIMITS.freshMs);
  const refused = async (): Promise<CallName[]> => {
    const found: CallName[] = [];
    for (const name of fresh) if ((await loadKind(name)) === 'reauth_required') found.push(name);
    return found;
  };
  expect(await refused()).toEqual([]);
  fixture.pass(1);
  expect(await refused()).toEqual(fresh);
  expect((await kate.send('profile/x/recovery-codes', {})).body.message).toBe(MESSAGES.reauth);
});

test("G44, USER-7: giving a user more roles or companies needs a recent factor, removing some doesn't", async () => {
  const { host, tenant } = await provider(fixture);
  await user(fixture, tenant, { roles: ['super-admin', 'admin'] });
  const { store, clock } = fixture.context;
  await store.tenant(tenant, (tx) =>
    tx.append(
      [1, 2].map((n) => ({
        event: {
          type: 'company.created@1' as const,
          data: { n, id: fixture.context.chance.uuid(), name: `Company ${n}` },
        },
        company: n,
        entity: `company:${n}`,
      })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: clock.now() },
    ),
  );
  const leo = await user(fixture, tenant, {
    username: 'leo',
    roles: ['operator', 'read-only'],
    companies: [1, 2],
  });
  const kate = new Browser(getApp(fixture.context, allHandlers(fixture.context)), host);
  await kate.login();
  fixture.pass(LIMITS.freshMs + 1);
  const edit = async (fields: object): Promise<string> => {
    const { body } = await kate.send(`users/${leo}`, fields, 'PUT');
    return body.success ? 'done' : body.error.kind;
  };
  for (const wider of [
    { roles: ['operator', 'read-only', 'admin'] },
    { roles: ['admin'] },
    { companies: null },
    { roles: ['operator'], companies: null },
  ])
    expect([wider, await edit(wider)]).toEqual([wider, 'reauth_required']);
  for (const narrower of [{ roles: ['operator'] }, { companies: [2] }, { name: 'Leo L.' }])
    expect([narrower, await edit(narrower)]).toEqual([narrower, 'done']);
  for (const wider of [
    { companies: [1, 2] },
    { companies: [1] },
    { roles: ['operator', 'read-only'] },
  ])
    expect([wider, await edit(wider)]).toEqual([wider, 'reauth_required']);
});
