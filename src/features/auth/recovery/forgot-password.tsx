import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { AccountPage } from '../account-page.tsx';
import { Resend, RequestCode, hasCode } from './request-code.tsx';
import { Done } from './done.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { findTooShort } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useSignInError } from '../sign-in/use-sign-in-error.ts';
import { useRecovery } from './use-recovery.ts';
import type { Recovery } from './use-recovery.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.forgotPassword;

/** Resets the password with security questions and a code. */
export function ForgotPassword() {
  const recovery = useRecovery((username, { code, newPassword }) =>
    client().ask('resetPassword', { username, code, newPassword: newPassword ?? '' }),
  );
  if (recovery.state.matches('done')) return <Done title={TITLE}>{t.passwordReset}</Done>;
  return hasCode(recovery) ? (
    <WithCode {...recovery} />
  ) : (
    <RequestCode title={TITLE} description={t.forgotPasswordCodeDetail} {...recovery} />
  );
}

function WithCode({ state, send }: Recovery) {
  const { account, refusal } = state.context;
  const { auth } = account;
  const busy = state.matches('using');
  const refused = refusal?.failure.kind === 'bad-input' ? refusal.failure.message : null;
  const error = useSignInError(refused === null ? refusal : null);
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<{
    readonly what: 'code' | 'password';
    readonly why: string;
  } | null>(null);
  const [seen, setSeen] = useState(refusal);
  if (refusal !== seen) {
    setSeen(refusal);
    if (refused !== null) setWrong({ what: 'password', why: refused });
  }
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  useEffect(() => first.current?.focus(), []);
  useEffect(() => {
    if (refusal?.failure.kind === 'bad-input') second.current?.focus();
  }, [refusal]);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    const digits = code.replace(/\s/g, '');
    const short =
      auth === 'db' ? findTooShort(password) : password === '' ? t.newPasswordMissing : null;
    if (!/^\d{6}$/.test(digits)) {
      setWrong({ what: 'code', why: t.codeInvalid });
      first.current?.focus();
      return;
    }
    if (short !== null) {
      setWrong({ what: 'password', why: short });
      second.current?.focus();
      return;
    }
    setWrong(null);
    send({ type: 'USE_CODE', use: { code: digits, newPassword: password } });
  }
  return (
    <AccountPage title={TITLE} description={t.codeSentIfExists}>
      <ErrorCallout error={error} />
      <form className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
        <TextField
          ref={first}
          label={t.code}
          required
          name="code"
          tall
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={9}
          value={code}
          onChange={(event) => {
            setCode(event.target.value);
            setWrong(null);
          }}
          error={wrong?.what === 'code' ? wrong.why : null}
        />
        <NewPassword
          ref={second}
          auth={auth}
          value={password}
          onChange={(value) => {
            setPassword(value);
            setWrong(null);
          }}
          error={wrong?.what === 'password' ? wrong.why : null}
        />
        <Button
          type="submit"
          variant="primary"
          className="h-10 w-full"
          busy={busy}
          disabled={waits !== null}
        >
          {waits === null ? (busy ? t.saving : t.setPassword) : t.tryAgainIn({ when: waits })}
        </Button>
      </form>
      <Resend state={state} send={send} />
      <ToSignIn />
    </AccountPage>
  );
}
