import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { plural } from '../../../ui/format.ts';
import type { Impersonation } from './impersonation.ts';

/** Leaving also discards the unsent changes that were made in the other user's name. */
export function ExitQuestion({ state, send }: Impersonation) {
  const isDiscarding = state.matches('discarding');
  if (!isDiscarding && !state.matches('unsent')) return null;
  const { unsent } = state.context;
  return (
    <Dialog
      title={`${plural(unsent, 'change')} not sent yet`}
      onClose={() => send({ type: 'STAY' })}
      footer={
        <>
          <Button variant="danger" busy={isDiscarding} onClick={() => send({ type: 'DISCARD' })}>
            Discard {plural(unsent, 'change')} and exit
          </Button>
          <Button onClick={() => send({ type: 'STAY' })}>Stay</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4">
        Made as the other user, and not taken by the server yet. Nothing of it is kept when you
        exit.
      </p>
    </Dialog>
  );
}
