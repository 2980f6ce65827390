import { logTaskEnd } from '../../shared/log-task-end.ts';
import { sql } from 'kysely';
import type { EngineError, ItemOutcome, EngineTask } from '#contract/engine/engine.ts';
import type { SessionResult, Waiting } from '#contract/engine/sessions.ts';
import type { BackupRepositoryId, Ms, OrganizationId, TaskId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { FailingTimes } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { addFailure } from '../patience.ts';
import { followDenials } from '../organizations/access-denied.ts';
import { followWaits } from '../waits.ts';
import { finishChannels } from './created-channels.ts';
import { findCreatedFolders } from './created-folders.ts';
import { removeCreatedFolders } from './remove-created.ts';
import { restoreEmptyFolders } from './empty-folders.ts';
import { waitForEarlierRestores } from './earlier-restores.ts';
import { fillTask } from './fill-task.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { restoreOne } from './restore-one.ts';
import { shareFolders } from './share-folders.ts';
import type { ItemEnd, RestorePorts, RunningTask, TaskItem } from './running-task.ts';
import { releaseChannels } from './stand-ins.ts';
import { listOpenItems, listOpenSettings } from './task-items.ts';
import { beginTurn, release } from './taken-names.ts';
import type { TaskRequest } from './tasks.ts';
import { undoOne } from './undo-one.ts';
import { makeWriteTurns } from './write-turns.ts';

/** Items that are worked on at the same time. */
const CONCURRENCY = 4;
const BATCH = 100;
const PROGRESS_MS: Ms = 2_000;
const RETRY_MS: Ms = 30_000;
/** A task whose target has not answered for this long ends. */
const PATIENCE_MS: Ms = 60 * 60_000;

/** What a running restore needs of the server. */
type RestoreContext = Pick<AppContext, 'store' | 'clock' | 'chance'>;

/**
 * Works on a task until it ends, or until it has to wait: then returns when it continues, and holds
 * nothing meanwhile. The next call continues where it was, even after a crash (RES-5).
 */
export async function runTask(
  context: RestoreContext,
  ports: RestorePorts,
  { tenant, task: id, signal }: { tenant: TenantId; task: TaskId; signal: AbortSignal },
): Promise<Ms | null> {
  const { store, clock } = context;
  const row = await store.tenant(tenant, (tx) => begin(tx, id, clock.now()));
  if (row === null) return null;
  const repository = await store.tenant(tenant, (tx) => loadRepository(tx, row.request), {
    readOnly: true,
  });
  if (repository === null) return end(context, tenant, id, 'failed', t.noBackup);
  const organization = getTargetOrganization(row.request, row.organization);
  // Granted rights are those of another application.
  const hasGrant = (row.request.rights?.grant ?? null) !== null;
  const onError = followDenials(context, { tenant, organization: hasGrant ? null : organization });
  const wait = async (at: LateTask, error: EngineError): Promise<Ms | null> => {
    await onError(error);
    return later(context, tenant, at, error);
  };
  const turns = makeWriteTurns({ ...context, tenant, id, signal });
  const target = await ports.openTarget(tenant, organization, row.request.rights ?? null, turns);
  if (!target.ok) return wait(row, target.error);
  const content = await ports.openContent(tenant, repository);
  if (!content.ok) return later(context, tenant, row, content.error);
  let shown: Promise<unknown> = Promise.resolve();
  const show = (waiting: Waiting | null): Promise<unknown> =>
    (shown = shown
      .catch(() => undefined)
      .then(() => store.tenant(tenant, (tx) => showProgress(tx, id, waiting))));
  // A wait is shown at once, also while all items wait; what can't be stored, the next item shows.
  const waits = followWaits((waiting) => void show(waiting).catch(() => undefined));
  const task: RunningTask = {
    ...context,
    tenant,
    id,
    request: row.request,
    organization: row.organization,
    isOtherOrganization: organization !== row.organization,
    isDryRun: row.request.kind === 'restore' && row.request.input.dryRun,
    writesBeside:
      row.request.kind === 'restore' &&
      row.request.input.onConflict === 'keep-both' &&
      row.request.input.select !== 'missing',
    target: target.value,
    content: content.value,
    signal,
    folders: new Map(),
    channels: new Map(),
    channelKeys: new Map(),
    objects: new Map(),
    full: new Map(),
    postponed: { items: new Set(), waiting: new Map(), isLastTry: false, hasProgressed: true },
    nameResolutions: new Map(),
    places: new Map(),
    blocked: new Map(),
    selection: null,
    numbered: null,
    onWaiting: waits.onWaiting,
    onError,
  };
  try {
    await releaseChannels(task);
    if (!row.isFilled) await fillTask(task);
    const turn = await waitForEarlierRestores(task);
    // One that was stopped before its turn writes nothing.
    if (!turn.ok && (await isRunning(task))) return await wait(row, turn.error);
    const lost = await findCreatedFolders(task);
    if (lost !== null) return await wait(row, lost);
    let shownAt = 0;
    // Members come back before the channels that are created for them.
    let hasSettings = task.request.kind !== 'restore';
    let hasRemovedFolders = false;
    let { failing } = row;
    const onAnswer = async (): Promise<void> => {
      if (failing === null) return;
      failing = null;
      await store.tenant(tenant, (tx) => storeFailing(tx, id, null));
    };
    const isStopped = async () => signal.aborted || !(await isRunning(task));
    for (;;) {
      if (signal.aborted) return clock.now();
      const state = await store.tenant(tenant, (tx) => loadState(tx, id), { readOnly: true });
      if (state !== 'running') return await end(context, tenant, id, 'cancelled', t.cancelled);
      const list = hasSettings ? listOpenItems : listOpenSettings;
      const items = await store.tenant(tenant, (tx) => list(tx, task, BATCH), { readOnly: true });
      if (items.length === 0 && !hasSettings) {
        hasSettings = true;
        continue;
      }
      if (items.length === 0 && task.postponed.items.size > 0) {
        beginTurn(task.postponed);
        if (!task.postponed.isLastTry || hasRemovedFolders) continue;
        // The folders of a restore may have names that an undo needs.
        hasRemovedFolders = true;
        task.postponed.isLastTry = false;
        const removed = await removeCreatedFolders(task, false);
        if (!removed.ok) return await wait({ id, failing }, removed.error);
        continue;
      }
      if (items.length === 0) {
        const removed = await removeCreatedFolders(task, true);
        if (!removed.ok) return await wait({ id, failing }, removed.error);
        const channels = await finishChannels(task);
        if (!channels.ok) return await wait({ id, failing }, channels.error);
        const folders = await restoreEmptyFolders(task, { onAnswer, isStopped });
        if (folders === null) continue;
        if (!folders.ok) return await wait({ id, failing }, folders.error);
        const shared = await shareFolders(task);
        if (!shared.ok) return await wait({ id, failing }, shared.error);
        const messages = [removed.message, channels.message, folders.message, shared.message]
          .filter((one) => one !== null)
          .join(' ');
        return await end(context, tenant, id, null, messages || null, folders);
      }
      const failure = await workOn(task, items, async ({ isLocal }) => {
        if (isLocal !== true) await onAnswer();
        if (clock.now() - shownAt < PROGRESS_MS) return;
        shownAt = clock.now();
        await show(waits.current());
      });
      if (failure !== null) return await wait({ id, failing }, failure);
    }
  } finally {
    await content.value.close();
  }
}

/** Works on items side by side. Returns why the task can't continue now, if it can't. */
async function workOn(
  task: RunningTask,
  items: readonly TaskItem[],
  progress: (ended: ItemEnd & { readonly ok: true }) => Promise<void>,
): Promise<EngineError | null> {
  let failure: EngineError | null = null;
  const queue = [...items];
  // An undo goes backwards one by one.
  const workers = task.request.kind === 'undo' ? 1 : CONCURRENCY;
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item && failure === null; item = queue.shift()) {
      if (task.signal.aborted || !(await isRunning(task))) return;
      if (await isHidden(task, item)) continue;
      const ended =
        task.request.kind === 'undo' ? await undoOne(task, item) : await restoreOne(task, item);
      if (!ended.ok) {
        failure ??= ended.error;
        return;
      }
      if (!task.postponed.items.has(item.n)) release(task.postponed, item.n);
      await progress(ended);
    }
  };
  const ends = await Promise.allSettled(
    Array.from({ length: workers }, () =>
      work().catch((error: unknown) => {
        queue.length = 0;
        throw error;
      }),
    ),
  );
  // The next attempt begins when all writers of this one have ended.
  for (const workEnd of ends) if (workEnd.status === 'rejected') throw workEnd.reason;
  return failure;
}

