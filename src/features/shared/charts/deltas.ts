import type { Tally } from '#contract/dashboard/overview.ts';
import { successShare } from '#contract/dashboard/overview.ts';
import { formatCount, formatTenths } from '#src/ui/format.ts';
import { chartMessages as t } from './messages.en.ts';

/**
 * A change from the previous period as text. `tone`: whether it is an improvement; null if there is
 * no change or no comparison.
 */
export interface Delta {
  readonly label: string;
  readonly way: 'up' | 'down' | null;
  readonly tone: 'good' | 'bad' | null;
}

/** Counts of runs for which fewer is better. */
export type Count = 'failed' | 'missed' | 'anomaly';

/** The previous period. `whole`: it is completely known. */
export type Before = Tally & { readonly whole: boolean };

/**
 * Returns the success rate in tenths of a percent, rounded down, so that only 100 % success shows
 * as 100. Null if no run ended.
 */
export function getSuccessRate(tally: Tally): number | null {
  const share = successShare(tally);
  return share === null ? null : Math.floor(share * 1000 + 1e-9);
}

/** `97.1`; `100` if all are good. */
export const formatShare = (share: number): string =>
  share === 1000 ? '100' : formatTenths(share);

export function shareDelta(now: Tally, before: Before): Delta {
  const unknown = notCompared(before);
  if (unknown !== null) return unknown;
  const here = getSuccessRate(now);
  const there = getSuccessRate(before);
  if (here === null || there === null) return still(t.nothingToCompare);
  const points = here - there;
  if (points === 0) return still(t.noChange);
  const difference = formatTenths(Math.abs(points));
  return {
    label:
      points > 0 ? t.pointsHigher({ points: difference }) : t.pointsLower({ points: difference }),
    way: points > 0 ? 'up' : 'down',
    tone: points > 0 ? 'good' : 'bad',
  };
}

export function countDelta(now: Tally, before: Before, what: Count): Delta {
  return notCompared(before) ?? moreOrFewer(now[what] - before[what]);
}

export function moreOrFewer(by: number): Delta {
  if (by === 0) return still(t.noChange);
  return by > 0
    ? { label: t.more({ count: formatCount(by) }), way: 'up', tone: 'bad' }
    : { label: t.fewer({ count: formatCount(-by) }), way: 'down', tone: 'good' };
}

/** The previous period that the figures are compared with, or why they are not. */
export function againstWords(days: number, before: Before): string {
  if (!before.whole) return t.previousNotStored({ days });
  return before.runs === 0 ? t.previousEmpty({ days }) : t.comparedWith({ days });
}

/** `1,024 companies, 11,380 jobs`. */
export const extentWords = ({
  companies,
  all,
}: {
  readonly companies: number;
  readonly all: number;
}): string => `${t.companies({ count: companies })}, ${t.jobs({ count: all })}`;

const still = (words: string): Delta => ({ label: words, way: null, tone: null });
const notCompared = (before: Before): Delta | null =>
  before.whole && before.runs > 0 ? null : still(t.noPreviousPeriod);
