import type { CauseN, CompanyN, Day, JobN, RunN } from '#contract/ids.ts';
import type { RunState } from '#contract/runs/query.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { spanKey, spanOfKey } from '#src/span/dates.ts';
import type { Span } from '#src/span/dates.ts';

/** The figures at the top, in their order. */
export const STATS = ['success', 'failed', 'missed', 'anomaly', 'unprotected'] as const;
export type StatName = (typeof STATS)[number];

/** Everything that shapes the dashboard: what its address holds. Empty lists mean "all". */
export interface Board {
  readonly span: Span;
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Figures that have days of their own. */
  readonly own: Readonly<Partial<Record<StatName, Span>>>;
}

export const BOARD: Board = {
  span: { is: 'last', days: 7 },
  companies: [],
  instructionTypes: [],
  own: {},
};

/** The query of an address, without `?`; what stands at its default is left out. */
export function queryOf(board: Board): string {
  const params = new URLSearchParams();
  if (spanKey(board.span) !== spanKey(BOARD.span)) params.set('date', spanKey(board.span));
  if (board.companies.length > 0) params.set('company', board.companies.join());
  if (board.instructionTypes.length > 0)
    params.set('instructionType', board.instructionTypes.join());
  for (const name of STATS) {
    const own = board.own[name];
    if (own) params.set(`${name}-date`, spanKey(own));
  }
  return readable(params);
}

/** Reads any query: what is unknown or broken falls back value by value. */
export function boardOf(query: string): Board {
  const params = new URLSearchParams(query);
  const words = (key: string): readonly string[] => [
    ...new Set((params.get(key) ?? '').split(',')),
  ];
  return {
    span: spanOfKey(params.get('date') ?? '') ?? BOARD.span,
    companies: words('company')
      .filter((word) => /^[1-9]\d{0,9}$/.test(word))
      .map(Number),
    instructionTypes: ENTITY_GROUPS.filter((group) => words('instructionType').includes(group)),
    own: Object.fromEntries(
      STATS.flatMap((name) => {
        const own = spanOfKey(params.get(`${name}-date`) ?? '');
        return own ? [[name, own]] : [];
      }),
    ),
  };
}

export const DASHBOARD = '/monitoring/dashboard';
export const boardAddress = (board: Board): string => withQuery(DASHBOARD, queryOf(board));

/**
 * What of the results a line of the dashboard opens. Both days are included; no groups are all of
 * them.
 */
export interface Asked {
  readonly days: readonly [first: Day, last: Day];
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  readonly states?: readonly RunState[];
  readonly cause?: CauseN;
  readonly job?: JobN;
  readonly run?: RunN;
  /** True: what is to be checked, newest of each job. False: every run, whatever its review. */
  readonly pending?: boolean;
}

/**
 * The list of results, with from, to and instructionType: `all` where no group is meant rather than
 * another.
 */
export function listAddress({
  days,
  companies,
  instructionTypes,
  states = [],
  cause,
  job,
  run,
  pending = false,
}: Asked): string {
  const params = cardParams({ days, instructionTypes });
  if (!pending) {
    params.set('review', 'any');
    params.set('rows', 'runs');
  }
  if (states.length > 0) params.set('state', states.join());
  if (companies.length > 0) params.set('company', companies.join());
  if (cause !== undefined) params.set('cause', String(cause));
  if (job !== undefined) {
    params.set('job', String(job));
    params.set('order', 'newest');
  }
  if (run !== undefined) params.set('run', String(run));
  return withQuery(LIST, readable(params));
}

/** What the title of every card passes on. */
export const cardParams = ({
  days: [from, to],
  instructionTypes,
}: Pick<Asked, 'days' | 'instructionTypes'>): URLSearchParams =>
  new URLSearchParams({
    from,
    to,
    instructionType: instructionTypes.length === 0 ? 'all' : instructionTypes.join(),
  });

/** The list of what matches, whatever its review. */
export const searchAddress = (text: string): string =>
  withQuery(LIST, new URLSearchParams({ review: 'any', q: text.trim() }).toString());

const LIST = '/monitoring/daily-checks';
const readable = (params: URLSearchParams): string => params.toString().replaceAll('%2C', ',');
const withQuery = (path: string, query: string): string =>
  query === '' ? path : `${path}?${query}`;
