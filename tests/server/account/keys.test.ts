import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ABILITIES, can, ROLES } from '#contract/abilities.ts';
import type { Ability, Role } from '#contract/abilities.ts';
import type { ApiKey, ApiKeys } from '#contract/account/key-calls.ts';
import { callOf, CALLS } from '#contract/calls.ts';
import type { CallName, OutputOf } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import { networkOf } from '#server/account/key-auth.ts';
import { hashOf, isSecret, secretOf } from '#server/account/key-secret.ts';
import { allHandlers } from '#server/handlers.ts';
import type { RequestContext } from '#server/http/handler.ts';
import { appOf, ask, makeGround, provider, user } from '../http/ground.ts';
import type { Answer, App, Ground } from '../http/ground.ts';
import { eachDatabase } from '../store/databases.ts';
import { posted, recorded, signedIn } from './posted.ts';
import type { In } from './posted.ts';

let ground: Ground;
let app: App;
/** The same gate with handlers that only note who came through. */
let noting: App;
let reached: RequestContext | null = null;

interface Place extends In {
  readonly host: string;
  readonly tenant: string;
}
const DAY = 86_400_000;

async function place(
  roles: readonly Role[] = ['admin', 'operator'],
  more: object = {},
): Promise<Place> {
  const { host, tenant } = await provider(ground);
  await user(ground, tenant, { roles: [...roles], ...more });
  return { host, tenant, ...(await signedIn(app, host)) };
}
const said = ({ status, body }: Answer): unknown[] => [status, body.error?.kind, body.message];
const keysOf = ({ host, token, id }: Place) =>
  ask<ApiKeys>(app, `/api/v1/profile/${id}/api-keys`, { host, token });
const make = ({ host, token, id }: Place, more: object = {}, of = id) =>
  ask<OutputOf<'makeApiKey'>>(app, `/api/v1/profile/${of}/api-keys`, {
    method: 'POST',
    host,
    token,
    body: {
      name: 'Nightly export',
      abilities: ['monitoring.daily-checks'],
      until: ground.world.clock.now() + 30 * DAY,
      ...more,
    },
  });
async function secretFor(
  at: Place,
  abilities: readonly Ability[],
  more: object = {},
): Promise<{ readonly secret: string; readonly key: ApiKey }> {
  const { status, body, text } = await make(at, { abilities, ...more });
  if (status !== 200) throw new Error(text);
  return body.data;
}
const by = (host: string, secret: string, path: string, method = 'GET', body?: unknown) =>
  ask(app, `/api/v1/${path}`, { host, token: secret, method, ...(body !== undefined && { body }) });
const self = ({ host }: { readonly host: string }, secret: string) =>
  ask<OutputOf<'readOwnApiKey'>>(app, '/api/v1/api-key', { host, token: secret });
const pathOf = (name: CallName): string =>
  `/api/v1/${callOf(name).path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')}`;
const names = (Object.keys(CALLS) as CallName[]).filter(
  (name) => callOf(name).gate !== 'public' && callOf(name).gate !== 'ingest-key',
);
const NO_KEY = [401, 'signed-out', MESSAGES.signedOut];

