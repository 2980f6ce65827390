import { sql, type RawBuilder } from 'kysely';
import * as v from 'valibot';
import type {
  EngineResult,
  EngineScope,
  ItemKind,
  ItemOutcome,
  ItemResult,
  ListResultsInput,
  EnginePage,
  PageInput,
  RestoreInput,
  EngineTask,
  TaskKind,
  TaskState,
  Workload,
} from '#contract/engine/engine.ts';
import type { Ms, TaskId } from '#contract/ids.ts';
import type { Chance } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../result.ts';
import { cursorAfter, readCursor } from './cursor.ts';
import { restoreMessages as t } from './restore.messages.en.ts';
import { getOperator, getOperatorScope } from './role-scope.ts';
import { getShownTitle } from './shown-title.ts';

// The tasks of restores, as they are stored: those of every engine.

/** A restore by the organization's own server. `workload`: of its session. */
export interface ServerRequest {
  readonly kind: 'server-restore';
  readonly input: RestoreInput;
  readonly workload: Workload;
  readonly isOverseen: boolean;
}

/** An undo `u`, unless it was rejected and so has done nothing. */
export const IS_UNDO = sql`u.kind = 'undo' and not (u.state = 'done' and u.result = 'cancelled' and u.started_at is null)`;

/**
 * A retry `r` that continues or has come to its end. After any other, what failed can be retried
 * again.
 */
export const IS_RETRY = sql`r.kind = 'restore' and (r.state <> 'done' or r.result in ('success', 'warning'))`;

/** How many items a user may restore since a moment without that others learn about it. */
export interface PlainLimit {
  readonly since: Ms;
  readonly maxItems: number;
}

/**
 * Restores that start at the same moment wait for each other here, so that each counts the others.
 * `retried`: the restore of which these items are, which may have counted them.
 */
export async function isWithinPlainLimit(
  tx: TenantTx,
  scope: EngineScope,
  { since, maxItems }: PlainLimit,
  items: number,
  retried: TaskId | null = null,
): Promise<boolean> {
  await tx.lock();
  const before = await countPlainItems(tx, scope, since);
  if (before + items <= maxItems) return true;
  return retried !== null && before <= maxItems && (await isCounted(tx, retried, since));
}

/** Whether a restore is among those of which the items are counted. */
async function isCounted({ sql: db, tenant }: TenantTx, task: TaskId, since: Ms): Promise<boolean> {
  const { rows } = await sql`
    select from engine_task as p where p.tenant_id = ${tenant} and p.id = ${task}::uuid and ${getIsPlain(since)}`.execute(
    db,
  );
  return rows.length > 0;
}

/** A restore `p` since then, about which others did not learn. */
const getIsPlain = (since: Ms): RawBuilder<boolean> =>
  sql`(p.created_at > ${since} and p.request ->> 'isOverseen' is distinct from 'true')`;

/**
 * How many items a user restored lately without that others learned about it. Those of a retry were
 * counted with the restore that it retries.
 */
export async function countPlainItems(
  { sql: db, tenant }: TenantTx,
  { organization, user }: EngineScope,
  since: Ms,
): Promise<number> {
  const { rows } = await sql<{ items: number }>`
    select coalesce(sum((p.request #>> '{input,items}')::bigint), 0)::bigint as items from engine_task as p
    where p.tenant_id = ${tenant} and p.organization_id = ${organization} and p.user_id = ${user} and p.kind = 'restore'
      and ${getIsPlain(since)} and not exists (
        select from engine_task as retried where retried.tenant_id = ${tenant} and retried.id = p.parent_id
          and retried.created_at > ${since} and retried.request ->> 'isOverseen' is distinct from 'true')`.execute(
    db,
  );
  return rows[0]?.items ?? 0;
}

/** Starts a task that waits for approval, with the rights to write. */
export const approveTask = (
  tx: TenantTx,
  scope: EngineScope,
  task: TaskId,
  rights: object,
): Promise<EngineResult<void>> =>
  decide(
    tx,
    scope,
    task,
    sql`state = 'queued', request = jsonb_set(request, '{rights}', ${JSON.stringify(rights)}::text::jsonb)`,
  );

