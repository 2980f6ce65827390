import type { CompanyN } from '#contract/ids.ts';
import type { RunsFacets, RunsFilter, ShownFacets } from '#contract/runs/query.ts';
import type { RunsWatch } from '../api.ts';

/**
 * How many companies and causes the page gets, most first, unless it requests all of them: a
 * provider may have thousands.
 */
export const FACETS_SOME = 60;

/**
 * Returns the requested ones and those chosen in the filter; each count is exact, and the rest is
 * counted. Pinned companies come first.
 */
export function facetsShown(
  all: RunsFacets,
  { companies, causes }: Pick<RunsFilter, 'companies' | 'causes'>,
  how: RunsWatch['facets'],
  pins: ReadonlySet<CompanyN>,
): ShownFacets {
  if (how === 'none') return NO_FACETS;
  const facets = pins.size === 0 ? all : { ...all, companies: pinnedFirst(all.companies, pins) };
  if (how !== 'some') return facets;
  const some = { companies: few(facets.companies, companies), causes: few(facets.causes, causes) };
  const left = {
    companies: facets.companies.length - some.companies.length,
    causes: facets.causes.length - some.causes.length,
  };
  return { ...facets, ...some, ...(left.companies + left.causes > 0 && { left }) };
}

const pinnedFirst = (
  companies: RunsFacets['companies'],
  pins: ReadonlySet<CompanyN>,
): ShownFacets['companies'] => [
  ...companies.flatMap((one) => (pins.has(one.value) ? [{ ...one, pinned: true }] : [])),
  ...companies.filter(({ value }) => !pins.has(value)),
];

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
