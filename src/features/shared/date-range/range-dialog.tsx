import { useRef, useState } from 'react';
import type { RefObject } from 'react';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { dayAt, getDays, isDay } from './dates.ts';
import type { SpanChoiceProps } from './date-range-choice.tsx';
import { spanMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface RangeDialogProps extends SpanChoiceProps {
  readonly by: 'range' | 'number';
  readonly onClose: () => void;
}

/** Dialog for a custom period. With an empty end it closes without a change. */
export function RangeDialog({ by, span, rule, now, onSpan, onClose }: RangeDialogProps) {
  const [first, last] = getDays(span, dayAt(now, rule));
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [days, setDays] = useState(span.kind === 'last' ? String(span.days) : '');
  const field = useRef<HTMLInputElement>(null);
  const done = (): void => {
    if (by === 'number') {
      if (Number(days) > 0) onSpan({ kind: 'last', days: Number(days) });
    } else if (isDay(from) && isDay(to))
      onSpan({ kind: 'range', from: from < to ? from : to, to: from < to ? to : from });
    onClose();
  };
  return (
    <Dialog
      title={by === 'range' ? t.chooseDays : t.lastXDays}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" onClick={done}>
            {t.showDays}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-wrap gap-4 px-5 py-4"
        onSubmit={(event) => {
          event.preventDefault();
          done();
        }}
      >
        {by === 'range' ? (
          <>
            <DayField field={field} label={t.firstDay} value={from} onChange={setFrom} />
            <DayField label={t.lastDay} value={to} onChange={setTo} />
          </>
        ) : (
          <label className="block grow">
            <span className="block pb-1">{t.numberOfDays}</span>
            <input
              ref={field}
              value={days}
              inputMode="numeric"
              autoComplete="off"
              maxLength={3}
              onChange={(event) => setDays(event.target.value.replaceAll(/\D/g, '').slice(0, 3))}
              className="h-8 w-full rounded-part border border-control bg-sheet px-2 tabular-nums pointer-coarse:h-11"
            />
          </label>
        )}
        <button type="submit" className="sr-only" tabIndex={-1} aria-hidden>
          {t.show}
        </button>
      </form>
    </Dialog>
  );
}

function DayField({
  field,
  label,
  value,
  onChange,
}: {
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}) {
  return (
    <label className="block grow">
      <span className="block pb-1">{label}</span>
      <input
        {...(field && { ref: field })}
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
      />
    </label>
  );
}
