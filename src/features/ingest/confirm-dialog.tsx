import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import type { SourceRow } from './source-rows.ts';
import type { RevealedSecret } from './secret-dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { sourceMessages as t } from './messages.en.ts';

/** A confirmation of an action that cannot be undone: the old secret stops working at once. */
export interface Ending {
  readonly how: 'rotate' | 'revoke';
  readonly row: SourceRow;
}

export interface SourceConfirmProps {
  readonly ending: Ending;
  readonly onClose: () => void;
  readonly onRotated: (made: RevealedSecret) => void;
}

export function SourceConfirm({ ending: { how, row }, onClose, onRotated }: SourceConfirmProps) {
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const { id, name, tool } = row.key;

  async function end(): Promise<void> {
    if (how === 'rotate') {
      const result = await mutation.send(() => withReauth(() => client().ask('rotateKey', { id })));
      if (result.ok)
        onRotated({
          id,
          name,
          tool,
          secret: result.value.secret,
          since: result.value.key.rotatedAt,
        });
    } else {
      const result = await client().ask('revokeKey', { id });
      if (result.ok) {
        showSuccess(t.keyRevoked);
        onClose();
      }
    }
  }

  return (
    <Dialog
      title={how === 'rotate' ? t.rotateTitle : t.revokeTitle}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={mutation.busy} onClick={() => void end()}>
            {how === 'rotate' ? t.replaceSecret : t.revokeKey}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-2 px-5 py-4">
        <p className="m-0 break-words">
          <b>{name}</b>, {row.company}
        </p>
        {how === 'rotate' ? (
          <p className="m-0 text-ink-2">{t.rotateHint}</p>
        ) : (
          <p className="m-0 text-ink-2">{t.revokeHint}</p>
        )}
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </div>
    </Dialog>
  );
}