/** Ends a task that waits for approval. It has done nothing. */
export const rejectTask = (
  tx: TenantTx,
  scope: EngineScope,
  { task, message, now }: { readonly task: TaskId; readonly message: string; readonly now: Ms },
): Promise<EngineResult<void>> =>
  decide(
    tx,
    scope,
    task,
    sql`state = 'done', result = 'cancelled', message = ${message}, ended_at = ${now}`,
  );

async function decide(
  { sql: db, tenant }: TenantTx,
  { organization }: EngineScope,
  task: TaskId,
  change: RawBuilder<unknown>,
): Promise<EngineResult<void>> {
  const { rows } = await sql`
    update engine_task set ${change}
    where tenant_id = ${tenant} and organization_id = ${organization} and id = ${task}::uuid and state = 'awaiting-approval'
    returning id`.execute(db);
  return rows.length === 0 ? failed('conflict', t.notWaiting) : ok(undefined);
}

/** Stores a task. `request`: what it was asked to do. */
export async function addTask(
  { sql: db, tenant }: TenantTx,
  { organization, user }: EngineScope,
  task: {
    readonly kind: TaskKind;
    readonly state: TaskState;
    /** As a background job of the engine reads it. */
    readonly request: object;
    readonly parent: TaskId | null;
  },
  { now, chance }: { readonly now: Ms; readonly chance: Chance },
): Promise<TaskId> {
  const id = chance.uuid() as TaskId;
  await db
    .insertInto('engine_task')
    .values({
      tenant_id: tenant,
      id,
      organization_id: organization,
      user_id: user,
      kind: task.kind,
      state: task.state,
      result: null,
      message: null,
      request: JSON.stringify(task.request),
      parent_id: task.parent,
      created_at: now,
      started_at: null,
      ended_at: null,
    })
    .execute();
  return id;
}

interface TaskRow {
  readonly id: TaskId;
  readonly kind: TaskKind;
  readonly workload: EngineTask['workload'];
  readonly state: EngineTask['state'];
  readonly result: EngineTask['result'];
  readonly message: string | null;
  readonly progress: Partial<
    Pick<EngineTask, 'items' | 'bytes' | 'waiting' | 'counts' | 'folders'>
  >;
  readonly createdAt: Ms;
  readonly startedAt: Ms | null;
  readonly endedAt: Ms | null;
  readonly of: TaskId | null;
  readonly undone: boolean;
  readonly retried: boolean;
  /** The session in which it was requested is open, and the user's. */
  readonly isOpen: boolean;
  /** The organization's own server did it, which can't undo it. */
  readonly isServers: boolean;
  /** It created folders. */
  readonly hasFolders: boolean;
  /** It ended while it wrote an item. */
  readonly hasInterrupted: boolean;
}
const getTaskColumns = (
  tenant: string,
  { user }: EngineScope,
): RawBuilder<unknown> => sql`t.id, t.kind, t.state, t.request ->> 'kind' = 'server-restore' as "isServers",
  coalesce(t.request ->> 'workload', (select e.workload from (select coalesce(t.request -> 'input' ->> 'explorer', (
    select p.request -> 'input' ->> 'explorer' from engine_task as p where p.tenant_id = ${tenant} and p.id = t.parent_id))::uuid as id offset 0) as x
    join explorer as e on e.tenant_id = ${tenant} and e.id = x.id)) as workload, t.result, t.message, t.progress - 'movedFolders' as progress, t.created_at as "createdAt", t.started_at as "startedAt", t.ended_at as "endedAt", t.parent_id as "of",
  exists (select from engine_task as u where u.tenant_id = ${tenant} and u.parent_id = t.id and ${IS_UNDO}) as undone,
  exists (select from engine_task as r where r.tenant_id = ${tenant} and r.parent_id = t.id and ${IS_RETRY}) as retried,
  exists (select from (select (t.request #>> '{input,explorer}')::uuid as id offset 0) as x join explorer as e on e.tenant_id = ${tenant} and e.id = x.id
    and e.user_id = ${user} and e.stopped_at is null) as "isOpen",
  exists (select from restore_folder as f where f.tenant_id = ${tenant} and f.task_id = t.id) as "hasFolders",
  coalesce((t.progress #>> '{counts,failed}')::int, 0) > 0 and (select true from restore_item as i
    where i.tenant_id = ${tenant} and i.task_id = t.id and i.outcome = 'failed' and i.written is not null limit 1) is true as "hasInterrupted"`;

