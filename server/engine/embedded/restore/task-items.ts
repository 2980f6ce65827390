import { type RawBuilder, sql } from 'kysely';
import type { ObjectKind } from '#contract/engine/engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getFileAt } from '../index/file-versions.ts';
import { NOWHERE } from '../repositories/expired.ts';
import type { StoredItem } from '../types.ts';
import type { RunningTask, TaskItem } from './running-task.ts';

/**
 * Items that are not done: those that a crash left in the middle first, then in their order. An undo
 * puts members and settings back last, as a restore begins with them.
 */
export const listOpenItems = (
  tx: TenantTx,
  task: Pick<RunningTask, 'id' | 'request' | 'postponed'>,
  limit: number,
): Promise<TaskItem[]> =>
  listItems(
    tx,
    task,
    sql`r.state <> 'done' and r.n <> all(${[...task.postponed.items]}::int[])
      and (${task.request.kind === 'restore'}::boolean or i.kind <> 'settings' or not exists (
        select from restore_item as other join item as o on o.tenant_id = other.tenant_id and o.object_n = other.object_n and o.n = other.item_n
        where other.tenant_id = ${tx.tenant} and other.task_id = ${task.id}::uuid and other.state <> 'done' and o.kind <> 'settings'))`,
    limit,
  );

/** Members and settings of teams that are not done. Private channels are created for their members. */
export const listOpenSettings = (
  tx: TenantTx,
  task: Pick<RunningTask, 'id' | 'request'>,
  limit: number,
): Promise<TaskItem[]> =>
  listItems(tx, task, sql`r.state <> 'done' and i.kind = 'settings'`, limit);

/** Items of a task with these numbers. */
export const listItemsByNumber = (
  tx: TenantTx,
  task: Pick<RunningTask, 'id' | 'request'>,
  numbers: readonly number[],
): Promise<TaskItem[]> => listItems(tx, task, sql`r.n = any(${numbers}::int[])`, null);

/** Items of an undo that are not done and have written an object. */
export const listItemsWritten = (
  tx: TenantTx,
  task: Pick<RunningTask, 'id' | 'request'>,
  key: string,
): Promise<TaskItem[]> =>
  listItems(tx, task, sql`r.state <> 'done' and r.written ->> 'key' = ${key}`, null);

/** Items of an undo that the restore wrote to an object, whose keys begin so. */
export const listItemsBelow = (
  tx: TenantTx,
  task: Pick<RunningTask, 'id' | 'request'>,
  object: string,
  keysBegin: string,
  isUndone: boolean,
): Promise<TaskItem[]> =>
  listItems(
    tx,
    task,
    sql`r.written -> 'object' ->> 'id' = ${object} and starts_with(r.written ->> 'key', ${keysBegin})
      and (r.outcome is not distinct from 'restored') = ${isUndone}::boolean`,
    null,
  );

/** Those that a crash left in the middle come first. */
async function listItems(
  { sql: db, tenant }: TenantTx,
  { id, request }: Pick<RunningTask, 'id' | 'request'>,
  isListed: RawBuilder<boolean>,
  limit: number | null,
): Promise<TaskItem[]> {
  const { rows } = await sql<
    Omit<StoredItem, 'n'> & {
      readonly n: number;
      readonly itemN: number;
      readonly state: TaskItem['state'];
      readonly name: string;
      readonly path: string;
      readonly folder: string;
      readonly objectN: number;
      readonly objectKind: ObjectKind;
      readonly directoryId: string;
      readonly objectName: string;
      readonly address: string;
      readonly written: unknown;
      readonly replaced: unknown;
      readonly isInDeletedItems: boolean;
      readonly isNumbered: boolean;
    }
  >`
    select r.n, r.state, r.name, r.path, r.written, r.replaced, r.object_n as "objectN", o.kind as "objectKind", o.directory_id as "directoryId", o.name as "objectName", o.address,
      i.n as "itemN", coalesce(file.folder_key, i.folder_key) as folder, coalesce(file.key, i.key) as key, i.change_key as "changeKey", i.kind, case when r.name not in ('', i.title) then r.name else coalesce(file.title, i.title) end as title, r.name not in ('', i.title) as "isNumbered", i.people, coalesce(file.at, i.at) as at, i.changed_at as "changedAt", i.bytes, i.flags, i.parts,
      exists (select from folder as f where f.tenant_id = ${tenant} and f.object_n = i.object_n and f.key = i.folder_key and f.well_known = 'deleteditems') as "isInDeletedItems"
    from restore_item as r
    join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
    join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n and o.excluded_at is null
    -- A version of a file becomes its present content.
    left join lateral (${getFileAt(tenant, sql<number>`coalesce(i.to_point, ${NOWHERE - 1})`)}) as file on true
    where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid and ${isListed}
    order by r.state = 'planned', r.n limit ${limit}::int`.execute(db);
  const plan = request.kind === 'restore' ? request.plan : null;
  const earlier = new Set(
    plan?.items.flatMap(({ object, item, newer }) => (newer ? [`${object} ${item}`] : [])),
  );
  const versions = new Map(
    plan?.versions?.flatMap(({ object, items }) =>
      items.map((item) => [`${object} ${item}`, items] as const),
    ),
  );
  return rows.map(
    ({
      n,
      state,
      name,
      path,
      folder,
      objectN,
      objectKind,
      directoryId,
      objectName,
      address,
      itemN,
      written,
      replaced,
      isInDeletedItems,
      isNumbered,
      ...item
    }) => ({
      ...(versions.has(`${objectN} ${itemN}`) && {
        versions: versions.get(`${objectN} ${itemN}`) ?? [],
      }),
      n,
      state,
      name,
      path,
      folder,
      written,
      replaced,
      isInDeletedItems,
      isNumbered,
      objectN,
      object: { kind: objectKind, id: directoryId, name: objectName, address },
      item: earlier.has(`${objectN} ${itemN}`)
        ? { ...item, n: itemN, ...FILE_OF_ITS_OWN }
        : { ...item, n: itemN },
    }),
  );
}

/** An earlier version of a file that the restore takes, too: it must not be found as that file. */
const FILE_OF_ITS_OWN = { key: '', changeKey: '' } as const;
