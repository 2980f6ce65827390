import {
  Combobox as Headless,
  ComboboxInput,
  ComboboxOption,
  ComboboxOptions,
  Description,
  Field,
  Label,
} from '@headlessui/react';
import { useState } from 'react';
import type { MouseEvent } from 'react';
import { formatCount } from './format.ts';
import { Icon } from './icon.tsx';
import { RequiredMark } from './required-mark.tsx';
import { uiMessages as t } from './messages.en.ts';

export interface ComboboxProps<T extends string> {
  readonly label: string;
  readonly required?: boolean;
  readonly value: T | '';
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly placeholder?: string;
  readonly error?: string | null;
  readonly onChange: (value: T) => void;
  /**
   * Called with the typed text if the caller searches the options elsewhere. All given options are
   * then shown.
   */
  readonly onType?: (typed: string) => void;
}

/** Maximum number of displayed options; typing narrows them. */
const MAX_SHOWN = 50;

/**
 * Options open on focus. After a choice the field keeps the focus, so a click then opens them like
 * the arrow key.
 */
function reopen({ currentTarget: field }: MouseEvent<HTMLInputElement>): void {
  if (field.getAttribute('aria-expanded') !== 'true')
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
}

/**
 * Selects one of many options by typing. It depends on Headless UI: import it from lazy parts only.
 */
export function Combobox<T extends string>({
  label,
  value,
  options,
  placeholder,
  error = null,
  required = false,
  onChange,
  onType,
}: ComboboxProps<T>) {
  const [typed, setTyped] = useState('');
  const type = (text: string): void => {
    setTyped(text);
    onType?.(text);
  };
  const wanted = typed.trim().toLowerCase();
  const found =
    wanted === '' || onType
      ? options
      : options.filter((option) => option.label.toLowerCase().includes(wanted));
  const getLabel = (chosen: T | ''): string =>
    options.find((option) => option.value === chosen)?.label ?? '';
  return (
    <Field className="grid gap-1.5">
      <span>
        <Label className="font-semibold">{label}</Label>
        {required && <RequiredMark />}
      </span>
      <Headless
        value={value}
        onChange={(chosen: T | '' | null) => {
          if (chosen !== null && chosen !== '') onChange(chosen);
        }}
        onClose={() => type('')}
        immediate
      >
        <span className="relative flex items-center">
          <ComboboxInput
            displayValue={getLabel}
            placeholder={placeholder}
            onChange={(event) => type(event.target.value)}
            onFocus={(event) => {
              // Options would cover what is wrong below: they wait for a click, a letter or the arrow key.
              if (error !== null) event.preventDefault();
            }}
            onClick={reopen}
            aria-required={required}
            aria-invalid={error !== null}
            autoComplete="off"
            className={`h-8 w-full min-w-0 rounded-part border bg-sheet pr-8 pl-3 text-ink placeholder:text-ink-3 placeholder:opacity-100 pointer-coarse:h-11
              ${error === null ? 'border-control' : 'border-failed'}`}
          />
          <Icon name="search" className="pointer-events-none absolute right-2.5 text-ink-3" />
        </span>
        <ComboboxOptions
          anchor={{ to: 'bottom start', gap: 4 }}
          className="z-50 max-h-64 w-(--input-width) animate-menu overflow-auto rounded-part border border-rule bg-sheet py-1 text-ink shadow-toast empty:hidden"
        >
          {found.slice(0, MAX_SHOWN).map((option) => (
            <ComboboxOption
              key={option.value}
              value={option.value}
              className="flex min-h-8 cursor-pointer items-center gap-2 px-3 data-focus:bg-accent-wash pointer-coarse:min-h-11"
            >
              <span className="min-w-0 grow truncate" data-tip={option.label}>
                {option.label}
              </span>
              {option.value === value && <Icon name="check" className="text-accent" />}
            </ComboboxOption>
          ))}
          {found.length > MAX_SHOWN && (
            <li className="px-3 py-1.5 text-agate text-ink-3">
              {t.matchesNotShown({ count: formatCount(found.length - MAX_SHOWN) })}
            </li>
          )}
          {found.length === 0 && <li className="px-3 py-1.5 text-ink-2">{t.noMatches}</li>}
        </ComboboxOptions>
      </Headless>
      {error !== null && (
        <Description as="p" className="m-0 flex items-start gap-1.5 text-agate text-failed">
          <Icon name="failed" size={12} className="mt-0.5" />
          <span className="min-w-0 break-words">{error}</span>
        </Description>
      )}
    </Field>
  );
}
