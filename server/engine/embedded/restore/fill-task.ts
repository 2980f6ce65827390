import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Plan, PlannedFolder, PlannedItem } from './plan.ts';
import type { RunningTask } from './running-task.ts';
import { numberSameNames } from './same-names.ts';
import type { TaskId } from '#contract/ids.ts';

/**
 * Stores what a task has to do, item by item, in the order of its work: chosen items, then folders
 * with Inbox first, and the newest items of a folder first (RES-7). After a crash it begins again.
 */
export async function fillTask({ store, tenant, id, request }: RunningTask): Promise<void> {
  await store.tenant(tenant, ({ sql: db }) =>
    db
      .deleteFrom('restore_item')
      .where('tenant_id', '=', tenant)
      .where('task_id', '=', id)
      .execute(),
  );
  let n = 0;
  if (request.kind === 'undo') {
    await store.tenant(tenant, (tx) => fillUndo(tx, id, request.task));
  } else if (request.retries !== undefined) {
    const { retries } = request;
    await store.tenant(tenant, (tx) => fillRetry(tx, id, retries));
  } else {
    const { items, versions = [] } = request.plan;
    const older = new Set(versions.flatMap((one) => one.items.slice(1).map((n) => getId(one, n))));
    const isOlder = ({ object, item }: PlannedItem) => older.has(getId({ object }, item));
    n = await store.tenant(tenant, (tx) =>
      fillItems(
        tx,
        id,
        items.filter((one) => !isOlder(one)),
        0,
      ),
    );
    for (const folder of request.plan.folders)
      for (let after: Last | null = null; ;) {
        const done: { readonly last: Last | null; readonly added: number } = await store.tenant(
          tenant,
          (tx) => fillFolder(tx, id, folder, after, n),
        );
        n += done.added;
        if (done.last === null) break;
        after = done.last;
      }
    // An undo removes them before it puts back what their newest version replaced.
    await store.tenant(tenant, (tx) => fillItems(tx, id, items.filter(isOlder), n));
    await store.tenant(tenant, (tx) => numberSameNames(tx, id, request));
  }
  await store.tenant(tenant, async ({ sql: db }) => {
    const { rows } = await sql<{ items: number; bytes: number }>`
      select count(*) as items, coalesce(sum(i.bytes), 0)::bigint as bytes from restore_item as r
      left join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
      where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid`.execute(db);
    const [total = { items: 0, bytes: 0 }] = rows;
    const progress = {
      items: { done: 0, total: total.items },
      bytes: { done: 0, total: total.bytes },
    };
    await sql`update engine_task set progress = ${JSON.stringify(progress)}::text::jsonb where tenant_id = ${tenant} and id = ${id}::uuid`.execute(
      db,
    );
  });
}

const getId = ({ object }: { readonly object: number }, item: number): string =>
  `${object} ${item}`;

interface Last {
  readonly at: number;
  readonly n: number;
}
const BATCH = 500;

async function fillFolder(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  { object, point, key, path }: PlannedFolder,
  after: Last | null,
  from: number,
): Promise<{ readonly last: Last | null; readonly added: number }> {
  const part = sql`select i.tenant_id, i.object_n, i.n, i.at, i.title, row_number() over (order by i.at desc, i.n desc) as place from item as i
      where i.tenant_id = ${tenant} and i.object_n = ${object} and i.folder_key = ${key}
        and i.from_point <= ${point} and (i.to_point is null or i.to_point >= ${point})
        and ${after === null ? sql`true` : sql`(i.at, i.n) < (${after.at}::bigint, ${after.n}::bigint)`}
      order by i.at desc, i.n desc limit ${BATCH}`;
  const { numAffectedRows = 0n } = await sql`
    insert into restore_item (tenant_id, task_id, n, object_n, item_n, name, path, state)
    select part.tenant_id, ${task}::uuid, ${from}::int + part.place, part.object_n, part.n, part.title, ${JSON.stringify(path)}, 'planned'
    from (${part}) as part`.execute(db);
  const added = Number(numAffectedRows);
  if (added < BATCH) return { added, last: null };
  const { rows } = await sql<Last>`
    select i.at, i.n from restore_item as r join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
    where r.tenant_id = ${tenant} and r.task_id = ${task}::uuid and r.n = ${from + added}`.execute(
    db,
  );
  return { added, last: rows[0] ?? null };
}

async function fillItems(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  items: Plan['items'],
  from: number,
): Promise<number> {
  for (let at = 0; at < items.length; at += BATCH)
    await sql`
      insert into restore_item (tenant_id, task_id, n, object_n, item_n, name, path, state)
      select i.tenant_id, ${task}::uuid, ${from + at}::int + x.place, x.object, x.item, i.title, x.path, 'planned'
      from jsonb_to_recordset(${JSON.stringify(
        items.slice(at, at + BATCH).map(({ object, item, path }, index) => ({
          place: index + 1,
          object,
          item,
          path: JSON.stringify(path),
        })),
      )}::text::jsonb) as x(place int, object bigint, item bigint, path text)
      join item as i on i.tenant_id = ${tenant} and i.object_n = x.object and i.n = x.item`.execute(
      db,
    );
  return items.length;
}

/** What failed, in the same order. */
const fillRetry = async (
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  retried: TaskId,
): Promise<void> => {
  await sql`
    insert into restore_item (tenant_id, task_id, n, object_n, item_n, name, path, state)
    select tenant_id, ${task}::uuid, row_number() over (order by n), object_n, item_n, name, path, 'planned'
    from restore_item where tenant_id = ${tenant} and task_id = ${retried}::uuid and outcome = 'failed'`.execute(
    db,
  );
};

/** Backwards, and only what was written. */
const fillUndo = async (
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  restored: string,
): Promise<void> => {
  await sql`
    insert into restore_item (tenant_id, task_id, n, object_n, item_n, name, path, state, written, replaced)
    select tenant_id, ${task}::uuid, row_number() over (order by n desc), object_n, item_n, name, path, 'planned', written, replaced
    from restore_item where tenant_id = ${tenant} and task_id = ${restored}::uuid and written is not null`.execute(
    db,
  );
};
