import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { MAX_PATCHES } from '#workers/disk/compact.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import type { Disk } from '#workers/types.ts';
import { Device } from './device.ts';
import { DISKS, freshIdb, placeIn } from './places.ts';
import { DAYS, fresh, page, patch, problem, run, runsOfDay, shown } from './sample.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const [today = '', yesterday = ''] = DAYS;

type Step =
  | { readonly kind: 'day'; readonly day: number; readonly stale: boolean }
  | { readonly kind: 'change'; readonly count: number; readonly seed: number }
  | { readonly kind: 'compact' | 'reopen' }
  | { readonly kind: 'forget'; readonly day: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('day' as const),
      day: fc.nat(DAYS.length - 1),
      stale: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      count: fc.constantFrom(1, 3, 20),
      seed: fc.nat(5000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('compact' as const, 'reopen' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), day: fc.nat(DAYS.length - 1) }),
  },
);

async function take(device: Device, one: Step): Promise<void> {
  if (one.kind === 'day') return device.addDay(DAYS[one.day] ?? '', one.stale);
  if (one.kind === 'change') return device.change(one.count, one.seed);
  if (one.kind === 'forget') return device.forget(DAYS[one.day] ?? '');
  if (one.kind === 'compact') await device.disk.compact();
}

describe.each(DISKS)('on %s', (name, make) => {
  test(
    'SYNC-2: whatever arrives, is compacted or reopened in any order, the device equals the plain fold',
    { timeout: 60_000 * PROOF },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
          const { disk, again } = await make();
          let device = new Device(disk);
          await device.begin(12);
          for (const one of steps) {
            await take(device, one);
            if (one.kind === 'reopen') device = device.on(await again());
            expect(device.seen(await shown(device.disk))).toEqual(device.expected());
          }
          for (let left = 200; await device.disk.compact(); left--)
            if (left === 0) throw new Error('compaction does not end');
          expect(device.seen(await shown(device.disk))).toEqual(device.expected());
          expect((await device.disk.open())?.patches.length).toBeLessThanOrEqual(MAX_PATCHES);
        }),
        { numRuns: (name === 'memory' ? 30 : 15) * PROOF },
      );
    },
  );

  test('COL-5: patches of many runs are folded, and only the affected segments are written', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    await disk.addDays([{ day: today, pages: [page(runsOfDay(today, 2000, 1))] }]);
    await disk.addDays([
      { day: yesterday, pages: [page(runsOfDay(yesterday, LIMITS.pageRows, 100_000))] },
    ]);
    const untouched = (await disk.open())?.segments[1];
    const many = Array.from({ length: LIMITS.pageRows + 1 }, (_, i) =>
      run(1_000_000 + i, startOfUtcDay(today) + (i % 86_000), 1),
    );
    await disk.append(patch(11, [...many, run(1, startOfUtcDay(today), 9)]), 1);
    while (await disk.compact());
    const opened = await disk.open();
    expect(opened?.patches).toEqual([]);
    expect(opened?.segments).toContainEqual(untouched);
    const { runs } = await shown(disk);
    expect(Object.keys(runs)).toHaveLength(2000 + LIMITS.pageRows * 2 + 1);
    expect(runs['1']?.elapsedSec).toBe(9);
    expect(opened?.segments.every((one) => one.rows <= LIMITS.pageRows)).toBe(true);
  });

  test("COL-5: runs of a future day wait for its page, and compaction doesn't loop on them", async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    const newer = Array.from({ length: LIMITS.pageRows + 5 }, (_, i) =>
      run(i + 1, startOfUtcDay(today) + i, 1),
    );
    await disk.append(patch(11, newer, { problem: [problem(1)] }), 1);
    expect(await disk.compact()).toBe(true); // the front of what was folded is still to be made
    expect(await disk.compact()).toBe(false);
    expect(await disk.compact()).toBe(false);
    await disk.addDays([
      {
        day: today,
        pages: [page([run(1, startOfUtcDay(today), 0), run(900_000, startOfUtcDay(today) + 9)])],
      },
    ]);
    while (await disk.compact());
    expect((await disk.open())?.patches).toEqual([]);
    const { runs } = await shown(disk);
    expect(Object.keys(runs)).toHaveLength(newer.length + 1);
    expect(runs['1']?.elapsedSec).toBe(1);
  });

  test('SYNC-7: the newest patches stay readable for other tabs; an older one is reported as gone', async () => {
    const { disk } = await make();
    await disk.begin(fresh());
    const ids: number[] = [];
    for (let i = 0; i < MAX_PATCHES + 1; i++) ids.push(await disk.append(patch(11 + i), i));
    await disk.compact();
    await expect(disk.patch(ids[0] ?? 0)).rejects.toMatchObject({ kind: 'gone' });
    expect(await disk.patch(ids.at(-8) ?? 0)).toEqual(patch(11 + MAX_PATCHES - 7));
  });
});

test('COL-5: concurrent days, patches and compaction from two tabs lose no segment, run or row', async () => {
  const days = Array.from({ length: 31 }, (_, i) =>
    new Date(Date.UTC(2026, 0, 31 - i)).toISOString().slice(0, 10),
  );
  const place = await placeIn(freshIdb());
  const one = await place.open();
  const two = await place.open();
  await one.begin(fresh({}, days));
  await two.open();
  const disks = [one, two] as const;
  const compacting = disks.map((disk) => compactFor(disk, 25));
  await Promise.all([
    ...days.map((day, i) =>
      (disks[i % 2] ?? one).addDays([
        {
          day,
          pages: [page(runsOfDay(day, 20, 1 + i * 100)), page(runsOfDay(day, 20, 51 + i * 100))],
        },
      ]),
    ),
    ...Array.from({ length: 90 }, (_, i) =>
      (disks[i % 2] ?? one).append(
        patch(11 + i, [run(100_000 + i, startOfUtcDay(days[i % 31] ?? '') + 5)], {
          problem: [problem(i * 50 + 1)],
        }),
        i,
      ),
    ),
    ...compacting,
  ]);
  for (const moment of ['before', 'after'] as const) {
    if (moment === 'after') while (await one.compact());
    const all = await shown(two);
    expect(Object.keys(all.runs)).toHaveLength(31 * 40 + 90);
    expect(Object.keys(all.rows['problem'] ?? {})).toHaveLength(90);
    expect(all.cursor).toBe(100);
  }
  expect((await two.open())?.days.every((day) => day.here)).toBe(true);
  expect((await two.open())?.segments).toHaveLength(1);
});

test('SYNC-1: a tab with data from before a reset changes nothing', async () => {
  const place = await placeIn(freshIdb());
  const old = await place.open();
  const next = await place.open();
  await old.begin(fresh());
  await next.begin(fresh({}, DAYS, 'e2'));
  await expect(old.append(patch(99, [run(1, 1)]), 1)).rejects.toMatchObject({ kind: 'gone' });
  await expect(old.addDays([{ day: today, pages: [] }])).rejects.toMatchObject({ kind: 'gone' });
  await expect(old.compact()).rejects.toMatchObject({ kind: 'gone' });
  expect(await next.open()).toMatchObject({ epoch: 'e2', cursor: 10, patches: [] });
  await old.open();
  expect(await old.append(patch(11), 1)).toBe(1);
});

async function compactFor(disk: Disk, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await disk.compact();
}
