import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { hashApiKey, formatApiKey } from '#server/platform/auth/api-key-secret.ts';
import { makeKeyRateLimit } from '#server/platform/http/key-rate-limit.ts';
import type { Fixture } from './fixtures.ts';
import { accounts, getApp, ask, makeFixture, provider, user } from './fixtures.ts';

const limit = (key: number, address: number, atOnce: number, max?: number) =>
  makeKeyRateLimit(
    { apiKeyPerMinute: key, apiAddressPerMinute: address, apiKeyAtOnce: atOnce },
    max,
  );

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

test('KEY-6: a window lasts a minute from its first call, and its end is reported', () => {
  const one = limit(2, 9, 9);
  const withHeaders = () => {
    const headers = new Headers();
    return { headers, ask: (now: number) => one.count('key', 'a', now, headers) };
  };
  const first = withHeaders();
  expect([
    first.ask(1_000),
    first.headers.get('ratelimit'),
    first.headers.get('ratelimit-policy'),
  ]).toEqual([null, '"key";r=1;t=60', '"key";q=2;w=60']);
  expect([
    withHeaders().ask(30_500),
    withHeaders().ask(60_999)?.kind,
    one.count('key', 'b', 60_999, new Headers()),
  ]).toEqual([null, 'too-many', null]);
  const over = withHeaders();
  expect([over.ask(60_999), over.headers.get('ratelimit')]).toEqual([
    expect.objectContaining({ kind: 'too-many', retryAfterMs: 1 }),
    '"key";r=0;t=1',
  ]);
  expect([withHeaders().ask(61_000), withHeaders().ask(500), withHeaders().ask(600)]).toEqual([
    null,
    null,
    null,
  ]);
});

test('KEY-6: callers of one IPv6 network count as one', () => {
  const one = limit(9, 1, 9);
  expect([
    one.count('address', '2001:db8:1:2::1', 0, new Headers()),
    one.count('address', '2001:db8:1:2::2', 0, new Headers())?.kind,
    one.count('address', '2001:db8:1:3::1', 0, new Headers()),
  ]).toEqual([null, 'too-many', null]);
});

test('KEY-6: the memory used is limited, whatever comes', () => {
  const one = limit(9, 9, 9, 100);
  for (let n = 0; n < 5_000; n += 1)
    one.count('address', `198.51.${n >> 8}.${n & 255}`, n, new Headers());
  expect(one.size).toBe(100);
});

test('KEY-6: a key may run a number of calls at once, and a slot is free when one ends, with success or not', async () => {
  const { tenant, host } = await provider(fixture);
  const id = await user(fixture, tenant, { roles: ['operator'] });
  const secret = formatApiKey(fixture.context.chance.bytes(32));
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .insertInto('api_key')
      .values({
        tenant_id: tenant,
        id: fixture.context.chance.uuid(),
        user_id: id,
        name: 'x',
        abilities: '["monitoring.daily-checks"]',
        hash: hashApiKey(secret),
        hint: 'abcd',
        made_at: 0,
        until: fixture.context.clock.now() + 86_400_000,
        used_at: null,
        used_from: null,
      })
      .execute(),
  );
  const ends: (() => void)[] = [];
  let turn = 0;
  const app = getApp(fixture.context, {
    ...accounts(fixture.context),
    listJobNames: () =>
      new Promise((resolve, reject) => {
        const good = (turn += 1) % 2 === 0;
        ends.push(() => {
          if (good) resolve(ok({ rows: [], count: 0, page: 1, pageSize: 10 }));
          else reject(new Error('a bug'));
        });
      }),
  });
  const call = () => ask(app, '/api/v1/monitoring/reporting/jobs-name', { host, token: secret });
  const running = Array.from({ length: LIMITS.apiKeyAtOnce }, call);
  await expect.poll(() => ends.length, { timeout: 60_000 }).toBe(LIMITS.apiKeyAtOnce);
  const over = await call();
  expect([over.status, over.body.error.kind, over.headers.get('retry-after')]).toEqual([
    429,
    'too-many',
    '1',
  ]);
  ends.splice(0).forEach((end) => {
    end();
  });
  await Promise.all(running);
  const next = call();
  await expect.poll(() => ends.length, { timeout: 60_000 }).toBe(1);
  ends.forEach((end) => {
    end();
  });
  expect((await next).status).not.toBe(429);
});
