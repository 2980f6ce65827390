import { type RawBuilder, sql } from 'kysely';
import type { EngineResult, ObjectKind, RestoreInput, TaskKind } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { done, failed } from '../../result.ts';
import type { RunningTask } from './running-task.ts';
import type { TaskRequest } from './tasks.ts';

/** How long a restore or an undo waits before it looks again. */
const WAIT_MS: Ms = 20_000;

type Task = Pick<RunningTask, 'store' | 'tenant' | 'id' | 'request' | 'organization'>;

/**
 * Of restores that write the same items to the same target, the first is done with them before the
 * others begin. These find the items there, and write none twice. An undo and restores or other undos
 * in the same mailbox, drive, site or team run one after the other: an undo also removes what items
 * need, such as folders. Called when the items of a task are stored. `busy`: it has to wait.
 */
export async function waitForEarlierRestores(task: Task): Promise<EngineResult<void>> {
  const { store, tenant, request } = task;
  if (request.kind === 'restore' && request.input.dryRun) return done;
  await store.tenant(tenant, (tx) => takeNumber(tx, task));
  const earlier = await store.tenant(tenant, (tx) => listEarlier(tx, task), { readOnly: true });
  const hasKind = (kind: TaskRequest['kind']): boolean => earlier.includes(kind);
  const hasRestore =
    request.kind === 'restore' &&
    hasKind('restore') &&
    (await store.tenant(tenant, (tx) => hasEarlier(tx, task), { readOnly: true }));
  if (hasRestore) return failed('busy', t.othersRestore, { waitMs: WAIT_MS });
  const mayShare = hasKind('undo') || (request.kind === 'undo' && hasKind('restore'));
  const isPlaceTaken =
    mayShare && (await store.tenant(tenant, (tx) => sharesPlace(tx, task), { readOnly: true }));
  return isPlaceTaken ? failed('busy', t.othersUndo, { waitMs: WAIT_MS }) : done;
}

/**
 * Tasks are numbered one after the other, so that each sees the items of all before it. Tasks of several
 * organizations may write to the tenant of one.
 */
async function takeNumber({ sql: db, tenant }: TenantTx, { id }: Task): Promise<void> {
  await db
    .selectFrom('head')
    .select('tenant_id')
    .where('tenant_id', '=', tenant)
    .forUpdate()
    .execute();
  const { rows } = await sql<{ readonly last: number | null }>`
    select max(${getNumber(sql`progress`)}) as last from engine_task
    where tenant_id = ${tenant} and ${isWriting('engine_task')}`.execute(db);
  const number = JSON.stringify({ number: (rows[0]?.last ?? 0) + 1 });
  await sql`
    update engine_task set progress = progress || ${number}::text::jsonb
    where tenant_id = ${tenant} and id = ${id}::uuid and ${getNumber(sql`progress`)} is null`.execute(
    db,
  );
}

