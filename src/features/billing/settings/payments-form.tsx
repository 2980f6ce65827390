import { useEffect, useState } from 'react';
import { monthInvoiceCalls } from '#contract/billing/month-invoice-calls.ts';
import type { BillingSettings, BILLING_SECRETS } from '#contract/billing/service-levels.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useBranding } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { CopyText } from '#src/ui/copy-text.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema, makeReadingSchema } from '#src/ui/form-schema.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { getLevelName } from '../subscriptions/labels.ts';
import { billingSettingsMessages as t } from './messages.en.ts';

type SecretName = (typeof BILLING_SECRETS)[number];

interface Draft {
  readonly levels: readonly { readonly stripePrice: string; readonly stripeMeter: string }[];
  readonly isSignUpOpen: boolean;
  readonly isCaptchaOn: boolean;
  readonly siteKey: string;
  readonly url: string;
  readonly username: string;
}

/** Stripe, sign-up, reCAPTCHA and SolarWinds (BILL-19, BILL-20, BILL-18). */
export function PaymentsForm({
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
  const secrets = useCachedQuery('getBillingSecrets', EMPTY);
  const [stored, setStored] = useState<readonly SecretName[] | null>(null);
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: toDraft(settings),
    offline,
    schema: makeReadingSchema((draft: Draft) => readDraft(draft, settings)),
    submit: (next) => withReauth(() => client().ask('setBillingSettings', next)),
    onSaved: (next) => {
      showSuccess(t.saved);
      onSaved(next);
      secrets.again();
    },
  });
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const names = stored ?? secrets.value?.secrets ?? [];
  const secretField = (name: SecretName, label: string) => (
    <SecretField
      key={name}
      name={name}
      label={label}
      isStored={names.includes(name)}
      offline={offline}
      onStored={setStored}
    />
  );
  return (
    <>
      <FormSection wide title={t.stripe} description={t.stripeHint}>
        {secretField('stripe', t.stripeKey)}
        {secretField('stripe-webhook', t.webhookSecret)}
        <div className="grid gap-1">
          <span className="font-semibold">{t.webhookAddress}</span>
          <CopyText
            text={`${location.origin}/api/v1/o365/billing/stripe`}
            label={t.copyAddress}
            copied={t.addressCopied}
          />
          <span className="text-agate text-ink-3">{t.webhookEvents}</span>
        </div>
      </FormSection>
      <form ref={formRef} noValidate aria-busy={busy} onSubmit={(event) => void save(event)}>
        <FormSection wide title={t.stripePrices} description={t.stripePricesHint}>
          <ul className="m-0 grid list-none grid-cols-[minmax(0,1fr)] border-t border-rule p-0">
            {settings.levels.map(({ level }, at) => {
              const name = getLevelName(level, branding);
              const draft = form.levels[at] ?? { stripePrice: '', stripeMeter: '' };
              const set = (next: Partial<typeof draft>): void =>
                change({
                  levels: form.levels.map((one, index) =>
                    index === at ? { ...one, ...next } : one,
                  ),
                });
              return (
                <li
                  key={level}
                  className="grid grid-cols-[minmax(0,1fr)] items-start gap-3 border-b border-hair py-3 tablet:grid-cols-2"
                >
                  <TextField
                    label={t.stripePriceOf({ level: name })}
                    name={`levels.${at}.stripePrice`}
                    autoComplete="off"
                    value={draft.stripePrice}
                    error={errors[`levels.${at}.stripePrice`] ?? null}
                    onChange={(event) => set({ stripePrice: event.target.value })}
                  />
                  <TextField
                    label={t.stripeMeterOf({ level: name })}
                    name={`levels.${at}.stripeMeter`}
                    autoComplete="off"
                    value={draft.stripeMeter}
                    error={errors[`levels.${at}.stripeMeter`] ?? null}
                    onChange={(event) => set({ stripeMeter: event.target.value })}
                  />
                </li>
              );
            })}
          </ul>
        </FormSection>
        <FormSection title={t.signUp} description={t.signUpHint}>
          <Switch
            label={t.signUpOpen}
            detail={t.signUpOpenHint}
            on={form.isSignUpOpen}
            onChange={(isSignUpOpen) => change({ isSignUpOpen })}
          />
          <Switch
            label={t.captcha}
            on={form.isCaptchaOn}
            onChange={(isCaptchaOn) => change({ isCaptchaOn })}
          />
          <TextField
            label={t.siteKey}
            name="siteKey"
            autoComplete="off"
            value={form.siteKey}
            error={errors['siteKey'] ?? null}
            onChange={(event) => change({ siteKey: event.target.value })}
          />
        </FormSection>
        <FormSection title={t.solarWinds} description={t.solarWindsHint}>
          <TextField
            label={t.serverAddress}
            name="url"
            type="url"
            value={form.url}
            error={errors['url'] ?? null}
            onChange={(event) => change({ url: event.target.value })}
          />
          <TextField
            label={t.username}
            name="username"
            autoComplete="off"
            value={form.username}
            error={errors['username'] ?? null}
            onChange={(event) => change({ username: event.target.value })}
          />
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
      <FormSection title={t.otherSecrets} description={t.otherSecretsHint}>
        {secretField('recaptcha', t.captchaSecret)}
        {secretField('solarwinds', t.solarWindsPassword)}
      </FormSection>
    </>
  );
}

