import { sql } from 'kysely';
import { getActiveHolds, listHoldsOn } from '#contract/backup/legal-holds.ts';
import type { BackupRepositoryId, Ms, OrganizationId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** An object of a repository that is on legal hold. `until` null: until the hold is released. */
interface ObjectOnHold {
  readonly n: number;
  readonly until: Ms | null;
}

/** Returns the numbers of the objects of a repository that are on legal hold. */
export const loadObjectsOnHold = async (
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<readonly number[]> => (await loadHolds(tx, repository, now)).map(({ n }) => n);

async function loadHolds(
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<readonly ObjectOnHold[]> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  const organization =
    row && (await tx.rows('organization', [row.organization])).get(row.organization);
  const holds = organization ? getActiveHolds(organization, now) : [];
  if (row === undefined || holds.length === 0) return [];
  const hasSites = holds.some(({ kind }) => kind !== 'user');
  const objects = await tx.sql
    .selectFrom('backup_object')
    .select(['n', 'kind', 'directory_id as id'])
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .where((or) =>
      or.or([
        or(
          'directory_id',
          'in',
          holds.map(({ object }) => object),
        ),
        ...(hasSites ? [or('kind', '=', 'site')] : []),
      ]),
    )
    .execute();
  const locate = hasSites ? await loadSites(tx, row.organization) : () => NOWHERE;
  return objects.flatMap(({ n, kind, id }) => {
    const own = listHoldsOn(holds, { kind, id, ...(kind === 'site' && locate(id)) });
    if (own.length === 0) return [];
    const ends = own.map(({ until }) => until ?? Infinity);
    const until = Math.max(...ends);
    return [{ n, until: until === Infinity ? null : until }];
  });
}

interface SitePlace {
  /** The sites above it. */
  readonly above: ReadonlySet<string>;
  /** The teams whose site it is, or is below. */
  readonly teams: ReadonlySet<string>;
}
const NOWHERE: SitePlace = { above: new Set(), teams: new Set() };

/**
 * Returns what finds the place of a site: where it is, and where it was when it or its team was backed
 * up.
 */
async function loadSites(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<(site: string) => SitePlace> {
  const { rows } = await sql<{ readonly id: string; readonly parent: string }>`
    select id, parent_id as parent from directory_object
    where tenant_id = ${tenant} and organization_id = ${organization} and kind = 'site' and parent_id is not null
    union
    select directory_id, parent_id from backup_object
    where tenant_id = ${tenant} and organization_id = ${organization} and kind = 'site' and parent_id is not null`.execute(
    db,
  );
  const { rows: teams } = await sql<{ readonly team: string; readonly site: string }>`
    select id as team, site_id as site from directory_object
    where tenant_id = ${tenant} and organization_id = ${organization} and kind = 'team' and site_id is not null
    union
    select directory_id, parent_id from backup_object
    where tenant_id = ${tenant} and organization_id = ${organization} and kind = 'team' and parent_id is not null`.execute(
    db,
  );
  const parents = Map.groupBy(rows, ({ id }) => id);
  const teamsBySite = Map.groupBy(teams, (row) => row.site);
  return (site) => {
    const above = new Set<string>();
    const open = [site];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const { parent } of parents.get(at) ?? [])
        if (!above.has(parent)) {
          above.add(parent);
          open.push(parent);
        }
    const own = [site, ...above].flatMap((id) => teamsBySite.get(id) ?? []);
    return { above, teams: new Set(own.map(({ team }) => team)) };
  };
}

/** What legal holds need of the snapshots of a repository. */
export interface NeededByHolds {
  /** Until when the last of its holds ends; null: one of them has no end. */
  readonly snapshots: ReadonlyMap<string, Ms | null>;
  /** The trees of other objects in these snapshots. */
  readonly others: ReadonlySet<string>;
}

/** Returns null if no object of the repository is on hold. */
export async function loadNeededByHolds(
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<NeededByHolds | null> {
  const objects = await loadHolds(tx, repository, now);
  if (objects.length === 0) return null;
  const { sql: db, tenant } = tx;
  const numbers = objects.map(({ n }) => n);
  const { rows } = await sql<{
    readonly n: number;
    readonly tree: string;
    readonly snapshot: string;
  }>`
    select s.object_n as n, s.tree, p.snapshot from object_point as s
    join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id
    where s.tenant_id = ${tenant} and s.object_n = any(${numbers}::bigint[]) and p.repository_id = ${repository} and p.snapshot is not null`.execute(
    db,
  );
  const unnumbered = await loadUnnumberedOnHold(tx, repository, numbers);
  const { rows: others } = await sql<{ readonly tree: string }>`
    select distinct s.tree from object_point as s
    join backup_object as o on o.tenant_id = s.tenant_id and o.n = s.object_n
    where s.tenant_id = ${tenant} and o.repository_id = ${repository} and s.object_n <> all(${numbers}::bigint[])`.execute(
    db,
  );
  const ends = new Map(objects.map(({ n, until }) => [n, until]));
  const snapshots = new Map<string, Ms | null>();
  for (const { n, snapshot } of [...rows, ...unnumbered]) {
    const end = ends.get(n) ?? null;
    const before = snapshots.get(snapshot);
    snapshots.set(
      snapshot,
      before === undefined ? end : before === null || end === null ? null : Math.max(before, end),
    );
  }
  const own = new Set(rows.map(({ tree }) => tree));
  return {
    snapshots,
    others: new Set(others.flatMap(({ tree }) => (own.has(tree) ? [] : [tree]))),
  };
}

/** Objects on hold that only snapshots have. */
const loadUnnumberedOnHold = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  numbers: readonly number[],
): Promise<readonly { readonly n: number; readonly snapshot: string }[]> =>
  (
    await sql<{ readonly n: number; readonly snapshot: string }>`
      select o.n, p.snapshot from restore_point as p
      join backup_object as o on o.tenant_id = p.tenant_id and o.repository_id = p.repository_id and p.unnumbered ? o.n::text
      where p.tenant_id = ${tenant} and p.repository_id = ${repository} and p.snapshot is not null and o.n = any(${numbers}::bigint[])`.execute(
      db,
    )
  ).rows;
