import type { CauseN, Day, RunN } from '#contract/ids.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

/** State of the list in its address, with the open run. Empty lists mean "all". */
export interface RunListState extends Omit<RunsFilter, 'from' | 'to'> {
  readonly span: Span;
  readonly open: RunN | null;
}

export const DEFAULT_LIST: RunListState = {
  span: { kind: 'last', days: 2 },
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

/** Filters with several values. */
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

export function toRunsFilter(list: RunListState, today: Day, rule: DayRule): RunsFilter {
  const { span, open: _, ...rest } = list;
  return { ...rest, ...getTimes(span, today, rule) };
}

/** Adds a value, or removes it. */
export function toggle<T>(values: readonly T[], value: T): readonly T[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}

/**
 * Returns the number of filters that "Clear" removes: all except the date and the default review
 * filter.
 */
export const narrowed = (list: RunListState): number =>
  MANY.reduce((sum, name) => sum + list[name].length, 0) +
  (list.managed === null ? 0 : 1) +
  (list.anomaly ? 0 : 1) +
  (list.text === '' ? 0 : 1) +
  (list.review === DEFAULT_LIST.review ? 0 : 1);

/** Returns the list of all jobs with a cause, in the same days. */
export const ofCause = (list: RunListState, cause: CauseN): RunListState => ({
  ...clearedList(list),
  rows: 'jobs',
  review: null,
  causes: [cause],
});

/** Returns the default list with the same days, kind of rows, order, grouping and open run. */
export const clearedList = (list: RunListState): RunListState => ({
  ...DEFAULT_LIST,
  span: list.span,
  rows: list.rows,
  order: list.order,
  reverse: list.reverse,
  group: list.group,
  open: list.open,
});
