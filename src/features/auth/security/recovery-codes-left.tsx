import { useState } from 'react';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { FormSection } from '#src/ui/form-section.tsx';
import type { FactorProps } from './authenticator.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';
import { FactorStateLine } from '../../shared/status-line.tsx';
import { ownAccountMessages as t } from './messages.en.ts';

/** Recovery codes for use without a device: how many are left, and a button for new ones. */
export function RecoveryCodesLeft({
  id,
  factors: { totp, passkeys, recoveryCodesLeft: left },
  onChanged,
}: FactorProps) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const able = totp !== null || passkeys.length > 0;

  async function renew(): Promise<void> {
    if (mutation.busy) return;
    const answer = await mutation.send(() =>
      withReauth(() => client().ask('renewRecoveryCodes', { id })),
    );
    if (!answer.ok) return;
    setCodes(answer.value.codes);
    return onChanged();
  }

  return (
    <FormSection wide title={t.recoveryCodes} description={t.recoveryCodesDetail}>
      <FactorStateLine on={left > 0} label={left > 0 ? t.codesLeft({ count: left }) : t.none}>
        {able ? t.worksOnce : t.noRecoveryCodesDetail}
      </FactorStateLine>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      {able && (
        <div>
          <Button busy={mutation.busy} onClick={() => void renew()}>
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
