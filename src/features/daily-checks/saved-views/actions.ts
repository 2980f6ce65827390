import type { ViewRow } from '#contract/daily-checks/saved-views.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { showSuccess, showFailure, showWithUndo } from '#src/ui/toasts.ts';
import { sendCommand } from '../send-command.ts';
import { savedViewsMessages as t } from './messages.en.ts';

type SavedViewChange = Pick<ViewRow, 'id' | 'name' | 'query' | 'shared'>;

/**
 * Stores a view on this device and sends it. Returns the view, or why it was not stored. `undo`:
 * restores the previous state.
 */
export async function saveView(
  { id, name, query, shared }: SavedViewChange,
  details: string,
  undo?: () => void,
): Promise<Result<SavedViewChange>> {
  const view = { id, name: name.trim(), query, shared };
  const failure = await sendCommand(() => client().send('saveView', view));
  if (failure) return failed(failure);
  if (undo) showWithUndo(details, undo);
  else showSuccess(details);
  return ok(view);
}

/** Restores a view as it was, for an undo. */
async function restoreView(view: ViewRow): Promise<void> {
  const result = await saveView(view, t.restored({ name: view.name }));
  if (!result.ok) showFailure(result.failure.message);
}

/** Changes an existing view, with undo. */
export const changeView = (
  before: ViewRow,
  change: Partial<SavedViewChange>,
  details: string,
): Promise<Result<SavedViewChange>> =>
  saveView({ ...before, ...change }, details, () => void restoreView(before));

export async function removeView(view: ViewRow): Promise<void> {
  const failure = await sendCommand(() => client().send('removeView', { id: view.id }));
  if (failure) showFailure(failure.message);
  else showWithUndo(t.removed({ name: view.name }), () => void restoreView(view));
}
