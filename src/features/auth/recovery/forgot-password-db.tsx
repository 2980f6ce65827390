import { useMachine } from '@xstate/react';
import { fromPromise } from 'xstate';
import { passwordLinkRequestMachine } from '#machines/password-link.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../account-page.tsx';
import { ErrorCallout } from '../sign-in/error-callout.tsx';
import { NameForm } from './name-form.tsx';
import { useSignInError } from '../sign-in/use-sign-in-error.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Requests a password reset link by email. The answer is the same for every name (G36). */
export function ForgotPasswordDb() {
  const [state, send] = useMachine(machine, { input: { now } });
  const error = useSignInError(state.context.refusal);
  const isSent = state.matches('sent');
  return (
    <AccountPage
      title={t.forgotPassword}
      {...(!isSent && {
        description: t.forgotPasswordLinkDetail,
      })}
    >
      <ErrorCallout error={error} />
      {isSent ? (
        <>
          <Callout tone="success" alert>
            {t.linkSent}
          </Callout>
          <Button className="justify-self-start" onClick={() => send({ type: 'AGAIN' })}>
            {t.resendLink}
          </Button>
        </>
      ) : (
        <NameForm
          busy={state.matches('sending')}
          error={error}
          action={t.sendLink}
          onName={(username) => send({ type: 'NAME', username })}
        />
      )}
      <ToSignIn />
    </AccountPage>
  );
}

const machine = passwordLinkRequestMachine.provide({
  actors: {
    send: fromPromise(({ input: username }) => client().ask('forgotPassword', { username })),
  },
});
