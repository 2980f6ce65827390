import { sql } from 'kysely';
import type { EngineResult, EngineScope, EngineTask } from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { type Moment, useExplorer } from '../explorer/explorers.ts';
import { failed, ok } from '../../result.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { TaskRights } from './rights/rights.ts';
import { needsSecondPerson, type TaskRequest } from './tasks.ts';
import {
  addTask,
  IS_RETRY,
  IS_UNDO,
  isTaskVisible,
  isWithinPlainLimit,
  type PlainLimit,
} from '../../shared/task-rows.ts';

interface RetriedTask {
  readonly state: EngineTask['state'];
  readonly request: TaskRequest;
  readonly undone: boolean;
  readonly retried: boolean;
  readonly failures: number;
}

/**
 * Stores a restore of the items of a finished one that failed, with its target and flags. `plain`:
 * nobody else learns about it. Returns the id of its task. Of a restore that isn't finished, of which
 * nothing failed, or whose session has ended, nothing is retried.
 */
export async function requestRetry(
  tx: TenantTx,
  scope: EngineScope,
  {
    task,
    rights,
    needsApproval = false,
    plain,
  }: {
    readonly task: TaskId;
    readonly rights: TaskRights | null;
    readonly needsApproval?: boolean;
    readonly plain?: PlainLimit | undefined;
  },
  moment: Moment,
): Promise<EngineResult<TaskId>> {
  const {
    rows: [row],
  } = await sql<RetriedTask>`
    select t.state, t.request,
      exists (select from engine_task as u where u.tenant_id = ${tx.tenant} and u.parent_id = t.id and ${IS_UNDO}) as undone,
      exists (select from engine_task as r where r.tenant_id = ${tx.tenant} and r.parent_id = t.id and ${IS_RETRY}) as retried,
      (select count(*) from restore_item as i where i.tenant_id = ${tx.tenant} and i.task_id = t.id and i.outcome = 'failed') as failures
    from engine_task as t
    where t.tenant_id = ${tx.tenant} and t.id = ${task}::uuid and t.organization_id = ${scope.organization}
      and ${isTaskVisible(tx.tenant, scope)}
    for update of t`.execute(tx.sql);
  if (row === undefined) return failed('missing', t.noTask);
  const { request, failures } = row;
  if (request.kind !== 'restore' || request.input.dryRun || row.state !== 'done')
    return failed('conflict', t.cannotRetry);
  if (row.undone) return failed('conflict', t.retryUndone);
  if (row.retried) return failed('conflict', t.retriedBefore);
  if (failures === 0) return failed('conflict', t.nothingFailed);
  const { explorer, nodes, target } = request.input;
  const open = await useExplorer(tx, scope, explorer, moment.now);
  if (!open.ok) return failed('conflict', t.retrySession);
  if (scope.operator !== undefined && target.kind !== 'original')
    return failed('forbidden', t.originalOnly);
  // Roles may ask for one only since the restore.
  if (!needsApproval && (await needsSecondPerson(tx, open.value, nodes)))
    return failed('conflict', t.retrySecond);
  if (plain !== undefined && !(await isWithinPlainLimit(tx, scope, plain, failures, task)))
    return failed('conflict', t.retryTooMany({ max: plain.maxItems }));
  const retry: TaskRequest = {
    ...request,
    input: { ...request.input, items: failures },
    rights,
    retries: task,
  };
  const state = needsApproval ? 'awaiting-approval' : 'queued';
  return ok(
    await addTask(tx, scope, { kind: 'restore', state, request: retry, parent: task }, moment),
  );
}
