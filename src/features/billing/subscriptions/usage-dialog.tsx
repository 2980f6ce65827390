import type { UsageMonthOut } from '#contract/billing/subscription-calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { getId } from '../../shared/ids.ts';
import { parseQuantity } from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

interface Draft {
  readonly users: string;
  readonly gigabytes: string;
}

/** Replaces the quantities that a month bills (BILL-12). */
export function UsageDialog({
  usage,
  company,
  onDone,
  onClose,
}: {
  readonly usage: UsageMonthOut;
  readonly company: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const before = usage.changed ?? usage;
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: {
      users: String(before.users / 100),
      gigabytes: String(before.gigabytes / 100),
    },
    schema,
    submit: (quantities) => client().ask('updateUsage', { usageId: getId(usage), ...quantities }),
    onSaved: () => {
      showSuccess(t.usageChanged);
      onDone();
    },
  });
  return (
    <FormDialog
      title={t.changeTitle({ company })}
      submitLabel={t.change}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="m-0 text-ink-2">{t.changeHint}</p>
      {(['users', 'gigabytes'] as const).map((name) => (
        <TextField
          key={name}
          label={t[name]}
          name={name}
          inputMode="decimal"
          value={form[name]}
          error={errors[name] ?? null}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
    </FormDialog>
  );
}

const schema = makeReadingSchema((form: Draft) => {
  const users = parseQuantity(form.users);
  const gigabytes = parseQuantity(form.gigabytes);
  return {
    value: users === null || gigabytes === null ? null : { users, gigabytes },
    errors: {
      users: users === null ? t.quantityInvalid : null,
      gigabytes: gigabytes === null ? t.quantityInvalid : null,
    },
  };
});
