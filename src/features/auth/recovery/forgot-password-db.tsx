import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../account-page.tsx';
import { FaultCallout } from '../sign-in/error-callout.tsx';
import { NameForm } from './name-form.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';

/** A link for a new password, by mail. What is said is the same for every name (G36). */
export function ForgotPasswordDb() {
  const { busy, fault, ask } = useRecoveryAsk();
  const [sent, setSent] = useState(false);
  async function send(username: string): Promise<boolean> {
    const { ok } = await ask(() => client().ask('forgotPassword', { username }));
    setSent(ok);
    return ok;
  }
  return (
    <AccountPage
      title="Forgot your password"
      {...(!sent && {
        says: 'Enter your username. A link to choose a new password goes to the e-mail address of your account.',
      })}
    >
      <FaultCallout fault={fault} />
      {sent ? (
        <>
          <Callout tone="success" alert>
            If there is such an account, a mail is on its way. Its link works once, within 15
            minutes.
          </Callout>
          <Button className="justify-self-start" onClick={() => setSent(false)}>
            Send it again
          </Button>
        </>
      ) : (
        <NameForm busy={busy} fault={fault} action="Send the link" onName={send} />
      )}
      <ToSignIn />
    </AccountPage>
  );
}
