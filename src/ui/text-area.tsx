import { useId } from 'react';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { RequiredMark } from './required-mark.tsx';

export interface TextAreaProps extends Omit<ComponentPropsWithRef<'textarea'>, 'id' | 'className'> {
  readonly label: string;
  /** Marked next to the label and announced to screen readers; the form reports what is missing. */
  readonly required?: boolean;
  /** A sentence below the field. */
  readonly hint?: ReactNode;
  /** The error message; it replaces the hint. */
  readonly error?: string | null;
  /** Monospace, for certificates and host names. */
  readonly mono?: boolean;
}

/** A multi-line text field. */
export function TextArea({
  label,
  hint,
  error = null,
  mono = false,
  rows = 3,
  required = false,
  ...rest
}: TextAreaProps) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div className="grid gap-1.5">
      <span>
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        {required && <RequiredMark />}
      </span>
      <textarea
        {...rest}
        id={id}
        rows={rows}
        aria-required={required}
        aria-invalid={error !== null}
        {...(below !== undefined && { 'aria-describedby': `${id}-below` })}
        className={`min-h-11 w-full min-w-0 resize-y rounded-part border bg-sheet px-3 py-1.5 text-ink placeholder:text-ink-3 placeholder:opacity-100 ${mono ? 'font-mono text-agate leading-[18px]' : ''}
          ${error === null ? 'border-control' : 'border-failed'}`}
      />
      {below !== undefined && (
        <p
          id={`${id}-below`}
          className={`m-0 flex items-start gap-1.5 text-agate ${error === null ? 'text-ink-3' : 'text-failed'}`}
        >
          {error !== null && <Icon name="failed" size={12} className="mt-0.5" />}
          <span className="min-w-0 break-words">{below}</span>
        </p>
      )}
    </div>
  );
}
