import { useRef } from 'react';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import { ChangeSchema } from '#contract/runs/change.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { formatDay, formatTime, formatWhen } from '#src/ui/format.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { isDay } from '#src/features/shared/date-range/dates.ts';
import { listMessages } from '../shared/lists/messages.en.ts';
import { UntilChoice } from '../shared/lists/until-choice.tsx';
import { snoozeChoices, snoozeUntil } from '../shared/runs/snooze-times.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

interface SnoozeProps {
  readonly title: string;
  readonly zone: string;
  readonly now: Ms;
  readonly onSnooze: (until: Ms, reason: string) => void;
  readonly onClose: () => void;
}

/** `at`: the position of the choice; after the last, `day` counts. */
interface SnoozeDraft {
  readonly at: number;
  readonly day: string;
  readonly reason: string;
}

/**
 * A snooze always ends: at its date, after a successful run, or when the problem changes. The form
 * says so.
 */
export function SnoozeForm({ title, zone, now, onSnooze, onClose }: SnoozeProps) {
  const choices = snoozeChoices(now, zone);
  const field = useRef<HTMLInputElement>(null);
  const getUntil = ({ at, day }: SnoozeDraft): Ms | null =>
    at < choices.length
      ? (choices[at]?.until ?? null)
      : isDay(day)
        ? snoozeUntil('', day, zone).until
        : null;
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { at: 0, day: '', reason: '' },
    schema: makeSchema(getUntil, now),
    submit: (value) => Promise.resolve(ok(value)),
    onSaved: (value) => {
      if (value.kind === 'snooze') onSnooze(value.until, value.reason);
    },
  });
  const until = getUntil(form);
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      first={field}
      submitLabel={
        until !== null && findUntilError(until, now) === null
          ? t.snoozeUntil({ time: formatWhen(until, zone) })
          : t.snooze
      }
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <UntilChoice
        legend={<legend className="text-agate text-ink-3">{t.until}</legend>}
        choices={choices.map(({ label, until }) => ({
          label,
          detail: `${formatDay(until, zone)}, ${formatTime(until, zone)}`,
        }))}
        at={form.at}
        day={form.day}
        error={errors['until'] ?? null}
        onChange={change}
      />
      <TextField
        ref={field}
        label={t.reason}
        required
        value={form.reason}
        maxLength={LIMITS.reasonChars}
        error={errors['reason'] ?? null}
        onChange={({ target }) => change({ reason: target.value })}
      />
      <p className="m-0 text-agate text-ink-3">{t.snoozeHint}</p>
    </FormDialog>
  );
}

/** Returns why a snooze may not end then, or null. */
const findUntilError = (until: Ms, now: Ms): string | null =>
  until <= now
    ? MESSAGES.snoozeTooShort
    : until > now + LIMITS.snoozeMaxMs
      ? MESSAGES.snoozeTooLong
      : null;

const makeSchema = (getUntil: (draft: SnoozeDraft) => Ms | null, now: Ms) =>
  makeFormSchema(
    ChangeSchema,
    (draft: SnoozeDraft) => {
      const until = getUntil(draft);
      return {
        // Without a day, `until` is what is wrong; the reason is checked all the same.
        value: { kind: 'snooze' as const, until: until ?? 0, reason: draft.reason.trim() },
        errors: { until: until === null ? listMessages.dayMissing : findUntilError(until, now) },
      };
    },
    { reason: t.reasonMissing },
  );
