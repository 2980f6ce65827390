import { useId } from 'react';
import { Button } from '#src/ui/button.tsx';
import { Icon } from '#src/ui/icon.tsx';
import type { Verdict } from './colours.ts';
import { brandingMessages as t } from './messages.en.ts';

export interface ColourFieldProps {
  readonly label: string;
  readonly value: string;
  readonly verdict: Verdict;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
}

/** A color as hex value or from the browser's color picker, with its contrast verdict. */
export function ColourField({ label, value, verdict, error, onChange }: ColourFieldProps) {
  const id = useId();
  const { kind, shown, nearest } = verdict;
  const text = error ?? verdict.description;
  const bad = error !== null || kind === 'no-colour' || kind === 'refused';
  const swatch = /^#[\da-f]{6}$/i.test(value.trim()) ? value.trim() : (shown ?? '#000000');
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      <div className="flex items-center gap-2">
        <input
          type="color"
          value={swatch.toLowerCase()}
          aria-label={t.pickColor({ label })}
          onChange={(event) => onChange(event.target.value)}
          className="h-8 w-11 shrink-0 cursor-pointer rounded-part border border-control bg-sheet p-0.5 pointer-coarse:h-11"
        />
        <input
          id={id}
          value={value}
          placeholder={t.notSet}
          maxLength={7}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          aria-invalid={error !== null || kind === 'no-colour'}
          aria-describedby={`${id}-below`}
          onChange={(event) => onChange(event.target.value)}
          className={`h-8 w-28 min-w-0 rounded-part border bg-sheet px-3 font-mono text-ink placeholder:text-ink-3 placeholder:opacity-100 pointer-coarse:h-11 ${bad ? 'border-failed' : 'border-control'}`}
        />
        {value !== '' && (
          <Button
            size="sm"
            variant="quiet"
            aria-label={t.clearColor({ label })}
            onClick={() => onChange('')}
          >
            {t.clear}
          </Button>
        )}
      </div>
      <p
        id={`${id}-below`}
        aria-live="polite"
        className={`m-0 flex items-start gap-1.5 text-agate ${bad ? 'text-failed' : kind === 'legible' ? 'text-success' : 'text-ink-3'}`}
      >
        {kind !== 'none' && (
          <Icon name={bad ? 'failed' : 'success'} size={12} className="mt-0.5 shrink-0" />
        )}
        <span className="min-w-0 break-words">{text}</span>
      </p>
      {nearest !== null && (
        <div>
          <Button size="sm" onClick={() => onChange(nearest)}>
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden>
              <rect width="16" height="16" rx="2" fill={nearest} />
            </svg>
            {t.nearestColor({ color: nearest })}
          </Button>
        </div>
      )}
    </div>
  );
}
