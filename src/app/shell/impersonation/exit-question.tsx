import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { plural } from '../../../ui/format.ts';

export interface ExitQuestionProps {
  readonly count: number;
  readonly busy: boolean;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

/** Leaving also discards the unsent changes that were made in the other user's name. */
export function ExitQuestion({ count, busy, onDiscard, onClose }: ExitQuestionProps) {
  return (
    <Dialog
      title={`${plural(count, 'change')} not sent yet`}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={onDiscard}>
            Discard {plural(count, 'change')} and exit
          </Button>
          <Button onClick={onClose}>Stay</Button>
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
