import { useRef } from 'react';
import type { Result } from '#contract/result.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { TextArea } from '#src/ui/text-area.tsx';
import type { TextAreaProps } from '#src/ui/text-area.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';

/** The form's only field. */
export interface TextDraft {
  readonly text: string;
}

export interface TextDialogProps<V, T> extends Pick<
  TextAreaProps,
  'label' | 'hint' | 'required' | 'maxLength'
> {
  readonly title: string;
  readonly initial: string;
  readonly submitLabel: string;
  readonly schema: FormSchema<TextDraft, V>;
  readonly submit: (value: V) => Promise<Result<T>>;
  readonly onSaved: (answer: T) => void;
  readonly onClose: () => void;
}

/** A dialog for a text of several lines, such as a note. Ctrl and Enter save it. */
export function TextDialog<V, T>({
  title,
  initial,
  submitLabel,
  schema,
  submit,
  onSaved,
  onClose,
  ...area
}: TextDialogProps<V, T>) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { text: initial },
    schema,
    submit,
    onSaved,
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" busy={busy} onClick={() => void save()} keycap="Ctrl Enter">
            {submitLabel}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {ui.cancel}
          </Button>
        </>
      }
    >
      <form
        ref={formRef}
        noValidate
        aria-busy={busy}
        className="grid grid-cols-1 gap-3 px-5 py-4"
        onSubmit={(event) => void save(event)}
      >
        <TextArea
          {...area}
          ref={field}
          value={form.text}
          rows={4}
          error={errors['text'] ?? null}
          onChange={({ target }) => change({ text: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save(event);
          }}
        />
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
