import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface DeleteDialogProps {
  /** `rule`: what kind of thing it is, in the title and on the button. */
  readonly what: string;
  readonly name: ReactNode;
  /** What becomes of what it did. That it cannot be undone is said here. */
  readonly says: string;
  readonly onDelete: () => Promise<void>;
  readonly onClose: () => void;
}

/**
 * Asks before something goes for good; once asked it is sent once. Brings Headless UI with it:
 * import it from lazy parts only.
 */
export function DeleteDialog({ what, name, says, onDelete, onClose }: DeleteDialogProps) {
  const [busy, setBusy] = useState(false);
  const end = async (): Promise<void> => {
    setBusy(true);
    await onDelete();
    setBusy(false);
  };
  return (
    <Dialog
      title={`Delete this ${what}?`}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => void end()}>
            Delete the {what}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-2 px-5 py-4">
        <p className="m-0 break-words">{name}</p>
        <p className="m-0 text-ink-2">{says} This cannot be undone.</p>
      </div>
    </Dialog>
  );
}
