import { useEffect, useEffectEvent, useState } from 'react';
import { uiMessages } from '#src/ui/messages.en.ts';
import type { StoredSettings } from '#contract/branding/settings-calls.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { tell } from '#src/ui/toasts.ts';
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
}
const getPolicy = ({
  secondFactor = 'own',
  securityQuestions = false,
  loginAs = true,
}: ProviderSettings): Policy => ({ secondFactor, securityQuestions, loginAs });

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
  const before = getPolicy(settings);
  const [policy, setPolicy] = useState<Policy>(before);
  const [busy, setBusy] = useState(false);
  const [above, setAbove] = useState<string | null>(null);
  const dirty = JSON.stringify(policy) !== JSON.stringify(before);
  const tellDirty = useEffectEvent(onDirty);
  useEffect(() => tellDirty(dirty), [dirty]);
  const put = (next: Partial<Policy>): void => {
    setPolicy({ ...policy, ...next });
    setAbove(null);
  };

  async function save(): Promise<void> {
    setBusy(true);
    const answer = await withReauth(() => client().ask('setProviderSettings', { id, ...policy }));
    setBusy(false);
    if (answer.ok) {
      setPolicy(getPolicy(answer.value.settings));
      onSaved(answer.value);
      tell(t.signInSaved);
    } else setAbove(answer.failure.message);
  }

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
            onChoose={() => put({ secondFactor: value })}
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
        onChange={(securityQuestions) => put({ securityQuestions })}
      />
      <Switch
        label={t.impersonation}
        detail={t.impersonationHint}
        on={policy.loginAs}
        onChange={(loginAs) => put({ loginAs })}
      />
      {above !== null && (
        <Callout tone="failed" alert>
          {above}
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
          <Button variant="quiet" onClick={() => put(before)}>
            {t.discardChanges}
          </Button>
        )}
      </div>
    </FormSection>
  );
}
