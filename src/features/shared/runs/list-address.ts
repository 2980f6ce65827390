import { GROUPS, ORDERS, REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import { ENTITY_GROUPS, JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import { DEFAULT_LIST } from './list-state.ts';
import type { RunListState } from './list-state.ts';

const TEXT_CHARS = 200;
/**
 * Names are repeated parameters, because they can contain a comma; this is their maximum number.
 */
const MAX_NAMES = 200;

/**
 * Returns the query of an address without `?`. Default values are left out, so that a plain address
 * is the default list.
 */
export function formatListQuery(list: RunListState): string {
  const params = new URLSearchParams();
  const put = (key: string, value: string, byDefault: string): void => {
    if (value !== byDefault) params.set(key, value);
  };
  put('date', spanKey(list.span), spanKey(DEFAULT_LIST.span));
  put('review', list.review ?? 'any', DEFAULT_LIST.review ?? 'any');
  put('state', list.states.join(), '');
  put('kind', list.kinds.join(), '');
  put('company', list.companies.join(), '');
  put('source', list.sources.join(), '');
  put('type', list.types.join(), '');
  put('cause', list.causes.join(), '');
  put('job', list.jobs.join(), '');
  for (const name of list.servers) params.append('server', name);
  put('instructionType', list.instructionTypes.join(), '');
  put('managed', list.managed === null ? '' : list.managed ? 'yes' : 'no', '');
  put('anomaly', list.anomaly ? 'on' : 'off', 'on');
  put('rows', list.rows, DEFAULT_LIST.rows);
  put('order', list.order, DEFAULT_LIST.order);
  put('reverse', list.reverse ? 'yes' : 'no', 'no');
  put('group', list.group ?? '', '');
  put('q', list.text, '');
  put('run', list.open === null ? '' : String(list.open), '');
  return params.toString().replaceAll('%2C', ',');
}

/**
 * Parses any query. Unknown, repeated or invalid values fall back to their defaults one by one.
 * Without `date`, the days can also be `from` and `to` (`YYYY-MM-DD`, both inclusive), as in links
 * of other pages.
 */
export function parseListAddress(query: string): RunListState {
  const params = new URLSearchParams(query);
  const words = (key: string): readonly string[] => [
    ...new Set((params.get(key) ?? '').split(',').filter((word) => word !== '')),
  ];
  const among = <T extends string>(key: string, all: readonly T[]): readonly T[] =>
    words(key).filter((word): word is T => (all as readonly string[]).includes(word));
  const numbers = (key: string): readonly number[] =>
    words(key)
      .filter((word) => /^[1-9]\d{0,9}$/.test(word))
      .map(Number);
  /** 0: no cause. */
  const causes = words('cause')
    .filter((word) => /^(0|[1-9]\d{0,9})$/.test(word))
    .map(Number);
  const one = <T extends string, E>(key: string, all: readonly T[], otherwise: E): T | E => {
    const value = params.get(key);
    return all.find((word) => word === value) ?? otherwise;
  };
  const review = one('review', [...REVIEW_STATES, 'any'] as const, 'pending' as const);
  const managed = one('managed', ['yes', 'no'] as const, null);
  return {
    span:
      spanOfKey(params.get('date') ?? `${params.get('from') ?? ''}..${params.get('to') ?? ''}`) ??
      DEFAULT_LIST.span,
    review: review === 'any' ? null : review,
    states: among('state', RUN_STATES),
    kinds: among('kind', PROBLEM_KINDS),
    companies: numbers('company'),
    sources: among('source', SOURCES),
    types: among('type', JOB_TYPES),
    causes,
    jobs: numbers('job'),
    servers: [...new Set(params.getAll('server').map((name) => name.slice(0, TEXT_CHARS)))].slice(
      0,
      MAX_NAMES,
    ),
    instructionTypes: among('instructionType', ENTITY_GROUPS),
    managed: managed === null ? null : managed === 'yes',
    anomaly: one('anomaly', ['off'] as const, null) === null,
    rows: one('rows', ['jobs', 'runs'] as const, DEFAULT_LIST.rows),
    order: one('order', ORDERS, DEFAULT_LIST.order),
    reverse: one('reverse', ['yes'] as const, null) !== null,
    group: one('group', GROUPS, null),
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
    open: numbers('run')[0] ?? null,
  };
}
