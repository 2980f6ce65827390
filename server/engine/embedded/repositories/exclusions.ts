import { sql } from 'kysely';
import {
  type Exclusion,
  getActiveExclusions,
  isExcluded,
  PERSON_KINDS,
} from '#contract/backup/exclusions.ts';
import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { BackupRepositoryId, Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { LICENSED_MS } from '#server/platform/queries/licensed-users.ts';
import { withdrawDownloads } from '../downloads/withdraw.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import type { Repository } from '../restic/repository.ts';
import { ok } from '../../result.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import { deleteRows, INDEX_TABLES } from './delete-repository.ts';
import { readObjects } from './rewrite-points.ts';
import { removeUnnumbered } from './unnumbered.ts';

// ENG-122: a person who is excluded is hidden in one transaction. Clean-ups then remove what is left.

interface Person {
  readonly organization: OrganizationId;
  /** In the directory of the tenant. */
  readonly id: string;
}

/**
 * Hides all that the repositories of an organization have of a person, and asks for the clean-ups that
 * remove it. Sessions that work on an object end without a new state of it.
 */
export async function hidePerson(
  tx: TenantTx,
  { organization, id }: Person,
  now: Ms,
): Promise<void> {
  const objects = await tx.sql
    .selectFrom('backup_object')
    .select(['n', 'repository_id as repository'])
    .where('tenant_id', '=', tx.tenant)
    .where('organization_id', '=', organization)
    .where('directory_id', '=', id)
    .where('kind', 'in', [...PERSON_KINDS])
    .orderBy('n')
    .forUpdate()
    .execute();
  await hideObjects(
    tx,
    objects.map(({ n }) => n),
    now,
  );
  for (const repository of new Set(objects.map((object) => object.repository)))
    await scheduleUpkeep(tx, 'repository-clean-up', repository, now);
}

async function hideObjects(tx: TenantTx, objects: readonly number[], now: Ms): Promise<void> {
  if (objects.length === 0) return;
  const { sql: db, tenant } = tx;
  // BILL-12: they have been backed up, and count for as long as others. Nothing else of the points stays.
  await sql`
    with point as (
      select object_n, at, at - lag(at) over (partition by object_n order by at) as pause from object_point
      where tenant_id = ${tenant} and object_n = any(${objects}::bigint[])
    ), part as (
      select object_n, at, count(*) filter (where pause > ${LICENSED_MS}::bigint) over (partition by object_n order by at) as span from point
    ), span as (
      select object_n, min(at) as first_at, max(at) as last_at from part group by object_n, span
    )
    update backup_object as o set licensed_spans = o.licensed_spans || s.spans
    from (select object_n, jsonb_agg(jsonb_build_object('first_at', first_at, 'last_at', last_at)) as spans from span group by object_n) as s
    where o.tenant_id = ${tenant} and o.n = s.object_n`.execute(db);
  await sql`
    update backup_object set erased_at = null, excluded_at = coalesce(excluded_at, ${now}), tree = null, items = 0, bytes = 0
    where tenant_id = ${tenant} and n = any(${objects}::bigint[])`.execute(db);
  await sql`
    delete from object_point where tenant_id = ${tenant} and object_n = any(${objects}::bigint[])`.execute(
    db,
  );
  await removeUnnumbered(tx, objects);
  await withdrawDownloads(tx, objects);
}

/** Lets a person be backed up again, except where earlier backups are still being removed. */
export const releasePerson = async (
  { sql: db, tenant }: TenantTx,
  { organization, id }: Person,
): Promise<void> => {
  await sql`
    update backup_object set excluded_at = null
    where tenant_id = ${tenant} and organization_id = ${organization} and directory_id = ${id}
      and erased_at is not null`.execute(db);
};

/** Whether backups of a person are still being removed. */
export async function isBeingRemoved(
  { sql: db, tenant }: TenantTx,
  { organization, id }: Person,
): Promise<boolean> {
  const { rows } = await sql`
    select from backup_object
    where tenant_id = ${tenant} and organization_id = ${organization} and directory_id = ${id}
      and excluded_at is not null and erased_at is null limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Hides what a repository has of excluded people again: attaching it brings everything back that its
 * files have, which may be an older copy. A legal hold on the person comes first. `others`: people who
 * are hidden, too.
 */
export async function hideExcluded(
  tx: TenantTx,
  { id: repository, organization }: Pick<BackupRepositoryRow, 'id' | 'organization'>,
  now: Ms,
  others: readonly string[] = [],
): Promise<void> {
  const { sql: db, tenant } = tx;
  const row = (await tx.rows('organization', [organization])).get(organization);
  const holds = row ? getActiveHolds(row, now) : [];
  const onHold = holds.flatMap(({ kind, object }) => (kind === 'user' ? [object] : []));
  const people = [...(row ? getActiveExclusions(row).map(({ object }) => object) : []), ...others];
  const { rows } = await sql<{ readonly n: number }>`
    select o.n from backup_object as o
    where o.tenant_id = ${tenant} and o.repository_id = ${repository} and o.kind in (${sql.join([...PERSON_KINDS])})
      and o.directory_id <> all(${onHold}::text[]) and (
        o.excluded_at is not null and exists (select from object_point as s where s.tenant_id = ${tenant} and s.object_n = o.n)
        or o.excluded_at is null and o.directory_id = any(${people}::text[]))
    order by o.n for update`.execute(db);
  await hideObjects(
    tx,
    rows.map(({ n }) => n),
    now,
  );
}

/**
 * Returns the numbers of the objects of a repository that a clean-up has to remove. What came in after
 * the exclusion is hidden first. A legal hold on the person comes first.
 */
export async function beginErasure(
  tx: TenantTx,
  repository: BackupRepositoryRow,
  now: Ms,
): Promise<readonly number[]> {
  const { sql: db, tenant } = tx;
  await hideExcluded(tx, repository, now);
  const { rows } = await sql<{ readonly n: number }>`
    select n from backup_object
    where tenant_id = ${tenant} and repository_id = ${repository.id}
      and excluded_at is not null and erased_at is null
    order by n`.execute(db);
  return rows.map(({ n }) => n);
}

/**
 * Removes what the index has of an object, in batches, with what an undo would put back. Returns whether
 * that was all; it isn't if the server stops. Can be repeated after a crash. `isCurrent`: false if
 * somebody else removes it now, or has removed it.
 */
export async function eraseObject(
  store: Store,
  tenant: TenantId,
  object: number,
  {
    signal,
    isCurrent,
  }: {
    readonly signal: AbortSignal;
    readonly isCurrent: (tx: TenantTx) => Promise<boolean>;
  },
): Promise<boolean> {
  for (const table of INDEX_TABLES)
    for (let isLast = false; !isLast;) {
      if (signal.aborted) return false;
      isLast = await store.tenant(
        tenant,
        async (tx) => !(await isCurrent(tx)) || deleteRows(tx, table, object),
      );
    }
  for (let isLast = false; !isLast;) {
    if (signal.aborted) return false;
    isLast = await store.tenant(
      tenant,
      async (tx) => !(await isCurrent(tx)) || forgetRestored(tx, object),
    );
  }
  return true;
}

/** Without its item, nothing is restored or undone. */
async function forgetRestored({ sql: db, tenant }: TenantTx, object: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update restore_item set replaced = null, name = '', path = '[]' where tenant_id = ${tenant} and ctid in (
      select ctid from restore_item
      where tenant_id = ${tenant} and object_n = ${object} and (replaced is not null or name <> '') limit ${BATCH_ROWS})`.execute(
    db,
  );
  return (numAffectedRows ?? 0n) < BigInt(BATCH_ROWS);
}

/** Says of an object in a snapshot whether it is one of those that are removed. */
export type IsErased = (object: { readonly kind: string; readonly id: string }) => boolean;

export async function loadErased(
  store: Store,
  tenant: TenantId,
  objects: readonly number[],
): Promise<IsErased> {
  if (objects.length === 0) return () => false;
  const erased = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('backup_object')
        .select(['kind', 'directory_id as id'])
        .where('tenant_id', '=', tenant)
        .where('n', 'in', [...objects])
        .execute(),
    { readOnly: true },
  );
  const keys = new Set(erased.map(getKey));
  return (object) => keys.has(getKey(object));
}

