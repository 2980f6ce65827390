import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobRow } from '#contract/runs/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { plainCipher } from '#workers/disk/cipher.ts';
import { encodeWarmStart, openWarmStart } from '#workers/disk/warm-start-cache.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import { getPreloaded, DEFAULT_VIEW, openFirst } from '#workers/startup/cold-start.ts';
import type { Disk } from '#workers/types.ts';
import { injectErrors, type FormErrors } from './failing-disk.ts';
import { freshIdb, NAME, placeIn } from './places.ts';
import { DAYS, fresh, page, patch, problem, run, runsOfDay } from './sample.ts';

let errors: FormErrors;
beforeEach(() => {
  errors = injectErrors();
});
afterEach(() => errors.restore());

const [today = ''] = DAYS;
const NOW = (startOfUtcDay(today) + 86_400) * 1000;
const job = (n: number, name = `job ${n}`): JobRow => ({
  n,
  uid: `j${n}`,
  key: 'k',
  company: 1,
  name,
  source: 'restic',
  type: 'Backup',
  group: 'other',
  computer: '',
  server: '',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
  firstSeenAt: 1,
  missedIgnored: null,
  disabledIgnored: null,
  problem: null,
});
/** Runs of `sample.ts` are of the jobs 1 to 7; every fifth has the problem of its own number. */
const problems = DAYS.flatMap((_, i) =>
  Array.from({ length: 8 }, (__, at) => ({
    ...problem(i * 1000 + (at + 1) * 5),
    job: ((i * 1000 + (at + 1) * 5) % 7) + 1,
  })),
);
const BOOKS = {
  job: Array.from({ length: 9 }, (_, i) => job(i + 1)),
  problem: problems,
  company: [{ n: 1, id: 'c', name: 'Acme', madeAt: 1 }],
};

async function filled(days = DAYS) {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh(BOOKS, days));
  for (const [i, day] of days.entries())
    await disk.addDays([{ day, pages: [page(runsOfDay(day, 41, 1 + i * 1000))] }]);
  while (await disk.compact());
  return { place, disk };
}

/** The first rows, and what they made the disk read. */
async function firstRows(disk: Disk) {
  errors.reads.length = 0;
  errors.asked.length = 0;
  const engine = makeEngine();
  const first = await openFirst(disk, engine, DEFAULT_VIEW, NOW);
  if (!first) throw new Error('nothing to open');
  const list = engine.select(DEFAULT_VIEW.filter(first.opened, NOW), NOW);
  return {
    first,
    shown: { facets: list.facets, rows: engine.view(list, DEFAULT_VIEW.window, NOW) },
    reads: errors.reads.toSorted(),
    asked: errors.asked.length,
  };
}

test('COL-6: with a warm-start cache, the first rows take one transaction that reads no table snapshot', async () => {
  const { place } = await filled();
  const { shown, reads, asked: request } = await firstRows(await place.open());
  expect(shown.rows.length).toBeGreaterThan(1);
  expect(shown.rows.every(({ jobName, problem: one }) => jobName !== '' && one !== null)).toBe(
    true,
  );
  expect(request).toBe(1);
  // all four small days are one segment by now
  expect(reads).toEqual(['meta', 'meta', 'patches', 'segments']);
});

test('COL-6: a missing, unreadable or foreign warm-start cache is skipped, and the first rows are the same', async () => {
  const { place, disk } = await filled();
  const { shown } = await firstRows(await place.open());
  const front = await record(place.idb.indexedDB, 'front');
  const who = await record(place.idb.indexedDB, 'who');
  for (const instead of [
    null,
    { ...who, name: 'front' },
    { name: 'front' },
    { ...front, sealed: { iv: new Uint8Array(12), data: new ArrayBuffer(40) } },
  ]) {
    await put(place.idb.indexedDB, instead);
    expect((await firstRows(await place.open())).shown).toEqual(shown);
  }
  await put(place.idb.indexedDB, front);
  errors.read = null;
  expect((await firstRows(disk)).reads).toEqual(['meta', 'meta', 'patches', 'segments']);
});

test('COL-6: a cache of snapshots that were folded since is not used; one of segments that were added since is', async () => {
  const { place, disk } = await filled();
  const front = await record(place.idb.indexedDB, 'front');
  const [worst = 0] = (await firstRows(await place.open())).shown.rows.map((row) => row.job);
  for (let i = 0; i < 40; i++)
    await disk.append(patch(11 + i, [], { job: [job(worst, `renamed ${i}`)] }), i);
  await disk.compact();
  await put(place.idb.indexedDB, front); // the old one, as it was
  const { shown } = await firstRows(await place.open());
  expect(shown.rows.find((row) => row.job === worst)?.jobName).toBe('renamed 39');
  while (await disk.compact());
  await disk.addDays([
    {
      day: today,
      pages: [
        page([
          ...runsOfDay(today, 41, 1),
          { ...run(3_005, startOfUtcDay(today) + 9_000), job: worst },
        ]),
      ],
    },
  ]);
  const later = await firstRows(await place.open());
  expect(later.shown.rows.map(({ n }) => n)).toContain(3_005);
  expect(later.shown.rows.find((row) => row.n === 3_005)?.jobName).toBe('renamed 39');
});

