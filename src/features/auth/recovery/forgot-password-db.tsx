import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../account-page.tsx';
import { FaultCallout } from '../sign-in/error-callout.tsx';
import { NameForm } from './name-form.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Requests a password reset link by email. The answer is the same for every name (G36). */
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
      title={t.forgotPassword}
      {...(!sent && {
        says: t.forgotPasswordLinkDetail,
      })}
    >
      <FaultCallout fault={fault} />
      {sent ? (
        <>
          <Callout tone="success" alert>
            {t.linkSent}
          </Callout>
          <Button className="justify-self-start" onClick={() => setSent(false)}>
            {t.resendLink}
          </Button>
        </>
      ) : (
        <NameForm busy={busy} fault={fault} action={t.sendLink} onName={send} />
      )}
      <ToSignIn />
    </AccountPage>
  );
}
