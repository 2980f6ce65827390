import { beforeAll, expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import { anyStore } from '../db/databases.ts';
import { HOUR, NOON } from '../ingest/fixtures.ts';
import { aConsole, aField } from './fakes/fixtures.ts';
import { aJob, aSession, fill } from './fakes/vspc-estate.ts';
import { uid } from './fakes/vspc.ts';

const JOBS = 10_000;
const COMPANIES = 50;
let store: Store;
beforeAll(async () => {
  store = await anyStore();
});

test('COLLECT-3: a console of ten thousand jobs is read completely, and then only its changes, in no more requests', async () => {
  const vspc = await aConsole();
  const field = await aField(store);
  const jobs = fill(vspc.console, COMPANIES, JOBS, NOON - HOUR);
  for (let c = 0; c < COMPANIES; c += 1)
    await field.company(`Company ${c}`, uid(`company Company ${c}`));
  for (const job of jobs.slice(0, 2_000))
    vspc.console.sessions.push(aSession(job, NOON - 30 * HOUR));
  await field.connect(vspc.outside.url);
  /** Prints the speed of a round and returns its number of requests. */
  const timed = async (what: string, rows: number): Promise<number> => {
    const before = vspc.outside.asked.length;
    const began = performance.now();
    await field.round(400_000);
    const ms = performance.now() - began;
    process.stdout.write(
      `${what}: ${Math.round(ms)} ms, ${Math.round(rows / (ms / 1000))} jobs/s\n`,
    );
    return vspc.outside.asked.length - before;
  };
  const first = await timed('first round', JOBS);
  expect(await field.runs()).toHaveLength(JOBS + 2_000);
  const seq = async (): Promise<number> =>
    store.tenant(field.tenant, async (tx) => (await tx.head()).seq, { readOnly: true });
  const before = await seq();
  const again = await timed('the same again', JOBS);
  expect(await seq()).toBe(before);
  const at = field.context.clock.now() - 60_000;
  vspc.console.jobs = vspc.console.jobs.map((row, n) =>
    n % 10 === 0 ? aJob(jobs[n] ?? { company: '', server: '', name: '' }, at) : row,
  );
  await timed('a tenth of them ran', JOBS);
  expect(await field.runs()).toHaveLength(JOBS + 3_000);
  expect(again).toBeLessThanOrEqual(first);
  await field.collectors.stop();
}, 400_000);
