import { sql } from 'kysely';
import type { ObjectKind } from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getFileAt } from '../index/file-versions.ts';
import { NOWHERE } from '../repositories/expired.ts';
import { getCopyName } from '../sources/drive-writer.ts';
import type { Plan } from './plan.ts';
import { readPath } from '../../shared/task-rows.ts';
import type { RunningTask, TaskItem } from './running-task.ts';
import { findUnwritten } from './taken-names.ts';
import type { TaskRequest } from './tasks.ts';

// Files of one name that a restore puts into one folder, such as those of several folders or libraries.
// All of them are restored: the first one keeps its name, the others get numbered ones. A folder of the
// restore keeps its name, and all files of that name get numbered ones. The names are given when the task is filled, so that a dry run, a restore, its continuation after a crash, its
// retry, its undo and the same restore again agree on them.

type RestoreRequest = Extract<TaskRequest, { readonly kind: 'restore' }>;

/** One row of a folder that gets several files of one name. */
interface NamedRow {
  readonly n: number;
  readonly place: string;
  readonly title: string;
  /** The file in its object. Of several versions, all but the newest are files of their own. */
  readonly file: string;
  /** Another file has its name. */
  readonly isShared: boolean;
  /** A folder has its name. */
  readonly isFolder: boolean;
}

/** A folder that the restore puts into a place, by its name in lower case. */
interface NamedFolder {
  readonly place: string;
  readonly name: string;
}

/** Gives numbered names to files whose name another file of the task has in the same folder. */
export async function numberSameNames(
  tx: TenantTx,
  task: TaskId,
  { input, plan }: RestoreRequest,
): Promise<void> {
  const isOriginal = input.target.kind === 'original';
  if (!canShareNames(plan, isOriginal)) return;
  const folders = await listFolders(tx, plan, isOriginal);
  const rows = await listSameNames(tx, task, { isOriginal, folders, items: plan.items });
  for (const files of Map.groupBy(rows, ({ place }) => place).values()) {
    const taken = new Set(files.map(({ title }) => title.toLowerCase()));
    const owners = new Map<string, string>();
    const names = new Map<string, string>();
    const renamed: { readonly n: number; readonly name: string }[] = [];
    for (const { n, title, file, isShared, isFolder } of files) {
      if (!isShared && !isFolder) continue;
      const owner = isFolder ? null : (owners.get(title.toLowerCase()) ?? file);
      if (owner !== null) owners.set(title.toLowerCase(), owner);
      if (owner === file) continue;
      const id = `${file} ${title}`;
      const name = names.get(id) ?? findFreeName(title, taken);
      names.set(id, name);
      taken.add(name.toLowerCase());
      renamed.push({ n, name });
    }
    await storeNames(tx, task, renamed);
  }
}

/** Lists the folders of the plan, and where `listSameNames` says that they are. */
async function listFolders(
  { sql: db, tenant }: TenantTx,
  { folders }: Plan,
  isOriginal: boolean,
): Promise<readonly NamedFolder[]> {
  const objects = [...new Set(folders.map(({ object }) => object))];
  const rows = await db
    .selectFrom('backup_object')
    .select(['n', 'kind'])
    .where('tenant_id', '=', tenant)
    .where('n', '=', sql<number>`any(${objects}::bigint[])`)
    .execute();
  const kinds = new Map(rows.map(({ n, kind }) => [n, kind]));
  return folders.flatMap(({ object, path }) =>
    path.map(({ name }, depth) => ({
      // Only their names: one that was deleted goes to another one of its name.
      place: `${isOriginal ? object : kinds.get(object)} ${path
        .slice(0, depth)
        .map((part) => JSON.stringify(part.name.toLowerCase()))
        .join('/')}`,
      name: name.toLowerCase(),
    })),
  );
}

/** Whole folders of the original place have no two files of one name. */
function canShareNames({ folders, items }: Plan, isOriginal: boolean): boolean {
  if (items.length > 0) return items.length + folders.length > 1;
  if (isOriginal) return false;
  const places = folders.map(({ path }) =>
    JSON.stringify(path.map(({ name }) => name.toLowerCase())),
  );
  return new Set(places).size < places.length;
}

