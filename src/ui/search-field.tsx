import { useEffect, useRef } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Kbd } from './kbd.tsx';
import { isTyping } from './is-typing.ts';
import { uiMessages as t } from './messages.en.ts';

export interface SearchFieldProps {
  /**
   * What is searched: `Search jobs, companies, causes`. Used as accessible name and placeholder.
   */
  readonly label: string;
  readonly value: string;
  /** `at`: the event's `timeStamp`, for `filterBegan`. */
  readonly onChange: (value: string, at: number) => void;
  /** Shortcut that focuses the field from anywhere on the page: `/`. */
  readonly focusKey?: string;
  /**
   * Called on Escape in an empty field, or Enter, to return to the list. Escape in a field with
   * text clears it.
   */
  readonly onLeave?: () => void;
  readonly autoFocus?: boolean;
}

export function SearchField({
  label,
  value,
  onChange,
  focusKey,
  onLeave,
  autoFocus = false,
}: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);
  useEffect(() => {
    if (focusKey === undefined) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== focusKey || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [focusKey]);
  return (
    <div
      className="flex h-8 min-w-0 items-center gap-2 rounded-part border border-control bg-sheet pr-1 pl-2.5 text-ink-3 focus-within:outline-2
      focus-within:outline-offset-1 focus-within:outline-accent pointer-coarse:h-11"
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        value={value}
        aria-label={label}
        placeholder={label}
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="search"
        {...(focusKey !== undefined && { 'aria-keyshortcuts': focusKey })}
        onChange={(event) => onChange(event.target.value, event.timeStamp)}
        onKeyDown={(event) => {
          // Ctrl Enter belongs to the form around the field.
          if (event.ctrlKey || event.metaKey) return;
          if (event.key === 'Escape' && value !== '') onChange('', event.timeStamp);
          else if (event.key === 'Escape' || event.key === 'Enter') onLeave?.();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="h-full min-w-0 grow bg-transparent text-ink outline-none placeholder:text-ink-3 placeholder:opacity-100 [&::-webkit-search-cancel-button]:hidden"
      />
      {value !== '' && (
        <IconButton
          icon="close"
          label={t.clearSearch}
          className="h-6 min-w-6 pointer-coarse:h-full"
          onClick={() => {
            onChange('', performance.now());
            input.current?.focus();
          }}
        />
      )}
      {value === '' && focusKey !== undefined && (
        <span className="pr-1">
          <Kbd>{focusKey}</Kbd>
        </span>
      )}
    </div>
  );
}
