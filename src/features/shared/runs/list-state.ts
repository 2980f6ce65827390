import type { CauseN, Day, RunN } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { timesOf } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

/**
 * Everything that shapes the list, and the run that is open beside it: what the address holds.
 * Empty lists mean "all".
 */
export interface List extends Omit<RunsFilter, 'from' | 'to'> {
  readonly span: Span;
  readonly open: RunN | null;
}

export const DEFAULTS: List = {
  span: { is: 'last', days: 2 },
  rows: 'jobs',
  review: 'pending',
  states: [],
  kinds: [],
  companies: [],
  sources: [],
  types: [],
  causes: [],
  jobs: [],
  servers: [],
  instructionTypes: [],
  managed: null,
  anomaly: true,
  text: '',
  order: 'worst',
  reverse: false,
  group: null,
  open: null,
};

/** The list's facets that hold several values. */
export const MANY = [
  'states',
  'kinds',
  'companies',
  'sources',
  'types',
  'causes',
  'jobs',
  'servers',
  'instructionTypes',
] as const;

export function filterOf(list: List, today: Day, rule: DayRule): RunsFilter {
  const { span, open: _, ...rest } = list;
  return { ...rest, ...timesOf(span, today, rule) };
}

/** Puts a value in or takes it out. */
export function toggle<T>(values: readonly T[], value: T): readonly T[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}

/**
 * How many filters are set that "Clear" takes away: everything that narrows the list beside the
 * date and the default round.
 */
export const narrowed = (list: List): number =>
  MANY.reduce((sum, name) => sum + list[name].length, 0) +
  (list.managed === null ? 0 : 1) +
  (list.anomaly ? 0 : 1) +
  (list.text === '' ? 0 : 1) +
  (list.review === DEFAULTS.review ? 0 : 1);

/** All jobs with a cause, in the days of the list. */
export const ofCause = (list: List, cause: CauseN): List => ({
  ...cleared(list),
  rows: 'jobs',
  review: null,
  causes: [cause],
});

/**
 * Back to the default round; the days, the kind of rows, the order, the grouping and the open run
 * stay.
 */
export const cleared = (list: List): List => ({
  ...DEFAULTS,
  span: list.span,
  rows: list.rows,
  order: list.order,
  reverse: list.reverse,
  group: list.group,
  open: list.open,
});
