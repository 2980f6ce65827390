import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import { serverOrganizationMessages as t } from './messages.en.ts';

/** Those of a restore operator have no engine: the portal restores them. */
type Choice = Pick<OrganizationRow, 'id' | 'name'> & Partial<Pick<OrganizationRow, 'engine'>>;

export const isRestoredHere = ({ engine = 'embedded' }: Choice): boolean =>
  isBackedUpHere({ engine });

/** The options of a select whose work only the portal's own engine can do. */
export const getOrganizationOptions = (organizations: readonly Choice[]) =>
  organizations.map((row) =>
    isRestoredHere(row)
      ? { value: row.id, label: row.name }
      : { value: row.id, label: t.option({ name: row.name }), disabled: true },
  );

/** With one organization there is nothing to choose. */
export function getOnlyOrganization(organizations: readonly Choice[]): string | null {
  const [first, ...others] = organizations.filter(isRestoredHere);
  return others.length === 0 ? (first?.id ?? null) : null;
}
