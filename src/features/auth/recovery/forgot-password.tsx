import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { AccountPage } from '../account-page.tsx';
import { AskedCode } from './request-code.tsx';
import type { CodeAsked } from './request-code.tsx';
import { Done } from './done.tsx';
import { FaultCallout, useWaits } from '../sign-in/error-callout.tsx';
import { shortOf } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.forgotPassword;

/** Resets the password with security questions and a code. */
export function ForgotPassword() {
  return (
    <AskedCode title={TITLE} says={t.forgotPasswordCodeDetail}>
      {(asked) => <WithCode {...asked} />}
    </AskedCode>
  );
}

function WithCode({ username, auth, again }: CodeAsked) {
  const { busy, fault, ask } = useRecoveryAsk();
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<{
    readonly what: 'code' | 'password';
    readonly why: string;
  } | null>(null);
  const [done, setDone] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const waits = useWaits(fault);
  useEffect(() => first.current?.focus(), []);

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits !== null) return;
    const digits = code.replace(/\s/g, '');
    const short = auth === 'db' ? shortOf(password) : password === '' ? t.newPasswordMissing : null;
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
    const result = await ask(() =>
      client().ask('resetPassword', { username, code: digits, newPassword: password }),
    );
    setDone(result.ok);
    if (result.ok || result.failure.kind !== 'bad-input') return;
    setWrong({ what: 'password', why: result.failure.message });
    second.current?.focus();
  }
  if (done) return <Done title={TITLE}>{t.passwordReset}</Done>;
  return (
    <AccountPage title={TITLE} says={t.codeSentIfExists}>
      <FaultCallout fault={fault} />
      <form
        className="grid gap-5"
        onSubmit={(event) => void submit(event)}
        noValidate
        aria-busy={busy}
      >
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
          fault={wrong?.what === 'code' ? wrong.why : null}
        />
        <NewPassword
          ref={second}
          auth={auth}
          value={password}
          onChange={(value) => {
            setPassword(value);
            setWrong(null);
          }}
          fault={wrong?.what === 'password' ? wrong.why : null}
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
      {again}
      <ToSignIn />
    </AccountPage>
  );
}