function findFreeName(title: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = getCopyName(title, n);
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/**
 * Lists the files that go to folders in which several have one name. In the original place, the file that
 * existed last keeps its name: it is the one that still has it there. Elsewhere, the first one does.
 * Earlier versions of files come last, the newest of them first.
 */
async function listSameNames(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  {
    isOriginal,
    folders,
    items,
  }: {
    readonly isOriginal: boolean;
    readonly folders: readonly NamedFolder[];
    readonly items: Plan['items'];
  },
): Promise<readonly NamedRow[]> {
  const earlier = items.flatMap(({ object, item, newer }) =>
    newer ? [{ object, item, newer }] : [],
  );
  const { rows } = await sql<NamedRow>`
    with placed as (
      select r.n, coalesce(file.title, i.title) as title, r.object_n || ' ' || coalesce(file.key, i.key) || coalesce(' ' || earlier.item, '') as file,
        coalesce(-earlier.newer, ${isOriginal ? sql`coalesce(i.to_point, ${NOWHERE})` : sql`0`}) as until,
        ${isOriginal ? sql`r.object_n::text` : sql`o.kind`} || ' ' || (
          select coalesce(string_agg(to_json(lower(part ->> 'name'))::text, '/' order by depth), '')
          from jsonb_array_elements(r.path::jsonb) with ordinality as x(part, depth)) as place
      from restore_item as r
      join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
      join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
      left join lateral (${getFileAt(tenant, sql<number>`coalesce(i.to_point, ${NOWHERE - 1})`)}) as file on true
      left join jsonb_to_recordset(${JSON.stringify(earlier)}::text::jsonb) as earlier(object bigint, item bigint, newer int) on earlier.object = r.object_n and earlier.item = r.item_n
      where r.tenant_id = ${tenant} and r.task_id = ${task}::uuid and i.kind = 'file'
    ), named as (
      select placed.*, min(file) over same <> max(file) over same as "isShared",
        (place, lower(title)) in (
          select f.place, f.name from jsonb_to_recordset(${JSON.stringify(folders)}::text::jsonb) as f(place text, name text)
        ) as "isFolder"
      from placed window same as (partition by place, lower(title))
    ), chosen as (
      select named.*, bool_or("isShared" or "isFolder") over (partition by place) as "hasShared" from named
    )
    select n, place, title, file, "isShared", "isFolder" from chosen where "hasShared" order by until desc, n`.execute(
    db,
  );
  return rows;
}

/**
 * Finds an item that is not done and has a numbered name because another item has its own: a copy of
 * that one, which gets a numbered name too, comes after it. Null: there is none.
 */
export async function findUnwrittenNumber(
  task: RunningTask,
  { n, isNumbered, object, objectN, path, item }: TaskItem,
): Promise<number | null> {
  if (isNumbered === true) return null;
  const numbered = await (task.numbered ??= loadNumbered(task));
  const numbers = numbered.get(
    getNameId(task, { kind: object.kind, objectN, path, title: item.title }),
  );
  if (numbers === undefined) return null;
  return findUnwritten(
    task,
    numbers.filter((one) => one !== n),
  );
}

interface NamedItem {
  readonly kind: ObjectKind;
  readonly objectN: number;
  readonly path: string;
  readonly title: string;
}

/** The numbers of the items with numbered names, by the name that they would have without. */
const loadNumbered = (task: RunningTask): NonNullable<RunningTask['numbered']> =>
  task.store.tenant(
    task.tenant,
    async ({ sql: db, tenant }) => {
      const { rows } = await sql<NamedItem & { readonly n: number }>`
        select r.n, o.kind, r.object_n as "objectN", r.path, coalesce(file.title, i.title) as title
        from restore_item as r
        join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
        join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
        left join lateral (${getFileAt(tenant, sql<number>`coalesce(i.to_point, ${NOWHERE - 1})`)}) as file on true
        where r.tenant_id = ${tenant} and r.task_id = ${task.id}::uuid and r.name not in ('', i.title)`.execute(
        db,
      );
      const ids = Map.groupBy(rows, (row) => getNameId(task, row));
      return new Map([...ids].map(([id, items]) => [id, items.map(({ n }) => n)]));
    },
    { readOnly: true },
  );

/** Objects of a kind share their names in another place. */
const getNameId = ({ request }: RunningTask, { kind, objectN, path, title }: NamedItem): string => {
  const isOriginal = request.kind === 'restore' && request.input.target.kind === 'original';
  const names = [...readPath(path).map(({ name }) => name), title];
  return JSON.stringify([isOriginal ? objectN : kind, ...names.map((name) => name.toLowerCase())]);
};

const BATCH = 500;

async function storeNames(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  names: readonly { readonly n: number; readonly name: string }[],
): Promise<void> {
  for (let at = 0; at < names.length; at += BATCH)
    await sql`
      update restore_item as r set name = x.name
      from jsonb_to_recordset(${JSON.stringify(names.slice(at, at + BATCH))}::text::jsonb) as x(n int, name text)
      where r.tenant_id = ${tenant} and r.task_id = ${task}::uuid and r.n = x.n`.execute(db);
}
