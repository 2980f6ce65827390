import { useState } from 'react';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { Failure } from '#contract/errors.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { organizationMessages as t } from './messages.en.ts';

/** Whether restores of the organization wait for a second person. */
export function RestoreApproval({ row }: { readonly row: OrganizationRow }) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { disabled = false } = useImpersonationRefusal('setRestoreApproval');
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const set = async (needsApproval: boolean): Promise<void> => {
    setIsBusy(true);
    setFailure(null);
    const answer = await withReauth(() =>
      client().ask('setRestoreApproval', { organizationId: row.id, needsApproval }),
    );
    setIsBusy(false);
    setFailure(answer.ok ? null : answer.failure);
    if (answer.ok) showSuccess(needsApproval ? t.approvalOn : t.approvalOff);
  };
  return (
    <div className="pt-4">
      <Switch
        label={t.restoreApproval}
        detail={t.restoreApprovalHint}
        on={row.needsApproval === true}
        disabled={disabled || offline || isBusy}
        onChange={(on) => void set(on)}
      />
      {failure !== null && (
        <Callout tone="failed" alert>
          {getFailureText(failure)}
        </Callout>
      )}
    </div>
  );
}
const EMPTY = {};
