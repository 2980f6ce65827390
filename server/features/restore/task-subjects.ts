import { sql } from 'kysely';
import type { TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** Who started a task, what it is about, and where that goes: as `listRestoreTasks` says. */
interface TaskSubject {
  readonly by: string | null;
  readonly object: string | null;
  readonly objects: number;
  readonly place: string | null;
}
export const NO_SUBJECT: TaskSubject = { by: null, object: null, objects: 0, place: null };

/** Loads the subjects of tasks that the caller may see. */
export async function loadTaskSubjects(
  { sql: db, tenant }: TenantTx,
  ids: readonly TaskId[],
): Promise<ReadonlyMap<string, TaskSubject>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<TaskSubject & { readonly id: string }>`
    select t.id, p.name as by, of.objects, case when of.objects = 1 then of.object end as object,
      case when t.request -> 'input' -> 'target' ->> 'kind' = 'other' then coalesce(
        (select o.name from (select (t.request #>> '{input,target,organization}')::uuid as organization, t.request #>> '{input,target,object}' as object offset 0) as x
          join backup_object as o on o.tenant_id = ${tenant} and o.organization_id = x.organization and o.directory_id = x.object limit 1),
        t.request -> 'input' -> 'target' ->> 'object') end as place
    from engine_task as t
    left join person as p on p.tenant_id = ${tenant} and p.id = t.user_id
    cross join lateral (
      select count(distinct r.object_n) as objects, min(o.name) as object
      from restore_item as r join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
      where r.tenant_id = ${tenant} and r.task_id = t.id
    ) as of
    where t.tenant_id = ${tenant} and t.id in (${sql.join(ids.map((id) => sql`${id}::uuid`))})`.execute(
    db,
  );
  return new Map(rows.map(({ id, ...subject }) => [id, subject]));
}
