import { useState } from 'react';
import type { Factors } from '#contract/auth/factor-calls.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatDate } from '#src/ui/format.ts';
import { FactorStateLine } from '../../shared/status-line.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { NewAuthenticator } from './new-authenticator.tsx';
import { Confirm } from './confirm.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface FactorProps {
  readonly id: string;
  readonly factors: Factors;
  readonly onChanged: () => void;
}

/** Sets up, replaces or removes an authenticator app. */
export function Authenticator({
  id,
  factors: { totp, policy, sms, phone },
  onChanged,
}: FactorProps) {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string } | null>(
    null,
  );
  const [removing, setRemoving] = useState(false);
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const zone = useZone();

  async function begin(): Promise<void> {
    if (mutation.busy) return;
    const answer = await mutation.send(() => withReauth(() => client().ask('beginTotp', { id })));
    if (answer.ok) setBegun(answer.value);
  }

  return (
    <FormSection wide title={t.authenticatorApp} description={POLICIES[policy]}>
      <FactorStateLine
        on={totp !== null}
        label={
          totp === null ? t.notSetUp : t.authenticatorOn({ date: formatDate(totp.since, zone) })
        }
      >
        {totp === null ? t.authenticatorDetail : t.authenticatorOnDetail}
        {sms && phone !== null && totp === null && ` ${t.codesBySms({ phone })}`}
      </FactorStateLine>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button busy={mutation.busy} onClick={() => void begin()}>
          {totp === null ? t.setUpAuthenticator : t.changeApp}
        </Button>
        {totp !== null && <Button onClick={() => setRemoving(true)}>{ui.remove}</Button>}
      </div>
      {begun !== null && (
        <NewAuthenticator
          id={id}
          begun={begun}
          onClose={() => setBegun(null)}
          onConfirmed={() => {
            showSuccess(t.authenticatorSetUp);
            onChanged();
          }}
        />
      )}
      {removing && (
        <Confirm
          title={t.removeAuthenticatorTitle}
          description={t.removeAuthenticatorDetail}
          action={t.removeAuthenticator}
          call={() => client().ask('removeTotp', { id })}
          onClose={() => setRemoving(false)}
          onDone={() => {
            showSuccess(t.authenticatorRemoved);
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}

const POLICIES: Readonly<Record<Factors['policy'], string>> = {
  own: t.policyOwn,
  sms: t.policySms,
  strong: t.policyStrong,
};