type LateTask = Pick<BegunTask, 'id' | 'failing'>;
interface BegunTask {
  readonly id: TaskId;
  readonly organization: OrganizationId;
  readonly request: TaskRequest;
  readonly isFilled: boolean;
  /** Null: the last attempt had an answer of the target. */
  readonly failing: FailingTimes | null;
}

async function begin(
  { sql: db, tenant }: TenantTx,
  id: TaskId,
  now: Ms,
): Promise<BegunTask | null> {
  const { rows } = await sql<
    Omit<BegunTask, 'isFilled' | 'failing'> & {
      progress: Partial<EngineTask> & { readonly failing?: FailingTimes | null };
    }
  >`
    update engine_task set state = case when state = 'queued' then 'running' else state end, started_at = coalesce(started_at, ${now})
    where tenant_id = ${tenant} and id = ${id}::uuid and state <> 'done'
    returning id, organization_id as organization, request, progress`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  const { progress, ...task } = row;
  return { ...task, isFilled: progress.items !== undefined, failing: progress.failing ?? null };
}

async function loadState(
  { sql: db, tenant }: TenantTx,
  id: TaskId,
): Promise<EngineTask['state'] | undefined> {
  const row = await db
    .selectFrom('engine_task')
    .select('state')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.state;
}

/** Whether nobody has stopped the task: asked before each item, as one may be large. */
const isRunning = async ({ store, tenant, id }: RunningTask): Promise<boolean> =>
  (await store.tenant(tenant, (tx) => loadState(tx, id), { readOnly: true })) === 'running';

