import { expect, test } from 'vitest';
import { aCloud } from './fixtures.ts';

const planAt = (n: number) => ({ path: /^graph\.microsoft\.com\/v1\.0\/users$/, at: [n] });

/** Returns how sixty requests ended. */
async function run(seed: number): Promise<number[]> {
  const { tenant, call } = await aCloud();
  await call('/users');
  tenant.admin.setFailurePlan([{ path: /users/, probability: 0.3, failure: 'busy' }], seed);
  const seen: number[] = [];
  for (let n = 0; n < 60; n += 1) seen.push((await call('/users?$top=1')).status);
  return seen;
}

test('GRAPH-10: planned failures happen at the planned requests, with their headers', async () => {
  const { tenant, call } = await aCloud();
  const { admin } = tenant;
  const statuses = async (count: number): Promise<(number | string)[]> => {
    const seen: (number | string)[] = [];
    for (let n = 0; n < count; n += 1)
      seen.push(
        await call('/users').then(
          ({ status }) => status,
          (error: Error) => error.message,
        ),
      );
    return seen;
  };
  admin.setFailurePlan([
    { ...planAt(1), failure: 'throttled', retryAfterSeconds: 9 },
    { ...planAt(2), failure: 'busy' },
    { ...planAt(3), failure: 'error' },
    { ...planAt(4), failure: 'timeout' },
    { ...planAt(5), failure: 'expired' },
    { ...planAt(6), failure: 'reset' },
    { ...planAt(7), failure: 'cut' },
  ]);
  const first = await call('/users');
  expect(first).toMatchObject({ status: 429, body: { error: { code: 'TooManyRequests' } } });
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'retry-after': '9',
    'ratelimit-limit': '1200',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '30',
  });
  expect(await statuses(7)).toEqual([503, 500, 504, 401, 'fetch failed', 'terminated', 200]);
  expect(
    admin
      .requests()
      .slice(-8)
      .map(({ status }) => status),
  ).toEqual([429, 503, 500, 504, 401, null, 200, 200]);
  admin.setFailurePlan([{ path: /users/, failure: 'warned' }]);
  const warned = await call('/users');
  expect([warned.status, warned.headers.get('ratelimit-remaining')]).toEqual([200, '60']);
  admin.setFailurePlan([]);
  expect(await statuses(2)).toEqual([200, 200]);
});

test('GRAPH-10: a lost request was carried out, a broken one was not', async () => {
  const { tenant, call } = await aCloud({ roles: ['Mail.ReadWrite', 'User.Read.All'] });
  const { admin } = tenant;
  const user = admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  const post = () =>
    call(`/users/${user}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subject: 'once' }),
    });
  const drafts = admin.listMessages(user, 'drafts').length;
  await call('/users');
  admin.setFailurePlan([{ path: /messages$/, at: [1], failure: 'reset' }]);
  await expect(post()).rejects.toThrow('fetch failed');
  expect(admin.listMessages(user, 'drafts')).toHaveLength(drafts);
  admin.setFailurePlan([{ path: /messages$/, at: [1], failure: 'lost' }]);
  await expect(post()).rejects.toThrow('fetch failed');
  expect(admin.listMessages(user, 'drafts')).toHaveLength(drafts + 1);
});

test('GRAPH-10: a stalled request ends when its client gives up', async () => {
  const { tenant, call } = await aCloud();
  await call('/users');
  tenant.admin.setFailurePlan([{ path: /users/, failure: 'stalled' }]);
  const controller = new AbortController();
  const stalled = call('/users', { signal: controller.signal });
  controller.abort();
  await expect(stalled).rejects.toThrow(/abort/i);
});

test('GRAPH-10: likely failures are the same for the same seed', async () => {
  const first = await run(3);
  expect(await run(3)).toEqual(first);
  expect(await run(4)).not.toEqual(first);
  const failed = first.filter((status) => status === 503).length;
  expect(failed).toBeGreaterThan(5);
  expect(failed).toBeLessThan(35);
});
