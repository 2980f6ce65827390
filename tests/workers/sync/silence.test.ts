import { expect, test } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { makeWire } from '#workers/sync/wire.ts';

/** Returns when a call that nobody answers ends, in ms. */
async function findSilence(name: CallName, input: unknown): Promise<number> {
  const waits: { readonly ms: number; readonly ring: () => void }[] = [];
  const wire = makeWire({
    fetch: () => new Promise(() => {}),
    origin: 'https://portal.test',
    clock: {
      now: () => 0,
      after: (ms, ring) => {
        waits.push({ ms, ring });
        return () => {};
      },
    },
    tokens: { get: () => Promise.resolve(ok('token')) },
  });
  const ended = wire.raw(name, input);
  await expect.poll(() => waits.length).toBe(1);
  waits[0]?.ring();
  expect(await ended).toMatchObject({ ok: false, failure: { kind: 'no-answer' } });
  return waits[0]?.ms ?? 0;
}

test('SYNC-19: a call has 20 s to answer, and one that waits for a tenant or for storage 100 s', async () => {
  expect(await findSilence('listRepositories', {})).toBe(20_000);
  const id = '10000000-0000-4000-8000-000000000001';
  expect(await findSilence('createOrganization', {})).toBe(100_000);
  expect(await findSilence('createBackupRepository', { organizationId: id })).toBe(100_000);
});
