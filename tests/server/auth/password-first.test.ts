import { beforeAll, expect, test } from 'vitest';
import { can } from '#contract/abilities.ts';
import type { CallName, OutputOf } from '#contract/calls.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import { PROTOCOL } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import type { Fixture } from '../http/fixtures.ts';
import { allowCards, getApp, makeFixture, PASSWORD, provider, user } from '../http/fixtures.ts';
import { Browser } from './factor-fixtures.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

const NAMES = Object.keys(CALLS) as CallName[];
const NOBODY = '00000000-0000-4000-8000-000000000000';
const NEW = 'a lamp under seven stones';

async function first() {
  const { host, tenant } = await provider(fixture);
  await allowCards(fixture, tenant);
  const id = await user(fixture, tenant, {
    roles: ['admin', 'operator', 'super-admin', 'o365_admin'],
  });
  await user(fixture, tenant, { username: 'olga', name: 'Olga Orlova', email: 'olga@example.com' });
  const app = getApp(fixture.context, allHandlers(fixture.context));
  const other = new Browser(app, host);
  const kate = new Browser(app, host);
  await other.login({ username: 'olga' });
  expect((await other.send('companies', { name: 'Northwind Quays' })).status).toBe(200);
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('person')
      .set({ password_reset: true })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute(),
  );
  expect((await kate.login()).body.data.user.passwordReset).toBe(true);
  return { id, kate, tenant };
}

test('AUTH-12: a user who must choose a password first can make the calls for that, and no other', async () => {
  const { kate } = await first();
  const early: CallName[] = [];
  const wrong: string[] = [];
  for (const name of NAMES) {
    const call = getCall(name);
    const { gate, method, path } = call;
    if (gate === 'public' || gate === 'ingest-key' || name === 'logout' || name === 'stream')
      continue;
    const answer = await kate.send(
      path.replaceAll(/\{\w+\}/g, NOBODY),
      method === 'GET' || method === 'DELETE' ? undefined : {},
      method,
    );
    const refused = answer.status >= 400 && answer.body.message === MESSAGES.passwordFirst;
    if (call.allowedBeforeSetup === true) early.push(name);
    if (refused === (call.allowedBeforeSetup === true)) wrong.push(`${name}: ${answer.status}`);
    // What is queued on a device waits: it is not refused for good.
    if (refused && answer.body.error.kind !== (call.offline === undefined ? 'forbidden' : 'busy'))
      wrong.push(`${name}: ${answer.body.error.kind}`);
    if (gate !== 'signed-in' && !can(['admin', 'operator', 'super-admin', 'o365_admin'], gate))
      wrong.push(`${name}: not asked`);
  }
  expect(wrong.filter((one) => !one.endsWith('not asked'))).toEqual([]);
  expect(early.toSorted()).toEqual([
    'bootstrap',
    'changePasswordAd',
    'changePasswordDb',
    'events',
    'getFactors',
    'readProfile',
    'reauth',
    'reauthCode',
    'reauthOptions',
  ]);
});

test('AUTH-12: a device gets no provider data before the password is chosen, and all of it after', async () => {
  const { id, kate } = await first();
  const begin = await kate.get<OutputOf<'bootstrap'>>(`sync/bootstrap?protocol=${PROTOCOL}`);
  const { epoch, me, people, cursor } = begin.body.data;
  expect([me.id, people, cursor]).toEqual([id, [{ id, name: 'Kate' }], 0]);
  expect(begin.text).not.toMatch(/Northwind|Olga/);
  const events = (of: string) =>
    kate.get<OutputOf<'events'>>(`sync/events?after=0&epoch=${of}&protocol=${PROTOCOL}`);
  expect((await events(epoch)).body.data).toEqual({
    epoch,
    cursor: 0,
    head: 0,
    more: false,
    events: [],
  });
  expect((await events('the-one-from-before')).body.data.epoch).toBe(epoch);

  expect(
    (
      await kate.send(`profile/${id}/change-password/db`, {
        currentPassword: PASSWORD,
        newPassword: NEW,
      })
    ).status,
  ).toBe(200);
  await kate.renew();
  const after = (await events(epoch)).body.data;
  expect(after.epoch).not.toBe(epoch);
  const again = await kate.get<OutputOf<'bootstrap'>>(`sync/bootstrap?protocol=${PROTOCOL}`);
  expect(again.body.data.epoch).toBe(after.epoch);
  expect([
    again.body.data.companies.map(({ name }) => name),
    again.body.data.people.length,
  ]).toEqual([['Northwind Quays'], 2]);
});
