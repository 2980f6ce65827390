import { useEffect } from 'react';
import {
  BillingSettingsSchema,
  CURRENCIES,
  isForSuperAdmins,
  type BillingSettings,
  type ServiceLevel,
} from '#contract/billing/service-levels.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { MoneyField } from '#src/ui/money-field.tsx';
import { changeSign, showMoney } from '#src/ui/money.ts';
import { readPrice } from '../read-price.ts';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { getLevelName } from '../subscriptions/labels.ts';
import { billingSettingsMessages as t } from './messages.en.ts';

interface LevelDraft {
  readonly level: ServiceLevel;
  readonly isOffered: boolean;
  readonly user: string;
  readonly gigabyte: string;
}
interface Draft {
  readonly currency: BillingSettings['currency'];
  readonly levels: readonly LevelDraft[];
  readonly trialDays: string;
  readonly graceDays: string;
}

const MAX_TRIAL = 365;
const MAX_GRACE = 90;

/** Prices per level, trial and grace period (BILL-9). */
export function PricesForm({
  settings,
  offline,
  onSaved,
  onDirty,
}: {
  readonly settings: BillingSettings;
  readonly offline: boolean;
  readonly onSaved: (settings: BillingSettings) => void;
  readonly onDirty: (isDirty: boolean) => void;
}) {
  const branding = useBranding();
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: toDraft(settings),
    offline,
    schema: makeFormSchema(BillingSettingsSchema, (draft: Draft) => readDraft(draft, settings)),
    submit: (next) => withReauth(() => client().ask('setBillingSettings', next)),
    onSaved: (next) => {
      showSuccess(t.saved);
      onSaved(next);
    },
  });
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const changeLevel = (at: number, next: Partial<LevelDraft>): void =>
    change({
      levels: form.levels.map((level, index) => (index === at ? { ...level, ...next } : level)),
    });
  return (
    <form ref={formRef} noValidate aria-busy={busy} onSubmit={(event) => void save(event)}>
      <FormSection wide title={t.prices} description={t.pricesHint}>
        <Select
          label={t.currency}
          value={form.currency}
          options={CURRENCIES.map((value) => ({ value, label: value }))}
          onChange={(currency) =>
            change({
              currency,
              levels: form.levels.map((level) => ({
                ...level,
                user: changeSign(level.user, form.currency, currency),
                gigabyte: changeSign(level.gigabyte, form.currency, currency),
              })),
            })
          }
        />
        <ul className="m-0 grid list-none grid-cols-[minmax(0,1fr)] border-t border-rule p-0">
          {form.levels.map(({ level, isOffered, user, gigabyte }, at) => {
            const name = getLevelName(level, branding);
            return (
              <li
                key={level}
                className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 border-b border-hair py-3 tablet:grid-cols-[minmax(0,1fr)_160px_160px]"
              >
                <Switch
                  label={name}
                  {...(isForSuperAdmins(level) && { detail: t.superAdminsOnly })}
                  on={isOffered}
                  onChange={(on) => changeLevel(at, { isOffered: on })}
                />
                <MoneyField
                  label={t.userPriceOf({ level: name })}
                  name={`levels.${at}.user`}
                  currency={form.currency}
                  value={user}
                  error={errors[`levels.${at}.user`] ?? null}
                  onChange={(next) => changeLevel(at, { user: next })}
                />
                <MoneyField
                  label={t.gigabytePriceOf({ level: name })}
                  name={`levels.${at}.gigabyte`}
                  currency={form.currency}
                  value={gigabyte}
                  error={errors[`levels.${at}.gigabyte`] ?? null}
                  onChange={(next) => changeLevel(at, { gigabyte: next })}
                />
              </li>
            );
          })}
        </ul>
      </FormSection>
      <FormSection title={t.periods} description={t.periodsHint}>
        {(
          [
            ['trialDays', MAX_TRIAL],
            ['graceDays', MAX_GRACE],
          ] as const
        ).map(([name]) => (
          <TextField
            key={name}
            label={t[name]}
            name={name}
            inputMode="numeric"
            value={form[name]}
            error={errors[name] ?? null}
            onChange={(event) => change({ [name]: event.target.value })}
          />
        ))}
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        <div>
          <CallButton
            call="setBillingSettings"
            type="submit"
            variant="primary"
            busy={busy}
            disabled={offline}
          >
            {uiMessages.save}
          </CallButton>
        </div>
      </FormSection>
    </form>
  );
}

const toDraft = ({ currency, levels, trialDays, graceDays }: BillingSettings): Draft => ({
  currency,
  levels: levels.map(({ level, isOffered, userMills, gigabyteMills }) => ({
    level,
    isOffered,
    user: showMoney(userMills, currency),
    gigabyte: showMoney(gigabyteMills, currency),
  })),
  trialDays: String(trialDays),
  graceDays: String(graceDays),
});

function readDraft({ currency, levels, trialDays, graceDays }: Draft, settings: BillingSettings) {
  const prices = levels.map(({ level, isOffered, user, gigabyte }) => {
    const stored = settings.levels.find((one) => one.level === level);
    return {
      level,
      isOffered,
      userMills: readPrice(user, currency, stored?.userMills ?? 0),
      gigabyteMills: readPrice(gigabyte, currency, stored?.gigabyteMills ?? 0),
    };
  });
  const trial = readDays(trialDays, MAX_TRIAL);
  const grace = readDays(graceDays, MAX_GRACE);
  const errors = Object.fromEntries([
    ...prices.flatMap(({ userMills, gigabyteMills }, at) => [
      [`levels.${at}.user`, userMills === null ? t.amountInvalid : null] as const,
      [`levels.${at}.gigabyte`, gigabyteMills === null ? t.amountInvalid : null] as const,
    ]),
    ['trialDays', trial === null ? t.daysInvalid({ max: MAX_TRIAL }) : null] as const,
    ['graceDays', grace === null ? t.daysInvalid({ max: MAX_GRACE }) : null] as const,
  ]);
  return {
    value: {
      ...settings,
      currency,
      levels: prices.map(({ level, isOffered, userMills, gigabyteMills }) => {
        const stored = settings.levels.find((one) => one.level === level);
        return {
          level,
          isOffered,
          userMills: userMills ?? 0,
          gigabyteMills: gigabyteMills ?? 0,
          stripePrice: stored?.stripePrice ?? null,
          stripeMeter: stored?.stripeMeter ?? null,
        };
      }),
      trialDays: trial ?? 0,
      graceDays: grace ?? 0,
    },
    errors,
  };
}

const readDays = (text: string, max: number): number | null => {
  const days = /^\d{1,3}$/.test(text.trim()) ? Number(text) : null;
  return days === null || days > max ? null : days;
};
