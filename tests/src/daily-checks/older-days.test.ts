import { expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { toRunsFilter, DEFAULT_LIST } from '#src/features/shared/runs/list-state.ts';
import { olderWords, getRangePosition } from '#src/features/daily-checks/older-days.ts';
import { addDays, dayAt } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

const DAY = 86_400_000;
const RULES = [
  { zone: 'UTC', hour: 0 },
  { zone: 'Pacific/Auckland', hour: 6 },
  { zone: 'America/Los_Angeles', hour: 23 },
];

test("SEEK-6: a list whose days aren't on this device, or that has no results there, says so and where older results are; any other doesn't", () => {
  for (const rule of RULES) {
    for (let hours = 0; hours < 24; hours += 1) {
      const now = Date.parse('2026-11-22T00:10:00Z') + hours * 3_600_000;
      const today = dayAt(now, rule);
      const reach = (span: Span) =>
        getRangePosition(toRunsFilter({ ...DEFAULT_LIST, span }, today, rule), now);
      expect([
        reach({ kind: 'last', days: LIMITS.windowDays }),
        reach({ kind: 'last', days: 90 }),
        reach({ kind: 'last', days: 14 }),
        reach({ kind: 'today' }),
      ]).toEqual(['all', 'all', 'within', 'within']);
      expect(
        [31, 60, 300].map((ago) =>
          reach({ kind: 'range', from: addDays(today, -ago - 3), to: addDays(today, -ago) }),
        ),
      ).toEqual(['before', 'before', 'before']);
      expect(reach({ kind: 'range', from: addDays(today, -300), to: addDays(today, -20) })).toBe(
        'all',
      );
    }
  }
  const now = 100 * DAY;
  expect(getRangePosition({ from: null, to: null }, now)).toBe('all');
  // Without filters, a list of all that is kept has other words for that there is nothing to check.
  expect([
    olderWords({ from: null, to: null }, now, false),
    olderWords({ from: now - DAY, to: null }, now, true),
  ]).toEqual([null, null]);
  expect([
    olderWords({ from: null, to: null }, now, true)?.title,
    olderWords({ from: 0, to: DAY }, now, false)?.title,
  ]).toEqual(['No matching results in 30 days', "These days aren't on this device"]);
  expect(olderWords({ from: null, to: null }, now, true)?.detail).toMatch(
    /^This device stores the results of 30 days\. To find older ones on the server, search/,
  );
});
