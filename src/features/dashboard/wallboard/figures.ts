import type { RunsFilter, RunsView, RunState } from '#contract/runs/query.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { Day } from '#contract/ids.ts';
import { formatCount } from '#src/ui/format.ts';
import { timesOf } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { wallMessages as t } from './messages.en.ts';

/** A count on the wall board. */
export interface Figure {
  readonly state: RunState;
  readonly word: string;
  readonly count: number;
}

/**
 * Returns the filter: the newest result of each job in the last two days, as in daily checks,
 * whatever their review.
 */
export const wallFilter = (today: Day, rule: DayRule): RunsFilter => ({
  ...EVERYTHING,
  ...timesOf({ is: 'last', days: 2 }, today, rule),
  rows: 'jobs',
});

/** Returns the counts. Errors count as failed. */
export function figuresOf({ facets }: Pick<RunsView, 'facets'>): readonly Figure[] {
  const countOf = (...states: readonly RunState[]): number =>
    facets.states.reduce(
      (sum, { value, count }) => (states.includes(value) ? sum + count : sum),
      0,
    );
  return [
    { state: 'Failed', word: t.failed, count: countOf('Failed', 'Error') },
    { state: 'Missed', word: t.didNotRun, count: countOf('Missed') },
    { state: 'Warning', word: t.warning, count: countOf('Warning') },
    { state: 'Running', word: t.running, count: countOf('Running') },
  ];
}

/** Returns the number of open results in daily checks. */
export const toCheck = ({
  progress: { cleared, of },
}: Pick<RunsView, 'progress'>): { readonly left: number; readonly of: number } => ({
  left: of - cleared,
  of,
});

/**
 * Returns the number of characters of the longest count; all counts use the font size in which it
 * fits.
 */
export const digitsOf = (counts: readonly number[]): number =>
  Math.max(1, ...counts.map((count) => formatCount(count).length));