test('COL-6: changes after the cache was written win over it', async () => {
  const { place, disk } = await filled();
  const before = (await firstRows(await place.open())).shown.rows;
  const [top] = before;
  const n = top?.problem?.n ?? 0;
  await disk.append(
    patch(11, [], { problem: [{ ...problem(n), review: { by: 'u1', at: 3, comment: null } }] }),
    1,
  );
  const { shown, asked: request } = await firstRows(await place.open());
  expect(shown.rows.map((row) => row.problem?.n)).not.toContain(n);
  expect(request).toBe(1);
});

test("COL-6: the cache doesn't grow with the history", async () => {
  const of = [await sizeAfter(DAYS.slice(0, 3)), await sizeAfter(DAYS)] as const;
  expect(of[1] - of[0]).toBeLessThanOrEqual(IN_SHARED_SEGMENT);
});
/**
 * Which of its rows have a problem is told of a segment as a whole: here eight numbers of a day
 * that lies in one with the newest.
 */
const IN_SHARED_SEGMENT = 8 * ',123'.length;

async function sizeAfter(days: readonly string[]): Promise<number> {
  const { place } = await filled(days);
  const { sealed } = (await record(place.idb.indexedDB, 'front')) as {
    sealed: { data: ArrayBuffer };
  };
  return sealed.data.byteLength;
}

test('COL-6: idle work rewrites the cache only if segments or snapshots have changed', async () => {
  const { place, disk } = await filled();
  const front = JSON.stringify(await record(place.idb.indexedDB, 'front'));
  await disk.append(patch(11, [run(1, startOfUtcDay(today), 1)]), 1);
  await disk.forget(startOfUtcDay('2020-01-01')); // nothing is that old
  expect(await disk.compact()).toBe(false);
  expect(JSON.stringify(await record(place.idb.indexedDB, 'front'))).toBe(front);
});

test("G16: a segment that can't be read reports which days to fetch again", async () => {
  const { place } = await filled();
  errors.read = (store) => (store === 'segments' ? 'unreadable' : null);
  const disk = await place.open();
  const opened = await disk.open(getPreloaded(DEFAULT_VIEW, NOW));
  await expect(disk.segment(opened?.segments[0]?.id ?? 0)).rejects.toMatchObject({
    kind: 'corrupt',
    days: DAYS,
  });
  errors.read = null;
  expect(await disk.open()).toMatchObject({
    segments: [],
    days: DAYS.map((day) => ({ day, here: false })),
  });
});

const connect = (factory: IDBFactory): Promise<IDBDatabase> =>
  new Promise((resolve) => {
    const request = factory.open(NAME);
    request.addEventListener('success', () => resolve(request.result));
  });

async function record(factory: IDBFactory, name: string): Promise<object> {
  const db = await connect(factory);
  const found = await new Promise<object>((resolve) => {
    const request = db.transaction('meta').objectStore('meta').get(name);
    request.addEventListener('success', () => resolve(request.result as object));
  });
  db.close();
  return found;
}

/** Null takes the front away. */
async function put(factory: IDBFactory, front: object | null): Promise<void> {
  const db = await connect(factory);
  await new Promise((resolve) => {
    const transaction = db.transaction('meta', 'readwrite');
    const meta = transaction.objectStore('meta');
    if (front === null) meta.delete('front');
    else meta.put(front);
    transaction.addEventListener('complete', resolve);
  });
  db.close();
}

test('COL-6, SYNC-9: a cache says whose problems it holds; with one of an older build, none counts as known', async () => {
  const { me, branding, people } = fresh();
  const days = { timeZone: 'UTC', dayBeginsHour: 0, first: 0, starts: [] };
  const problemsByKey = { segments: [1], fromSec: 5 };
  const whole = { who: { me, branding, people }, rows: {}, days };
  expect(
    await opened(encodeWarmStart({ ...whole, problemsOf: problemsByKey }, [job(3)])),
  ).toMatchObject({
    problemsOf: problemsByKey,
    jobs: { ns: [3] },
  });
  const head = new TextEncoder().encode(JSON.stringify({ ...whole, jobs: { ns: [], ends: [] } }));
  const bytes = new Uint8Array(4 + head.length);
  new DataView(bytes.buffer).setUint32(0, head.length);
  bytes.set(head, 4);
  expect(await opened(bytes)).toMatchObject({ ...whole, problemsOf: null });
});

const opened = async (bytes: Uint8Array<ArrayBuffer>) =>
  openWarmStart({ cipher: plainCipher }, await plainCipher.seal('meta', 'front', bytes));
