import { formatList } from '#contract/i18n/list.ts';
import type { OutputOf } from '#contract/calls.ts';
import { restoreRoleMessages as t } from './messages.en.ts';

export type RoleRow = OutputOf<'listAllRestoreRoles'>['rows'][number];

/** The first operators by name, and how many more. */
export function operatorsLabel({ operatorNames, operatorCount }: RoleRow): string {
  if (operatorNames.length === 0) return t.operatorCount({ count: operatorCount });
  const names = formatList(operatorNames, 'plain');
  const more = operatorCount - operatorNames.length;
  return more === 0 ? names : t.moreOperators({ names, count: more });
}

/** What the operators may do, in a few words. */
export const rightsLabel = ({ withoutReading, mayDownload, needsSecondPerson }: RoleRow): string =>
  [
    t.restores,
    ...(withoutReading ? [t.withoutReading] : []),
    ...(mayDownload ? [t.andDownload] : []),
    ...(needsSecondPerson ? [t.needsApproval] : []),
  ].join(' ');

export function selectionLabel({ roleType, selected, excluded }: RoleRow): string {
  const scope =
    roleType === 'EntireOrganization' ? t.entireOrganization : t.selectedItems({ count: selected });
  return excluded === 0 ? scope : `${scope}, ${t.excludedItems({ count: excluded })}`;
}
