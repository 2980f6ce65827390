import { useAbility } from '../../app/session/use-ability.ts';

/**
 * FILTER-1: returns whether the user may filter a page by companies. The ability gates the filter,
 * not the company names next to results.
 */
export const useCompaniesFilter = (): boolean => useAbility('monitoring.companies-filter');

/**
 * Removes the company filter for users without the ability: a link with companies then shows
 * everything that the user can see.
 */
export const withoutCompanies = <P extends { readonly companies: readonly number[] }>(
  place: P,
  isAllowed: boolean,
): P => (isAllowed ? place : { ...place, companies: [] });