/** One that is being stopped still writes the items that it has begun. */
const isWriting = (table: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${table}.state`)} in ('running', 'stopping')`;

/** What runs with a smaller number. Cheap: the plans of tasks are not read. */
async function listEarlier(
  { sql: db, tenant }: TenantTx,
  { id }: Task,
): Promise<readonly TaskKind[]> {
  const { rows } = await sql<{ readonly kind: TaskKind }>`
    select distinct t.kind from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and ${isWriting('t')}
      and ${getNumber(sql`t.progress`)} < ${getNumber(sql`own.progress`)}
    where own.tenant_id = ${tenant} and own.id = ${id}::uuid`.execute(db);
  return rows.map(({ kind }) => kind);
}

/** Whether a running restore with a smaller number has yet to write an item of this one. */
async function hasEarlier({ sql: db, tenant }: TenantTx, { id, organization }: Task) {
  const { rows } = await sql`
    select t.id from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and t.organization_id = ${organization}::uuid
      and ${isWriting('t')} and t.kind = 'restore'
      and t.request #> '{input,target}' = own.request #> '{input,target}'
      and ${getNumber(sql`t.progress`)} < ${getNumber(sql`own.progress`)}
    where own.tenant_id = ${tenant} and own.id = ${id}::uuid and exists (
      select from restore_item as mine
      join item as i on i.tenant_id = ${tenant} and i.object_n = mine.object_n and i.n = mine.item_n
      join item as o on o.tenant_id = ${tenant} and o.object_n = i.object_n and o.key = i.key
      join restore_item as other on other.tenant_id = ${tenant} and other.task_id = t.id
        and other.object_n = o.object_n and other.item_n = o.n
      where mine.tenant_id = ${tenant} and mine.task_id = ${id}::uuid
        and mine.state <> 'done' and other.state <> 'done')
    limit 1`.execute(db);
  return rows.length > 0;
}

interface PlacedTask {
  readonly isOwn: boolean;
  readonly target: RestoreInput['target'];
  /** The one in whose tenant it writes. */
  readonly organization: OrganizationId;
  /** The numbers of the backed-up objects, each once or more. */
  readonly objects: readonly number[];
}

/**
 * Whether a running task with a smaller number writes to the same mailbox, drive, site or team, and one
 * of both is an undo. A restore of another organization to this one's tenant counts, too.
 */
async function sharesPlace(tx: TenantTx, { id, request }: Task): Promise<boolean> {
  const { sql: db, tenant } = tx;
  const isUndo = request.kind === 'undo';
  const { rows } = await sql<PlacedTask>`
    select t.id = own.id as "isOwn", restore.request #> '{input,target}' as target,
      lower(coalesce(restore.request #>> '{input,target,organization}', restore.organization_id::text)) as organization,
      jsonb_path_query_array(restore.request, '$.plan.items[*].object') || jsonb_path_query_array(restore.request, '$.plan.folders[*].object') as objects
    from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and ${isWriting('t')}
      and (t.id = own.id or ((t.kind = 'undo' or (${isUndo} and t.kind = 'restore'))
        and ${getNumber(sql`t.progress`)} < ${getNumber(sql`own.progress`)}))
    join engine_task as restore on restore.tenant_id = ${tenant}
      and restore.id = case when t.kind = 'undo' then t.parent_id else t.id end
    where own.tenant_id = ${tenant} and own.id = ${id}::uuid`.execute(db);
  const target = rows.find(({ isOwn }) => isOwn)?.organization;
  const tasks = rows.filter(({ organization }) => organization === target);
  if (target === undefined || tasks.length < 2) return false;
  const numbers = [...new Set(tasks.flatMap(({ objects }) => objects))];
  const objects = await sql<{ n: number; kind: ObjectKind; directoryId: string }>`
    select n, kind, directory_id as "directoryId" from backup_object
    where tenant_id = ${tenant} and n = any(${numbers}::bigint[])`.execute(db);
  const ids = await findDirectoryIds(
    tx,
    target,
    tasks.flatMap((task) => (task.target.kind === 'other' ? [task.target.object] : [])),
  );
  const listPlaces = (task: PlacedTask): readonly string[] => {
    const own = new Set(task.objects);
    const other = task.target.kind === 'other' ? task.target.object.toLowerCase() : null;
    return objects.rows
      .filter(({ n }) => own.has(n))
      .map(({ kind, directoryId }) => [
        kind,
        other === null ? directoryId.toLowerCase() : (ids.get(other) ?? other),
      ])
      .map((place) => JSON.stringify(place));
  };
  const places = new Set(tasks.filter(({ isOwn }) => isOwn).flatMap(listPlaces));
  return tasks.some((task) => !task.isOwn && listPlaces(task).some((place) => places.has(place)));
}

/** Returns ids by the addresses of people or sites, in lower case: a target is chosen by either. */
async function findDirectoryIds(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map();
  const addresses = keys.map((key) => key.toLowerCase());
  const { rows } = await sql<{ readonly id: string; readonly address: string }>`
    select lower(id) as id, lower(address) as address from directory_object
    where tenant_id = ${tenant} and organization_id = ${organization}::uuid
      and lower(address) = any(${addresses}::text[])`.execute(db);
  return new Map(rows.map(({ id, address }) => [address, id]));
}

const getNumber = (progress: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql`(${progress} ->> 'number')::bigint`;
