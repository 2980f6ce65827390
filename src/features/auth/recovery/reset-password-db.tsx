import { Link } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { fromPromise } from 'xstate';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { passwordLinkMachine } from '#machines/password-link.ts';
import type { Refusal } from '#machines/refusal.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
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
  busy,
  refusal,
  onPassword,
}: {
  readonly busy: boolean;
  readonly refusal: Refusal | null;
  readonly onPassword: (newPassword: string) => void;
}) {
  const refused = refusal?.failure.kind === 'bad-input' ? refusal.failure.message : null;
  const error = useSignInError(refused === null ? refusal : null);
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const [seen, setSeen] = useState(refusal);
  if (refusal !== seen) {
    setSeen(refusal);
    if (refused !== null) setWrong(refused);
  }
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (refusal?.failure.kind === 'bad-input') field.current?.focus();
  }, [refusal]);

  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    const short = findTooShort(password);
    setWrong(short);
    if (short === null) onPassword(password);
    else field.current?.focus();
  }
  return (
    <form className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
      <ErrorCallout error={error} />
      <NewPassword
        ref={field}
        auth="db"
        value={password}
        onChange={(value) => {
          setPassword(value);
          setWrong(null);
        }}
        error={wrong}
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

const machine = passwordLinkMachine.provide({
  actors: {
    check: fromPromise(({ input: hash }) => client().ask('checkPasswordLinkSent', { hash })),
    save: fromPromise(({ input: { hash, newPassword } }) =>
      client().ask('changePasswordByLink', { hash, newPassword: newPassword ?? '' }),
    ),
  },
});
