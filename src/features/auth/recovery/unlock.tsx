import { client } from '#src/app/worker/worker-client.ts';
import { AccountPage } from '../account-page.tsx';
import { Resend, RequestCode, hasCode } from './request-code.tsx';
import { CodeForm } from '../sign-in/code-form.tsx';
import { Done } from './done.tsx';
import { ErrorCallout } from '../sign-in/error-callout.tsx';
import { useSignInError } from '../sign-in/use-sign-in-error.ts';
import { useRecovery } from './use-recovery.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.unlockTitle;

/** Unlocks a directory account with a code. */
export function Unlock() {
  const recovery = useRecovery((username, { code }) =>
    client().ask('unlockAccount', { username, code }),
  );
  const { state, send } = recovery;
  const error = useSignInError(state.context.refusal);
  if (state.matches('done')) return <Done title={TITLE}>{t.unlocked}</Done>;
  if (!hasCode(recovery))
    return <RequestCode title={TITLE} description={t.forgotPasswordCodeDetail} {...recovery} />;
  return (
    <AccountPage title={TITLE} description={t.codeSentIfExists}>
      <ErrorCallout error={error} />
      <CodeForm
        label={t.code}
        busy={state.matches('using')}
        error={error}
        action={t.unlock}
        onCode={(code) => send({ type: 'USE_CODE', use: { code, newPassword: null } })}
      />
      <Resend {...recovery} />
      <ToSignIn />
    </AccountPage>
  );
}