/** Whether the object's person was excluded meanwhile: its items fail at the end of the task. */
const isHidden = async ({ store, tenant }: RunningTask, { objectN }: TaskItem): Promise<boolean> =>
  (await store.tenant(tenant, (tx) => findExclusionMark(tx, objectN), { readOnly: true })) !== null;

const findExclusionMark = async ({ sql: db, tenant }: TenantTx, n: number): Promise<Ms | null> => {
  const row = await db
    .selectFrom('backup_object')
    .select('excluded_at')
    .where('tenant_id', '=', tenant)
    .where('n', '=', n)
    .executeTakeFirst();
  return row?.excluded_at ?? null;
};

async function loadRepository(
  { sql: db, tenant }: TenantTx,
  request: TaskRequest,
): Promise<BackupRepositoryId | null> {
  const { rows } =
    request.kind === 'restore'
      ? await sql<{ id: BackupRepositoryId }>`
        select p.repository_id as id from explorer as e join restore_point as p on p.tenant_id = e.tenant_id and p.id = e.point_id
        where e.tenant_id = ${tenant} and e.id = ${request.input.explorer}::uuid`.execute(db)
      : await sql<{ id: BackupRepositoryId }>`
        select p.repository_id as id from engine_task as t
        cross join lateral (select (t.request -> 'input' ->> 'explorer')::uuid as id offset 0) as x
        join explorer as e on e.tenant_id = t.tenant_id and e.id = x.id
        join restore_point as p on p.tenant_id = e.tenant_id and p.id = e.point_id
        where t.tenant_id = ${tenant} and t.id = ${request.task}::uuid`.execute(db);
  return rows[0]?.id ?? null;
}

const getTargetOrganization = (
  request: TaskRequest,
  organization: OrganizationId,
): OrganizationId =>
  request.kind === 'undo'
    ? (request.target ?? organization)
    : request.input.target.kind === 'other'
      ? request.input.target.organization
      : organization;

async function showProgress(
  { sql: db, tenant }: TenantTx,
  id: TaskId,
  waiting: Waiting | null,
): Promise<Pick<EngineTask, 'counts' | 'bytes'>> {
  const { rows } = await sql<{ outcome: ItemOutcome | null; items: number; bytes: number }>`
    select r.outcome, count(*) as items, coalesce(sum(i.bytes), 0)::bigint as bytes from restore_item as r
    left join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
    where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid group by r.outcome`.execute(db);
  const counts = { restored: 0, merged: 0, skipped: 0, failed: 0 };
  const items = { done: 0, total: 0 };
  const bytes = { done: 0, total: 0 };
  for (const row of rows) {
    items.total += row.items;
    bytes.total += row.bytes;
    if (row.outcome === null) continue;
    counts[row.outcome] += row.items;
    items.done += row.items;
    bytes.done += row.bytes;
  }
  const progress = { items, bytes, waiting, counts };
  await sql`
    update engine_task set progress = (progress - ${['items', 'bytes', 'waiting', 'counts']}::text[]) || ${JSON.stringify(progress)}::text::jsonb
    where tenant_id = ${tenant} and id = ${id}::uuid`.execute(db);
  return { counts, bytes };
}

