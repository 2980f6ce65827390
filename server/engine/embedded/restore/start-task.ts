import type { RestoreInput } from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleRouted } from '#server/platform/jobs/schedule.ts';
import type { AuditDetail } from './record-call.ts';
import { findTaskRoute } from './tasks.ts';

/** Lets a background job work on a task, where its repository is reached. */
export const scheduleTask = async (tx: TenantTx, task: TaskId, at: number): Promise<void> =>
  scheduleRouted(tx, 'restore-task', task, { task }, at, await findTaskRoute(tx, task));

/** What the record of a restore says. */
export const restoreDetail = (
  task: TaskId,
  { explorer, nodes, target, dryRun }: RestoreInput,
): AuditDetail => ({
  task,
  session: explorer,
  node: nodes[0] ?? null,
  nodes: nodes.length,
  target: target.kind,
  dryRun,
  ...(target.kind === 'other' && {
    targetOrganization: target.organization,
    targetObject: target.object,
  }),
});
