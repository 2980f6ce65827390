import { useRef } from 'react';
import type { ReactNode } from 'react';
import type { Result } from '#contract/result.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { formMessages as t } from './messages.en.ts';

export interface TypedConfirmProps<T> {
  readonly title: string;
  /** Describes the consequence. */
  readonly children: ReactNode;
  /** Text that the user must type to confirm; null: a button press is enough. */
  readonly type: { readonly label: string; readonly text: string } | null;
  readonly phrase: string;
  readonly send: () => Promise<Result<T>>;
  readonly onDone: (answer: T) => void;
  readonly onClose: () => void;
}

/** Confirmation of an action that cannot be undone. */
export function TypedConfirm<T>({
  title,
  children,
  type,
  phrase,
  send,
  onDone,
  onClose,
}: TypedConfirmProps<T>) {
  const field = useRef<HTMLInputElement>(null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { typed: '' },
    schema: makeConfirmSchema(type?.text ?? null),
    submit: send,
    onSaved: onDone,
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      {...(type !== null && { first: field })}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => void save()}>
            {phrase}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
        </>
      }
    >
      <form
        ref={formRef}
        className="grid grid-cols-1 gap-3 px-5 py-4"
        noValidate
        onSubmit={(event) => void save(event)}
      >
        <div className="grid gap-2 break-words text-ink-2">{children}</div>
        {type !== null && (
          <TextField
            ref={field}
            label={type.label}
            required
            value={form.typed}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => change({ typed: target.value })}
            hint={richText(t.typeExactly, { text: <b className="select-all">{type.text}</b> })}
            error={errors['typed'] ?? null}
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

const makeConfirmSchema = (text: string | null) =>
  makeReadingSchema(({ typed }: { readonly typed: string }) => ({
    value: typed,
    errors: { typed: text === null || typed.trim() === text ? null : t.textDiffers },
  }));
