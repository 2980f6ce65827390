import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { faultsIn } from '../shared/forms/field-errors.ts';
import { idOf } from '../shared/ids.ts';

/** Sets the password of another user, where it is kept: here or in the directory. */
export function PasswordDialog({
  user,
  onDone,
  onClose,
}: {
  readonly user: UserListed;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

  async function set(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (password === '') {
      setWrong('Give a password.');
      field.current?.focus();
      return;
    }
    setBusy(true);
    setFault(null);
    setWrong(null);
    const result = await withReauth(() =>
      client().ask(user.auth === 'ad' ? 'setPasswordAd' : 'setPasswordDb', {
        id: idOf(user),
        password,
      }),
    );
    setBusy(false);
    if (result.ok) {
      tell(`The password of ${user.name} is set.`);
      onDone();
      return;
    }
    const told = faultsIn(result.failure)['password'];
    if (told === undefined) setFault(getFailureText(result.failure));
    else {
      setWrong(told);
      field.current?.focus();
    }
  }

  return (
    <Dialog
      title="Set a password"
      onClose={onClose}
      first={field}
      footer={
        <>
          <Button variant="primary" type="submit" form="set-password" busy={busy}>
            Set the password
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </>
      }
    >
      <form
        id="set-password"
        className="grid grid-cols-1 gap-3 px-5 py-4"
        noValidate
        onSubmit={(event) => void set(event)}
      >
        <p className="m-0 break-words text-ink-2">
          <b className="text-ink">{user.name}</b> is signed out everywhere at once, is told by mail,
          and chooses its own password at the next sign-in. Give it the password in person or by
          phone.
        </p>
        <TextField
          ref={field}
          label="New password"
          required
          type={shown ? 'text' : 'password'}
          value={password}
          maxLength={LIMITS.passwordChars}
          autoComplete="new-password"
          spellCheck={false}
          fault={wrong}
          {...(user.auth === 'db' && {
            hint: '15 characters or more, 8 with a second factor; no common word.',
          })}
          onChange={(event) => {
            setPassword(event.target.value);
            setWrong(null);
          }}
          end={
            <IconButton
              icon={shown ? 'eye-off' : 'eye'}
              label={shown ? 'Hide the password' : 'Show the password'}
              onClick={() => setShown(!shown)}
            />
          }
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
