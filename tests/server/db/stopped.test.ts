import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { makeLog } from '#server/platform/log.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { StoreError } from '#server/platform/db/retry.ts';
import { anExecution, aPlace } from '../ingest/fixtures.ts';
import { migratedFolder } from './databases.ts';
import { aTenant, byClock, jobDraft, runDraft } from './drafts.ts';

let dir = '';
let lines: string[] = [];
let threads: Worker[] = [];
let store: OpenStore;
const began = (worker: Worker): void => void threads.push(worker);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-stopped-'));
  [lines, threads] = [[], []];
  await migratedFolder(dir);
  process.on('worker', began);
  store = await openStore({
    dataDir: dir,
    databaseUrl: null,
    log: makeLog(systemClock, (_level, line) => lines.push(line)),
    clock: systemClock,
  });
});
afterEach(async () => {
  await store.close();
  process.off('worker', began);
  await rm(dir, { recursive: true, force: true });
});

/** Ends the thread of the database from outside, whatever it is at. */
async function stopThread(): Promise<void> {
  const thread = threads.at(-1);
  if (thread === undefined) throw new Error('there is no thread');
  const gone = once(thread, 'exit');
  await thread.terminate();
  await gone;
}
const said = (words: string): number => lines.filter((line) => line.includes(words)).length;
const backAfter = async (stops: number): Promise<void> => {
  await expect.poll(() => said('is there again'), { timeout: 60_000 }).toBe(stops);
};

test('STORE-9, LOG-3: a thread that is killed at work is started again, and no acknowledged write is lost', async () => {
  const tenant = await aTenant(store);
  await store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
  let stored = 0;
  let errors = 0;
  let next = 1;
  for (let stop = 1; stop <= 3; stop++) {
    const writes = new AbortController();
    const writing = (async () => {
      while (!writes.signal.aborted) {
        const n = next++;
        try {
          await store.tenant(tenant, (tx) =>
            tx.append([runDraft({ n, startedAt: byClock.at + n * 1_000 })], byClock),
          );
          stored += 1;
        } catch (error) {
          errors += 1;
          expect(error).toBeInstanceOf(StoreError);
        }
      }
    })();
    const before = stored;
    await expect.poll(() => stored, { timeout: 60_000 }).toBeGreaterThan(before + 3);
    await stopThread();
    await backAfter(stop);
    writes.abort();
    await writing;
    expect(await store.tenant(tenant, async (tx) => (await tx.head()).seq)).toBeGreaterThanOrEqual(
      stored + 1,
    );
  }
  expect(said('has stopped and is begun again')).toBe(3);
  expect(errors, 'what was on its way said so').toBeGreaterThan(0);
  const [log] = await rebuild(store);
  expect(log?.differences).toEqual([]);
  // A write that was on its way may have been done, and could not say so.
  expect((log?.events ?? 0) - 1 - stored).toBeLessThanOrEqual(errors);
});

test('STORE-9: while the database is away, calls and pings are told to retry, and are then served', async () => {
  const place = await aPlace(store);
  expect((await place.ping('/files')).status).toBe(200);
  // It is begun again ever later: by now it is away longer than a call tries.
  for (const stop of [1, 2]) {
    await stopThread();
    await backAfter(stop);
  }
  await stopThread();
  const [ping, posted] = await Promise.all([
    place.ping('/files'),
    place.post('executions', anExecution()),
  ]);
  expect([ping.status, posted.status, posted.error?.kind]).toEqual([503, 503, 'busy']);
  expect([ping.headers.get('retry-after'), posted.headers.get('retry-after')]).toEqual(['1', '1']);
  await backAfter(3);
  expect([
    (await place.ping('/files')).status,
    (await place.post('executions', anExecution())).status,
  ]).toEqual([200, 200]);
});

test("STORE-9: a store that is closed while its database is away doesn't restart it", async () => {
  await stopThread();
  await store.close();
  const count = threads.length;
  await new Promise<void>((resolve) => void systemClock.after(1_000, resolve));
  expect([threads.length, said('is there again')]).toEqual([count, 0]);
  store = await openStore({
    dataDir: dir,
    databaseUrl: null,
    log: makeLog(systemClock, () => undefined),
    clock: systemClock,
  });
  expect(await store.tenants()).toEqual([]);
});
