import type { EngineError } from '#contract/engine/engine.ts';
import { stops } from './created-folders.ts';
import { storeStep, type ItemEnd, type RunningTask, type TaskItem } from './running-task.ts';

// How items of a restore end, or why not yet.

/** It waits for another item of the restore. */
export const POSTPONED: ItemEnd = { ok: true, outcome: 'skipped', message: null };

/** An error that passes stops the task for now, and a refused sign-in ends it; any other is the item's own. */
export const failItem = async (
  task: Pick<RunningTask, 'store' | 'tenant' | 'id' | 'onError'>,
  one: TaskItem,
  error: EngineError,
  describe: (reason: string) => string = (reason) => reason,
): Promise<ItemEnd> => {
  if (stops(error)) return { ok: false, error };
  await task.onError(error);
  return finishItem(task, one, 'failed', describe(error.message));
};

export async function finishItem(
  task: Pick<RunningTask, 'store' | 'tenant' | 'id'>,
  { n }: TaskItem,
  outcome: 'restored' | 'merged' | 'skipped' | 'failed',
  message: string | null,
): Promise<ItemEnd & { readonly ok: true }> {
  await storeStep(task, n, { state: 'done', outcome, message });
  return { ok: true, outcome, message };
}
