import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import { useBranding } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { describePrice, getLevelName } from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

interface Draft {
  readonly company: string;
  readonly level: ServiceLevel | null;
  readonly minimumUsers: string;
}

/** Starts the subscription of a company that pays by invoice. */
export function StartDialog({
  companies,
  onDone,
  onClose,
}: {
  readonly companies: OutputOf<'listSubscriptions'>['without'];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const branding = useBranding();
  const levels = useCachedQuery('listServiceLevels', EMPTY);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm<
    Draft,
    InputOf<'startSubscription'>,
    unknown
  >({
    initial: { company: '', level: null, minimumUsers: '0' },
    schema,
    submit: (input) => withReauth(() => client().ask('startSubscription', input)),
    onSaved: () => {
      showSuccess(t.started);
      onDone();
    },
  });
  return (
    <FormDialog
      title={t.startTitle}
      submitLabel={t.start}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      <Select
        block
        required
        label={t.company}
        placeholder={t.choose}
        value={form.company}
        error={errors['company'] ?? null}
        options={companies.map(({ companyId, companyName }) => ({
          value: companyId,
          label: companyName,
        }))}
        onChange={(company) => change({ company })}
      />
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.level}</legend>
        {levels.value?.levels.length === 0 && <p className="m-0 text-ink-2">{t.noLevels}</p>}
        {levels.value?.levels.map((prices) => (
          <Choice
            key={prices.level}
            name="level"
            checked={form.level === prices.level}
            title={getLevelName(prices.level, branding)}
            detail={describePrice({ ...prices, currency: levels.value?.currency ?? 'USD' })}
            onChoose={() => change({ level: prices.level })}
          />
        ))}
        {errors['level'] !== undefined && (
          <p className="m-0 text-agate text-failed">{errors['level']}</p>
        )}
      </fieldset>
      <TextField
        label={t.minimumUsers}
        name="minimumUsers"
        inputMode="numeric"
        value={form.minimumUsers}
        error={errors['minimumUsers'] ?? null}
        onChange={(event) => change({ minimumUsers: event.target.value })}
      />
    </FormDialog>
  );
}

const schema = makeReadingSchema(({ company, level, minimumUsers }: Draft) => {
  const users = /^\d{1,6}$/.test(minimumUsers.trim()) ? Number(minimumUsers) : null;
  return {
    value:
      company === '' || level === null || users === null
        ? null
        : { companyId: company, level, minimumUsers: users, trialEndsAt: null },
    errors: {
      company: company === '' ? t.choose : null,
      level: level === null ? t.chooseLevel : null,
      minimumUsers: users === null ? t.wholeNumber : null,
    },
  };
});

const EMPTY = {};