/** Operators see their own restores, as long as all that these are about is in their scope. */
export function isTaskVisible(tenant: string, scope: EngineScope): RawBuilder<boolean> {
  const operator = getOperator(scope);
  return operator === null
    ? sql`true`
    : sql`(t.user_id = ${scope.user} and not exists (
        select from restore_item as i where i.tenant_id = ${tenant} and i.task_id = t.id
          and i.object_n not in (select n from (${getOperatorScope(tenant, operator)}) as seen)))`;
}

export async function getTask(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  task: TaskId,
): Promise<EngineResult<EngineTask>> {
  const { rows } = await sql<TaskRow>`
    select ${getTaskColumns(tenant, scope)} from engine_task as t
    where t.tenant_id = ${tenant} and t.organization_id = ${scope.organization} and t.id = ${task}::uuid
      and ${isTaskVisible(tenant, scope)}`.execute(db);
  return rows[0] === undefined ? failed('missing', t.noTask) : ok(shown(rows[0]));
}

/** Newest first. */
export async function listTasks(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  { cursor, limit }: PageInput,
): Promise<EngineResult<EnginePage<EngineTask>>> {
  const read = readCursor(cursor);
  if (!read.ok) return read;
  const { rows } = await sql<TaskRow>`
    select ${getTaskColumns(tenant, scope)} from engine_task as t
    where t.tenant_id = ${tenant} and t.organization_id = ${scope.organization} and ${isTaskVisible(tenant, scope)}
      and ${read.value === null ? sql`true` : sql`(t.created_at, t.id) < (${read.value.key}::bigint, ${read.value.n}::uuid)`}
    order by t.created_at desc, t.id desc limit ${limit + 1}`.execute(db);
  const tasks = rows.slice(0, limit).map(shown);
  const last = tasks.at(-1);
  return ok({
    rows: tasks,
    next: rows.length > limit && last ? cursorAfter({ key: last.createdAt, n: last.id }) : null,
    count: null,
  });
}

const NO_COUNTS = { restored: 0, merged: 0, skipped: 0, failed: 0 };
const shown = ({
  progress,
  undone,
  retried,
  isOpen,
  hasFolders,
  hasInterrupted,
  isServers,
  ...row
}: TaskRow): EngineTask => ({
  ...row,
  items: progress.items ?? { done: 0, total: null },
  bytes: progress.bytes ?? { done: 0, total: null },
  waiting: progress.waiting ?? null,
  counts: progress.counts ?? NO_COUNTS,
  ...(progress.folders !== undefined && { folders: progress.folders }),
  canUndo:
    row.kind === 'restore' &&
    row.state === 'done' &&
    !isServers &&
    !undone &&
    (hasFolders || hasInterrupted || hasWritten(progress.counts)),
  canRetry:
    row.kind === 'restore' &&
    row.state === 'done' &&
    !isServers &&
    !undone &&
    !retried &&
    isOpen &&
    (progress.counts?.failed ?? 0) > 0,
});
const hasWritten = (counts: EngineTask['counts'] | undefined): boolean =>
  counts !== undefined && counts.restored + counts.merged > 0;

/** An empty folder that a dry run would create, while the one of the backup is somewhere else. */
export interface MovedFolder {
  /** The number of its object. */
  readonly object: number;
  readonly name: string;
  /** The path above it, as `restore_item.path` stores it. */
  readonly path: string;
  readonly message: string;
}
/** Results of moved folders follow those of items, which have lower numbers. */
const FIRST_FOLDER = 1_000_000_000;

