import { useEffect, useEffectEvent, useState } from 'react';
import type { KeptSettings } from '#contract/branding/settings-calls.ts';
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

export interface PolicyFormProps {
  readonly id: string;
  readonly kept: KeptSettings;
  readonly offline: boolean;
  readonly onKept: (kept: KeptSettings) => void;
  readonly onDirty: (dirty: boolean) => void;
}

interface Policy {
  readonly secondFactor: NonNullable<ProviderSettings['secondFactor']>;
  readonly securityQuestions: boolean;
  readonly loginAs: boolean;
}
const policyOf = ({
  secondFactor = 'own',
  securityQuestions = false,
  loginAs = true,
}: ProviderSettings): Policy => ({ secondFactor, securityQuestions, loginAs });

const FACTORS = [
  [
    'own',
    'Only for users who set it up',
    'An authenticator app, a passkey, or codes by SMS. It is optional.',
  ],
  [
    'sms',
    'Everybody, by SMS at least',
    'Users with an authenticator app or a passkey use it. Everyone else gets a code by SMS.',
  ],
  [
    'strong',
    'Everybody, by an authenticator app or a passkey',
    'Users without one set it up at their next sign-in.',
  ],
] as const;

/** Who is asked for what when signing in. */
export function PolicyForm({
  id,
  kept: { settings, secrets },
  offline,
  onKept,
  onDirty,
}: PolicyFormProps) {
  const before = policyOf(settings);
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
      setPolicy(policyOf(answer.value.settings));
      onKept(answer.value);
      tell('Signing in saved');
    } else setAbove(answer.failure.message);
  }

  return (
    <FormSection
      title="Signing in"
      says="Applies from the next sign-in. Current sessions continue."
    >
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="pb-1 font-semibold">Second factor</legend>
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
          <Callout tone="warning">
            No SMS gateway is set below: codes would wait in the outbox on the server’s own machine,
            and only who can read it could sign in.
          </Callout>
        )}
      <Switch
        label="Security questions"
        detail="Asked before a code is sent, for a forgotten password or a locked account. They are not a second factor."
        on={policy.securityQuestions}
        onChange={(securityQuestions) => put({ securityQuestions })}
      />
      <Switch
        label="Signing in as another user"
        detail="Administrators may help a user on the spot, for an hour and with a reason. It is recorded in both account logs."
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
          aria-label="Save Signing in"
          onClick={() => void save()}
        >
          Save
        </CallButton>
        {dirty && (
          <Button variant="quiet" onClick={() => put(before)}>
            Undo the changes
          </Button>
        )}
      </div>
    </FormSection>
  );
}
