import type { RunsFacets, RunsFilter, ShownFacets } from '#contract/runs/query.ts';
import type { RunsWatch } from '../api.ts';

/**
 * Of companies and causes so many cross to the page, the most first, unless it asks for all of
 * them: an estate has thousands.
 */
export const FACETS_SOME = 60;

/**
 * Those that are asked for, and those chosen in the filter; each count is exact, and what is left
 * out is counted.
 */
export function facetsShown(
  facets: RunsFacets,
  { companies, causes }: Pick<RunsFilter, 'companies' | 'causes'>,
  how: RunsWatch['facets'],
): ShownFacets {
  if (how === 'none') return NO_FACETS;
  if (how !== 'some') return facets;
  const some = { companies: few(facets.companies, companies), causes: few(facets.causes, causes) };
  const left = {
    companies: facets.companies.length - some.companies.length,
    causes: facets.causes.length - some.causes.length,
  };
  return { ...facets, ...some, ...(left.companies + left.causes > 0 && { left }) };
}

const few = <F extends { readonly value: number }>(
  all: readonly F[],
  chosen: readonly number[],
): readonly F[] =>
  all.length <= FACETS_SOME
    ? all
    : all.filter(({ value }, i) => i < FACETS_SOME || chosen.includes(value));

export const NO_FACETS: RunsFacets = {
  review: [],
  states: [],
  kinds: [],
  companies: [],
  sources: [],
  types: [],
  managed: [],
  anomaly: [],
  causes: [],
};
