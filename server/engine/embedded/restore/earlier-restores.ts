import { type RawBuilder, sql } from 'kysely';
import type { EngineResult, ObjectKind, RestoreInput } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { done, failed } from '../../result.ts';
import type { RunningTask } from './running-task.ts';

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
  const hasRestore =
    request.kind === 'restore' &&
    (await store.tenant(tenant, (tx) => hasEarlier(tx, task), { readOnly: true }));
  if (hasRestore) return failed('busy', t.othersRestore, { waitMs: WAIT_MS });
  const isPlaceTaken = await store.tenant(tenant, (tx) => sharesPlace(tx, task), {
    readOnly: true,
  });
  return isPlaceTaken ? failed('busy', t.othersUndo, { waitMs: WAIT_MS }) : done;
}

/** Tasks are numbered one after the other, so that each sees the items of all before it. */
async function takeNumber(
  { sql: db, tenant }: TenantTx,
  { id, organization }: Task,
): Promise<void> {
  await db
    .selectFrom('head')
    .select('tenant_id')
    .where('tenant_id', '=', tenant)
    .forUpdate()
    .execute();
  const { rows } = await sql<{ readonly last: number | null }>`
    select max(${getNumber(sql`progress`)}) as last from engine_task
    where tenant_id = ${tenant} and organization_id = ${organization}::uuid and state = 'running'`.execute(
    db,
  );
  const number = JSON.stringify({ number: (rows[0]?.last ?? 0) + 1 });
  await sql`
    update engine_task set progress = progress || ${number}::text::jsonb
    where tenant_id = ${tenant} and id = ${id}::uuid and ${getNumber(sql`progress`)} is null`.execute(
    db,
  );
}

/** Whether a running restore with a smaller number has yet to write an item of this one. */
async function hasEarlier({ sql: db, tenant }: TenantTx, { id, organization }: Task) {
  const { rows } = await sql`
    select t.id from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and t.organization_id = ${organization}::uuid
      and t.state = 'running' and t.kind = 'restore'
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
  /** The numbers of the backed-up objects, each once or more. */
  readonly objects: readonly number[];
}

/**
 * Whether a running task with a smaller number writes to the same mailbox, drive, site or team, and one
 * of both is an undo.
 */
async function sharesPlace(
  { sql: db, tenant }: TenantTx,
  { id, organization, request }: Task,
): Promise<boolean> {
  const isUndo = request.kind === 'undo';
  const { rows } = await sql<PlacedTask>`
    select t.id = own.id as "isOwn", restore.request #> '{input,target}' as target,
      jsonb_path_query_array(restore.request, '$.plan.items[*].object') || jsonb_path_query_array(restore.request, '$.plan.folders[*].object') as objects
    from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and t.organization_id = ${organization}::uuid and t.state = 'running'
      and (t.id = own.id or ((t.kind = 'undo' or (${isUndo} and t.kind = 'restore'))
        and ${getNumber(sql`t.progress`)} < ${getNumber(sql`own.progress`)}))
    join engine_task as restore on restore.tenant_id = ${tenant}
      and restore.id = case when t.kind = 'undo' then t.parent_id else t.id end
    where own.tenant_id = ${tenant} and own.id = ${id}::uuid`.execute(db);
  if (rows.length < 2) return false;
  const numbers = [...new Set(rows.flatMap(({ objects }) => objects))];
  const objects = await sql<{ n: number; kind: ObjectKind; directoryId: string }>`
    select n, kind, directory_id as "directoryId" from backup_object
    where tenant_id = ${tenant} and n = any(${numbers}::bigint[])`.execute(db);
  const listPlaces = (task: PlacedTask): readonly string[] => {
    const { target } = task;
    const own = new Set(task.objects);
    return objects.rows
      .filter(({ n }) => own.has(n))
      .map(({ kind, directoryId }) => [kind, target.kind === 'other' ? target.object : directoryId])
      .map((place) => JSON.stringify(place));
  };
  const places = new Set(rows.filter(({ isOwn }) => isOwn).flatMap(listPlaces));
  return rows.some((task) => !task.isOwn && listPlaces(task).some((place) => places.has(place)));
}

const getNumber = (progress: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql`(${progress} ->> 'number')::bigint`;