/**
 * Returns whether a restore point in the repository itself still has one of the objects: a session that
 * ended meanwhile may have stored it.
 */
export async function hasErasedObjects(
  opened: Repository,
  isErased: IsErased,
): Promise<EngineResult<boolean>> {
  const snapshots = await opened.listSnapshots();
  if (!snapshots.ok) return snapshots;
  for (const snapshot of snapshots.value) {
    const stored = await readObjects(opened, snapshot);
    if (!stored.ok) return stored;
    if (stored.value.some(isErased)) return ok(true);
  }
  return ok(false);
}
const getKey = ({ kind, id }: { readonly kind: string; readonly id: string }): string =>
  `${kind} ${id}`;

/** Stores that the repository has nothing of the objects any more, except files until their locks end. */
export async function endErasure(
  tx: TenantTx,
  repository: BackupRepositoryId,
  objects: readonly number[],
  at: Ms,
): Promise<void> {
  const { sql: db, tenant } = tx;
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  const organization =
    row && (await tx.rows('organization', [row.organization])).get(row.organization);
  const people = organization ? getActiveExclusions(organization).map(({ object }) => object) : [];
  await sql`
    update backup_object set erased_at = ${at},
      excluded_at = case when directory_id = any(${people}::text[]) then excluded_at end
    where tenant_id = ${tenant} and n = any(${objects}::bigint[])`.execute(db);
  // Indexes have no contents.
  await sql`
    update repository_file set erased_at = ${at}
    where tenant_id = ${tenant} and repository_id = ${repository} and removed and erased_at is null
      and (starts_with(file, 'data/') or starts_with(file, 'snapshots/'))`.execute(db);
}

