import { sql } from 'kysely';
import type { TenantTx } from '#server/platform/db/store.ts';
import { restoreAuditMessages as t } from './messages.en.ts';

export type Detail = Readonly<Partial<Record<string, string | number | boolean | null>>>;

export const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The names of what entries of the audit are about; null: unknown, or more than one. */
interface Subjects {
  getObject(detail: Detail): string | null;
  getItem(detail: Detail): string | null;
}

/** `o5`, `f5.7` and `i5.9`: the object with the number 5, its folder 7 and its item 9. */
interface NodeRef {
  readonly kind: string;
  readonly object: number;
  readonly n: number | null;
}
function parseNode(detail: Detail): NodeRef | null {
  const found = /^([ofi])(\d{1,15})(?:\.(\d{1,15}))?(?:\.|$)/.exec(toText(detail['node']) ?? '');
  if (found === null) return null;
  const [, kind = '', object, n] = found;
  return { kind, object: Number(object), n: n === undefined ? null : Number(n) };
}

/** A restore: its one object and item, or how many it has. */
interface TaskRow {
  readonly id: string;
  readonly object: string | null;
  readonly objects: number;
  readonly item: string | null;
  readonly items: number;
}
interface NamedRow {
  readonly object: number;
  readonly n: number | null;
  readonly name: string;
}

/** Loads the names that these entries are about. */
export async function loadSubjects(
  { sql: db, tenant }: TenantTx,
  details: readonly Detail[],
): Promise<Subjects> {
  const nodes = details.flatMap((detail) => parseNode(detail) ?? []);
  const objectNumbers = [...new Set(nodes.map(({ object }) => object))];
  const objects = new Map<number, string>();
  if (objectNumbers.length > 0)
    for (const { n, name } of await db
      .selectFrom('backup_object')
      .select(['n', 'name'])
      .where('tenant_id', '=', tenant)
      .where('n', 'in', objectNumbers)
      .execute())
      objects.set(n, name);
  const named = new Map<string, string>();
  const parts = nodes.filter(({ n }) => n !== null);
  if (parts.length > 0) {
    const wanted = sql`jsonb_to_recordset(${JSON.stringify(parts)}::text::jsonb) as w(kind text, object bigint, n bigint)`;
    const { rows } = await sql<NamedRow & { readonly kind: string }>`
      select 'i' as kind, i.object_n as object, i.n, i.title as name from ${wanted}
      join item as i on i.tenant_id = ${tenant} and i.object_n = w.object and i.n = w.n where w.kind = 'i'
      union
      select 'f', f.object_n, f.n, f.name from ${wanted}
      join folder as f on f.tenant_id = ${tenant} and f.object_n = w.object and f.n = w.n where w.kind = 'f'`.execute(
      db,
    );
    for (const { kind, object, n, name } of rows) named.set(`${kind}${object}.${n}`, name);
  }
  const tasks = await loadTasks({ sql: db, tenant }, details);
  const getTask = (detail: Detail) => tasks.get(toText(detail['task']) ?? '');
  return {
    getObject(detail) {
      const node = parseNode(detail);
      if (node !== null) return objects.get(node.object) ?? null;
      const task = getTask(detail);
      if (task === undefined) return null;
      return task.objects === 1 ? task.object : t.objects({ count: task.objects });
    },
    getItem(detail) {
      const node = parseNode(detail);
      if (node !== null) return named.get(`${node.kind}${node.object}.${node.n}`) ?? null;
      const task = getTask(detail);
      if (task === undefined) return null;
      return task.items === 1 ? task.item : t.taskItems({ count: task.items });
    },
  };
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

async function loadTasks(
  { sql: db, tenant }: Pick<TenantTx, 'sql' | 'tenant'>,
  details: readonly Detail[],
): Promise<ReadonlyMap<string, TaskRow>> {
  const ids = [...new Set(details.flatMap((detail) => toText(detail['task']) ?? []))].filter((id) =>
    UUID.test(id),
  );
  if (ids.length === 0) return new Map();
  const { rows } = await sql<TaskRow>`
    select r.task_id as id, min(o.name) as object, count(distinct r.object_n) as objects, min(r.name) as item, count(*) as items
    from restore_item as r join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
    where r.tenant_id = ${tenant} and r.task_id in (${sql.join(ids.map((id) => sql`${id}::uuid`))})
    group by r.task_id`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
