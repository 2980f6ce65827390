import type { Day } from '#contract/ids.ts';
import type { TrendDay } from '#contract/analytics/trends.ts';

/** How days are grouped: one by one, by seven, or by month. */
export type BucketUnit = 'day' | 'week' | 'month';
export interface Bucket {
  readonly days: readonly [first: Day, last: Day];
  readonly runs: number;
  readonly failures: number;
  readonly warnings: number;
  readonly missed: number;
  /** Failures and warnings in the same days of the previous period; null if unknown. */
  readonly before: { readonly failures: number; readonly warnings: number } | null;
}

const MAX_DAYS = 45;
const MAX_WEEKS = 26 * 7;

/** Chooses the unit by the number of days. */
export const getBucketUnit = (days: number): BucketUnit =>
  days <= MAX_DAYS ? 'day' : days <= MAX_WEEKS ? 'week' : 'month';

/**
 * Groups days into buckets, oldest first. Weeks are seven days counted back from the last day, so
 * that the newest week is complete; months are calendar months. `before` compares with as many days
 * of the previous period, at the same distance from its end.
 */
export function getBuckets(
  days: readonly TrendDay[],
  before: readonly TrendDay[] | null,
): readonly Bucket[] {
  const unit = getBucketUnit(days.length);
  const buckets: Bucket[] = [];
  const shift = before === null ? 0 : before.length - days.length;
  for (let end = days.length; end > 0;) {
    const start = getBucketStart(days, end, unit);
    const part = days.slice(start, end);
    const [first] = part;
    const last = part.at(-1);
    if (first && last) {
      const then = before?.slice(Math.max(0, start + shift), Math.max(0, end + shift)) ?? null;
      buckets.push({
        days: [first.day, last.day],
        runs: sum(part, 'runs'),
        failures: sum(part, 'failures'),
        warnings: sum(part, 'warnings'),
        missed: sum(part, 'missed'),
        before: then && { failures: sum(then, 'failures'), warnings: sum(then, 'warnings') },
      });
    }
    end = start;
  }
  return buckets.toReversed();
}

function getBucketStart(days: readonly TrendDay[], end: number, unit: BucketUnit): number {
  if (unit === 'day') return end - 1;
  if (unit === 'week') return Math.max(0, end - 7);
  const month = days[end - 1]?.day.slice(0, 7);
  const first = days.findIndex(({ day }) => day.slice(0, 7) === month);
  return Math.max(0, first);
}

/** Sums daily values in the same buckets. */
export function bucketed(values: readonly number[], days: readonly TrendDay[]): readonly number[] {
  const sums: number[] = [];
  const unit = getBucketUnit(days.length);
  for (let end = days.length; end > 0;) {
    const start = getBucketStart(days, end, unit);
    sums.push(values.slice(start, end).reduce((all, one) => all + one, 0));
    end = start;
  }
  return sums.toReversed();
}

const sum = (
  days: readonly TrendDay[],
  what: 'runs' | 'failures' | 'warnings' | 'missed',
): number => days.reduce((all, one) => all + one[what], 0);