/**
 * The results of a task's items in the order of its work, then those of folders of a dry run that are
 * somewhere else now. Failed ones can be listed alone.
 */
export async function listResults(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  { task, outcome, cursor, limit }: ListResultsInput,
): Promise<EngineResult<EnginePage<ItemResult>>> {
  const operator = getOperator(scope);
  const found = await getTask({ sql: db, tenant } as TenantTx, scope, task);
  if (!found.ok) return found;
  const read = readCursor(cursor);
  if (!read.ok) return read;
  const { rows } = await sql<{
    n: number;
    name: string;
    path: string;
    outcome: ItemOutcome;
    message: string | null;
    kind: ItemKind;
    reads: boolean;
    all: number;
  }>`
    select found.*, count(*) over () as "all" from (
      select r.n, case when o.excluded_at is null then r.name else '' end as name, case when o.excluded_at is null then r.path else '[]' end as path,
        r.outcome, r.message, coalesce(v.kind, 'mail') as kind, ${operator === null ? sql`true` : sql`coalesce(g.reads, false)`} as reads
      from restore_item as r left join item as v on v.tenant_id = ${tenant} and v.object_n = r.object_n and v.n = r.item_n
        left join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
        ${operator === null ? sql`` : sql`left join (${getOperatorScope(tenant, operator)}) as g on g.n = r.object_n`}
      where r.tenant_id = ${tenant} and r.task_id = ${task}::uuid and r.outcome is not null
      union all
      select ${FIRST_FOLDER}::int + f.place, f.name, f.path, ${'restored' satisfies ItemOutcome}, f.message, ${'file' satisfies ItemKind}, true
      from (
        select x.place::int, x.folder ->> 'name' as name, x.folder ->> 'path' as path, x.folder ->> 'message' as message, (x.folder ->> 'object')::bigint as object_n
        from engine_task as t cross join lateral jsonb_array_elements(coalesce(t.progress -> 'movedFolders', '[]')) with ordinality as x(folder, place)
        where t.tenant_id = ${tenant} and t.id = ${task}::uuid offset 0
      ) as f join backup_object as o on o.tenant_id = ${tenant} and o.n = f.object_n and o.excluded_at is null
    ) as found
    where (${outcome}::text is null or found.outcome = ${outcome}) and found.n > ${read.value?.n ?? 0}::int
    order by found.n limit ${limit + 1}`.execute(db);
  const results = rows.slice(0, limit);
  const last = results.at(-1);
  return ok({
    rows: results.map((row) => ({
      name: getShownTitle(row.kind, row.name, row.reads),
      path: shownPath(readPath(row.path)),
      outcome: row.outcome,
      message: row.message,
    })),
    next: rows.length > limit && last ? cursorAfter({ key: last.n, n: last.n }) : null,
    count: read.value === null ? (rows[0]?.all ?? 0) : null,
  });
}

/** Stops a task: what is being written is finished, the rest stays as it is. */
export async function cancelTask(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  task: TaskId,
): Promise<EngineResult<void>> {
  const { rows } = await sql<{ state: string }>`
    update engine_task as t set state = case when t.state in ('done', 'awaiting-approval') then t.state else 'stopping' end
    where t.tenant_id = ${tenant} and t.organization_id = ${scope.organization} and t.id = ${task}::uuid
      and ${isTaskVisible(tenant, scope)}
    returning t.state`.execute(db);
  if (rows[0] === undefined) return failed('missing', t.noTask);
  return rows[0].state === 'stopping' ? ok(undefined) : failed('conflict', t.running);
}

const PathSchema = v.array(
  v.object({
    name: v.string(),
    wellKnown: v.nullable(v.string()),
    key: v.exactOptional(v.string()),
  }),
);
type StoredPath = readonly Readonly<v.InferOutput<typeof PathSchema>[number]>[];
/** The target folder of an item, as `restore_item.path` stores it. */
export const readPath = (path: string): StoredPath => v.parse(PathSchema, JSON.parse(path));
const shownPath = (path: StoredPath): string => path.map(({ name }) => name).join('/');
