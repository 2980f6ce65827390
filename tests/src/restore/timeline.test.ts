import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import type { RestorePoint } from '#contract/engine/engine.ts';
import { dayText } from '#contract/time/day.ts';
import {
  getTimeline,
  groupByDay,
  stepDay,
  stepPoint,
  TIMELINE_DAYS,
} from '#src/features/restore/points/timeline.ts';
import { point } from './nodes.ts';

const DAY = 86_400_000;
const ZONE = 'America/New_York';
/** Noon of the last day of the slider, in the zone; the clocks went back on November 1. */
const NOON = DateTime.fromISO('2026-11-20T12:00', { zone: ZONE }).toMillis();
const LAST = Date.UTC(2026, 10, 20) / DAY;
const dayIn = (at: number): string => DateTime.fromMillis(at, { zone: ZONE }).toISODate() ?? '';
const days = (all: readonly { readonly day: number }[]): string[] =>
  all.map(({ day }) => dayText(day));
const view = { last: LAST, zone: ZONE, isComplete: true };

/** Points of the 40 days before, newest first. */
const points = fc
  .uniqueArray(
    fc.record({ minutes: fc.nat(40 * 24 * 60), changes: fc.nat(5_000), bad: fc.boolean() }),
    {
      selector: ({ minutes }) => minutes,
      maxLength: 60,
    },
  )
  .map((all): RestorePoint[] =>
    all
      .toSorted((a, b) => a.minutes - b.minutes)
      .map(({ minutes, changes, bad }) =>
        point(NOON - minutes * 60_000, { changes, result: bad ? 'warning' : 'success' }),
      ),
  );

test('RES-31: each point of the 30 days is in one tick, and each day without one is marked, as the calendar has it', () => {
  fc.assert(
    fc.property(points, fc.integer({ min: 1, max: 200 }), (all, slots) => {
      const timeline = getTimeline(all, { ...view, slots });
      const first = DateTime.fromISO('2026-11-20', { zone: ZONE }).minus({
        days: TIMELINE_DAYS - 1,
      });
      const shown = all.filter(({ at }) => at >= first.toMillis());
      expect(timeline.ticks.flatMap((tick) => tick.points)).toEqual(shown);
      expect(timeline.count).toBe(shown.length);
      expect(timeline.ticks.length).toBeLessThanOrEqual(slots);
      const calendar = Array.from(
        { length: TIMELINE_DAYS },
        (_, n) => first.plus({ days: n }).toISODate() ?? '',
      );
      const oldest = all.at(-1);
      const made = new Set(all.map(({ at }) => dayIn(at)));
      expect(days(timeline.gaps)).toEqual(
        oldest === undefined
          ? []
          : calendar.filter(
              (day) => day > dayIn(oldest.at) && day < '2026-11-20' && !made.has(day),
            ),
      );
      expect(timeline.warnings.map(dayText)).toEqual(
        calendar.filter((day) =>
          shown.some(({ at, result }) => result === 'warning' && dayIn(at) === day),
        ),
      );
      for (const { x, height } of timeline.ticks) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThan(1);
        expect(height).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('RES-31: stepping earlier from the newest point reaches each point once, and later again', () => {
  fc.assert(
    fc.property(points, (all) => {
      const visited: RestorePoint[] = [];
      let at: RestorePoint | null = all[0] ?? null;
      while (at !== null) {
        visited.push(at);
        at = stepPoint(all, at.at, -1);
      }
      expect(visited).toEqual(all);
      for (const [index, one] of all.entries())
        expect(stepPoint(all, one.at, 1)).toEqual(all[index - 1] ?? null);
    }),
  );
});

test('RES-31: stepping by days reaches the newest point of each day that has one', () => {
  fc.assert(
    fc.property(points, (all) => {
      const newest = all.filter(
        (one, n) => n === 0 || dayIn(one.at) !== dayIn(all[n - 1]?.at ?? 0),
      );
      expect(groupByDay(all, ZONE).map((group) => group.points[0])).toEqual(newest);
      for (const [index, one] of newest.entries()) {
        expect(stepDay(all, one.at, -1, ZONE)).toEqual(newest[index + 1] ?? null);
        expect(stepDay(all, one.at, 1, ZONE)).toEqual(newest[index - 1] ?? null);
      }
    }),
  );
});

test('RES-31: before the oldest known point, days are marked only if there are no older points', () => {
  const all = [point(NOON), point(NOON - 2 * DAY)];
  const gaps = (isComplete: boolean) =>
    days(getTimeline(all, { ...view, slots: 100, isComplete }).gaps);
  expect(gaps(true)).toEqual(['2026-11-19']);
  expect(gaps(false)).toHaveLength(TIMELINE_DAYS - 2);
});

test('RES-31: points whose number of changes is unknown have full ticks', () => {
  const unknown = [0, 3, 7].map((ago) => point(NOON - ago * DAY, { changes: null }));
  expect(getTimeline(unknown, { ...view, slots: 100 }).ticks.map(({ height }) => height)).toEqual([
    1, 1, 1,
  ]);
});
