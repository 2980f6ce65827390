import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { TextArea } from '#src/ui/text-area.tsx';
import { tell } from '#src/ui/toasts.ts';
import { GrantRights } from '../rights/grant-rights.tsx';
import { restoreApprovalMessages as t } from './messages.en.ts';

type Choice = 'approve' | 'reject';

/** Approves or rejects a restore of somebody else, with a reason. */
export function Decide({
  organizationId,
  taskId,
  onDecided,
}: {
  readonly organizationId: string;
  readonly taskId: string;
  readonly onDecided: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const impersonation = useImpersonationRefusal('approveRestoreTask');
  const refusal = offline
    ? { 'disabled': true, 'data-tip': t.needsNetwork, 'aria-description': t.needsNetwork }
    : impersonation;
  const field = useRef<HTMLTextAreaElement>(null);
  const [choice, setChoice] = useState<Choice | null>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (choice !== null) field.current?.focus();
  }, [choice]);
  const [reason, setReason] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [needed, setNeeded] = useState<OutputOf<'getRestoreRights'> | null>(null);
  const close = (): void => {
    setChoice(null);
    setNeeded(null);
    setFailure(null);
    setIsChecked(false);
  };
  const send = async (chosen: Choice): Promise<void> => {
    setIsChecked(true);
    const input = { organizationId, taskId, reason: reason.trim() };
    if (input.reason === '') return;
    setIsBusy(true);
    const answer =
      chosen === 'approve'
        ? await withReauth(() => client().ask('approveRestoreTask', input))
        : await client().ask('rejectRestoreTask', input);
    // Whoever approves may have to grant the rights to write.
    const rights =
      !answer.ok && chosen === 'approve' && answer.failure.kind === 'forbidden'
        ? await client().ask('getRestoreRights', { organizationId, taskId })
        : null;
    setIsBusy(false);
    if (rights?.ok === true && rights.value.missing.length > 0) {
      setNeeded(rights.value);
      return;
    }
    setNeeded(null);
    setFailure(answer.ok ? null : answer.failure);
    if (!answer.ok) return;
    tell(chosen === 'approve' ? t.approved : t.rejected);
    close();
    onDecided();
  };
  if (choice === null)
    return (
      <span className="flex flex-wrap gap-2">
        <Button size="sm" variant="primary" {...refusal} onClick={() => setChoice('approve')}>
          {t.approve}
        </Button>
        <Button size="sm" {...refusal} onClick={() => setChoice('reject')}>
          {t.reject}
        </Button>
      </span>
    );
  if (needed !== null)
    return (
      <div className="w-full">
        <GrantRights
          title={t.rightsTitle}
          organizationId={needed.organizationId}
          sessionType={needed.sessionType}
          permissions={needed.requested}
          onGranted={() => void send('approve')}
        />
        <Button onClick={close}>{ui.cancel}</Button>
      </div>
    );
  return (
    <form
      aria-label={choice === 'approve' ? t.approveTitle : t.rejectTitle}
      className="grid w-full gap-2 py-2"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send(choice);
      }}
    >
      <TextArea
        label={t.reason}
        hint={t.reasonHint}
        required
        ref={field}
        rows={2}
        value={reason}
        maxLength={LIMITS.noteChars}
        error={isChecked && reason.trim() === '' ? t.reasonNeeded : null}
        onChange={(event) => setReason(event.target.value)}
      />
      {failure !== null && (
        <Callout tone="failed" alert>
          {getFailureText(failure)}
        </Callout>
      )}
      <span className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={isBusy} {...refusal}>
          {choice === 'approve' ? t.approveTitle : t.rejectTitle}
        </Button>
        <Button onClick={close}>{ui.cancel}</Button>
      </span>
    </form>
  );
}
const EMPTY = {};
