import { useRef } from 'react';
import { ok } from '#contract/result.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { dayAt, getDays, isDay } from './dates.ts';
import type { Span } from './dates.ts';
import type { SpanChoiceProps } from './date-range-choice.tsx';
import { spanMessages as t } from './messages.en.ts';

export interface RangeDialogProps extends SpanChoiceProps {
  readonly by: 'range' | 'number';
  readonly onClose: () => void;
}

/** Dialog for a custom period. With an empty end it closes without a change. */
export function RangeDialog({ by, span, rule, now, onSpan, onClose }: RangeDialogProps) {
  const [first, last] = getDays(span, dayAt(now, rule));
  const field = useRef<HTMLInputElement>(null);
  const { form, change, busy, formRef, save } = useDraftForm({
    initial: { from: first, to: last, days: span.kind === 'last' ? String(span.days) : '' },
    schema: by === 'number' ? NUMBER : RANGE,
    submit: (value) => Promise.resolve(ok(value)),
    onSaved: ({ span: chosen }) => {
      if (chosen !== null) onSpan(chosen);
      onClose();
    },
  });
  return (
    <FormDialog
      title={by === 'range' ? t.chooseDays : t.lastXDays}
      onClose={onClose}
      first={field}
      submitLabel={t.showDays}
      busy={busy}
      formRef={formRef}
      onSubmit={save}
    >
      {by === 'range' ? (
        <div className="flex flex-wrap gap-4 [&>*]:grow">
          <TextField
            ref={field}
            type="date"
            label={t.firstDay}
            value={form.from}
            onChange={({ target }) => change({ from: target.value })}
          />
          <TextField
            type="date"
            label={t.lastDay}
            value={form.to}
            onChange={({ target }) => change({ to: target.value })}
          />
        </div>
      ) : (
        <TextField
          ref={field}
          label={t.numberOfDays}
          value={form.days}
          inputMode="numeric"
          autoComplete="off"
          maxLength={3}
          onChange={({ target }) =>
            change({ days: target.value.replaceAll(/\D/g, '').slice(0, 3) })
          }
        />
      )}
    </FormDialog>
  );
}

interface RangeDraft {
  readonly from: string;
  readonly to: string;
  readonly days: string;
}
/** `span`: null if an end is empty. */
interface Chosen {
  readonly span: Span | null;
}

const RANGE = makeReadingSchema<RangeDraft, Chosen>(({ from, to }) => ({
  value: {
    span:
      isDay(from) && isDay(to)
        ? { kind: 'range', from: from < to ? from : to, to: from < to ? to : from }
        : null,
  },
}));
const NUMBER = makeReadingSchema<RangeDraft, Chosen>(({ days }) => ({
  value: { span: Number(days) > 0 ? { kind: 'last', days: Number(days) } : null },
}));
