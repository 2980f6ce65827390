import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { ok, type Result } from '#contract/result.ts';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import type { ShownCode } from '#machines/device-code.ts';
import { now } from '#src/app/clock.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { storeRedirectTarget } from '#src/app/router/redirect-target.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../account-page.tsx';
import { DeviceCodeStep } from '../../shared/device-code/device-code-step.tsx';
import { operatorSignInMessages as t } from './messages.en.ts';

/** Signed in, it leads to the first service. */
const CONSOLE_PATH = '/restore';

/** `/restore`: where restore operators sign in, with Microsoft or as a user of the portal. */
export function OperatorSignIn() {
  const { history, navigate, invalidate } = useRouter();
  const [failure, setFailure] = useState<string | null>(null);
  const enter = async (): Promise<void> => {
    const entered = await client().signIn({ way: 'cookie' });
    if (!entered.ok) {
      setFailure(getFailureText(entered.failure));
      return;
    }
    await invalidate();
    await navigate({ href: CONSOLE_PATH });
  };
  return (
    <AccountPage title={t.title} description={t.description}>
      <section aria-label={t.microsoft} className="grid gap-3">
        <h2 className="m-0 text-[length:inherit]">{t.microsoft}</h2>
        {failure !== null && (
          <Callout tone="failed" alert>
            {failure}
          </Callout>
        )}
        <DeviceCodeStep
          granted={false}
          lead={t.microsoftLead}
          permissions={[t.permission]}
          permissionsNote={t.permissionNote}
          grantedText={t.signingIn}
          request={requestCode}
          check={checkCode}
          onGranted={() => void enter()}
        />
      </section>
      <p className="m-0 border-t border-rule pt-4">
        <Button
          icon="person"
          onClick={() => {
            storeRedirectTarget(CONSOLE_PATH);
            history.push('/login');
          }}
        >
          {t.portal}
        </Button>
      </p>
    </AccountPage>
  );
}

async function requestCode(): Promise<Result<ShownCode>> {
  const requested = await client().ask('requestOperatorCode', {});
  if (!requested.ok) return requested;
  const { id, userCode, verificationUrl, expiresAt, intervalMs } = requested.value;
  return ok({ id, userCode, verificationUrl, expiresInMs: expiresAt - now(), intervalMs });
}

async function checkCode(): Promise<Result<DeviceCodeState>> {
  const checked = await client().ask('checkOperatorCode', {});
  return checked.ok ? ok(checked.value.state) : checked;
}
