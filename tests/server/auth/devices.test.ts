import { beforeAll, expect, test } from 'vitest';
import { DEVICE_MS } from '#server/features/auth/devices.ts';
import { ACCOUNT_RULE, PROVIDER_RULE, strangersBuckets } from '#server/features/auth/rate-limit.ts';
import type { Answer, App, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  getApp,
  cookieIn,
  login,
  makeFixture,
  PASSWORD,
  provider,
  refresh,
  user,
} from '../http/fixtures.ts';

let fixture: Fixture;
let app: App;
const { maxMs } = ACCOUNT_RULE;

/** The device's cookie as a browser would send it back. */
const deviceIn = ({ headers }: Answer): string | null =>
  headers
    .getSetCookie()
    .find((one) => one.startsWith('__Host-daybook-device='))
    ?.split(';')[0] ?? null;
const outside = ({ status, headers, text }: Answer): unknown => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'daybook-request'),
});

interface Place {
  readonly host: string;
  readonly tenant: string;
  readonly id: string;
}
async function place(): Promise<Place> {
  const { host, tenant } = await provider(fixture);
  return { host, tenant, id: await user(fixture, tenant) };
}
/** Signs in on a device, and gives its cookie. */
async function known(
  host: string,
  username = 'kate',
  cookie: string | null = null,
): Promise<string> {
  const answer = await login(app, host, username, PASSWORD, { cookie });
  expect(answer.status).toBe(200);
  const device = deviceIn(answer);
  if (device === null) throw new Error('No device cookie was given.');
  return device;
}
const rows = ({ tenant }: Place) =>
  fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('trusted_device')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .orderBy('used_at')
      .execute(),
  );
