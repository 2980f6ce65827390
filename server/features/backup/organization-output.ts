import type { OutputOf } from '#contract/calls.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { OrganizationId } from '#contract/ids.ts';

export type OrganizationOut = OutputOf<'getOrganization'>;

/** Returns organizations for people, with the counts of their jobs and protected users. */
export async function organizationsOut(
  tx: TenantTx,
  organizations: readonly OrganizationRow[],
): Promise<OrganizationOut[]> {
  if (organizations.length === 0) return [];
  const ids = organizations.map(({ id }) => id);
  const companies = await tx.rows('company', [...new Set(organizations.map((one) => one.company))]);
  const jobs = (await tx.all('backupJob')).filter(({ removedAt }) => removedAt === null);
  const protectedUsers = await countBy(tx, ids, 'backup_object');
  const users = await countBy(tx, ids, 'directory_object');
  const servers = await loadServers(tx, ids);
  return organizations.map(
    ({
      company,
      removedAt: _removed,
      dataUntil: _until,
      holds: _holds,
      exclusions: _excluded,
      ...row
    }) => {
      const own = jobs.filter(({ organization }) => organization === row.id);
      const points = own.flatMap(({ lastPointAt }) => lastPointAt ?? []);
      return {
        _id: row.id,
        ...row,
        companyId: companies.get(company)?.id ?? '',
        companyN: company,
        companyName: companies.get(company)?.name ?? '',
        jobs: own.length,
        isBackedup: points.length > 0,
        lastBackuptime: points.length > 0 ? Math.max(...points) : null,
        protected: protectedUsers.get(row.id) ?? 0,
        objects: users.get(row.id) ?? 0,
        server: servers.get(row.id) ?? null,
      };
    },
  );
}

async function loadServers(
  { sql, tenant }: TenantTx,
  organizations: readonly OrganizationId[],
): Promise<ReadonlyMap<string, OrganizationOut['server']>> {
  const rows = await sql
    .selectFrom('vb365_organization as o')
    .innerJoin('vb365_server as s', (join) =>
      join.onRef('s.tenant_id', '=', 'o.tenant_id').onRef('s.id', '=', 'o.server_id'),
    )
    .select(['o.organization_id', 's.address', 's.version', 's.read_at', 's.problem'])
    .where('o.tenant_id', '=', tenant)
    .where('o.organization_id', 'in', [...organizations])
    .execute();
  return new Map(
    rows.map(({ organization_id: id, read_at: readAt, address, version, problem }) => [
      id,
      { address, version, readAt, problem },
    ]),
  );
}

/** Counts users of each organization: with a restore point, or in the directory. */
async function countBy(
  { sql, tenant }: TenantTx,
  organizations: readonly OrganizationId[],
  table: 'backup_object' | 'directory_object',
): Promise<ReadonlyMap<string, number>> {
  const rows =
    table === 'backup_object'
      ? await sql
          .selectFrom('backup_object')
          .select([
            'organization_id',
            (e) => e.fn.count<number>('directory_id').distinct().as('users'),
          ])
          .where('tenant_id', '=', tenant)
          .where('organization_id', 'in', [...organizations])
          .where('kind', 'in', ['mailbox', 'archive', 'drive'])
          .where('directory_id', 'not like', `${IMPORTED}%`)
          .where('point', '>', 0)
          .where('excluded_at', 'is', null)
          .groupBy('organization_id')
          .execute()
      : await sql
          .selectFrom('directory_object')
          .select(['organization_id', (e) => e.fn.countAll<number>().as('users')])
          .where('tenant_id', '=', tenant)
          .where('organization_id', 'in', [...organizations])
          .where('kind', '=', 'user')
          .where('deleted_at', 'is', null)
          .groupBy('organization_id')
          .execute();
  return new Map(rows.map((row) => [row.organization_id, row.users]));
}
