import { useEffect, useEffectEvent } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import { settingsCalls } from '#contract/branding/settings-calls.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { Switch } from '#src/ui/switch.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { settingsMessages as t } from './messages.en.ts';

export interface PolicyFormProps {
  readonly id: string;
  readonly stored: StoredSettings;
  readonly offline: boolean;
  readonly onSaved: (stored: StoredSettings) => void;
  readonly onDirty: (dirty: boolean) => void;
}

interface Policy {
  readonly secondFactor: NonNullable<ProviderSettings['secondFactor']>;
  readonly securityQuestions: boolean;
  readonly loginAs: boolean;
  readonly restoreApproval: boolean;
}
const getPolicy = ({
  secondFactor = 'own',
  securityQuestions = false,
  loginAs = true,
  restoreApproval = false,
}: ProviderSettings): Policy => ({ secondFactor, securityQuestions, loginAs, restoreApproval });
const makePolicySchema = (id: string) =>
  makeFormSchema(settingsCalls.setProviderSettings.input, (policy: Policy) => ({
    value: { id, ...policy },
  }));

const FACTORS = [
  ['own', t.factorOptional, t.factorOptionalHint],
  ['sms', t.factorSms, t.factorSmsHint],
  ['strong', t.factorStrong, t.factorStrongHint],
] as const;

/** The factors that are required at sign-in. */
export function PolicyForm({
  id,
  stored: { settings, secrets },
  offline,
  onSaved,
  onDirty,
}: PolicyFormProps) {
  const {
    form: policy,
    change,
    error,
    busy,
    dirty,
    save,
    reset,
  } = useDraftForm({
    initial: getPolicy(settings),
    offline,
    schema: makePolicySchema(id),
    submit: (input) => withReauth(() => client().ask('setProviderSettings', input)),
    onSaved: (next) => {
      reset(getPolicy(next.settings));
      onSaved(next);
      showSuccess(t.signInSaved);
    },
  });
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);
  return (
    <FormSection title={t.signIn} description={t.signInHint}>
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">{t.twoFactor}</legend>
        {FACTORS.map(([value, title, detail]) => (
          <Choice
            key={value}
            name="second-factor"
            checked={policy.secondFactor === value}
            title={title}
            detail={detail}
            onChoose={() => change({ secondFactor: value })}
          />
        ))}
      </fieldset>
      {policy.secondFactor === 'sms' &&
        (settings.sms === undefined || settings.sms === null || !secrets.includes('sms')) && (
          <Callout tone="warning">{t.smsGatewayMissing}</Callout>
        )}
      <Switch
        label={t.securityQuestions}
        detail={t.securityQuestionsHint}
        on={policy.securityQuestions}
        onChange={(securityQuestions) => change({ securityQuestions })}
      />
      <Switch
        label={t.impersonation}
        detail={t.impersonationHint}
        on={policy.loginAs}
        onChange={(loginAs) => change({ loginAs })}
      />
      <Switch
        label={t.restoreApproval}
        detail={t.restoreApprovalHint}
        on={policy.restoreApproval}
        onChange={(restoreApproval) => change({ restoreApproval })}
      />
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <CallButton
          call="setProviderSettings"
          variant={dirty ? 'primary' : 'default'}
          busy={busy}
          disabled={offline || !dirty}
          aria-label={t.saveSignIn}
          onClick={() => void save()}
        >
          {uiMessages.save}
        </CallButton>
        {dirty && (
          <Button variant="quiet" onClick={() => reset()}>
            {t.discardChanges}
          </Button>
        )}
      </div>
    </FormSection>
  );
}
