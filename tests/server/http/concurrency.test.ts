import { beforeAll, expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import { oidcHandlers } from '#server/features/auth/oidc.ts';
import { releaseSlotDuring, makeQueue } from '#server/platform/http/concurrency.ts';
import { CALL_LIMITS } from '#server/platform/http/serve-call.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { accounts, getApp, ask, login, makeFixture, provider, user } from './fixtures.ts';
import type { Fixture } from './fixtures.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture(HERE);
});

test("HTTP-17, G34: an issuer or other system of one provider that doesn't respond takes no slot from others", async () => {
  const silent = await outside(() => ({ silent: true }));
  const theirs = await provider(fixture);
  const ours = await provider(fixture);
  await user(fixture, ours.tenant);
  await fixture.context.store.tenant(theirs.tenant, ({ sql }) =>
    sql
      .updateTable('provider')
      .set({
        settings: JSON.stringify({ oidc: { issuer: silent.url, clientId: 'x', label: 'x' } }),
      })
      .where('tenant_id', '=', theirs.tenant)
      .execute(),
  );
  const app = getApp(
    fixture.context,
    { ...accounts(fixture.context), ...oidcHandlers(fixture.context) },
    { limits: { ...CALL_LIMITS, atOnce: 2, waiting: 4 } },
  );
  const waiting = Array.from({ length: 5 }, () =>
    ask(app, '/api/v1/auth/oidc/start', { host: theirs.host }),
  );
  await expect.poll(() => silent.asked.length).toBeGreaterThan(0);
  expect((await login(app, ours.host)).status).toBe(200);
  await silent.stop();
  expect(
    (await Promise.all(waiting)).map(({ status, headers }) => [status, headers.get('location')]),
  ).toEqual(Array.from({ length: 5 }, () => [302, '/login#refused=issuer']));
});

const soon = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 5);
  });

test('HTTP-17: a caller that releases its slot gets the next free one, before those that have had none, and slots are never exceeded', async () => {
  const queue = makeQueue(1, 5, true);
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = queue.run(async () => {
    order.push('one begins');
    await releaseSlotDuring(() => gate.promise);
    order.push('one goes on');
    expect(queue.running).toBe(1);
  });
  const second = queue.run(async () => {
    order.push('two');
    gate.resolve();
    await soon();
    order.push('two ends');
  });
  const third = queue.run(() => {
    order.push('three');
    return Promise.resolve();
  });
  await Promise.all([first, second, third]);
  expect([order, queue.running, queue.waiting]).toEqual([
    ['one begins', 'two', 'two ends', 'one goes on', 'three'],
    0,
    0,
  ]);
  await expect(
    queue.run(() => releaseSlotDuring(() => Promise.reject(new Error('gone')))),
  ).rejects.toThrow('gone');
  expect(queue.running).toBe(0);
});

test('HTTP-17: parts that wait in parallel release one slot and take one, even if the work ends before them or continues waiting', async () => {
  const queue = makeQueue(2, 50, true);
  let inside = 0;
  let max = 0;
  const busy = async (): Promise<void> => {
    inside += 1;
    max = Math.max(max, inside);
    await Promise.resolve();
    inside -= 1;
  };
  const work = async (n: number): Promise<void> => {
    await busy();
    await Promise.all([
      releaseSlotDuring(soon),
      releaseSlotDuring(async () => {
        await soon();
        await soon();
      }),
      releaseSlotDuring(soon),
    ]);
    await busy();
    const late = releaseSlotDuring(soon);
    if (n % 2 === 0) await late;
    await releaseSlotDuring(() => releaseSlotDuring(soon));
    await busy();
    if (n % 3 === 0) void releaseSlotDuring(soon);
  };
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      await queue.run(() => work(n));
    }),
  );
  await expect.poll(() => [queue.running, queue.waiting]).toEqual([0, 0]);
  expect(max).toBeLessThanOrEqual(2);
  const free = makeQueue(1, 0);
  const one = free.run(() => soon());
  expect(free.run(() => soon())).toBeNull();
  await one;
});

test('HTTP-18: a user, or the users of a provider, with many requests at once wait only for their own', async () => {
  const gate = Promise.withResolvers<void>();
  const theirs = await provider(fixture);
  const ours = await provider(fixture);
  await user(fixture, theirs.tenant);
  await user(fixture, theirs.tenant, { username: 'carl' });
  await user(fixture, ours.tenant);
  let inside = 0;
  const slow = {
    ...accounts(fixture.context),
    lastSync: async () => {
      inside += 1;
      await gate.promise;
      return ok({ status: 'NEVER' as const, at: null, failed: [], sources: [] });
    },
  };
  const app = getApp(fixture.context, slow, {
    limits: { ...CALL_LIMITS, atOnce: 6, waiting: 50, userAtOnce: 2, providerAtOnce: 3 },
  });
  const tokens = (
    await Promise.all(['kate', 'carl'].map((name) => login(app, theirs.host, name)))
  ).map(({ body }) => body.data.token);
  const other = (await login(app, ours.host)).body.data;
  const sent = tokens.flatMap((token) =>
    Array.from({ length: 5 }, () =>
      ask(app, '/api/v1/sync/last-sync', { host: theirs.host, token }),
    ),
  );
  await expect.poll(() => inside).toBe(3);
  expect(
    (
      await ask(app, '/api/v1/auth/logout', {
        method: 'POST',
        host: ours.host,
        token: other.token,
        body: {},
      })
    ).status,
  ).toBe(200);
  expect(inside).toBe(3);
  gate.resolve();
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(inside).toBe(10);
});
