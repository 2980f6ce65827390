import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface DeleteDialogProps {
  /** `Delete rule?` */
  readonly title: string;
  /** `Delete rule` */
  readonly confirmLabel: string;
  readonly name: ReactNode;
  /** What will happen. The dialog adds that it can't be undone. */
  readonly consequence: string;
  readonly onDelete: () => Promise<void>;
  readonly onClose: () => void;
}

/**
 * Asks before a permanent deletion and sends it once. It depends on Headless UI: import it from
 * lazy parts only.
 */
export function DeleteDialog({
  title,
  confirmLabel,
  name,
  consequence,
  onDelete,
  onClose,
}: DeleteDialogProps) {
  const [busy, setBusy] = useState(false);
  const end = async (): Promise<void> => {
    setBusy(true);
    await onDelete();
    setBusy(false);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => void end()}>
            {confirmLabel}
          </Button>
          <Button onClick={onClose}>{t.cancel}</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-2 px-5 py-4">
        <p className="m-0 break-words">{name}</p>
        <p className="m-0 text-ink-2">
          {consequence} {t.cannotBeUndone}
        </p>
      </div>
    </Dialog>
  );
}
