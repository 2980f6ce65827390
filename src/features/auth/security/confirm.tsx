import type { Result } from '#contract/result.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
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
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  async function go(): Promise<void> {
    const answer = await mutation.send(() => withReauth(call));
    if (!answer.ok) return;
    onClose();
    return onDone();
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={mutation.busy} onClick={() => void go()}>
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
