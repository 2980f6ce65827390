import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useActAs } from '#src/app/shell/impersonation/impersonation.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { idOf } from '../shared/ids.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
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
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const actAs = useActAs();
  const short = reason.trim().length < LEAST;

  async function go(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (short) field.current?.focus();
    if (short || busy) return;
    setBusy(true);
    setFault(null);
    // On success the page redirects, which unmounts this dialog. Ending the impersonation returns
    // to this page.
    const failure = await actAs({ userId: idOf(user), reason: reason.trim() });
    setBusy(false);
    if (failure !== null) setFault(getFailureText(failure));
  }

  return (
    <Dialog
      title={t.signInAs({ user: user.name })}
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" type="submit" form="login-as" busy={busy}>
            {t.signInAsUser}
          </Button>
          <Button onClick={onClose}>{ui.cancel}</Button>
        </>
      }
    >
      <form
        id="login-as"
        className="grid grid-cols-1 gap-3 px-5 py-4"
        noValidate
        onSubmit={(event) => void go(event)}
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
            setFault(null);
          }}
          hint={t.reasonHint}
          fault={tried && short ? t.reasonTooShort : null}
        />
        {fault !== null && (
          <p role="alert" className="m-0 text-failed">
            {fault}
          </p>
        )}
      </form>
    </Dialog>
  );
}
