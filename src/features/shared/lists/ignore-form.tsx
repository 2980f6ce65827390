import { useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { Button } from '#src/ui/button.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatDay, formatTime, formatWhen } from '#src/ui/format.ts';
import { ignoreChoices, ignoreUntil, notUntil } from './ignore-times.ts';
import { listMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';

export interface IgnoreFormProps {
  readonly title: string;
  /** Explains the consequence. */
  readonly description: string;
  readonly forGood: boolean;
  readonly zone: string;
  readonly now: Ms;
  /** `until`: null for permanently. */
  readonly onIgnore: (until: Ms | null) => void;
  readonly onClose: () => void;
}

export function IgnoreForm({
  title,
  description,
  forGood,
  zone,
  now,
  onIgnore,
  onClose,
}: IgnoreFormProps) {
  const choices = ignoreChoices(now, zone, forGood);
  const [at, setAt] = useState(0);
  const [day, setDay] = useState('');
  const own = at === choices.length;
  const until = own ? ignoreUntil(day, zone) : (choices[at]?.until ?? null);
  const wrong = notUntil(until, now);
  const canSubmit = wrong === null && !(own && until === null);
  const ignore = (): void => {
    if (canSubmit) onIgnore(until);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button variant="primary" disabled={!canSubmit} onClick={ignore}>
            {!canSubmit
              ? t.ignore
              : until === null
                ? t.ignoreForever
                : t.ignoreUntilTime({ time: formatWhen(until, zone) })}
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
          ignore();
        }}
      >
        <fieldset className="m-0 border-0 p-0">
          <legend className="pb-1 text-ink-2">{description}</legend>
          {choices.map((choice, i) => (
            <Choice
              key={choice.label}
              name="ignore"
              checked={at === i}
              title={choice.label}
              onChoose={() => setAt(i)}
              {...(choice.until !== null && {
                detail: t.untilTime({
                  day: formatDay(choice.until, zone),
                  time: formatTime(choice.until, zone),
                }),
              })}
            />
          ))}
          <Choice
            name="ignore"
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
        <button type="submit" hidden disabled={!canSubmit}>
          {t.ignore}
        </button>
      </form>
    </Dialog>
  );
}