/** A secret that is replaced on its own, and never shown. */
function SecretField({
  name,
  label,
  isStored,
  offline,
  onStored,
}: {
  readonly name: SecretName;
  readonly label: string;
  readonly isStored: boolean;
  readonly offline: boolean;
  readonly onStored: (names: readonly SecretName[]) => void;
}) {
  const removal = useServerMutation();
  const { form, change, errors, error, busy, formRef, save, reset } = useDraftForm({
    initial: { value: '' },
    offline,
    schema: makeFormSchema(
      monthInvoiceCalls.setBillingSecret.input,
      ({ value }: { readonly value: string }) => ({ value: { name, value: value.trim() } }),
      { value: t.secretInvalid },
    ),
    submit: (input) => withReauth(() => client().ask('setBillingSecret', input)),
    explain: (failure) => readServerErrors(failure, { value: null }),
    onSaved: ({ secrets }) => {
      reset({ value: '' });
      showSuccess(t.secretStored);
      onStored(secrets);
    },
  });
  const remove = async (): Promise<void> => {
    const answer = await removal.send(() =>
      withReauth(() => client().ask('setBillingSecret', { name, value: null })),
    );
    if (!answer.ok) return;
    reset({ value: '' });
    showSuccess(t.secretRemoved);
    onStored(answer.value.secrets);
  };
  const refusal = removal.failure === null ? null : getFailureText(removal.failure);
  return (
    <form
      ref={formRef}
      noValidate
      aria-busy={busy || removal.busy}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-2"
      onSubmit={(event) => {
        removal.clear();
        void save(event);
      }}
    >
      <TextField
        label={label}
        type="password"
        autoComplete="off"
        value={form.value}
        hint={isStored ? t.secretIsStored : t.secretIsMissing}
        error={errors['value'] ?? error ?? refusal}
        onChange={({ target }) => change({ value: target.value })}
      />
      <span className="flex gap-2 pb-6">
        <CallButton
          call="setBillingSecret"
          type="submit"
          busy={busy}
          disabled={offline}
          aria-label={t.storeSecret({ secret: label })}
        >
          {uiMessages.save}
        </CallButton>
        {isStored && (
          <CallButton
            call="setBillingSecret"
            variant="quiet"
            busy={removal.busy}
            disabled={offline || busy}
            aria-label={t.removeSecret({ secret: label })}
            onClick={() => void remove()}
          >
            {uiMessages.remove}
          </CallButton>
        )}
      </span>
    </form>
  );
}

const toDraft = ({ levels, isSignUpOpen, recaptcha, solarWinds }: BillingSettings): Draft => ({
  levels: levels.map(({ stripePrice, stripeMeter }) => ({
    stripePrice: stripePrice ?? '',
    stripeMeter: stripeMeter ?? '',
  })),
  isSignUpOpen,
  isCaptchaOn: recaptcha.isOn,
  siteKey: recaptcha.siteKey ?? '',
  url: solarWinds?.url ?? '',
  username: solarWinds?.username ?? '',
});

const ID = /^[\w-]{1,100}$/;
const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
const findIdError = (text: string): string | null =>
  text.trim() === '' || ID.test(text.trim()) ? null : t.idInvalid;

function readDraft(draft: Draft, settings: BillingSettings) {
  const { levels, isSignUpOpen, isCaptchaOn, siteKey, url, username } = draft;
  const hasServer = url.trim() !== '' || username.trim() !== '';
  const errors = Object.fromEntries([
    ...levels.flatMap(({ stripePrice, stripeMeter }, at) => [
      [`levels.${at}.stripePrice`, findIdError(stripePrice)] as const,
      [`levels.${at}.stripeMeter`, findIdError(stripeMeter)] as const,
    ]),
    [
      'siteKey',
      isCaptchaOn && siteKey.trim() === '' ? t.siteKeyMissing : findIdError(siteKey),
    ] as const,
    ['url', hasServer && !/^https:\/\/\S+$/i.test(url.trim()) ? t.addressInvalid : null] as const,
    ['username', hasServer && username.trim() === '' ? t.usernameMissing : null] as const,
  ]);
  return {
    value: {
      ...settings,
      levels: settings.levels.map((level, at) => ({
        ...level,
        stripePrice: orNull(levels[at]?.stripePrice ?? ''),
        stripeMeter: orNull(levels[at]?.stripeMeter ?? ''),
      })),
      isSignUpOpen,
      recaptcha: { isOn: isCaptchaOn, siteKey: orNull(siteKey) },
      solarWinds: hasServer ? { url: url.trim(), username: username.trim() } : null,
    },
    errors,
  };
}

const EMPTY = {};
