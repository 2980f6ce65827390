import { useState } from 'react';
import type { Factors } from '#contract/auth/factor-calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { formatDate } from '#src/ui/format.ts';
import { StateLine } from '../../shared/status-line.tsx';
import { tell } from '#src/ui/toasts.ts';
import { NewAuthenticator } from './new-authenticator.tsx';
import { Confirm } from './confirm.tsx';

export interface FactorProps {
  readonly id: string;
  readonly factors: Factors;
  readonly onChanged: () => void;
}

/** An app that makes codes: set up, put in the place of another, removed. */
export function Authenticator({
  id,
  factors: { totp, policy, sms, phone },
  onChanged,
}: FactorProps) {
  const [begun, setBegun] = useState<{ readonly secret: string; readonly uri: string } | null>(
    null,
  );
  const [removing, setRemoving] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const zone = useZone();

  async function begin(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFault(null);
    const answer = await withReauth(() => client().ask('beginTotp', { id }));
    setBusy(false);
    if (answer.ok) setBegun(answer.value);
    else setFault(answer.failure.message);
  }

  return (
    <FormSection wide title="Authenticator app" says={POLICIES[policy]}>
      <StateLine
        on={totp !== null}
        word={totp === null ? 'Not set up' : `On since ${formatDate(totp.since, zone)}`}
      >
        {totp === null
          ? 'An app on your phone makes a code of six digits, which is asked for after the password.'
          : 'Its code is asked for after the password.'}
        {sms && phone !== null && totp === null && ` Codes go by SMS to ${phone} until then.`}
      </StateLine>
      {fault !== null && (
        <Callout tone="failed" alert>
          {fault}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => void begin()}>
          {totp === null ? 'Set up an authenticator' : 'Use another app'}
        </Button>
        {totp !== null && <Button onClick={() => setRemoving(true)}>Remove</Button>}
      </div>
      {begun !== null && (
        <NewAuthenticator
          id={id}
          begun={begun}
          onClose={() => setBegun(null)}
          onConfirmed={() => {
            tell('Authenticator set up');
            onChanged();
          }}
        />
      )}
      {removing && (
        <Confirm
          title="Remove the authenticator?"
          says="Its codes open nothing any more, and only the password is asked for where you have no passkey."
          action="Remove it"
          call={() => client().ask('removeTotp', { id })}
          onClose={() => setRemoving(false)}
          onDone={() => {
            tell('Authenticator removed');
            onChanged();
          }}
        />
      )}
    </FormSection>
  );
}

const POLICIES: Readonly<Record<Factors['policy'], string>> = {
  own: 'A stolen password alone then opens nothing.',
  sms: 'Your provider asks everybody for a second factor: a code by SMS at least.',
  strong: 'Your provider asks everybody for an authenticator or a passkey.',
};
