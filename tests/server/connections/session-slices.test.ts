import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Store } from '#server/platform/db/store.ts';
import { anyStore } from '../db/databases.ts';
import { HOUR, NOON } from '../ingest/fixtures.ts';
import { aConsole, aField, type Field } from './fakes/fixtures.ts';
import { aJob, aServer, aSession } from './fakes/vspc-estate.ts';
import { type StandIn, uid } from './fakes/vspc.ts';

let store: Store;
let vspc: StandIn;
let field: Field;
beforeAll(async () => {
  store = await anyStore();
});
beforeEach(async () => {
  vspc = await aConsole();
  field = await aField(store);
});
afterEach(() => field.collectors.stop());

const MINUTE = 60_000;
const JOB = { company: 'Company 0', server: 'vbr-0', name: 'SQL nightly' };
const HISTORY = 'infrastructure/jobSessionHeatmap';
/** More than a response may have. */
const TOO_LARGE = Buffer.alloc(17 * 1_048_576, ' ');

interface Slice {
  readonly from: number;
  readonly to: number;
}

/** The console has a session of each of these hours ago, and too many for the slices that match. */
async function connect(
  hoursAgo: readonly number[],
  isTooLarge: (slice: Slice) => boolean,
): Promise<{ readonly requested: Slice[]; readonly answered: Slice[] }> {
  const { console } = vspc;
  const requested: Slice[] = [];
  const answered: Slice[] = [];
  console.fault = ({ path: url }, path) => {
    if (path !== HISTORY) return null;
    const { searchParams: query } = new URL(url, vspc.outside.url);
    const slice = {
      from: Date.parse(query.get('from') ?? ''),
      to: Date.parse(query.get('to') ?? ''),
    };
    requested.push(slice);
    if (isTooLarge(slice)) return { body: TOO_LARGE };
    answered.push(slice);
    return null;
  };
  await field.company('Ours', uid('company Company 0'));
  console.servers.push(aServer('Company 0', 'vbr-0'));
  console.jobs.push(aJob(JOB, NOON - HOUR));
  console.sessions.push(...hoursAgo.map((hours) => aSession(JOB, NOON - hours * HOUR)));
  await field.connect(vspc.outside.url);
  return { requested, answered };
}

const listHours = async (): Promise<number[]> =>
  (await field.runs())
    .map(({ startedAt }) => (NOON - startedAt) / HOUR)
    .toSorted((one, other) => other - one);
const loadHistory = async () => {
  const listed = await field.listConnections();
  if (!listed.ok) throw new Error(listed.failure.message);
  return listed.value[0]?.collections.find(({ entity }) => entity === 'sessions');
};
const HOURS = [160, 131, 110, 109, 108, 107, 80, 33, 20, 2, 1];

test('COLLECT-9: a time whose sessions are too many for one response is read in halves, without a gap and each session once', async () => {
  const busy = { from: NOON - 112 * HOUR, to: NOON - 106 * HOUR };
  const { answered } = await connect(
    HOURS,
    ({ from, to }) => to - from > 3 * HOUR && from < busy.to && to > busy.from,
  );
  await field.round();
  expect(answered.map(({ from }) => from).slice(1)).toEqual(
    answered.slice(0, -1).map(({ to }) => to),
  );
  expect([answered[0]?.from, answered.at(-1)?.to]).toEqual([NOON - 168 * HOUR, NOON]);
  const inBusy = answered.filter(({ from, to }) => from < busy.to && to > busy.from);
  expect(inBusy.every(({ from, to }) => to - from <= 3 * HOUR)).toBe(true);
  expect(await listHours()).toEqual(HOURS);
  await field.round(6 * MINUTE);
  expect(await listHours()).toEqual(HOURS);
});

test('COLLECT-5, COLLECT-9: sessions that are too many even for the shortest time are a failure with its reason; what was read before stays, and the next round goes on there', async () => {
  let isFull = true;
  const full = NOON - 90 * HOUR;
  const { requested, answered } = await connect(
    HOURS,
    ({ from, to }) => isFull && from <= full && to > full,
  );
  await field.round();
  expect(await loadHistory()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('16'),
  });
  const tried = requested.filter(({ from, to }) => from <= full && to > full);
  expect(new Set(tried.map(({ from, to }) => to - from)).size).toBe(tried.length);
  expect(tried.length).toBeLessThan(8);
  expect(await listHours()).toEqual([160, 131, 110, 109, 108, 107, 1]);
  isFull = false;
  answered.length = 0;
  await field.round(4 * HOUR);
  const until = answered[0]?.from ?? 0;
  expect([until > NOON - 168 * HOUR, until <= full]).toEqual([true, true]);
  expect(await loadHistory()).toMatchObject({ status: 'succeeded' });
  expect(await listHours()).toEqual(HOURS);
});
