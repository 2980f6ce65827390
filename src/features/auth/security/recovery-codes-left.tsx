import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import { plural } from '#src/ui/format.ts';
import type { FactorProps } from './authenticator.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { StateLine } from '../../shared/status-line.tsx';

/** Codes for when no device is at hand: how many are left, and new ones. */
export function RecoveryCodesLeft({
  id,
  factors: { totp, passkeys, recoveryCodesLeft: left },
  onChanged,
}: FactorProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const able = totp !== null || passkeys.length > 0;

  async function renew(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFault(null);
    const answer = await withReauth(() => client().ask('renewRecoveryCodes', { id }));
    setBusy(false);
    if (!answer.ok) return setFault(answer.failure.message);
    setCodes(answer.value.codes);
    return onChanged();
  }

  return (
    <FormSection wide title="Recovery codes" says="The way in when the app or the device is lost.">
      <StateLine on={left > 0} word={left > 0 ? `${plural(left, 'code')} left` : 'None'}>
        {able ? 'Each is good once.' : 'They come with an authenticator or a passkey.'}
      </StateLine>
      {fault !== null && (
        <Callout tone="failed" alert>
          {fault}
        </Callout>
      )}
      {able && (
        <div>
          <Button busy={busy} onClick={() => void renew()}>
            Make new codes
          </Button>
        </div>
      )}
      {codes !== null && (
        <RecoveryCodesDialog
          codes={codes}
          says="Those before them are good no more. These are not shown again."
          onClose={() => setCodes(null)}
        />
      )}
    </FormSection>
  );
}
