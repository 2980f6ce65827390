import type { TaskId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleRouted } from '#server/platform/jobs/schedule.ts';
import { findTaskRoute } from './tasks.ts';

/** Lets a background job work on a task, where its repository is reached. */
export const scheduleTask = async (tx: TenantTx, task: TaskId, at: number): Promise<void> =>
  scheduleRouted(tx, 'restore-task', task, { task }, at, await findTaskRoute(tx, task));
