import type { RunsFilter, RunsView, RunState } from '#contract/runs/query.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { Day } from '#contract/ids.ts';
import { formatCount } from '#src/ui/format.ts';
import { getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { wallMessages as t } from './messages.en.ts';

/** A count on the wall board. */
export interface WallboardFigure {
  readonly state: RunState;
  readonly label: string;
  readonly count: number;
}

/**
 * Returns the filter: the newest result of each job in the last two days, as in daily checks,
 * whatever their review.
 */
export const wallFilter = (today: Day, rule: DayRule): RunsFilter => ({
  ...EVERYTHING,
  ...getTimes({ kind: 'last', days: 2 }, today, rule),
  rows: 'jobs',
});

/** Returns the counts. Errors count as failed. */
export function getWallboardFigures({
  facets,
}: Pick<RunsView, 'facets'>): readonly WallboardFigure[] {
  const getCount = (...states: readonly RunState[]): number =>
    facets.states.reduce(
      (sum, { value, count }) => (states.includes(value) ? sum + count : sum),
      0,
    );
  return [
    { state: 'Failed', label: t.failed, count: getCount('Failed', 'Error') },
    { state: 'Missed', label: t.didNotRun, count: getCount('Missed') },
    { state: 'Warning', label: t.warning, count: getCount('Warning') },
    { state: 'Running', label: t.running, count: getCount('Running') },
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
export const getDigits = (counts: readonly number[]): number =>
  Math.max(1, ...counts.map((count) => formatCount(count).length));