const counts = async ({ tenant }: Place): Promise<Record<string, number>> => {
  const all = await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('throttle')
      .select(['bucket', 'failures'])
      .where('tenant_id', '=', tenant)
      .execute(),
  );
  return Object.fromEntries(all.map((one) => [one.bucket, one.failures]));
};
/** As if so many passwords had been wrong on devices that are not known. */
async function failedBefore({ tenant }: Place, username: string, failures: number): Promise<void> {
  const values = { failures, until: 0, at: fixture.context.clock.now(), forget_at: null };
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .insertInto('throttle')
      .values({ tenant_id: tenant, bucket: strangersBuckets(username, '')[0].name, ...values })
      .onConflict((on) => on.columns(['tenant_id', 'bucket']).doUpdateSet(values))
      .execute(),
  );
}
const answerTo = async (
  host: string,
  password: string,
  cookie: string | null = null,
  username = 'kate',
): Promise<number> => (await login(app, host, username, password, { cookie })).status;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context);
  });

  test("AUTH-10: signing in sets a device cookie for 180 days that scripts and other sites can't read; only its hash is stored", async () => {
    const at = await place();
    const answer = await login(app, at.host);
    expect(
      answer.headers.getSetCookie().find((one) => one.startsWith('__Host-daybook-device=')),
    ).toMatch(
      /^__Host-daybook-device=[\w-]{64}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const [token = ''] = /[\w-]{64}/.exec(deviceIn(answer) ?? '') ?? [];
    const secret = Buffer.from(token, 'base64url').subarray(16);
    const stored = await rows(at);
    expect(stored).toMatchObject([
      { user_id: at.id, previous_hash: null, until: fixture.context.clock.now() + DEVICE_MS },
    ]);
    for (const text of [token, secret.toString('hex'), secret.toString('base64url')])
      expect(`${JSON.stringify(stored)}${fixture.lines.join('\n')}${answer.text}`).not.toContain(
        text,
      );
    // It opens nothing.
    const device = deviceIn(answer);
    expect((await refresh(app, at.host, device)).status).toBe(401);
    expect(
      (await refresh(app, at.host, (device ?? '').replace('-device=', '-refresh='))).status,
    ).toBe(401);
    expect(
      (await login(app, at.host, 'kate', 'wrong', { cookie: device })).headers.getSetCookie(),
    ).toEqual([]);
    expect((await refresh(app, at.host, cookieIn(answer))).headers.getSetCookie()).toHaveLength(1);
  });

  test("AUTH-10: a device that is not to be remembered isn't known, and is no longer known", async () => {
    const at = await place();
    const body = { username: 'kate', password: PASSWORD, rememberComputer: false };
    expect(deviceIn(await login(app, at.host, 'kate', PASSWORD, { body }))).toBeNull();
    expect(await rows(at)).toEqual([]);
    const device = await known(at.host);
    expect(
      deviceIn(
        await login(app, at.host, 'kate', PASSWORD, {
          body: { ...body, rememberComputer: true },
          cookie: device,
        }),
      ),
    ).not.toBeNull();
    expect(
      deviceIn(await login(app, at.host, 'kate', PASSWORD, { body, cookie: device })),
    ).toBeNull();
    expect(await rows(at)).toEqual([]);
  });

  test('AUTH-10: the token is renewed at each sign-in; the previous one is valid until the new one is used, an older one never', async () => {
    const at = await place();
    const first = await known(at.host);
    const lost = await known(at.host, 'kate', first);
    const second = await known(at.host, 'kate', first);
    expect(new Set([first, lost, second]).size).toBe(3);
    await failedBefore(at, 'kate', 100);
    // The answer with `lost` never came to the device: that token is nobody's, and the first one is
    // the last that the device has.
    expect([
      await answerTo(at.host, PASSWORD, lost),
      await answerTo(at.host, PASSWORD, second),
    ]).toEqual([429, 200]);
    await failedBefore(at, 'kate', 100);
    expect([
      await answerTo(at.host, PASSWORD, first),
      await answerTo(at.host, PASSWORD, second),
    ]).toEqual([429, 200]);
    expect(await rows(at)).toHaveLength(1);
  });

  test('AUTH-10: 180 days after its last use a device is unknown; of many devices, the last hundred are known', async () => {
    const at = await place();
    const late = await known(at.host);
    await failedBefore(at, 'kate', 100);
    fixture.pass(DEVICE_MS - 1);
    const again = await known(at.host, 'kate', late);
    await failedBefore(at, 'kate', 100);
    fixture.pass(DEVICE_MS);
    expect(await answerTo(at.host, PASSWORD, again)).toBe(429);

    const many = await place();
    const own = await known(many.host);
    const now = fixture.context.clock.now();
    await fixture.context.store.tenant(many.tenant, ({ sql }) =>
      sql
        .insertInto('trusted_device')
        .values(
          Array.from({ length: 120 }, (_, n) => ({
            tenant_id: many.tenant,
            user_id: many.id,
            id: crypto.randomUUID(),
            hash: 'x',
            previous_hash: null,
            used_at: now - 1 - n,
            until: now + 1 + n,
          })),
        )
        .execute(),
    );
    await known(many.host, 'kate', own);
    const left = await rows(many);
    expect([left.length, left[0]?.used_at, left.at(-1)?.used_at]).toEqual([100, now - 99, now]);
    fixture.pass(50);
    await known(many.host);
    expect(
      (await rows(many)).filter((one) => one.until <= fixture.context.clock.now()),
      'those that are over are gone',
    ).toEqual([]);
  });

  test('G37: guesses slow and lock an account for unknown devices, while its user signs in on a known device', async () => {
    const at = await place();
    const device = await known(at.host);
    for (let guess = 0; guess < 6; guess += 1) await login(app, at.host, 'kate', `guess ${guess}`);
    expect([await answerTo(at.host, PASSWORD), await answerTo(at.host, PASSWORD, device)]).toEqual([
      429, 200,
    ]);

    const closed = await place();
    const own = await known(closed.host);
    await failedBefore(closed, 'kate', ACCOUNT_RULE.max ?? 0);
    fixture.pass(10 * maxMs);
    expect(await answerTo(closed.host, PASSWORD), 'closed, also for who knows the password').toBe(
      429,
    );
    expect(await answerTo(closed.host, PASSWORD, own)).toBe(200);
    // That ends the row: others are looked at again, as slowly as before.
    expect(await answerTo(closed.host, 'guess')).toBe(401);
    expect(await answerTo(closed.host, 'guess')).toBe(429);
    fixture.pass(maxMs - 1);
    expect(await answerTo(closed.host, 'guess')).toBe(429);
    fixture.pass(1);
    expect(await answerTo(closed.host, PASSWORD)).toBe(200);
  });

  test("G37: a flood against an address or a provider doesn't delay a known device", async () => {
    const at = await place();
    const device = await known(at.host);
    const [, address, whole] = strangersBuckets('', '192.0.2.7');
    const now = fixture.context.clock.now();
    for (const bucket of [address, whole]) {
      const flooded = { failures: 100_000, until: now + 5_000, at: now, forget_at: null };
      await fixture.context.store.tenant(at.tenant, ({ sql }) =>
        sql
          .insertInto('throttle')
          .values({ tenant_id: at.tenant, bucket: bucket.name, ...flooded })
          .onConflict((on) => on.columns(['tenant_id', 'bucket']).doUpdateSet(flooded))
          .execute(),
      );
    }
    expect([await answerTo(at.host, PASSWORD), await answerTo(at.host, PASSWORD, device)]).toEqual([
      429, 200,
    ]);
    expect(await counts(at)).toMatchObject({ 'provider': 100_000, 'address:192.0.2.7': 100_000 });
  });

  test('G37: many names from many addresses are slowed down together, by provider', async () => {
    const at = await place();
    const other = await place();
    const now = fixture.context.clock.now();
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .insertInto('throttle')
        .values({
          tenant_id: at.tenant,
          bucket: 'provider',
          failures: PROVIDER_RULE.quick - 1,
          until: 0,
          at: now,
          forget_at: null,
        })
        .execute(),
    );
    expect([
      await answerTo(at.host, 'x', null, 'one'),
      await answerTo(at.host, 'x', null, 'two'),
      await answerTo(other.host, 'x', null, 'two'),
    ]).toEqual([401, 429, 401]);
    fixture.pass(1_000);
    expect(await answerTo(at.host, PASSWORD)).toBe(200);
    expect(await counts(at), 'a success takes back its own try').toMatchObject({
      'provider': PROVIDER_RULE.quick,
      'address:192.0.2.7': 1,
    });
  });

  test("G37: one user's device doesn't speed up guessing at another user, and is unknown at another provider", async () => {
    const at = await place();
    await user(fixture, at.tenant, { username: 'eve', email: 'eve@example.com' });
    const eves = await known(at.host, 'eve');
    await failedBefore(at, 'kate', 100);
    expect(await answerTo(at.host, PASSWORD, eves)).toBe(429);
    const elsewhere = await place();
    await known(elsewhere.host);
    await failedBefore(elsewhere, 'kate', 100);
    expect(await answerTo(elsewhere.host, PASSWORD, eves)).toBe(429);
    for (const bad of [
      '__Host-daybook-device=x',
      `${eves}; ${eves}`,
      `__Host-daybook-device=${'A'.repeat(64)}`,
    ])
      expect(await answerTo(at.host, PASSWORD, bad)).toBe(429);
  });

  test('AUTH-10: users who share a device are each known on it, and its earlier token knows only those it knew', async () => {
    const at = await place();
    await user(fixture, at.tenant, { username: 'eve', email: 'eve@example.com' });
    const first = await known(at.host, 'eve');
    const both = await known(at.host, 'kate', first);
    for (const name of ['kate', 'eve']) await failedBefore(at, name, 100);
    expect(await answerTo(at.host, PASSWORD, first), 'a token that Eve had before Kate came').toBe(
      429,
    );
    const next = await known(at.host, 'kate', both);
    expect(await answerTo(at.host, PASSWORD, next, 'eve')).toBe(200);
    expect(new Set((await rows(at)).map((one) => one.id)).size).toBe(1);
  });

  test('G37: wrong entries on a known device count there only, and after a hundred it counts as unknown', async () => {
    const at = await place();
    const device = await known(at.host);
    const kinds: number[] = [];
    for (let round = 0; round < 6; round += 1) kinds.push(await answerTo(at.host, 'wrong', device));
    expect(kinds).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await answerTo(at.host, 'wrong'), "a stranger's own first try").toBe(401);
    const [{ id } = { id: '' }] = await rows(at);
    const bucket = `device:${id}:${at.id}`;
    expect((await counts(at))[bucket]).toBe(5);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('throttle')
        .set({ failures: 99, until: 0 })
        .where('tenant_id', '=', at.tenant)
        .where('bucket', '=', bucket)
        .execute(),
    );
    expect(await answerTo(at.host, 'wrong', device)).toBe(401);
    expect(fixture.lines.at(-2)).toContain('no more are taken');
    const before = await counts(at);
    expect(await answerTo(at.host, 'wrong', device)).toBe(401);
    const after = await counts(at);
    const [account] = strangersBuckets('kate', '');
    expect([after[bucket], (after[account.name] ?? 0) - (before[account.name] ?? 0)]).toEqual([
      100, 1,
    ]);
    // A success makes it known again.
    const renewed = await known(at.host, 'kate', device);
    expect([
      await answerTo(at.host, 'wrong', renewed),
      (await counts(at))[bucket],
      account.name in (await counts(at)),
    ]).toEqual([401, 1, false]);
  });

  test('G36, G37: the hundredth guess is checked and no later one, with the same answers as for an unknown name', async () => {
    const at = await place();
    const answers: unknown[][] = [];
    for (const name of ['kate', 'nobody']) {
      await failedBefore(at, name, 99);
      const hundredth = await login(app, at.host, name, 'wrong');
      fixture.pass(400 * 86_400_000);
      answers.push([
        outside(hundredth),
        outside(await login(app, at.host, name)),
        outside(await login(app, at.host, name, 'wrong')),
      ]);
      const later = await login(app, at.host, name);
      expect([
        hundredth.status,
        later.status,
        later.body.error,
        later.headers.get('retry-after'),
      ]).toEqual([401, 429, { kind: 'too-many', retryAfterMs: maxMs }, '900']);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(
      fixture.lines.filter((line) => line.includes('no more are taken') && line.includes(at.id)),
    ).toHaveLength(1);
  });

  test('G36, G37: failures expire the same for known and unknown names: fewer than five failures after half a year', async () => {
    const at = await place();
    await user(fixture, at.tenant, { username: 'ann', email: 'ann@example.com' });
    const accounts = async () =>
      Object.entries(await counts(at))
        .filter(([name]) => name.startsWith('account:'))
        .map(([, count]) => count)
        .sort((a, b) => a - b);
    for (const [name, times] of [
      ['kate', 4],
      ['nobody', 4],
      ['ann', 5],
      ['no one', 5],
    ] as const)
      for (let time = 0; time < times; time += 1) await login(app, at.host, name, 'wrong');
    await user(fixture, at.tenant, { username: 'owner', email: 'owner@example.com' });
    fixture.pass(DEVICE_MS);
    await known(at.host, 'owner');
    expect(await accounts()).toEqual([4, 4, 5, 5]);
    fixture.pass(1);
    await known(at.host, 'owner');
    expect(await accounts()).toEqual([5, 5]);
    expect(
      Object.keys(await counts(at))
        .sort()
        .filter((name) => !name.startsWith('account:')),
    ).toEqual(['address:192.0.2.7', 'provider']);
  });
});
