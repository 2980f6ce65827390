import type { ReactNode } from 'react';
import { ok } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { uiMessages as t } from '#src/ui/messages.en.ts';

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
  const mutation = useServerMutation();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button
            variant="danger"
            busy={mutation.busy}
            onClick={() => void mutation.send(async () => ok(await onDelete()))}
          >
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
