import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { can } from '#contract/abilities.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getNetwork } from '#server/platform/auth/api-key-auth.ts';
import { hashApiKey, isSecret, formatApiKey } from '#server/platform/auth/api-key-secret.ts';
import { allHandlers } from '#server/handlers.ts';
import { getApp, ask, makeFixture } from '../http/fixtures.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { posted, recorded, signedIn } from './captured-mail.ts';
import { DAY, keysOn, NO_KEY, said } from './key-fixtures.ts';

let fixture: Fixture;
let app: App;
const {
  by,
  keysOf: loadKeys,
  make,
  place,
  secretFor,
  self,
} = keysOn(() => ({ ground: fixture, app }));

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context, allHandlers(fixture.context));
  });

  test('KEY-1: a user creates a key with selected permissions and an end date; it is shown once and stored as a hash', async () => {
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
    const listed = await loadKeys(kate);
    expect(listed.body.data.keys).toEqual([key]);
    expect(listed.text).not.toContain(secret.slice(4));
    expect(listed.body.data.abilities.every((ability) => can(['operator'], ability))).toBe(true);
    expect(listed.body.data.abilities).toContain('monitoring.job-actions');
    const row = await fixture.context.store.tenant(kate.tenant, ({ sql }) =>
      sql
        .selectFrom('api_key')
        .selectAll()
        .where('tenant_id', '=', kate.tenant)
        .executeTakeFirstOrThrow(),
    );
    expect([row.hash, JSON.stringify(row).includes(secret.slice(4, -10))]).toEqual([
      hashApiKey(secret),
      false,
    ]);
    const [post] = (await posted(fixture, kate.tenant)).filter(({ text }) =>
      text.includes('Export'),
    );
    expect([post?.to, post?.text.includes(secret)]).toEqual(['kate@example.com', false]);
    const record = (await recorded(fixture, kate.tenant)).find(
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

  test('KEY-1: a key with permissions that its user lacks, without an end, or over the limit is refused, and a second factor is required', async () => {
    const kate = await place(['read-only']);
    const now = fixture.context.clock.now();
    expect(
      said(await make(kate, { abilities: ['monitoring.daily-checks', 'monitoring.job-actions'] })),
    ).toEqual([400, 'bad-input', MESSAGES.keyNotYours]);
    for (const until of [now, now - 1, now + 368 * DAY])
      expect(said(await make(kate, { until }))).toEqual([
        400,
        'bad-input',
        MESSAGES.keyUntil({ days: LIMITS.apiKeyDays }),
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
    expect(said(await make(kate))).toEqual([
      409,
      'conflict',
      MESSAGES.keyTooMany({ max: LIMITS.apiKeys }),
    ]);
    fixture.pass(LIMITS.freshMs + 1);
    expect(said(await make(kate))).toEqual([403, 'reauth_required', MESSAGES.reauth]);
    const [first] = (await loadKeys(kate)).body.data.keys;
    expect(
      said(
        await ask(app, `/api/v1/profile/${kate.id}/api-keys/${first?.id ?? ''}`, {
          method: 'DELETE',
          host: kate.host,
          token: kate.token,
        }),
      ),
    ).toEqual([403, 'reauth_required', MESSAGES.reauth]);
    fixture.pass(DAY);
    const again = { ...kate, ...(await signedIn(app, kate.host)) };
    expect((await make(again)).status, 'one ran out').toBe(200);
    fixture.pass(31 * DAY);
    const later = { ...kate, ...(await signedIn(app, kate.host)) };
    expect((await loadKeys(later)).body.data.keys.some(({ until }) => until === now + DAY)).toBe(
      true,
    );
    await make(later);
    expect(
      (await loadKeys(later)).body.data.keys.some(({ until }) => until === now + DAY),
      'it is gone a month later',
    ).toBe(false);
  });

  test("KEY-4: parts of a key, a wrong checksum and another provider's key are refused, without a lookup", async () => {
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
      hashApiKey(secret),
      `dbu_${'0'.repeat(49)}`,
      key.id,
      'dbu_',
      formatApiKey(Buffer.alloc(32, 7)),
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
    expect(fixture.lines.some((line) => line.includes(secret.slice(4, 20)))).toBe(false);
  });

  test('KEY-6: a key and an address have a number of calls per minute, reported with every answer', async () => {
    const at = await place();
    const { secret } = await secretFor(at, ['monitoring.daily-checks']);
    const second = await secretFor(at, ['monitoring.daily-checks']);
    fixture.pass(61_000);
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
    expect((await loadKeys(at)).headers.get('ratelimit'), 'sessions have no such pace').toBeNull();
    fixture.pass(20_000);
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
    fixture.pass(40_000);
    expect((await self(at, secret)).status).toBe(200);
  });

  test("KEY-7: what a key did is recorded as its user's with the key, next to the day and network of its last call", async () => {
    const at = await place(['operator', 'admin']);
    const { secret, key } = await secretFor(at, ['monitoring.rules', 'common.companies']);
    const made = await by(at.host, secret, 'companies', 'POST', { name: 'By key' });
    expect(made.status).toBe(200);
    const head = await fixture.context.store.tenant(at.tenant, (tx) => tx.eventsAfter(0, 500));
    expect(
      head.filter(({ event }) => event.type === 'company.created@1').map(({ actor }) => actor),
    ).toEqual([{ kind: 'user', id: at.id, key: key.id }]);
    const record = (await recorded(fixture, at.tenant)).find(({ what }) => what === 'company.made');
    expect([record?.actor_id, record?.detail]).toEqual([
      at.id,
      expect.objectContaining({ key: key.id }),
    ]);
    expect((await loadKeys(at)).body.data.keys).toMatchObject([
      {
        usedOn: new Date(fixture.context.clock.now()).toISOString().slice(0, 10),
        usedFrom: '192.0.2.0/24',
      },
    ]);
  });
});

test('KEY-4: a key is one word with a checksum of its own, matched by a pattern and distinct from every other secret', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(48), (bytes, at) => {
      const secret = formatApiKey(bytes);
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

test('KEY-7: only the network of an address is stored', () => {
  expect(
    [
      '198.51.100.17',
      '2001:db8:abcd:12::9',
      '2001:db8::',
      '::1',
      'fe80::1',
      '2001:0db8:0001:2:3:4:5:6',
      'nonsense',
    ].map(getNetwork),
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
