import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import type { FactorProps } from './authenticator.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { StateLine } from '../../shared/status-line.tsx';
import { ownAccountMessages as t } from './messages.en.ts';

/** Recovery codes for use without a device: how many are left, and a button for new ones. */
export function RecoveryCodesLeft({
  id,
  factors: { totp, passkeys, recoveryCodesLeft: left },
  onChanged,
}: FactorProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const able = totp !== null || passkeys.length > 0;

  async function renew(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setError(null);
    const answer = await withReauth(() => client().ask('renewRecoveryCodes', { id }));
    setBusy(false);
    if (!answer.ok) return setError(answer.failure.message);
    setCodes(answer.value.codes);
    return onChanged();
  }

  return (
    <FormSection wide title={t.recoveryCodes} description={t.recoveryCodesDetail}>
      <StateLine on={left > 0} label={left > 0 ? t.codesLeft({ count: left }) : t.none}>
        {able ? t.worksOnce : t.noRecoveryCodesDetail}
      </StateLine>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      {able && (
        <div>
          <Button busy={busy} onClick={() => void renew()}>
            {t.createCodes}
          </Button>
        </div>
      )}
      {codes !== null && (
        <RecoveryCodesDialog
          codes={codes}
          description={t.newCodesDetail}
          onClose={() => setCodes(null)}
        />
      )}
    </FormSection>
  );
}
