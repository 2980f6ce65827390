import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ABILITIES, can, ROLES } from '#contract/abilities.ts';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName, OutputOf } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import { hashApiKey, formatApiKey } from '#server/platform/auth/api-key-secret.ts';
import { allHandlers } from '#server/handlers.ts';
import type { RequestContext } from '#server/platform/http/handler.ts';
import { getApp, ask, makeFixture, provider, user } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { keysOn, said } from './key-fixtures.ts';

let fixture: Fixture;
let app: App;
/** The same gate with handlers that only note who came through. */
let noting: App;
let reached: RequestContext | null = null;
const { by, place, secretFor, self } = keysOn(() => ({ ground: fixture, app }));
const getPath = (name: CallName): string =>
  `/api/v1/${getCall(name).path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')}`;
const names = (Object.keys(CALLS) as CallName[]).filter(
  (name) => getCall(name).gate !== 'public' && getCall(name).gate !== 'ingest-key',
);

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
    noting = getApp(
      fixture.context,
      Object.fromEntries(
        names.map((name) => [
          name,
          (_input: unknown, request: RequestContext) => {
            reached = request;
            return Promise.resolve(
              getCall(name).output === 'bytes' || getCall(name).output === 'stream'
                ? new Response('x')
                : failed({ kind: 'conflict', message: 'reached' }),
            );
          },
        ]),
      ),
    );
  });

  test('KEY-2, KEY-3: whatever the roles and the key, a call by key needs a permission of both, and calls for people refuse keys', async () => {
    const { host, tenant } = await provider(fixture);
    const id = await user(fixture, tenant, { roles: ['super-admin'] });
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      const rows = ABILITIES.map((_, n) => ({ n, secret: formatApiKey(Buffer.alloc(32, n + 1)) }));
      for (const { n, secret } of rows)
        await sql
          .insertInto('api_key')
          .values({
            tenant_id: tenant,
            id: `00000000-0000-4000-8000-0000000001${String(n).padStart(2, '0')}`,
            user_id: id,
            name: 'x',
            abilities: '[]',
            hash: hashApiKey(secret),
            hint: 'xxxx',
            made_at: 0,
            until: fixture.context.clock.now() + 86_400_000,
            used_at: null,
            used_from: null,
          })
          .execute();
    });
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...ROLES], { minLength: 1 }),
        fc.subarray([...ABILITIES]),
        fc.shuffledSubarray(names, { minLength: 12, maxLength: 12 }),
        async (roles, abilities, calls) => {
          turn = (turn + 1) % ABILITIES.length; // each key has a pace of its own
          fixture.pass(61_000);
          await fixture.context.store.tenant(tenant, async (tx) => {
            await tx.append(
              [
                {
                  event: {
                    type: 'user.scoped@1',
                    data: { id, roles: [...roles], companies: null },
                  },
                  company: null,
                  entity: `user:${id}`,
                },
              ],
              { actor: { kind: 'clock' }, subject: null, commandId: null, at: 0 },
            );
            await tx.sql
              .updateTable('api_key')
              .set({ abilities: JSON.stringify(abilities) })
              .where('tenant_id', '=', tenant)
              .execute();
          });
          const token = formatApiKey(Buffer.alloc(32, turn + 1));
          for (const name of calls) {
            reached = null;
            const { method } = getCall(name);
            const needs = keyAccess(name);
            const answer = await ask(noting, getPath(name), {
              method,
              host,
              token,
              ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{ no JSON' }),
            });
            const may =
              needs !== null &&
              (needs === 'any' || (can(roles, needs) && abilities.includes(needs)));
            if (may)
              expect([name, answer.status === 401 || answer.status === 403]).toEqual([name, false]);
            else
              expect([name, answer.body.error.kind, reached]).toEqual([
                name,
                needs === null ? 'not-by-key' : 'forbidden',
                null,
              ]);
          }
        },
      ),
      { numRuns: 25 * Number(process.env['PROOF'] ?? 1) },
    );
  });

  test("KEY-2: within its calls too, a key gets nothing of its user's other permissions", async () => {
    const at = await place(['admin']);
    const narrow = (await secretFor(at, ['monitoring.report-settings'])).secret;
    const wide = (await secretFor(at, ['monitoring.report-settings', 'monitoring.licensing']))
      .secret;
    const templates = async (secret: string) =>
      (
        await ask<{ key: string }[]>(app, '/api/v1/monitoring/reporting/reports/enabled', {
          host: at.host,
          token: secret,
        })
      ).body.data.map(({ key }) => key);
    expect([
      (await templates(narrow)).includes('licenseStorageReport'),
      (await templates(wide)).includes('licenseStorageReport'),
    ]).toEqual([false, true]);
    expect((await by(at.host, narrow, 'monitoring/reporting/licensing')).body.message).toBe(
      MESSAGES.keyLacks({ permission: 'monitoring.licensing' }),
    );
    // Events of ingest keys are for who connects sources: here the user does, and its key does not.
    const both = await place(['admin', 'operator']);
    await ask(app, '/api/v1/monitoring/sources', {
      method: 'POST',
      host: both.host,
      token: both.token,
      body: { name: 'k', companyN: 1, tool: 'restic' },
    });
    await fixture.context.store.tenant(both.tenant, async (tx) => {
      await tx.append(
        [
          {
            event: {
              type: 'key.created@1',
              data: {
                id: fixture.context.chance.uuid(),
                name: 'k',
                company: 1,
                tool: 'restic',
                managed: null,
                hint: 'abcd',
              },
            },
            company: null,
            entity: 'key:k',
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: 0 },
      );
    });
    const events = async (secret: string, epoch: string) =>
      (
        await ask<OutputOf<'events'>>(
          app,
          `/api/v1/sync/events?protocol=2&after=0&epoch=${epoch}`,
          {
            host: both.host,
            token: secret,
          },
        )
      ).body.data;
    const kinds = async (secret: string) =>
      (await events(secret, (await events(secret, '')).epoch)).events.map(
        ({ event }) => event.type,
      );
    expect(await kinds((await secretFor(both, ['monitoring.daily-checks'])).secret)).not.toContain(
      'key.created@1',
    );
    expect(
      await kinds(
        (await secretFor(both, ['monitoring.daily-checks', 'monitoring.sources'])).secret,
      ),
    ).toContain('key.created@1');
  });

  test("KEY-2: a permission that the user loses is lost to the key at its next call, and it sees the user's companies", async () => {
    const at = await place(['operator'], { companies: [3] });
    const { secret } = await secretFor(at, ['monitoring.daily-checks', 'monitoring.rules']);
    expect((await self(at, secret)).body.data).toMatchObject({
      userId: at.id,
      abilities: ['monitoring.daily-checks', 'monitoring.rules'],
      companies: [3],
    });
    await fixture.context.store.tenant(at.tenant, async (tx) => {
      await tx.append(
        [
          {
            event: {
              type: 'user.scoped@1',
              data: { id: at.id, roles: ['read-only'], companies: [] },
            },
            company: null,
            entity: `user:${at.id}`,
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: 0 },
      );
    });
    expect((await self(at, secret)).body.data).toMatchObject({
      abilities: ['monitoring.daily-checks'],
      companies: [],
    });
    expect(said(await by(at.host, secret, 'monitoring/backoffice/rules'))).toEqual([
      403,
      'forbidden',
      MESSAGES.keyLacks({ permission: 'monitoring.rules' }),
    ]);
  });

  test("KEY-3: keys can't sign in or out, or use sessions, factors, keys, users and impersonation", () => {
    const never: readonly CallName[] = [
      'logout',
      'reauth',
      'getFactors',
      'beginTotp',
      'addPasskey',
      'readProfile',
      'editProfile',
      'changePasswordDb',
      'listSessions',
      'endSession',
      'loginAs',
      'exitLoginAs',
      'listApiKeys',
      'createApiKey',
      'revokeApiKey',
      'listUserApiKeys',
      'revokeUserApiKey',
      'createUser',
      'editUser',
      'deleteUser',
      'removeUser',
      'resetFactors',
      'setPasswordDb',
      'inviteUser',
      'chatToken',
      'validateSso',
      'setProviderSecret',
      'bootstrap',
      'stream',
      'getDayRuns',
      'prefer',
      'pinCompany',
    ];
    expect(never.filter((name) => keyAccess(name) !== null)).toEqual([]);
    expect([
      keyAccess('events'),
      keyAccess('listResults'),
      keyAccess('changeExecution'),
      keyAccess('readOwnApiKey'),
    ]).toEqual([
      'monitoring.daily-checks',
      'monitoring.daily-checks',
      'monitoring.job-actions',
      'any',
    ]);
  });
});

test("KEY-2: no code of the server checks a role's permission except the one place that knows keys", () => {
  const files = readdirSync('server', { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map((file) => join(file.parentPath, file.name));
  const asking = files.filter((file) =>
    /import \{[^}]*\bcan\b[^}]*\} from '#contract\/abilities\.ts'/.test(readFileSync(file, 'utf8')),
  );
  expect(asking).toEqual(['server/platform/auth/authorization.ts']);
});
