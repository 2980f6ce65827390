import { formatQuery } from '#src/features/shared/with-query.ts';
import type { CompanyN } from '#contract/ids.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

/** The figures at the top, in order. */
export const STATS = ['success', 'failed', 'missed', 'anomaly', 'unprotected'] as const;
export type StatName = (typeof STATS)[number];

/** State of the dashboard in its address. Empty lists mean "all". */
export interface DashboardBoard {
  readonly span: Span;
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Figures with their own period. */
  readonly own: Readonly<Partial<Record<StatName, Span>>>;
}

export const BOARD: DashboardBoard = {
  span: { kind: 'last', days: 7 },
  companies: [],
  instructionTypes: [],
  own: {},
};

/** Returns the query of an address without `?`. Default values are left out. */
export function formatDashboardQuery(board: DashboardBoard): string {
  const params = new URLSearchParams();
  if (spanKey(board.span) !== spanKey(BOARD.span)) params.set('date', spanKey(board.span));
  if (board.companies.length > 0) params.set('company', board.companies.join());
  if (board.instructionTypes.length > 0)
    params.set('instructionType', board.instructionTypes.join());
  for (const name of STATS) {
    const own = board.own[name];
    if (own) params.set(`${name}-date`, spanKey(own));
  }
  return formatQuery(params);
}

/** Parses any query. Unknown or invalid values fall back to their defaults one by one. */
export function parseDashboardAddress(query: string): DashboardBoard {
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
export function boardAddress(board: DashboardBoard): string {
  const query = formatDashboardQuery(board);
  return query === '' ? DASHBOARD : `${DASHBOARD}?${query}`;
}