/** Whether something could not be shared with all as before (RES-6). */
async function hasLacks({ sql: db, tenant }: TenantTx, id: TaskId): Promise<boolean> {
  const { rows } = await sql<{ readonly found: boolean }>`
    select exists (select from restore_item where tenant_id = ${tenant} and task_id = ${id}::uuid and lacks is not null)
      or exists (select from restore_folder where tenant_id = ${tenant} and task_id = ${id}::uuid and sharing -> 'lacks' <> '[]') as found`.execute(
    db,
  );
  return rows[0]?.found ?? false;
}

/** Stores since when the target does not answer, so that a restart keeps it; null: it answered. */
const storeFailing = (
  { sql: db, tenant }: TenantTx,
  id: TaskId,
  failing: FailingTimes | null,
): Promise<unknown> =>
  sql`
    update engine_task set progress = jsonb_set(progress, '{failing}', ${JSON.stringify(failing)}::text::jsonb)
    where tenant_id = ${tenant} and id = ${id}::uuid`.execute(db);

/** Ends the task permanently. Without a result, its items and empty folders decide. */
async function end(
  context: RestoreContext,
  tenant: TenantId,
  id: TaskId,
  result: SessionResult | null,
  message: string | null,
  folders: { readonly created: number; readonly isWhole: boolean } = { created: 0, isWhole: true },
): Promise<null> {
  await context.store.tenant(tenant, async (tx) => {
    // What a clean-up has taken out of the index meanwhile could not be restored.
    if (result === null)
      await tx.sql
        .updateTable('restore_item')
        .set({
          state: 'done',
          outcome: 'failed',
          message: sql`case when object_n in (
            select n from backup_object where tenant_id = ${tenant} and excluded_at is not null
          ) then ${t.excludedMeanwhile} else ${t.noLongerStored} end`,
        })
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', id)
        .where('state', '<>', 'done')
        .execute();
    // A write that has no end. An undo takes it back.
    else
      await tx.sql
        .updateTable('restore_item')
        .set({ state: 'done', outcome: 'failed', message: t.interruptedItem })
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', id)
        .where('state', 'in', ['writing', 'writing-copy'])
        .where('written', 'is not', null)
        .execute();
    const { counts, bytes } = await showProgress(tx, id, null);
    const ended = counts.restored + counts.merged + counts.skipped + folders.created;
    const isWhole = counts.failed === 0 && folders.isWhole && !(await hasLacks(tx, id));
    const decided = isWhole ? 'success' : ended === 0 ? 'failed' : 'warning';
    const task = await tx.sql
      .updateTable('engine_task')
      .set({
        state: 'done',
        result: result ?? decided,
        message,
        ended_at: context.clock.now(),
        ...(folders.created > 0 && {
          progress: sql`progress || jsonb_build_object('folders', ${folders.created}::int)`,
        }),
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('state', '<>', 'done')
      .returning(['organization_id', 'user_id', 'kind', 'parent_id', 'result'])
      .executeTakeFirst();
    // A dry run changes nothing. An end that is repeated after a crash is logged already.
    if (task?.kind === 'restore' || task?.kind === 'undo')
      await logTaskEnd(tx, context, {
        id,
        organization: task.organization_id,
        user: task.user_id,
        kind: task.kind,
        restore: task.kind === 'undo' ? task.parent_id : null,
        result: task.result ?? decided,
        counts,
        bytes: bytes.done,
      });
  });
  return null;
}

/**
 * The task continues later, unless waiting can't help or its target has not answered for too long.
 */
async function later(
  context: RestoreContext,
  tenant: TenantId,
  { id, failing: before }: LateTask,
  { kind, message, waitMs }: EngineError,
): Promise<Ms | null> {
  const now = context.clock.now();
  const passes = kind === 'busy' || kind === 'unreachable' || kind === 'conflict';
  if (!passes) return end(context, tenant, id, 'failed', message);
  // What is busy answers.
  const failing = kind === 'busy' ? null : addFailure(before, now);
  if (failing !== null && now - failing.since > PATIENCE_MS)
    return end(context, tenant, id, 'failed', t.interrupted);
  const until = now + (waitMs ?? RETRY_MS);
  await context.store.tenant(tenant, async (tx) => {
    await showProgress(tx, id, { until, reason: message });
    await storeFailing(tx, id, failing);
  });
  return until;
}