eachDatabase((_name, open) => {
  beforeAll(async () => {
    ground = await makeGround({}, await open());
    app = appOf(ground.world, allHandlers(ground.world));
    noting = appOf(
      ground.world,
      Object.fromEntries(
        names.map((name) => [
          name,
          (_input: unknown, asked: RequestContext) => {
            reached = asked;
            return Promise.resolve(
              callOf(name).output === 'bytes' || callOf(name).output === 'stream'
                ? new Response('x')
                : failed({ kind: 'conflict', message: 'reached' }),
            );
          },
        ]),
      ),
    );
  });

  test('KEY-1: a key is made by its user with own abilities and a day, told once, and kept as a hash', async () => {
    const kate = await place(['operator']);
    const other = await place();
    const made = await make(kate, {
      name: '  Export ',
      abilities: ['monitoring.tickets', 'monitoring.daily-checks', 'monitoring.tickets'],
    });
    const { key, secret } = made.body.data;
    expect(isSecret(secret)).toBe(true);
    expect(key).toMatchObject({
      name: 'Export',
      abilities: ['monitoring.daily-checks', 'monitoring.tickets'],
      hint: secret.slice(-10, -6),
      usedOn: null,
      usedFrom: null,
    });
    const listed = await keysOf(kate);
    expect(listed.body.data.keys).toEqual([key]);
    expect(listed.text).not.toContain(secret.slice(4));
    expect(listed.body.data.abilities.every((ability) => can(['operator'], ability))).toBe(true);
    expect(listed.body.data.abilities).toContain('monitoring.job-actions');
    const row = await ground.world.store.tenant(kate.tenant, ({ sql }) =>
      sql
        .selectFrom('api_key')
        .selectAll()
        .where('tenant_id', '=', kate.tenant)
        .executeTakeFirstOrThrow(),
    );
    expect([row.hash, JSON.stringify(row).includes(secret.slice(4, -10))]).toEqual([
      hashOf(secret),
      false,
    ]);
    const [post] = (await posted(ground, kate.tenant)).filter(({ text }) =>
      text.includes('Export'),
    );
    expect([post?.to, post?.text.includes(secret)]).toEqual(['kate@example.com', false]);
    const record = (await recorded(ground, kate.tenant)).find(
      ({ what }) => what === 'api-key.made',
    );
    expect([
      record?.user_id,
      record?.actor_id,
      JSON.stringify(record?.detail).includes('Export'),
    ]).toEqual([kate.id, kate.id, false]);
    expect(said(await make(kate, {}, other.id))).toEqual([404, 'not-found', MESSAGES.notFound]);
    expect(
      (
        await ask(app, `/api/v1/profile/${other.id}/api-keys`, {
          host: kate.host,
          token: kate.token,
        })
      ).status,
    ).toBe(404);
  });

  test("KEY-1: what is not the user's own, runs on for ever or is one too many is refused, and a factor is asked for", async () => {
    const kate = await place(['read-only']);
    const now = ground.world.clock.now();
    expect(
      said(await make(kate, { abilities: ['monitoring.daily-checks', 'monitoring.job-actions'] })),
    ).toEqual([400, 'bad-input', MESSAGES.keyNotYours]);
    for (const until of [now, now - 1, now + 368 * DAY])
      expect(said(await make(kate, { until }))).toEqual([
        400,
        'bad-input',
        MESSAGES.keyUntil(LIMITS.apiKeyDays),
      ]);
    for (const wrong of [
      { abilities: [] },
      { abilities: ['everything'] },
      { name: ' ' },
      { name: 'a\nb' },
      { until: null },
      { companies: null },
    ])
      expect([wrong, (await make(kate, wrong)).body.error?.kind]).toEqual([wrong, 'bad-input']);
    for (let n = 0; n < LIMITS.apiKeys; n += 1)
      expect((await make(kate, { until: now + (n === 0 ? 1 : 365) * DAY })).status).toBe(200);
    expect(said(await make(kate))).toEqual([409, 'conflict', MESSAGES.keyTooMany(LIMITS.apiKeys)]);
    ground.pass(LIMITS.freshMs + 1);
    expect(said(await make(kate))).toEqual([403, 'reauth_required', MESSAGES.reauth]);
    const [first] = (await keysOf(kate)).body.data.keys;
    expect(
      said(
        await ask(app, `/api/v1/profile/${kate.id}/api-keys/${first?.id ?? ''}`, {
          method: 'DELETE',
          host: kate.host,
          token: kate.token,
        }),
      ),
    ).toEqual([403, 'reauth_required', MESSAGES.reauth]);
    ground.pass(DAY);
    const again = { ...kate, ...(await signedIn(app, kate.host)) };
    expect((await make(again)).status, 'one ran out').toBe(200);
    ground.pass(31 * DAY);
    const later = { ...kate, ...(await signedIn(app, kate.host)) };
    expect((await keysOf(later)).body.data.keys.some(({ until }) => until === now + DAY)).toBe(
      true,
    );
    await make(later);
    expect(
      (await keysOf(later)).body.data.keys.some(({ until }) => until === now + DAY),
      'it is gone a month later',
    ).toBe(false);
  });

  test('KEY-2, KEY-3: whatever the roles and the key, a call by key needs an ability of both, and one that is for a person refuses it', async () => {
    const { host, tenant } = await provider(ground);
    const id = await user(ground, tenant, { roles: ['super-admin'] });
    await ground.world.store.tenant(tenant, async ({ sql }) => {
      const rows = ABILITIES.map((_, n) => ({ n, secret: secretOf(Buffer.alloc(32, n + 1)) }));
      for (const { n, secret } of rows)
        await sql
          .insertInto('api_key')
          .values({
            tenant_id: tenant,
            id: `00000000-0000-4000-8000-0000000001${String(n).padStart(2, '0')}`,
            user_id: id,
            name: 'x',
            abilities: '[]',
            hash: hashOf(secret),
            hint: 'xxxx',
            made_at: 0,
            until: ground.world.clock.now() + 86_400_000,
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
          ground.pass(61_000);
          await ground.world.store.tenant(tenant, async (tx) => {
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
              { actor: { is: 'clock' }, subject: null, commandId: null, at: 0 },
            );
            await tx.sql
              .updateTable('api_key')
              .set({ abilities: JSON.stringify(abilities) })
              .where('tenant_id', '=', tenant)
              .execute();
          });
          const token = secretOf(Buffer.alloc(32, turn + 1));
          for (const name of calls) {
            reached = null;
            const { method } = callOf(name);
            const needs = keyAccess(name);
            const answer = await ask(noting, pathOf(name), {
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

  test("KEY-2: within its calls too, a key is given nothing of what its user's other abilities open", async () => {
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
      MESSAGES.keyLacks('monitoring.licensing'),
    );
    // Events of ingest keys are for who connects sources: here the user does, and its key does not.
    const both = await place(['admin', 'operator']);
    await ask(app, '/api/v1/monitoring/sources', {
      method: 'POST',
      host: both.host,
      token: both.token,
      body: { name: 'k', companyN: 1, tool: 'restic' },
    });
    await ground.world.store.tenant(both.tenant, async (tx) => {
      await tx.append(
        [
          {
            event: {
              type: 'key.made@1',
              data: {
                id: ground.world.chance.uuid(),
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
        { actor: { is: 'clock' }, subject: null, commandId: null, at: 0 },
      );
    });
    const events = async (secret: string, epoch: string) =>
      (
        await ask<OutputOf<'events'>>(app, `/api/v1/sync/events?after=0&epoch=${epoch}`, {
          host: both.host,
          token: secret,
        })
      ).body.data;
    const kinds = async (secret: string) =>
      (await events(secret, (await events(secret, '')).epoch)).events.map(
        ({ event }) => event.type,
      );
    expect(await kinds((await secretFor(both, ['monitoring.daily-checks'])).secret)).not.toContain(
      'key.made@1',
    );
    expect(
      await kinds(
        (await secretFor(both, ['monitoring.daily-checks', 'monitoring.sources'])).secret,
      ),
    ).toContain('key.made@1');
  });

  test("KEY-2: what the user loses the key loses with the next call, and it sees the user's companies", async () => {
    const at = await place(['operator'], { companies: [3] });
    const { secret } = await secretFor(at, ['monitoring.daily-checks', 'monitoring.rules']);
    expect((await self(at, secret)).body.data).toMatchObject({
      userId: at.id,
      abilities: ['monitoring.daily-checks', 'monitoring.rules'],
      companies: [3],
    });
    await ground.world.store.tenant(at.tenant, async (tx) => {
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
        { actor: { is: 'clock' }, subject: null, commandId: null, at: 0 },
      );
    });
    expect((await self(at, secret)).body.data).toMatchObject({
      abilities: ['monitoring.daily-checks'],
      companies: [],
    });
    expect(said(await by(at.host, secret, 'monitoring/backoffice/rules'))).toEqual([
      403,
      'forbidden',
      MESSAGES.keyLacks('monitoring.rules'),
    ]);
  });

  test('KEY-3: signing in and out, sessions, factors, keys, users and acting as another are for a person', () => {
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
      'makeApiKey',
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
      'runsOfDay',
      'prefer',
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

  test('KEY-4: no part of a key, no other sum and no other provider opens anything, and none is looked for', async () => {
    const at = await place();
    const elsewhere = await place();
    const { secret, key } = await secretFor(at, ['monitoring.daily-checks']);
    expect((await self(at, secret)).status).toBe(200);
    expect(said(await self(elsewhere, secret)), 'another provider').toEqual(NO_KEY);
    const wrong = [
      secret.slice(0, 12),
      `dbu_${key.hint}`,
      secret.slice(0, -1),
      `${secret}x`,
      secret.toLowerCase(),
      secret.slice(0, 20) + (secret[20] === 'a' ? 'b' : 'a') + secret.slice(21),
      hashOf(secret),
      `dbu_${'0'.repeat(49)}`,
      key.id,
      'dbu_',
      secretOf(Buffer.alloc(32, 7)),
    ];
    for (const one of wrong)
      expect([one.length, ...said(await self(at, one))]).toEqual([one.length, ...NO_KEY]);
    for (const [header, value] of [
      ['x-api-key', secret],
      ['cookie', `daybook=${secret}`],
    ] as const)
      expect(
        (await ask(app, '/api/v1/api-key', { host: at.host, headers: { [header]: value } })).status,
      ).toBe(401);
    expect(
      (await ask(app, `/api/v1/api-key?access_token=${secret}`, { host: at.host })).status,
    ).toBe(401);
    expect(
      (
        await ask(app, '/api/v1/ingest/executions', {
          method: 'POST',
          host: at.host,
          token: secret,
          body: [],
        })
      ).status,
      'it posts no results',
    ).toBe(401);
    expect(ground.lines.some((line) => line.includes(secret.slice(4, 20)))).toBe(false);
  });

  test('KEY-4: a key ends at once when it is revoked, and with its day', async () => {
    const at = await place();
    const { secret, key } = await secretFor(at, ['monitoring.daily-checks']);
    const other = await secretFor(at, ['monitoring.daily-checks'], {
      until: ground.world.clock.now() + DAY,
    });
    expect((await self(at, secret)).status).toBe(200);
    const gone = await ask(app, `/api/v1/profile/${at.id}/api-keys/${key.id}`, {
      method: 'DELETE',
      host: at.host,
      token: at.token,
    });
    expect([gone.status, ...said(await self(at, secret))]).toEqual([200, ...NO_KEY]);
    expect(
      (
        await ask(app, `/api/v1/profile/${at.id}/api-keys/${key.id}`, {
          method: 'DELETE',
          host: at.host,
          token: at.token,
        })
      ).status,
    ).toBe(404);
    expect(
      (await recorded(ground, at.tenant))
        .filter(({ what }) => what === 'api-key.revoked')
        .map(({ detail }) => detail),
    ).toEqual([{ apiKey: key.id }]);
    expect((await posted(ground, at.tenant)).some(({ text }) => text.includes('was revoked'))).toBe(
      true,
    );
    ground.pass(DAY - 1);
    expect((await self(at, other.secret)).status).toBe(200);
    ground.pass(1);
    expect(said(await self(at, other.secret))).toEqual([401, 'expired', MESSAGES.keyExpired]);
  });

  test('KEY-5: keys end with their user, and when an administrator sets its password or resets its factors; its own new password leaves them', async () => {
    const at = await place(['admin']);
    const leos = async (username: string) => {
      await user(ground, at.tenant, {
        username,
        email: `${username}@example.com`,
        roles: ['operator'],
        password: 'a lamp under six stones',
      });
      const leo = { ...at, ...(await signedIn(app, at.host, username, 'a lamp under six stones')) };
      return { leo, ...(await secretFor(leo, ['monitoring.daily-checks'])) };
    };
    const kate = async () => ({ ...at, ...(await signedIn(app, at.host)) });
    for (const [method, path, body] of [
      ['DELETE', ''],
      ['DELETE', 'delete/'],
      ['PUT', '/changePassword/db', { password: 'new words for a lamp' }],
      ['DELETE', '/factors'],
    ] as const) {
      const { leo, secret } = await leos(`u${path.length}`);
      expect((await self(at, secret)).status).toBe(200);
      const admin = await kate();
      const address = path === 'delete/' ? `users/delete/${leo.id}` : `users/${leo.id}${path}`;
      expect([
        path,
        (
          await ask(app, `/api/v1/${address}`, {
            method,
            host: at.host,
            token: admin.token,
            ...(body && { body }),
          })
        ).status,
      ]).toEqual([path, 200]);
      expect([path, ...said(await self(at, secret))]).toEqual([path, ...NO_KEY]);
      expect(
        await ground.world.store.tenant(at.tenant, ({ sql }) =>
          sql
            .selectFrom('api_key')
            .select('id')
            .where('tenant_id', '=', at.tenant)
            .where('user_id', '=', leo.id)
            .execute(),
        ),
      ).toEqual([]);
    }
    expect(
      (await posted(ground, at.tenant)).filter(({ text }) =>
        text.includes('All API keys of your account were revoked'),
      ).length,
    ).toBe(2);
    const lost = await leos('lost');
    expect(
      (
        await ask(app, '/api/v1/profile/forgot-password/email', {
          method: 'POST',
          host: at.host,
          body: { username: 'lost' },
        })
      ).status,
    ).toBe(200);
    const link = /#([\w-]{43})/.exec(
      (await posted(ground, at.tenant)).findLast(
        ({ to, text }) => to === 'lost@example.com' && text.includes('#'),
      )?.text ?? '',
    )?.[1];
    expect(
      (
        await ask(app, '/api/v1/profile/forgot-password/change', {
          method: 'POST',
          host: at.host,
          body: { hash: link, newPassword: 'eight lamps under a stone' },
        })
      ).text,
    ).toContain('"success":true');
    expect(said(await self(at, lost.secret)), 'a way back in').toEqual(NO_KEY);
    const { leo, secret } = await leos('own');
    expect(
      (
        await ask(app, `/api/v1/profile/${leo.id}/change-password/db`, {
          method: 'POST',
          host: at.host,
          token: leo.token,
          body: {
            currentPassword: 'a lamp under six stones',
            newPassword: 'seven lamps under a stone',
          },
        })
      ).status,
    ).toBe(200);
    expect((await self(at, secret)).status).toBe(200);
  });

  test('KEY-5: an administrator sees and revokes keys of the users it keeps, and of nobody else', async () => {
    const at = await place(['admin'], { companies: [1, 2] });
    const elsewhere = await place(['admin']);
    const keep = async (
      username: string,
      companies: readonly number[] | null,
      roles: readonly Role[] = ['operator'],
    ) => {
      const id = await user(ground, at.tenant, {
        username,
        email: `${username}@example.com`,
        roles: [...roles],
        companies,
      });
      const own = { ...at, ...(await signedIn(app, at.host, username)) };
      return {
        id,
        ...(await secretFor(
          own,
          roles[0] === 'operator' ? ['monitoring.daily-checks'] : ['monitoring.licensing'],
        )),
      };
    };
    const leo = await keep('leo', [1]);
    const all = await keep('all', null);
    const above = await keep('boss', [1], ['super-admin']);
    const list = (id: string, { host, token }: Place = at) =>
      ask<ApiKey[]>(app, `/api/v1/users/${id}/api-keys`, { host, token });
    const end = (id: string, key: string, { host, token }: Place = at) =>
      ask(app, `/api/v1/users/${id}/api-keys/${key}`, { method: 'DELETE', host, token });
    expect((await list(leo.id)).body.data.map(({ id }) => id)).toEqual([leo.key.id]);
    expect([
      (await list(all.id)).status,
      (await list(above.id)).status,
      (await list(leo.id, elsewhere)).status,
      (await end(leo.id, leo.key.id, elsewhere)).status,
      (await end(leo.id, all.key.id)).status,
    ]).toEqual([404, 403, 404, 404, 404]);
    expect((await self(at, leo.secret)).status).toBe(200);
    expect((await end(leo.id, leo.key.id)).status).toBe(200);
    expect(said(await self(at, leo.secret))).toEqual(NO_KEY);
    expect(
      (await posted(ground, at.tenant)).some(
        ({ to, text }) => to === 'leo@example.com' && text.includes('An administrator has revoked'),
      ),
    ).toBe(true);
  });

  test('KEY-6: a key and an address have so many calls a minute, told with every answer', async () => {
    const at = await place();
    const { secret } = await secretFor(at, ['monitoring.daily-checks']);
    const second = await secretFor(at, ['monitoring.daily-checks']);
    ground.pass(61_000);
    const first = await self(at, secret);
    expect(first.headers.get('ratelimit-policy')).toBe(
      `"address";q=${LIMITS.apiAddressPerMinute};w=60, "key";q=${LIMITS.apiKeyPerMinute};w=60`,
    );
    expect(first.headers.get('ratelimit')).toBe(
      `"address";r=${LIMITS.apiAddressPerMinute - 1};t=60, "key";r=${LIMITS.apiKeyPerMinute - 1};t=60`,
    );
    expect(
      (await by(at.host, secret, 'profile/x/sessions')).headers.get('ratelimit'),
      'a refusal tells it as well',
    ).toContain(`"key";r=${LIMITS.apiKeyPerMinute - 2};`);
    expect((await keysOf(at)).headers.get('ratelimit'), 'sessions have no such pace').toBeNull();
    ground.pass(20_000);
    for (let n = 2; n < LIMITS.apiKeyPerMinute; n += 1) await self(at, secret);
    const over = await self(at, secret);
    expect([...said(over), over.headers.get('retry-after')]).toEqual([
      429,
      'too-many',
      MESSAGES.keyPace,
      '40',
    ]);
    expect((await self(at, second.secret)).status).toBe(200);
    const garbage = `dbu_${'x'.repeat(49)}`;
    while ((await self(at, garbage)).status === 401);
    expect([(await self(at, garbage)).status, (await self(at, second.secret)).status]).toEqual([
      429, 429,
    ]);
    ground.pass(40_000);
    expect((await self(at, secret)).status).toBe(200);
  });

  test("KEY-7: what a key did stands in the record as the user's with the key, and the day and network of its last call beside it", async () => {
    const at = await place(['operator', 'admin']);
    const { secret, key } = await secretFor(at, ['monitoring.rules', 'common.companies']);
    const made = await by(at.host, secret, 'companies', 'POST', { name: 'By key' });
    expect(made.status).toBe(200);
    const head = await ground.world.store.tenant(at.tenant, (tx) => tx.eventsAfter(0, 500));
    expect(
      head.filter(({ event }) => event.type === 'company.made@1').map(({ actor }) => actor),
    ).toEqual([{ is: 'user', id: at.id, key: key.id }]);
    const record = (await recorded(ground, at.tenant)).find(({ what }) => what === 'company.made');
    expect([record?.actor_id, record?.detail]).toEqual([
      at.id,
      expect.objectContaining({ key: key.id }),
    ]);
    expect((await keysOf(at)).body.data.keys).toMatchObject([
      {
        usedOn: new Date(ground.world.clock.now()).toISOString().slice(0, 10),
        usedFrom: '192.0.2.0/24',
      },
    ]);
  });
});

test('KEY-4: a key is one word with a sum of its own, found by a pattern and apart from every other secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(48), (bytes, at) => {
      const secret = secretOf(bytes);
      expect(secret).toMatch(/^dbu_[0-9A-Za-z]{49}$/);
      expect(isSecret(secret)).toBe(true);
      const place = 4 + at;
      const changed =
        secret.slice(0, place) + (secret[place] === 'A' ? 'B' : 'A') + secret.slice(place + 1);
      expect(isSecret(changed)).toBe(false);
    }),
  );
  expect(isSecret(`dbk_${'a'.repeat(43)}`)).toBe(false);
});

test('KEY-7: of an address the network is kept', () => {
  expect(
    [
      '198.51.100.17',
      '2001:db8:abcd:12::9',
      '2001:db8::',
      '::1',
      'fe80::1',
      '2001:0db8:0001:2:3:4:5:6',
      'nonsense',
    ].map(networkOf),
  ).toEqual([
    '198.51.100.0/24',
    '2001:db8:abcd::/48',
    '2001:db8:0::/48',
    '0:0:0::/48',
    'fe80:0:0::/48',
    '2001:db8:1::/48',
    '',
  ]);
});

test('KEY-2: nothing of the server asks the roles for an ability past the one place that knows of keys', () => {
  const files = readdirSync('server', { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map((file) => join(file.parentPath, file.name));
  const asking = files.filter((file) =>
    /import \{[^}]*\bcan\b[^}]*\} from '#contract\/abilities\.ts'/.test(readFileSync(file, 'utf8')),
  );
  expect(asking).toEqual(['server/may.ts']);
});
