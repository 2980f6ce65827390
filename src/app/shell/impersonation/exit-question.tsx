import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { Impersonation } from './impersonation.ts';
import { impersonationMessages as t } from './messages.en.ts';

/** Leaving also discards the unsent changes that were made in the other user's name. */
export function ExitQuestion({ state, send }: Impersonation) {
  const isDiscarding = state.matches('discarding');
  if (!isDiscarding && !state.matches('unsent')) return null;
  const { unsent } = state.context;
  return (
    <Dialog
      title={t.unsent({ count: unsent })}
      onClose={() => send({ type: 'STAY' })}
      footer={
        <>
          <Button variant="danger" busy={isDiscarding} onClick={() => send({ type: 'DISCARD' })}>
            {t.discardAndExit({ count: unsent })}
          </Button>
          <Button disabled={isDiscarding} onClick={() => send({ type: 'STAY' })}>
            {t.stay}
          </Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4">{t.unsentHint}</p>
    </Dialog>
  );
}
