import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { now, useNow } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { passwordRefusal, getRules } from './password-labels.ts';
import { ownAccountMessages as t } from './messages.en.ts';

export interface PasswordFormProps {
  readonly me: Me;
  /** Minimum length, displayed in advance and checked before the call. */
  readonly least: number;
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
  least,
  current: label,
  failed,
  action,
  onChanged,
}: PasswordFormProps) {
  const [typed, setTyped] = useState<Readonly<Record<At, string>>>({
    current: '',
    next: '',
    again: '',
  });
  const [error, setError] = useState<{ readonly at: At | null; readonly sentence: string } | null>(
    null,
  );
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [waitUntil, setWaitUntil] = useState(0);
  const waits = Math.max(0, Math.ceil((waitUntil - useNow(1_000)) / 1_000));
  const form = useRef<HTMLFormElement>(null);
  const focus = (at: At): void => form.current?.querySelector<HTMLElement>(`[name=${at}]`)?.focus();

  function refuse(at: At | null, sentence: string): void {
    setError({ at, sentence });
    if (at !== null) focus(at);
  }

  async function change(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits > 0) return;
    setError(null);
    const { current, next, again } = typed;
    if (current === '') return refuse('current', t.currentPasswordMissing);
    if (next === '') return refuse('next', t.newPasswordMissing);
    if (me.auth === 'db' && Array.from(next).length < least)
      return refuse('next', ACCOUNT.passwordShort({ min: least }));
    if (next !== again) return refuse('again', t.passwordsDiffer);
    setBusy(true);
    const input = { id: me.id, currentPassword: current, newPassword: next };
    const answer = await withReauth(
      () => client().ask(me.auth === 'ad' ? 'changePasswordAd' : 'changePasswordDb', input),
      current,
    );
    setBusy(false);
    if (answer.ok) {
      setTyped({ current: '', next: '', again: '' });
      return onChanged();
    }
    if (answer.failure.kind === 'too-many') setWaitUntil(now() + answer.failure.retryAfterMs);
    const { at, sentence } = passwordRefusal(answer.failure, me.auth, failed);
    if (at === 'current') setTyped({ ...typed, current: '' });
    return refuse(at, sentence);
  }

  const field = (at: At) => ({
    name: at,
    type: shown ? 'text' : 'password',
    value: typed[at],
    maxLength: LIMITS.passwordChars,
    autoCapitalize: 'none',
    spellCheck: false,
    autoComplete: at === 'current' ? 'current-password' : 'new-password',
    error: error?.at === at ? error.sentence : null,
    onChange: (event: { readonly target: { readonly value: string } }) => {
      setTyped({ ...typed, [at]: event.target.value });
      setError(null);
    },
  });
  return (
    <form
      ref={form}
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
        {getRules(me.auth, least).map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      {error !== null && error.at === null && (
        <Callout tone="failed" alert>
          {error.sentence}
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
