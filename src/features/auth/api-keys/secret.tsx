import type { MadeApiKey } from '#contract/auth/api-key-calls.ts';
import { Button } from '#src/ui/button.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { Dialog } from '#src/ui/dialog.tsx';

/** The key, shown once: nothing but its own button closes it. */
export function SecretDialog({
  made: { key, secret },
  onClose,
}: {
  readonly made: MadeApiKey;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title="Copy the key now"
      stays
      wide
      onClose={onClose}
      footer={
        <Button variant="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-5 py-4">
        <p className="m-0 text-ink-2">
          This is the key “{key.name}”. It is not shown again: only a hash of it is kept here. Put
          it where programs keep secrets, not into a script that others read.
        </p>
        <CopyText text={secret} label="Copy the key" copied="Key copied" />
        <p className="m-0 text-ink-2">Try it:</p>
        <CopyText
          text={`curl -H 'Authorization: Bearer ${secret}' '${location.origin}/api/v1/api-key'`}
          label="Copy the line"
          copied="Line copied"
        />
      </div>
    </Dialog>
  );
}
