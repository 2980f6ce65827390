import { useId } from 'react';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Icon } from './icon.tsx';
import { RequiredMark } from './required-mark.tsx';

export interface TextFieldProps extends Omit<
  ComponentPropsWithRef<'input'>,
  'id' | 'size' | 'className'
> {
  readonly label: string;
  /** Marked next to the label and announced to screen readers; the form reports what is missing. */
  readonly required?: boolean;
  /** A sentence below the field. */
  readonly hint?: ReactNode;
  /** The error message; it replaces the hint. */
  readonly error?: string | null;
  /** A button inside the right end of the field. */
  readonly end?: ReactNode;
  /** 40 px instead of 32, as on the sign-in page. */
  readonly tall?: boolean;
}

export function TextField({
  label,
  hint,
  error = null,
  end,
  tall = false,
  required = false,
  ...rest
}: TextFieldProps) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
      <span>
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        {required && <RequiredMark />}
      </span>
      <div
        className={`flex items-center rounded-part border bg-sheet focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent pointer-coarse:min-h-11
          ${tall ? 'h-10' : 'h-8'} ${error === null ? 'border-control' : 'border-failed'}`}
      >
        <input
          {...rest}
          id={id}
          aria-required={required}
          aria-invalid={error !== null}
          {...(below !== undefined && { 'aria-describedby': `${id}-below` })}
          className="h-full min-w-0 grow bg-transparent px-3 text-ink outline-none placeholder:text-ink-3 placeholder:opacity-100"
        />
        {end}
      </div>
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
