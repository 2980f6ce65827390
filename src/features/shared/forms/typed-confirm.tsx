import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { formMessages as t } from './messages.en.ts';

export interface TypedConfirmProps {
  readonly title: string;
  /** Describes the consequence. */
  readonly children: ReactNode;
  /** Text that the user must type to confirm; null: a button press is enough. */
  readonly type: { readonly label: string; readonly text: string } | null;
  readonly phrase: string;
  /** Runs the action. Returns null on success, otherwise the error message. */
  readonly onConfirm: () => Promise<string | null>;
  readonly onClose: () => void;
}

/** Confirmation of an action that cannot be undone. */
export function TypedConfirm({
  title,
  children,
  type,
  phrase,
  onConfirm,
  onClose,
}: TypedConfirmProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const same = type === null || typed.trim() === type.text;
  const confirm = async (): Promise<void> => {
    setTried(true);
    if (!same) field.current?.focus();
    if (!same || busy) return;
    setBusy(true);
    setError(null);
    const details = await onConfirm();
    setBusy(false);
    setError(details);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      {...(type !== null && { first: field })}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => void confirm()}>
            {phrase}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
        </>
      }
    >
      <form
        className="grid grid-cols-1 gap-3 px-5 py-4"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <div className="grid gap-2 break-words text-ink-2">{children}</div>
        {type !== null && (
          <TextField
            ref={field}
            label={type.label}
            required
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
            hint={richText(t.typeExactly, { text: <b className="select-all">{type.text}</b> })}
            error={tried && !same ? t.textDiffers : null}
          />
        )}
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
