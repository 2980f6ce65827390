import type { MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { apiKeyMessages as t } from './messages.en.ts';

/** Shows the key once. Only the dialog's own button closes it. */
export function SecretDialog({
  made: { key, secret },
  onClose,
}: {
  readonly made: MadeApiKey;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={t.copyNow}
      stays
      wide
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          {ui.done}
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 py-4">
        <p className="m-0 text-ink-2">{t.copyNowDetail({ key: key.name })}</p>
        <CopyText text={secret} label={t.copyKey} copied={t.keyCopied} />
        <p className="m-0 text-ink-2">{t.tryIt}</p>
        <CopyText
          text={`curl -H 'Authorization: Bearer ${secret}' '${location.origin}/api/v1/api-key'`}
          label={t.copyCommand}
          copied={t.commandCopied}
        />
      </div>
    </Dialog>
  );
}
