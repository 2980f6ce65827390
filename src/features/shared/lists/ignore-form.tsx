import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { formatDay, formatTime, formatWhen } from '#src/ui/format.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { ignoreChoices, ignoreUntil, notUntil } from './ignore-times.ts';
import { listMessages as t } from './messages.en.ts';
import { UntilChoice } from './until-choice.tsx';

export interface IgnoreFormProps {
  readonly title: string;
  /** Explains the consequence. */
  readonly description: string;
  readonly forGood: boolean;
  readonly zone: string;
  readonly now: Ms;
  /** `until`: null for permanently. */
  readonly ignore: (until: Ms | null) => Promise<Result<unknown>>;
  readonly onIgnored: () => void;
  readonly onClose: () => void;
}

/** `at`: the position of the choice; after the last, `day` counts. */
interface IgnoreDraft {
  readonly at: number;
  readonly day: string;
}

export function IgnoreForm({
  title,
  description,
  forGood,
  zone,
  now,
  ignore,
  onIgnored,
  onClose,
}: IgnoreFormProps) {
  const choices = ignoreChoices(now, zone, forGood);
  const readUntil = ({ at, day }: IgnoreDraft) => {
    const chosen = choices[at];
    if (chosen !== undefined) return { value: { until: chosen.until } };
    const until = ignoreUntil(day, zone);
    return {
      value: { until },
      errors: { day: until === null ? t.dayMissing : notUntil(until, now) },
    };
  };
  const schema = makeReadingSchema(readUntil);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { at: 0, day: '' },
    schema,
    submit: ({ until }) => ignore(until),
    onSaved: onIgnored,
  });
  const { value, errors: found } = readUntil(form);
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      submitLabel={
        found !== undefined && found.day !== null
          ? t.ignore
          : value.until === null
            ? t.ignoreForever
            : t.ignoreUntilTime({ time: formatWhen(value.until, zone) })
      }
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <UntilChoice
        legend={<legend className="pb-1 text-ink-2">{description}</legend>}
        choices={choices.map(({ label, until }) => ({
          label,
          ...(until !== null && {
            detail: t.untilTime({ day: formatDay(until, zone), time: formatTime(until, zone) }),
          }),
        }))}
        at={form.at}
        day={form.day}
        error={errors['day'] ?? null}
        onChange={change}
      />
    </FormDialog>
  );
}
