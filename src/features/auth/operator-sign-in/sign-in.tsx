import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ok, type Result } from '#contract/result.ts';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import {
  OPERATOR_REFUSALS,
  OPERATOR_REFUSED,
  OPERATOR_SIGNED_IN,
} from '#contract/restore/operator-calls.ts';
import type { ShownCode } from '#machines/device-code.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { storeRedirectTarget } from '#src/app/router/redirect-target.ts';
import { useBranding } from '#src/app/session/session.ts';
import { dropFragment, useWayIn } from '#src/app/session/sign-in-context.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage, SignInLink } from '../account-page.tsx';
import { DeviceCodeStep } from '../../shared/device-code/device-code-step.tsx';
import { operatorSignInMessages as t } from './messages.en.ts';

/** Signed in, it leads to the first service. */
const CONSOLE_PATH = '/restore';

/** `/restore`: where restore operators sign in, with Microsoft or as a user of the portal. */
export function OperatorSignIn() {
  const { history, navigate, invalidate } = useRouter();
  const { fragment } = useWayIn();
  const offersPage = useBranding()?.microsoft === true;
  const [usesCode, setUsesCode] = useState(false);
  const [failure, setFailure] = useState(() => getRefusal(fragment));
  /** Returns why not. */
  const enter = async (): Promise<string | null> => {
    const entered = await client().signIn({ way: 'cookie' });
    if (!entered.ok) return getFailureText(entered.failure);
    await invalidate();
    await navigate({ href: CONSOLE_PATH });
    return null;
  };
  const takeReturn = useEffectEvent(() => {
    if (fragment === OPERATOR_SIGNED_IN) void enter().then(setFailure);
    dropFragment();
  });
  useEffect(() => takeReturn(), []);
  return (
    <AccountPage title={t.title} description={t.description}>
      <section aria-label={t.microsoft} className="grid gap-3">
        <h2 className="m-0 text-[length:inherit]">{t.microsoft}</h2>
        {failure !== null && (
          <Callout tone="failed" alert>
            {failure}
          </Callout>
        )}
        {offersPage && (
          <>
            <p className="m-0 text-ink-2">{t.openMicrosoftNote}</p>
            <SignInLink href="/api/v1/o365/operators/start">{t.openMicrosoft}</SignInLink>
            {!usesCode && (
              <p className="m-0">
                <Button onClick={() => setUsesCode(true)}>{t.codeInstead}</Button>
              </p>
            )}
          </>
        )}
        {(usesCode || !offersPage) && (
          <DeviceCodeStep
            granted={false}
            lead={t.microsoftLead}
            permissions={[t.permission]}
            permissionsNote={t.permissionNote}
            grantedText={t.signingIn}
            request={requestCode}
            check={checkCode}
            onGranted={() => void enter().then(setFailure)}
          />
        )}
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

/** Returns the sentence for the reason with which Microsoft's page led back here. */
function getRefusal(fragment: string): string | null {
  const reason = OPERATOR_REFUSALS.find((one) => fragment === `${OPERATOR_REFUSED}${one}`);
  return reason === undefined ? null : t[reason];
}

async function requestCode(): Promise<Result<ShownCode>> {
  return client().ask('requestOperatorCode', {});
}

async function checkCode(): Promise<Result<DeviceCodeState>> {
  const checked = await client().ask('checkOperatorCode', {});
  return checked.ok ? ok(checked.value.state) : checked;
}
