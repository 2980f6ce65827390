import { sql } from 'kysely';
import type { OutputOf } from '#contract/calls.ts';
import type { RestoreRoleRow } from '#contract/restore/roles.ts';
import { countRolePeople } from '#server/engine/public/restore.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { OrganizationId } from '#contract/ids.ts';

export type RoleOut = OutputOf<'listRestoreRoles'>['rows'][number];
type RoleInFull = OutputOf<'getRestoreRole'>;
type DirectoryName = Pick<RoleInFull['operators'][number], 'id' | 'name' | 'address'>;

/** The maximum number of operators that the list names. */
const NAMED_OPERATORS = 3;

/** Returns roles for people, without their items. */
export async function rolesOut(tx: TenantTx, roles: readonly RestoreRoleRow[]): Promise<RoleOut[]> {
  const organizations = [...new Set(roles.map(({ organization }) => organization))];
  const named = await tx.rows('organization', organizations);
  const people = new Map<string, number>();
  for (const organization of organizations)
    for (const row of await loadPeople(tx, organization)) people.set(row.role, row.people);
  const names = await loadNames(
    tx,
    organizations,
    roles.flatMap(({ operators }) => operators.slice(0, NAMED_OPERATORS).map(({ id }) => id)),
  );
  return roles.map(({ company, organization, operators, ...role }) => ({
    _id: role.id,
    id: role.id,
    name: role.name,
    description: role.description,
    roleType: role.roleType,
    withoutReading: role.withoutReading,
    mayDownload: role.mayDownload,
    needsSecondPerson: role.needsSecondPerson,
    updatedAt: role.updatedAt,
    organizationId: organization,
    organizationName: named.get(organization)?.name ?? '',
    companyN: company,
    operatorNames: operators
      .slice(0, NAMED_OPERATORS)
      .map(({ id }) => names.get(`${organization} ${id}`)?.name ?? '')
      .filter((name) => name !== ''),
    operatorCount: operators.length,
    selected: role.roleType === 'SpecificObjects' ? role.selectedItems.length : 0,
    excluded: role.excludedItems.length,
    people: people.get(role.id) ?? 0,
  }));
}

const loadPeople = async ({ sql: db, tenant }: TenantTx, organization: OrganizationId) =>
  (
    await sql<{ role: string; people: number }>`${countRolePeople(tenant, organization)}`.execute(
      db,
    )
  ).rows;

/** Returns a role with its operators and items, and their names in the directory. */
export async function roleInFull(tx: TenantTx, role: RestoreRoleRow): Promise<RoleInFull | null> {
  const [out] = await rolesOut(tx, [role]);
  if (!out) return null;
  const { organization, operators, selectedItems, excludedItems } = role;
  const ids = [...operators, ...selectedItems, ...excludedItems].map(({ id }) => id);
  const names = await loadNames(tx, [organization], ids);
  const withName = <T extends { readonly id: string }>(item: T): T & DirectoryName => ({
    ...item,
    name: names.get(`${organization} ${item.id}`)?.name ?? '',
    address: names.get(`${organization} ${item.id}`)?.address ?? '',
  });
  return {
    ...out,
    operators: operators.map(withName),
    selectedItems: selectedItems.map(withName),
    excludedItems: excludedItems.map(withName),
  };
}

async function loadNames(
  { sql: db, tenant }: TenantTx,
  organizations: readonly OrganizationId[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly name: string; readonly address: string }>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('directory_object')
    .select(['organization_id', 'id', 'name', 'address'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', [...organizations])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [`${row.organization_id} ${row.id}`, row]));
}
