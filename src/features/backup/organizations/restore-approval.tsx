import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { organizationMessages as t } from './messages.en.ts';

/** Whether restores of the organization wait for a second person. */
export function RestoreApproval({ row }: { readonly row: OrganizationRow }) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { disabled = false } = useImpersonationRefusal('setRestoreApproval');
  const { busy, failure, send } = useServerMutation();
  const set = async (needsApproval: boolean): Promise<void> => {
    const answer = await send(() =>
      withReauth(() =>
        client().ask('setRestoreApproval', { organizationId: row.id, needsApproval }),
      ),
    );
    if (answer.ok) showSuccess(needsApproval ? t.approvalOn : t.approvalOff);
  };
  return (
    <div className="pt-4">
      <Switch
        label={t.restoreApproval}
        detail={t.restoreApprovalHint}
        on={row.needsApproval === true}
        disabled={disabled || offline || busy}
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
