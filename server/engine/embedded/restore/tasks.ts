import { IS_UNDO, addTask, isTaskVisible } from '../../shared/task-rows.ts';
import { sql } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  RestoreInput,
  EngineTask,
  TaskKind,
} from '#contract/engine/engine.ts';
import type { BackupRepositoryId, NodeId, OrganizationId, TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { findRoute, type JobRoute } from '#server/platform/jobs/places.ts';
import { loadState } from '../explorer/children.ts';
import { useExplorer, type Moment, type OpenExplorer } from '../explorer/explorers.ts';
import { parseNodeId } from '../explorer/node-id.ts';
import { failed, ok } from '../../result.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { planRestore, type Plan, refuseImported } from './plan.ts';
import type { TaskRights } from './rights/rights.ts';

/** What a task was asked to do, as it is stored. */
export type TaskRequest =
  | {
      readonly kind: 'restore';
      readonly input: RestoreInput;
      readonly plan: Plan;
      /** Null: nothing is written. Absent from tasks of former versions. */
      readonly rights?: TaskRights | null;
      /** Others learn about it. */
      readonly isOverseen?: boolean;
      /** Only what of this restore failed. */
      readonly retries?: TaskId;
    }
  | {
      readonly kind: 'undo';
      readonly task: TaskId;
      /** The organization that the restore wrote to. */
      readonly target?: OrganizationId;
      readonly rights?: TaskRights | null;
    };

/** Stores a restore, or a dry run of one, for the background job. Returns the id of its task. */
export async function requestRestore(
  tx: TenantTx,
  scope: EngineScope,
  input: RestoreInput,
  {
    rights,
    needsApproval,
    isOverseen = false,
  }: {
    readonly rights: TaskRights | null;
    readonly needsApproval: boolean;
    readonly isOverseen?: boolean;
  },
  moment: Moment,
): Promise<EngineResult<TaskId>> {
  if (scope.operator !== undefined && input.target.kind !== 'original')
    return failed('forbidden', t.originalOnly);
  const explorer = await useExplorer(tx, scope, input.explorer, moment.now);
  if (!explorer.ok) return explorer;
  const plan = await planRestore(tx, explorer.value, input, refuseImported(input.target));
  if (!plan.ok) return plan;
  const kind = input.dryRun ? 'dry-run' : 'restore';
  const request: TaskRequest = { kind: 'restore', input, plan: plan.value, rights, isOverseen };
  const state = needsApproval ? 'awaiting-approval' : 'queued';
  return ok(await addTask(tx, scope, { kind, state, request, parent: null }, moment));
}

/** Stores the undo of a finished restore. A restore can be undone once. */
export async function requestUndo(
  tx: TenantTx,
  scope: EngineScope,
  {
    task,
    target,
    rights,
    needsApproval = false,
  }: {
    readonly task: TaskId;
    readonly target: OrganizationId;
    readonly rights: TaskRights | null;
    readonly needsApproval?: boolean;
  },
  moment: Moment,
): Promise<EngineResult<TaskId>> {
  const {
    rows: [row],
  } = await sql<{ kind: TaskKind; state: EngineTask['state']; undone: boolean; retrying: boolean }>`
    select t.kind, t.state, exists (
      select from engine_task as u where u.tenant_id = ${tx.tenant} and u.parent_id = t.id and ${IS_UNDO}) as undone,
      exists (select from engine_task as r where r.tenant_id = ${tx.tenant} and r.parent_id = t.id
        and r.kind = 'restore' and r.state <> 'done') as retrying
    from engine_task as t
    where t.tenant_id = ${tx.tenant} and t.id = ${task}::uuid and t.organization_id = ${scope.organization}
      and ${isTaskVisible(tx.tenant, scope)}
    for update of t`.execute(tx.sql);
  if (row === undefined) return failed('missing', t.noTask);
  if (row.kind !== 'restore' || row.state !== 'done' || row.undone)
    return failed('conflict', t.cannotUndo);
  // It could remove folders to which the retry restores.
  if (row.retrying) return failed('conflict', t.undoWhileRetrying);
  const request: TaskRequest = { kind: 'undo', task, target, rights };
  return ok(
    await addTask(
      tx,
      scope,
      {
        kind: 'undo',
        state: needsApproval ? 'awaiting-approval' : 'queued',
        request,
        parent: task,
      },
      moment,
    ),
  );
}

/** Where a task runs: its repository is that of the restore point that was browsed. */
export async function findTaskRoute(tx: TenantTx, task: TaskId): Promise<JobRoute> {
  const { rows } = await sql<{
    readonly repository: BackupRepositoryId;
    readonly isStopping: boolean;
  }>`
    select p.repository_id as repository, t.state = 'stopping' as "isStopping" from engine_task as t
    left join engine_task as parent on parent.tenant_id = t.tenant_id and parent.id = t.parent_id
    cross join lateral (
      select coalesce(t.request -> 'input' ->> 'explorer', parent.request -> 'input' ->> 'explorer')::uuid as id offset 0) as x
    join explorer as e on e.tenant_id = t.tenant_id and e.id = x.id
    join restore_point as p on p.tenant_id = t.tenant_id and p.id = e.point_id
    where t.tenant_id = ${tx.tenant} and t.id = ${task}::uuid`.execute(tx.sql);
  const [row] = rows;
  if (row === undefined) throw new Error('A task has a restore point.');
  const route = await findRoute(tx, row.repository);
  // Any proxy can end one that waits for its own.
  return row.isStopping ? { ...route, place: null } : route;
}

/** Whether one of the objects isn't restored without the approval of another person. */
export async function needsSecondPerson(
  tx: TenantTx,
  explorer: OpenExplorer,
  nodes: readonly NodeId[],
): Promise<boolean> {
  if (explorer.operator === null) return false;
  const objects = new Set(nodes.flatMap((node) => parseNodeId(node)?.object ?? []));
  for (const object of objects)
    if ((await loadState(tx, explorer, object))?.alone !== true) return true;
  return false;
}
