import type { Span } from '#src/features/shared/date-range/dates.ts';
import { parseSelection, chosenParams } from '../trends/address.ts';
import { withQuery } from '#src/features/shared/with-query.ts';
import type { TrendSelection } from '../trends/address.ts';

/** The figures by which jobs are ranked. */
export const RANKING_MEASURES = ['failures', 'duration', 'transferred'] as const;
export type RankingMeasure = (typeof RANKING_MEASURES)[number];
export interface RankingsPlace extends TrendSelection {
  readonly measure: RankingMeasure;
}

const SPAN: Span = { kind: 'last', days: 7 };
export const RANKINGS_PLACE: RankingsPlace = {
  span: SPAN,
  companies: [],
  sources: [],
  types: [],
  measure: 'failures',
};

export function rankingsAddress(place: RankingsPlace): string {
  const params = chosenParams(place, SPAN);
  if (place.measure !== RANKINGS_PLACE.measure) params.set('by', place.measure);
  return withQuery('/monitoring/rankings', params);
}

export function rankingsPlace(query: string): RankingsPlace {
  const params = new URLSearchParams(query);
  return {
    ...parseSelection(params, SPAN),
    measure: RANKING_MEASURES.find((one) => one === params.get('by')) ?? RANKINGS_PLACE.measure,
  };
}
