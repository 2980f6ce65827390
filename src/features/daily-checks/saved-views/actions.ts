import type { ViewRow } from '#contract/daily-checks/saved-views.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { tell, tellFailure, tellWithUndo } from '#src/ui/toasts.ts';
import { sendCommand } from '../send-command.ts';
import { savedViewsMessages as t } from './messages.en.ts';

type SavedViewChange = Pick<ViewRow, 'id' | 'name' | 'query' | 'shared'>;

/**
 * Stores a view on this device and sends it. Returns whether it was stored. `undo`: restores the
 * previous state.
 */
export async function saveView(
  { id, name, query, shared }: SavedViewChange,
  details: string,
  undo?: () => void,
): Promise<boolean> {
  const failure = await sendCommand(() =>
    client().send('saveView', { id, name: name.trim(), query, shared }),
  );
  if (failure) tellFailure(failure.message);
  else if (undo) tellWithUndo(details, undo);
  else tell(details);
  return failure === null;
}

/** Changes an existing view, with undo. */
export const changeView = (
  before: ViewRow,
  change: Partial<SavedViewChange>,
  details: string,
): Promise<boolean> =>
  saveView(
    { ...before, ...change },
    details,
    () => void saveView(before, t.restored({ name: before.name })),
  );

export async function removeView(view: ViewRow): Promise<void> {
  const failure = await sendCommand(() => client().send('removeView', { id: view.id }));
  if (failure) tellFailure(failure.message);
  else
    tellWithUndo(
      t.removed({ name: view.name }),
      () => void saveView(view, t.restored({ name: view.name })),
    );
}
