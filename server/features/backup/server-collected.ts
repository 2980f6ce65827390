import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';

/** Whether a connection of Monitoring reads the server that an organization was imported from. */
export async function isCollected(
  { store }: AppContext,
  tenant: TenantId,
  { id, engine }: Pick<OrganizationRow, 'id' | 'engine'>,
): Promise<boolean> {
  if (engine !== 'vb365') return false;
  const found = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('vb365_organization as o')
        .innerJoin('vb365_server as s', (join) =>
          join.onRef('s.tenant_id', '=', 'o.tenant_id').onRef('s.id', '=', 'o.server_id'),
        )
        .innerJoin('connection as c', (join) =>
          join.onRef('c.tenant_id', '=', 's.tenant_id').onRef('c.address', '=', 's.address'),
        )
        .select('c.id')
        .where('o.tenant_id', '=', tenant)
        .where('o.organization_id', '=', id)
        .where('c.kind', '=', 'vb365')
        .where('c.enabled', '=', true)
        .executeTakeFirst(),
    { readOnly: true },
  );
  return found !== undefined;
}
