import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import { profileCalls } from '#contract/auth/profile-calls.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { now, useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { passwordRefusal, listPasswordRules } from './password-labels.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface PasswordFormProps {
  readonly me: Me;
  /** Minimum length, displayed in advance and checked before the call. */
  readonly min: number;
  /** Label of the current password. */
  readonly current: string;
  /** Message for a failure that the user cannot fix. */
  readonly failed: string;
  readonly action: string;
  readonly onChanged: () => void;
}

type At = 'current' | 'next' | 'again';

/** Current password, and the new one twice. */
export function PasswordForm({
  me,
  min,
  current: label,
  failed,
  action,
  onChanged,
}: PasswordFormProps) {
  const {
    form: typed,
    change: put,
    errors,
    error,
    busy,
    formRef,
    save,
    reset,
  } = useDraftForm({
    initial: EMPTY,
    schema: makePasswordSchema(me, min),
    submit: (input) =>
      withReauth(
        () => client().ask(me.auth === 'ad' ? 'changePasswordAd' : 'changePasswordDb', input),
        input.currentPassword,
      ),
    explain(failure) {
      if (failure.kind === 'too-many') setWaitUntil(now() + failure.retryAfterMs);
      const { at, sentence } = passwordRefusal(failure, me.auth, failed);
      if (at === 'current') put({ current: '' });
      return at === null
        ? { errors: {}, above: sentence }
        : { errors: { [at]: sentence }, above: null };
    },
    onSaved: () => {
      reset(EMPTY);
      onChanged();
    },
  });
  const [shown, setShown] = useState(false);
  const [waitUntil, setWaitUntil] = useState(0);
  const waits = Math.max(0, Math.ceil((waitUntil - useNow(1_000)) / 1_000));
  async function change(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (waits === 0) await save();
  }

  const field = (at: At) => ({
    name: at,
    type: shown ? 'text' : 'password',
    value: typed[at],
    maxLength: LIMITS.passwordChars,
    autoCapitalize: 'none',
    spellCheck: false,
    autoComplete: at === 'current' ? 'current-password' : 'new-password',
    error: errors[at] ?? null,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      put({ [at]: target.value }),
  });
  return (
    <form
      ref={formRef}
      className="grid gap-4"
      onSubmit={(event) => void change(event)}
      noValidate
      aria-busy={busy}
    >
      <input
        type="text"
        name="username"
        autoComplete="username"
        value={me.username}
        readOnly
        hidden
      />
      <ul className="m-0 grid list-disc gap-1 pl-4 text-ink-2">
        {listPasswordRules(me.auth, min).map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <TextField {...field('current')} label={label} required />
      <TextField
        {...field('next')}
        label={t.newPassword}
        required
        end={
          <IconButton
            icon={shown ? 'eye-off' : 'eye'}
            label={shown ? t.hidePasswords : t.showPasswords}
            aria-pressed={shown}
            className="mr-1"
            onClick={() => setShown(!shown)}
          />
        }
      />
      <TextField {...field('again')} label={t.confirmPassword} required />
      <div>
        <Button type="submit" variant="primary" busy={busy} disabled={waits > 0}>
          {waits > 0 ? t.tryAgainIn({ seconds: waits }) : action}
        </Button>
      </div>
    </form>
  );
}

const EMPTY: Readonly<Record<At, string>> = { current: '', next: '', again: '' };

const makePasswordSchema = (me: Me, min: number) =>
  makeFormSchema(
    profileCalls.changePasswordDb.input,
    ({ current, next, again }: Readonly<Record<At, string>>) => ({
      value: { id: me.id, currentPassword: current, newPassword: next },
      errors:
        current === ''
          ? { current: t.currentPasswordMissing }
          : next === ''
            ? { next: t.newPasswordMissing }
            : me.auth === 'db' && Array.from(next).length < min
              ? { next: ACCOUNT.passwordShort({ min }) }
              : next === again
                ? {}
                : { again: t.passwordsDiffer },
    }),
  );
