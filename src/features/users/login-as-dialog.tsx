import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useImpersonation } from '#src/app/shell/impersonation/impersonation.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { getId } from '../shared/ids.ts';
import { userMessages as t } from './messages.en.ts';

const LEAST = 5;

/** Asks for the reason, then starts the impersonation. */
export function LoginAsDialog({
  user,
  onClose,
}: {
  readonly user: UserListed;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // On success the page redirects, which unmounts this dialog. Ending the impersonation returns to
  // this page.
  const { state, send } = useImpersonation(false);
  const { refusal } = state.context;
  const short = reason.trim().length < LEAST;

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    setTried(true);
    if (short) field.current?.focus();
    else send({ type: 'START', request: { userId: getId(user), reason: reason.trim() } });
  }

  return (
    <FormDialog
      title={t.signInAs({ user: user.name })}
      onClose={onClose}
      first={field}
      submitLabel={t.signInAsUser}
      busy={state.matches('starting')}
      error={refusal === null ? null : getFailureText(refusal.failure)}
      onSubmit={submit}
    >
      <p className="m-0 text-ink-2">{t.signInAsTerms}</p>
      <TextField
        ref={field}
        label={t.reason}
        required
        value={reason}
        maxLength={LIMITS.reasonChars}
        autoComplete="off"
        onChange={(event) => {
          setReason(event.target.value);
          send({ type: 'EDIT' });
        }}
        hint={t.reasonHint}
        error={tried && short ? t.reasonTooShort : null}
      />
    </FormDialog>
  );
}
