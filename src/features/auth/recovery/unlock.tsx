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

const TITLE = 'Unlock your account';

/** An account of the directory that is locked, opened with a code. */
export function Unlock() {
  return (
    <AskedCode
      title={TITLE}
      says="Enter your username. A code goes to the address or the number that we have of you."
    >
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
  if (done) return <Done title={TITLE}>Your account is unlocked.</Done>;
  return (
    <AccountPage
      title={TITLE}
      says="If there is such an account, a code of six digits is on its way. It is good for five minutes."
    >
      <FaultCallout fault={fault} />
      <CodeForm label="Code" busy={busy} fault={fault} action="Unlock" onCode={unlock} />
      {again}
      <ToSignIn />
    </AccountPage>
  );
}
