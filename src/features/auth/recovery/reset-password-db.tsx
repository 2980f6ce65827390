import { Link } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { fromPromise } from 'xstate';
import { recoveryCalls } from '#contract/auth/recovery-calls.ts';
import { ok } from '#contract/result.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { passwordLinkMachine } from '#machines/password-link.ts';
import type { Refusal } from '#machines/refusal.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { dropFragment, useWayIn } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { Done } from './done.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { findTooShort } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useSignInError } from '../sign-in/use-sign-in-error.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.choosePassword;

/**
 * Target of the link in the password reset email. The link is checked before the user chooses a
 * password.
 */
export function ResetPasswordDb() {
  const { fragment } = useWayIn();
  const [hash, setHash] = useState('');
  // Another link opened in the same tab starts again. The hash of a used link is stored nowhere
  // else.
  if (fragment !== '' && fragment.slice(1) !== hash) setHash(fragment.slice(1));
  return <ByLink key={hash} hash={hash} />;
}

function ByLink({ hash }: { readonly hash: string }) {
  const [state, send] = useMachine(machine, { input: { now, hash } });
  const { refusal } = state.context;
  const error = useSignInError(refusal);
  const waits = useWaits(error);
  const isDone = state.matches('done');
  useEffect(() => {
    if (isDone) dropFragment();
  }, [isDone]);

  if (isDone) return <Done title={TITLE}>{t.passwordReset}</Done>;
  if (state.matches('over')) {
    return (
      <AccountPage title={TITLE}>
        <Callout tone="failed" alert>
          {ACCOUNT.linkOver}
        </Callout>
        <Link
          to="/forgot-password-db"
          className="inline-flex items-center justify-self-start text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.requestNewLink}
        </Link>
        <ToSignIn />
      </AccountPage>
    );
  }
  return (
    <AccountPage title={TITLE}>
      {(state.matches('choosing') || state.matches('saving')) && (
        <Choose
          hash={hash}
          busy={state.matches('saving')}
          refusal={refusal}
          onPassword={(newPassword) => send({ type: 'SAVE', newPassword })}
        />
      )}
      {state.matches('checking') && (
        <DelayedFallback>
          <output className="block text-ink-2">{t.checkingLink}</output>
        </DelayedFallback>
      )}
      {state.matches('unreachable') && (
        <>
          <ErrorCallout error={error} />
          <Button
            className="justify-self-start"
            disabled={waits !== null}
            onClick={() => send({ type: 'CHECK' })}
          >
            {t.checkAgain}
          </Button>
        </>
      )}
      <ToSignIn />
    </AccountPage>
  );
}

function Choose({
  hash,
  busy,
  refusal,
  onPassword,
}: {
  readonly hash: string;
  readonly busy: boolean;
  readonly refusal: Refusal | null;
  readonly onPassword: (newPassword: string) => void;
}) {
  const refused = refusal?.failure.kind === 'bad-input' ? refusal.failure.message : null;
  const error = useSignInError(refused === null ? refusal : null);
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  const { form, change, errors, formRef, save, refuse } = useDraftForm({
    initial: { newPassword: '' },
    schema: makePasswordSchema(hash),
    // The conversation sends it.
    submit: ({ newPassword }) => Promise.resolve(ok(newPassword)),
    onSaved: onPassword,
  });
  useEffect(() => field.current?.focus(), []);
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
    <form ref={formRef} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      <ErrorCallout error={error} />
      <NewPassword
        ref={field}
        auth="db"
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
  );
}

const makePasswordSchema = (hash: string) =>
  makeFormSchema(
    recoveryCalls.changePasswordByLink.input,
    ({ newPassword }: { readonly newPassword: string }) => ({
      value: { hash, newPassword },
      errors: { newPassword: findTooShort(newPassword) },
    }),
    { newPassword: t.newPasswordMissing },
  );

const machine = passwordLinkMachine.provide({
  actors: {
    check: fromPromise(({ input: hash }) => client().ask('checkPasswordLinkSent', { hash })),
    save: fromPromise(({ input: { hash, newPassword } }) =>
      client().ask('changePasswordByLink', { hash, newPassword: newPassword ?? '' }),
    ),
  },
});
