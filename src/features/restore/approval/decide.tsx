import { useEffect, useRef, useState } from 'react';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { restoreSessionCalls } from '#contract/restore/session-calls.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { TextArea } from '#src/ui/text-area.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { GrantRights } from '../rights/grant-rights.tsx';
import { restoreApprovalMessages as t } from './messages.en.ts';

type Choice = 'approve' | 'reject';
type Input = InputOf<'approveRestoreTask'>;
/** The rights that an approval needs first. */
type Needed = OutputOf<'getRestoreRights'>;
interface DecideDraft {
  readonly reason: string;
}

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
  const [needed, setNeeded] = useState<Needed | null>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (choice !== null) field.current?.focus();
  }, [choice]);
  const { form, change, errors, error, busy, formRef, save, refuse } = useDraftForm<
    DecideDraft,
    Input,
    Needed | null
  >({
    initial: { reason: '' },
    offline,
    schema: makeFormSchema(
      restoreSessionCalls.approveRestoreTask.input,
      ({ reason }: DecideDraft) => ({ value: { organizationId, taskId, reason: reason.trim() } }),
      { reason: t.reasonNeeded },
    ),
    submit: async (input) => {
      if (choice !== 'approve') return noRights(await client().ask('rejectRestoreTask', input));
      const answer = await withReauth(() => client().ask('approveRestoreTask', input));
      if (answer.ok || answer.failure.kind !== 'forbidden') return noRights(answer);
      // Whoever approves may have to grant the rights to write.
      const rights = await client().ask('getRestoreRights', { organizationId, taskId });
      return rights.ok && rights.value.missing.length > 0 ? ok(rights.value) : noRights(answer);
    },
    explain: (failure) => {
      const { errors: found, above } = readServerErrors(failure, { reason: null });
      return { errors: found, above: above === null ? null : getFailureText(failure) };
    },
    onSaved: (rights) => {
      setNeeded(rights);
      if (rights !== null) return;
      showSuccess(choice === 'approve' ? t.approved : t.rejected);
      setChoice(null);
      onDecided();
    },
  });
  const close = (): void => {
    setChoice(null);
    setNeeded(null);
    refuse(null);
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
          onGranted={() => {
            setNeeded(null);
            void save();
          }}
        />
        <Button onClick={close}>{ui.cancel}</Button>
      </div>
    );
  return (
    <form
      ref={formRef}
      aria-label={choice === 'approve' ? t.approveTitle : t.rejectTitle}
      aria-busy={busy}
      className="grid w-full gap-2 py-2"
      noValidate
      onSubmit={(event) => void save(event)}
    >
      <TextArea
        label={t.reason}
        hint={t.reasonHint}
        required
        ref={field}
        rows={2}
        value={form.reason}
        maxLength={LIMITS.noteChars}
        error={errors['reason'] ?? null}
        onChange={({ target }) => change({ reason: target.value })}
      />
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <span className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={busy} {...refusal}>
          {choice === 'approve' ? t.approveTitle : t.rejectTitle}
        </Button>
        <Button onClick={close}>{ui.cancel}</Button>
      </span>
    </form>
  );
}

const noRights = (answer: Result<unknown>): Result<null> => (answer.ok ? ok(null) : answer);
const EMPTY = {};
