import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { Workload } from '#contract/engine/engine.ts';
import { RESTORE_CAPABILITIES } from '#contract/engine/restore-capabilities.ts';
import { serverOrganizationMessages as t } from './messages.en.ts';

/** Those of a restore operator have no engine: the portal restores them. */
type Choice = Pick<OrganizationRow, 'id' | 'name'> & Partial<Pick<OrganizationRow, 'engine'>>;

export const isRestoredHere = ({ engine = 'embedded' }: Choice): boolean =>
  isBackedUpHere({ engine });

/** Whether the portal can browse and restore backups of a workload of it. */
export const isRestorable =
  (workload: Workload) =>
  ({ engine = 'embedded' }: Choice): boolean =>
    RESTORE_CAPABILITIES[engine].workloads.includes(workload);

/** The options of a select; those that `canChoose` refuses are disabled. */
export const getOrganizationOptions = (
  organizations: readonly Choice[],
  canChoose: (row: Choice) => boolean = isRestoredHere,
) =>
  organizations.map((row) =>
    canChoose(row)
      ? { value: row.id, label: row.name }
      : { value: row.id, label: t.option({ name: row.name }), disabled: true },
  );

/** With one organization there is nothing to choose. */
export function getOnlyOrganization(
  organizations: readonly Choice[],
  canChoose: (row: Choice) => boolean = isRestoredHere,
): string | null {
  const [first, ...others] = organizations.filter(canChoose);
  return others.length === 0 ? (first?.id ?? null) : null;
}
