import { useRef, useState } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { userCalls } from '#contract/users/calls.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { IconButton } from '#src/ui/button.tsx';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
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
  const [shown, setShown] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { password: '' },
    schema: makePasswordSchema(getId(user)),
    submit: (input) =>
      withReauth(() => client().ask(user.auth === 'ad' ? 'setPasswordAd' : 'setPasswordDb', input)),
    explain: (failure) => readServerErrors(failure, { password: null }),
    onSaved: () => {
      showSuccess(t.passwordSet({ user: user.name }));
      onDone();
    },
  });

  return (
    <FormDialog
      title={t.setPassword}
      onClose={onClose}
      first={field}
      submitLabel={t.setPassword}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 break-words text-ink-2">
        {richText(t.setPasswordTerms, { user: <b className="text-ink">{user.name}</b> })}
      </p>
      <TextField
        ref={field}
        label={t.newPassword}
        required
        type={shown ? 'text' : 'password'}
        value={form.password}
        maxLength={LIMITS.passwordChars}
        autoComplete="new-password"
        spellCheck={false}
        error={errors['password'] ?? null}
        {...(user.auth === 'db' && {
          hint: t.newPasswordHint,
        })}
        onChange={({ target }) => change({ password: target.value })}
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

const makePasswordSchema = (id: string) =>
  makeFormSchema(
    userCalls.setPasswordDb.input,
    ({ password }: { readonly password: string }) => ({ value: { id, password } }),
    { password: t.passwordMissing },
  );
