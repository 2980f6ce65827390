import { useAbility } from '../../app/session/use-ability.ts';

/**
 * FILTER-1: whether the user may narrow a page to companies. The ability gates the filter, not the
 * company names next to results.
 */
export const useCompaniesFilter = (): boolean => useAbility('monitoring.companies-filter');

/**
 * A page's place for a user without the ability: a link that names companies shows all that the
 * user sees.
 */
export const withoutCompanies = <P extends { readonly companies: readonly number[] }>(
  place: P,
  isAllowed: boolean,
): P => (isAllowed ? place : { ...place, companies: [] });
