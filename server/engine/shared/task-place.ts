import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { ExplorerId, NodeId, TaskId } from '#contract/ids.ts';

/** What a record of a task is about, as the audit shows it. */
interface TaskPlace {
  readonly session: ExplorerId | null;
  /** The first of the nodes. */
  readonly node: NodeId | null;
}
const NO_PLACE: TaskPlace = { session: null, node: null };

/** Returns the session in which a restore was requested, and what of; of an undo, its restore's. */
export async function loadTaskPlace(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
): Promise<TaskPlace> {
  const { rows } = await sql<TaskPlace>`
    select r.request #>> '{input,explorer}' as session, r.request #>> '{input,nodes,0}' as node
    from engine_task as t
    cross join lateral (select case t.kind when 'undo' then t.parent_id else t.id end as id offset 0) as own
    join engine_task as r on r.tenant_id = t.tenant_id and r.id = own.id
    where t.tenant_id = ${tenant} and t.id = ${task}::uuid`.execute(db);
  return rows[0] ?? NO_PLACE;
}
