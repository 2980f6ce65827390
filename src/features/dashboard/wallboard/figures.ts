import type { RunsFilter, RunsView, RunState } from '#contract/runs/query.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { Day } from '#contract/ids.ts';
import { formatCount } from '#src/ui/format.ts';
import { timesOf } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { wallMessages as t } from './messages.en.ts';

/** One count of the wall. */
export interface Figure {
  readonly state: RunState;
  readonly word: string;
  readonly count: number;
}

/**
 * The newest result of each job in the last two days: what the morning round lists, whatever was
 * done with it.
 */
export const wallFilter = (today: Day, rule: DayRule): RunsFilter => ({
  ...EVERYTHING,
  ...timesOf({ is: 'last', days: 2 }, today, rule),
  rows: 'jobs',
});

/** Errors count as failed. */
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

/** What is left to do of the round. */
export const toCheck = ({
  progress: { cleared, of },
}: Pick<RunsView, 'progress'>): { readonly left: number; readonly of: number } => ({
  left: of - cleared,
  of,
});

/** Signs of the longest count: all are written in the size that it has room in. */
export const digitsOf = (counts: readonly number[]): number =>
  Math.max(1, ...counts.map((count) => formatCount(count).length));
