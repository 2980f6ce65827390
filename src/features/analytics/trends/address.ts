import { formatQuery, withQuery } from '#src/features/shared/with-query.ts';
import type { CompanyN, Day, JobN } from '#contract/ids.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { TrendBy } from '#contract/analytics/trends.ts';
import { JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { JobType, Source } from '#contract/runs/vocabulary.ts';
import { spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';

/** Period and filters of a report, as in its address. Empty lists mean "all". */
export interface TrendSelection {
  readonly span: Span;
  readonly companies: readonly CompanyN[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
}

/** Default values are left out. */
export function chosenParams(chosen: TrendSelection, byDefault: Span): URLSearchParams {
  const params = new URLSearchParams();
  if (spanKey(chosen.span) !== spanKey(byDefault)) params.set('date', spanKey(chosen.span));
  for (const [key, some] of [
    ['company', chosen.companies],
    ['source', chosen.sources],
    ['type', chosen.types],
  ] as const)
    if (some.length > 0) params.set(key, some.join());
  return params;
}

/** Parses any query. Unknown or invalid values fall back to their defaults one by one. */
export function parseSelection(params: URLSearchParams, byDefault: Span): TrendSelection {
  const words = (key: string): readonly string[] => [
    ...new Set((params.get(key) ?? '').split(',')),
  ];
  return {
    span: spanOfKey(params.get('date') ?? '') ?? byDefault,
    companies: words('company')
      .filter((word) => /^[1-9]\d{0,9}$/.test(word))
      .map(Number),
    sources: SOURCES.filter((one) => words('source').includes(one)),
    types: JOB_TYPES.filter((one) => words('type').includes(one)),
  };
}

export interface TrendsPlace extends TrendSelection {
  readonly by: TrendBy;
}
export const BYS: readonly TrendBy[] = ['company', 'type', 'source'];
const SPAN: Span = { kind: 'last', days: 14 };
export const TRENDS_PLACE: TrendsPlace = {
  span: SPAN,
  companies: [],
  sources: [],
  types: [],
  by: 'company',
};

export const TRENDS = '/monitoring/analytics/trends';

export function trendsAddress(place: TrendsPlace): string {
  const params = chosenParams(place, SPAN);
  if (place.by !== TRENDS_PLACE.by) params.set('by', place.by);
  return withQuery(TRENDS, params);
}

export function trendsPlace(query: string): TrendsPlace {
  const params = new URLSearchParams(query);
  return {
    ...parseSelection(params, SPAN),
    by: BYS.find((one) => one === params.get('by')) ?? TRENDS_PLACE.by,
  };
}

/**
 * Returns the address of the results behind a figure: its days, jobs and states. `part`: limits it
 * to one company, type or source.
 */
export function drillAddress(
  chosen: Omit<TrendSelection, 'span'>,
  days: readonly [Day, Day],
  states: readonly RunState[],
  part: { readonly by: TrendBy; readonly key: string } | null = null,
  job: JobN | null = null,
): string {
  const companies = part?.by === 'company' ? [Number(part.key)] : chosen.companies;
  const params = new URLSearchParams();
  const sources = part?.by === 'source' ? [part.key] : chosen.sources;
  const types = part?.by === 'type' ? [part.key] : chosen.types;
  if (sources.length > 0) params.set('source', sources.join());
  if (types.length > 0) params.set('type', types.join());
  const base = resultsAddress({
    days,
    companies,
    instructionTypes: [],
    states,
    ...(job !== null && { job }),
  });
  const more = formatQuery(params);
  return more === '' ? base : `${base}&${more}`;
}
