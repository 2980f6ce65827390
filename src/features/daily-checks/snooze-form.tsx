import { useRef, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { Button } from '#src/ui/button.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { formatDay, formatTime, formatWhen } from '#src/ui/format.ts';
import { isDay } from '#src/features/shared/date-range/dates.ts';
import { snoozeChoices, snoozeUntil } from '../shared/runs/snooze-times.ts';
import { dailyChecksMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

interface SnoozeProps {
  readonly title: string;
  readonly zone: string;
  readonly now: Ms;
  readonly onSnooze: (until: Ms, reason: string) => void;
  readonly onClose: () => void;
}

/**
 * A snooze always ends: at its date, after a successful run, or when the problem changes. The form
 * says so.
 */
export function SnoozeForm({ title, zone, now, onSnooze, onClose }: SnoozeProps) {
  const choices = snoozeChoices(now, zone);
  const [at, setAt] = useState(0);
  const [day, setDay] = useState('');
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const own = at === choices.length;
  const chosen = own ? (isDay(day) ? snoozeUntil('', day, zone) : null) : (choices[at] ?? null);
  const wrong =
    chosen === null
      ? null
      : chosen.until <= now
        ? MESSAGES.snoozeTooShort
        : chosen.until > now + LIMITS.snoozeMaxMs
          ? MESSAGES.snoozeTooLong
          : null;
  const canSubmit = chosen !== null && wrong === null && reason.trim() !== '';
  const snooze = (): void => {
    if (canSubmit) onSnooze(chosen.until, reason.trim());
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" disabled={!canSubmit} onClick={snooze}>
            {chosen && wrong === null
              ? t.snoozeUntil({ time: formatWhen(chosen.until, zone) })
              : t.snooze}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {uiMessages.cancel}
          </Button>
        </>
      }
    >
      <form
        className="px-5 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          snooze();
        }}
      >
        <fieldset className="m-0 border-0 p-0">
          <legend className="text-agate text-ink-3">{t.until}</legend>
          {choices.map(({ label, until }, i) => (
            <Choice
              key={label}
              name="until"
              checked={at === i}
              title={label}
              detail={`${formatDay(until, zone)}, ${formatTime(until, zone)}`}
              onChoose={() => setAt(i)}
            />
          ))}
          <Choice
            name="until"
            checked={own}
            title={t.anotherDay}
            onChoose={() => setAt(choices.length)}
          />
        </fieldset>
        {own && (
          <label className="block pb-3 pl-7">
            <span className="sr-only">{t.day}</span>
            <input
              type="date"
              value={day}
              onChange={(event) => setDay(event.target.value)}
              aria-invalid={wrong !== null}
              className="h-8 rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
            />
            {wrong !== null && (
              <span role="alert" className="block pt-1 text-failed">
                {wrong}
              </span>
            )}
          </label>
        )}
        <label className="block pt-2">
          <span className="block pb-1">
            {t.reason}
            <RequiredMark />
          </span>
          <input
            ref={field}
            value={reason}
            maxLength={LIMITS.reasonChars}
            required
            onChange={(event) => setReason(event.target.value)}
            className="h-8 w-full rounded-part border border-control bg-sheet px-2 pointer-coarse:h-11"
          />
        </label>
        <p className="m-0 pt-3 pb-1 text-agate text-ink-3">{t.snoozeHint}</p>
        <button type="submit" hidden disabled={!canSubmit}>
          {t.snooze}
        </button>
      </form>
    </Dialog>
  );
}
