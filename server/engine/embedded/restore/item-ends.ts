import type { EngineError } from '#contract/engine/engine.ts';
import { storeStep, type ItemEnd, type RunningTask, type TaskItem } from './running-task.ts';

// How items of a restore end, or why not yet.

/** It waits for another item of the restore. */
export const POSTPONED: ItemEnd = { ok: true, outcome: 'skipped', message: null };

/** Whether an error is temporary: the task continues later. */
export const passes = ({ kind }: EngineError): boolean => kind === 'busy' || kind === 'unreachable';

/** An error that passes stops the task for now; any other is the item's own. */
export const failItem = async (
  task: Pick<RunningTask, 'store' | 'tenant' | 'id' | 'onError'>,
  one: TaskItem,
  error: EngineError,
): Promise<ItemEnd> => {
  if (passes(error) || error.kind === 'refused') return { ok: false, error };
  await task.onError(error);
  return finishItem(task, one, 'failed', error.message);
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
