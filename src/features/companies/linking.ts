import type { OutputOf } from '#contract/calls.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { getId } from '../shared/ids.ts';

export type VacCompany = OutputOf<'listVacCompanies'>['companies'][number];

/**
 * A company of the console: already linked, unlinked with a company of the same name, or unknown
 * here.
 */
export type Linking =
  | { readonly kind: 'linked'; readonly there: VacCompany; readonly ours: CompanyListed | null }
  | { readonly kind: 'same-name'; readonly there: VacCompany; readonly ours: CompanyListed }
  | { readonly kind: 'unknown'; readonly there: VacCompany };

const key = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/** Unlinked companies first, each group by name. */
export function linkings(
  there: readonly VacCompany[],
  ours: readonly CompanyListed[],
): readonly Linking[] {
  const byId = new Map(ours.map((one) => [getId(one), one]));
  const byName = new Map(ours.map((one) => [key(one.name), one]));
  const all = there.map((one): Linking => {
    if (one.companyId !== null)
      return { kind: 'linked', there: one, ours: byId.get(one.companyId) ?? null };
    const same = byName.get(key(one.name));
    return same && same.applications.vac.id === null
      ? { kind: 'same-name', there: one, ours: same }
      : { kind: 'unknown', there: one };
  });
  const rank = { 'same-name': 0, 'unknown': 1, 'linked': 2 } as const;
  return all.toSorted(
    (a, b) => rank[a.kind] - rank[b.kind] || a.there.name.localeCompare(b.there.name),
  );
}
