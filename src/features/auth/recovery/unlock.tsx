import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { AccountPage } from '../account-page.tsx';
import { AskedCode } from './request-code.tsx';
import type { CodeAsked } from './request-code.tsx';
import { CodeForm } from '../sign-in/code-form.tsx';
import { Done } from './done.tsx';
import { FaultCallout } from '../sign-in/error-callout.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.unlockTitle;

/** Unlocks a directory account with a code. */
export function Unlock() {
  return (
    <AskedCode title={TITLE} says={t.forgotPasswordCodeDetail}>
      {(asked) => <WithCode {...asked} />}
    </AskedCode>
  );
}

function WithCode({ username, again }: CodeAsked) {
  const { busy, fault, ask } = useRecoveryAsk();
  const [done, setDone] = useState(false);
  async function unlock(code: string): Promise<boolean> {
    const { ok } = await ask(() => client().ask('unlockAccount', { username, code }));
    setDone(ok);
    return ok;
  }
  if (done) return <Done title={TITLE}>{t.unlocked}</Done>;
  return (
    <AccountPage title={TITLE} says={t.codeSentIfExists}>
      <FaultCallout fault={fault} />
      <CodeForm label={t.code} busy={busy} fault={fault} action={t.unlock} onCode={unlock} />
      {again}
      <ToSignIn />
    </AccountPage>
  );
}
