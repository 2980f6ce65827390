import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { Button } from '#src/ui/button.tsx';
import { AccountPage } from '../account-page.tsx';
import { CodeForm } from './code-form.tsx';
import { ErrorCallout } from './error-callout.tsx';
import { useSignInStep } from './use-sign-in-step.ts';
import type { StepConversation } from './use-sign-in-step.ts';
import { StepFoot } from './step-footer.tsx';
import { listOtherMethods } from './step-path.ts';
import { accountMessages as t } from '../messages.en.ts';

type Way = 'passkey' | 'totp' | 'recovery';
const SAYS: Readonly<Record<Way, string>> = {
  passkey: t.passkeyDetail,
  totp: t.authenticatorDetail,
  recovery: t.recoveryCodeDetail,
};
const SWITCH: Readonly<Record<Way, string>> = {
  passkey: t.passkeyInstead,
  totp: t.authenticatorInstead,
  recovery: t.recoveryCodeInstead,
};

/**
 * Confirms with a passkey, an authenticator code or a recovery code. The preferred method is
 * preselected.
 */
export function Verification({ step }: { readonly step: SignInStep }) {
  const router = useRouter();
  const conversation = useSignInStep();
  const { state, send, busy, error, resendError } = conversation;
  const { method, sentAt } = state.context;
  const others = listOtherMethods(step.methods);
  const way = method !== null && others.includes(method) ? method : (others[0] ?? 'totp');
  // A code by SMS is entered on its own page.
  useEffect(() => {
    if (sentAt !== null) void router.navigate({ to: '/sms-verification' });
  }, [router, sentAt]);

  return (
    <AccountPage title={t.verifyTitle} description={SAYS[way]}>
      <ErrorCallout error={error ?? resendError} />
      {way === 'passkey' ? (
        <Passkey options={step.passkey} {...conversation} />
      ) : (
        <CodeForm
          key={way}
          label={way === 'totp' ? t.code : t.recoveryCode}
          kind={way === 'totp' ? 'digits' : 'words'}
          busy={busy === way}
          error={error}
          action={t.continue}
          onCode={(code) => send({ type: 'ANSWER', ask: { way, code } })}
        />
      )}
      <StepFoot>
        {others
          .filter((other) => other !== way)
          .map((other) => (
            <Button
              key={other}
              variant="quiet"
              className="-ml-2"
              onClick={() => send({ type: 'CHOOSE_METHOD', method: other })}
            >
              {SWITCH[other]}
            </Button>
          ))}
        {step.methods.includes('sms') && step.resends > 0 && (
          <Button
            variant="quiet"
            className="-ml-2"
            busy={busy === 'resend'}
            onClick={() => send({ type: 'RESEND' })}
          >
            {t.sendSmsCode}
          </Button>
        )}
      </StepFoot>
    </AccountPage>
  );
}

function Passkey({
  options,
  state,
  busy,
  send,
}: StepConversation & { readonly options: string | null }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Button
      ref={button}
      variant="primary"
      icon="key"
      className="h-10 w-full"
      busy={busy === 'passkey'}
      onClick={() => send({ type: 'USE_PASSKEY', passkey: options })}
    >
      {state.matches('showingPasskey') ? t.waitingForPasskey : t.confirmWithPasskey}
    </Button>
  );
}
