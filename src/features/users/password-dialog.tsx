import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { IconButton } from '#src/ui/button.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { getFieldErrors } from '../shared/forms/field-errors.ts';
import { getId } from '../shared/ids.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { userMessages as t } from './messages.en.ts';

/** Sets another user's password in its store: here or in the directory. */
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
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

  async function set(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    if (password === '') {
      setWrong(t.passwordMissing);
      field.current?.focus();
      return;
    }
    setBusy(true);
    setError(null);
    setWrong(null);
    const result = await withReauth(() =>
      client().ask(user.auth === 'ad' ? 'setPasswordAd' : 'setPasswordDb', {
        id: getId(user),
        password,
      }),
    );
    setBusy(false);
    if (result.ok) {
      tell(t.passwordSet({ user: user.name }));
      onDone();
      return;
    }
    const details = getFieldErrors(result.failure)['password'];
    if (details === undefined) setError(getFailureText(result.failure));
    else {
      setWrong(details);
      field.current?.focus();
    }
  }

  return (
    <FormDialog
      title={t.setPassword}
      onClose={onClose}
      first={field}
      submitLabel={t.setPassword}
      busy={busy}
      error={error}
      onSubmit={set}
    >
      <p className="m-0 break-words text-ink-2">
        {richText(t.setPasswordTerms, { user: <b className="text-ink">{user.name}</b> })}
      </p>
      <TextField
        ref={field}
        label={t.newPassword}
        required
        type={shown ? 'text' : 'password'}
        value={password}
        maxLength={LIMITS.passwordChars}
        autoComplete="new-password"
        spellCheck={false}
        error={wrong}
        {...(user.auth === 'db' && {
          hint: t.newPasswordHint,
        })}
        onChange={(event) => {
          setPassword(event.target.value);
          setWrong(null);
        }}
        end={
          <IconButton
            icon={shown ? 'eye-off' : 'eye'}
            label={shown ? t.hidePassword : t.showPassword}
            onClick={() => setShown(!shown)}
          />
        }
      />
    </FormDialog>
  );
}
