import { useEffect, useEffectEvent, useRef } from 'react';
import type { SyntheticEvent } from 'react';
import { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import { ok } from '#contract/result.ts';
import type { Refusal } from '#machines/refusal.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
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
  const waits = useWaits(error);
  const { form, change, errors, formRef, save, refuse } = useDraftForm({
    initial: { code: '', newPassword: '' },
    schema: auth === 'db' ? OWN_PASSWORD : DIRECTORY_PASSWORD,
    // The conversation sends them.
    submit: (use) => Promise.resolve(ok(use)),
    onSaved: ({ code, newPassword }) => send({ type: 'USE_CODE', use: { code, newPassword } }),
  });
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const showRefusal = useEffectEvent((shown: Refusal | null) => {
    if (shown?.failure.kind === 'bad-input')
      refuse({ errors: { newPassword: shown.failure.message }, above: null });
  });
  useEffect(() => showRefusal(refusal), [refusal]);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (!busy && waits === null) void save();
  }
  return (
    <AccountPage title={TITLE} description={t.codeSentIfExists}>
      <ErrorCallout error={error} />
      <form ref={formRef} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
        <TextField
          ref={first}
          label={t.code}
          required
          name="code"
          tall
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={9}
          value={form.code}
          onChange={({ target }) => change({ code: target.value })}
          error={errors['code'] ?? null}
        />
        <NewPassword
          auth={auth}
          value={form.newPassword}
          onChange={(newPassword) => change({ newPassword })}
          error={errors['newPassword'] ?? null}
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

/** `findError`: what the contract can't tell about a password. */
const makeSchema = (findError: (newPassword: string) => string | null) =>
  makeFormSchema(
    recoveryCalls.resetPassword.input,
    ({ code, newPassword }: { readonly code: string; readonly newPassword: string }) => ({
      value: { code: code.replace(/\s/g, ''), newPassword },
      errors: { newPassword: findError(newPassword) },
    }),
    { code: t.codeInvalid, newPassword: t.newPasswordMissing },
  );
const OWN_PASSWORD = makeSchema(findTooShort);
const DIRECTORY_PASSWORD = makeSchema(() => null);
