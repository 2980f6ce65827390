import { useId } from 'react';
import type { FormEvent, ReactNode, RefObject } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import type { DialogProps } from './dialog.tsx';
import { uiMessages as t } from './messages.en.ts';

interface Props extends Pick<
  DialogProps,
  'title' | 'onClose' | 'children' | 'first' | 'wide' | 'dirty'
> {
  readonly submitLabel: string;
  readonly busy: boolean;
  /** Instead of "Cancel", where that could mean to submit. */
  readonly closeLabel?: string;
  /** Submitting can't be undone. */
  readonly isIrreversible?: boolean;
  /** More buttons, after the one that submits. */
  readonly actions?: ReactNode;
  /** Shown below the fields. */
  readonly error?: string | null;
  readonly formRef?: RefObject<HTMLFormElement | null>;
  readonly onSubmit: (event: FormEvent) => void | Promise<void>;
}

/** A dialog with one form, and buttons to submit it and to cancel. */
export function FormDialog({
  submitLabel,
  busy,
  closeLabel = t.cancel,
  isIrreversible = false,
  actions,
  error = null,
  formRef,
  onSubmit,
  children,
  ...dialog
}: Props) {
  const formId = useId();
  return (
    <Dialog
      {...dialog}
      footer={
        <>
          <Button
            variant={isIrreversible ? 'danger' : 'primary'}
            type="submit"
            form={formId}
            busy={busy}
          >
            {submitLabel}
          </Button>
          {actions}
          <Button onClick={dialog.onClose}>{closeLabel}</Button>
        </>
      }
    >
      <form
        id={formId}
        {...(formRef && { ref: formRef })}
        noValidate
        aria-busy={busy}
        className="grid grid-cols-1 gap-4 px-5 py-4"
        onSubmit={(event) => void onSubmit(event)}
      >
        {children}
        {error !== null && (
          <p role="alert" className="m-0 text-failed">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
}
