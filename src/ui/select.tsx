import { useId } from 'react';
import { Icon } from './icon.tsx';
import { RequiredMark } from './required-mark.tsx';

export interface SelectProps<T extends string> {
  readonly label: string;
  readonly required?: boolean;
  /** The label is above the field instead of before it, and the field has the full width. */
  readonly block?: boolean;
  /** The label is for screen readers only. */
  readonly hideLabel?: boolean;
  readonly value: T | '';
  readonly options: readonly {
    readonly value: T;
    readonly label: string;
    readonly disabled?: boolean;
  }[];
  /** Shown while nothing is selected. */
  readonly placeholder?: string;
  /** Below the field, unless there is an error. */
  readonly hint?: string;
  readonly error?: string | null;
  readonly onChange: (value: T) => void;
}

/** The browser's native select, for up to a dozen options. */
export function Select<T extends string>({
  label,
  block = false,
  hideLabel = false,
  value,
  options,
  placeholder,
  hint,
  error = null,
  required = false,
  onChange,
}: SelectProps<T>) {
  const id = useId();
  const below = error ?? hint;
  return (
    <div className={block ? 'grid content-start gap-1.5' : 'flex items-center gap-2'}>
      <span className={hideLabel ? 'sr-only' : ''}>
        <label htmlFor={id} className={block ? 'font-semibold' : 'text-ink-3'}>
          {label}
        </label>
        {required && <RequiredMark />}
      </span>
      <span className="relative flex min-w-0 items-center">
        <select
          id={id}
          value={value}
          aria-required={required}
          aria-invalid={error !== null}
          {...(below !== undefined && { 'aria-describedby': `${id}-below` })}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.target.value);
            if (chosen) onChange(chosen.value);
          }}
          className={`h-8 w-full min-w-0 appearance-none rounded-part border bg-sheet pr-8 pl-3 text-ink pointer-coarse:h-11 ${error === null ? 'border-control' : 'border-failed'}`}
        >
          {placeholder !== undefined && (
            <option value="" disabled>
              {placeholder}
            </option>
          )}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" className="pointer-events-none absolute right-2 text-ink-3" />
      </span>
      {below !== undefined && (
        <p
          id={`${id}-below`}
          className={`m-0 text-agate ${error === null ? 'text-ink-3' : 'text-failed'}`}
        >
          {below}
        </p>
      )}
    </div>
  );
}
