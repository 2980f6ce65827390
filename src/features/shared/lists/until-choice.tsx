import type { ReactNode } from 'react';
import { Choice } from '#src/ui/choice.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { listMessages as t } from './messages.en.ts';

interface UntilChoiceProps {
  readonly legend: ReactNode;
  readonly choices: readonly { readonly label: string; readonly detail?: string }[];
  /** The position of the choice; after the last, `day` counts. */
  readonly at: number;
  readonly day: string;
  /** What is wrong with the day, or null. */
  readonly error: string | null;
  readonly onChange: (change: { readonly at: number } | { readonly day: string }) => void;
}

/** A choice between times and a day of one's own, as fields of a form. */
export function UntilChoice({ legend, choices, at, day, error, onChange }: UntilChoiceProps) {
  const isOwnDay = at === choices.length;
  return (
    <fieldset className="m-0 border-0 p-0">
      {legend}
      {choices.map(({ label, detail }, i) => (
        <Choice
          key={label}
          name="until"
          checked={at === i}
          title={label}
          onChoose={() => onChange({ at: i })}
          {...(detail !== undefined && { detail })}
        />
      ))}
      <Choice
        name="until"
        checked={isOwnDay}
        title={t.anotherDay}
        onChoose={() => onChange({ at: choices.length })}
      />
      {isOwnDay && (
        <div className="pb-1 pl-7">
          <TextField
            type="date"
            label={t.day}
            required
            value={day}
            error={error}
            onChange={({ target }) => onChange({ day: target.value })}
          />
        </div>
      )}
    </fieldset>
  );
}