/** Why an object isn't backed up: its person is excluded, or earlier backups are being removed. */
export type WhyExcluded = 'excluded' | 'being-removed';

/**
 * Returns why an object isn't backed up; null: it is. Whoever excludes its person waits until the
 * caller's transaction has ended.
 */
export async function findExclusion(tx: TenantTx, object: number): Promise<WhyExcluded | null> {
  const row = await tx.sql
    .selectFrom('backup_object')
    .select(['organization_id as organization', 'kind', 'directory_id as id', 'excluded_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('n', '=', object)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return null;
  const organization = (await tx.rows('organization', [row.organization])).get(row.organization);
  if (organization !== undefined && isExcluded(getActiveExclusions(organization), row))
    return 'excluded';
  return row.excluded_at === null ? null : 'being-removed';
}

/** How far the removal of a person is in a repository. */
export interface Removal {
  readonly organization: OrganizationId;
  readonly person: string;
  readonly repository: BackupRepositoryId;
  readonly isDone: boolean;
  /** Until when removed files are locked, as far as is known; null: none is left. */
  readonly lockedUntil: Ms | null;
}

/** Returns how far the removals of an organization are, in the repositories that had something. */
export async function loadRemovals(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<readonly Removal[]> {
  const { rows } = await sql<Removal>`
    select o.organization_id as organization, o.directory_id as person, o.repository_id as repository,
      bool_and(o.excluded_at is null or o.erased_at is not null) as "isDone",
      max((select max(f.locked_until) from repository_file as f
        where f.tenant_id = ${tenant} and f.repository_id = o.repository_id and f.erased_at <= o.erased_at)) as "lockedUntil"
    from backup_object as o
    where o.tenant_id = ${tenant} and o.organization_id = ${organization} and (o.excluded_at is not null or o.erased_at is not null)
    group by o.organization_id, o.directory_id, o.repository_id`.execute(db);
  return rows;
}

/** Returns the exclusions of an organization that apply. */
export async function loadExclusions(
  tx: TenantTx,
  organization: OrganizationId,
): Promise<readonly Exclusion[]> {
  const row = (await tx.rows('organization', [organization])).get(organization);
  return row ? getActiveExclusions(row) : [];
}
