import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';

export interface ConfirmProps {
  readonly title: string;
  readonly description: string;
  readonly action: string;
  readonly call: () => Promise<Result<unknown>>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Confirmation before something of the account is removed. It shows a refusal in place. */
export function Confirm({ title, description, action, call, onClose, onDone }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  async function go(): Promise<void> {
    setBusy(true);
    setError(null);
    const answer = await withReauth(call);
    setBusy(false);
    if (!answer.ok) return setError(answer.failure.message);
    onClose();
    return onDone();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => void go()}>
            {action}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4 break-words">{description}</p>
      {error !== null && (
        <p role="alert" className="m-0 border-t border-hair px-5 py-3 text-failed">
          {error}
        </p>
      )}
    </Dialog>
  );
}
