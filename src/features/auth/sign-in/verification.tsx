import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { now } from '#src/app/clock.ts';
import { Button } from '#src/ui/button.tsx';
import { AccountPage } from '../account-page.tsx';
import { CodeForm } from './code-form.tsx';
import { FaultCallout } from './error-callout.tsx';
import { showPasskey } from './passkey.ts';
import { faultOf } from './sign-in-error.ts';
import { useStepAnswer } from './use-step-answer.ts';
import type { StepAnswer } from './use-step-answer.ts';
import { StepFoot } from './step-footer.tsx';
import { othersOf } from './step-path.ts';
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
  const answered = useStepAnswer();
  const { busy, fault, setFault, answer } = answered;
  const others = othersOf(step.methods);
  const [chosen, setChosen] = useState<Way | null>(null);
  const way = chosen !== null && others.includes(chosen) ? chosen : (others[0] ?? 'totp');

  async function bySms(): Promise<void> {
    if ((await answer({ way: 'resend', newMobilePhone: null })) !== null)
      await router.navigate({ to: '/sms-verification' });
  }
  return (
    <AccountPage title={t.verifyTitle} says={SAYS[way]}>
      <FaultCallout fault={fault} />
      {way === 'passkey' ? (
        <Passkey options={step.passkey} {...answered} />
      ) : (
        <CodeForm
          key={way}
          label={way === 'totp' ? t.code : t.recoveryCode}
          kind={way === 'totp' ? 'digits' : 'words'}
          busy={busy === way}
          fault={fault}
          action={t.continue}
          onCode={async (code) => (await answer({ way, code })) !== null}
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
              onClick={() => {
                setFault(null);
                setChosen(other);
              }}
            >
              {SWITCH[other]}
            </Button>
          ))}
        {step.methods.includes('sms') && step.resends > 0 && (
          <Button
            variant="quiet"
            className="-ml-2"
            busy={busy === 'resend'}
            onClick={() => void bySms()}
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
  busy,
  setFault,
  answer,
}: StepAnswer & { readonly options: string | null }) {
  const button = useRef<HTMLButtonElement>(null);
  const [asking, setAsking] = useState(false);
  useEffect(() => button.current?.focus(), []);
  async function show(): Promise<void> {
    setAsking(true);
    setFault(null);
    const shown = await showPasskey(options);
    setAsking(false);
    if (shown.ok) await answer({ way: 'passkey', response: shown.value });
    else setFault(faultOf(shown.failure, now()));
  }
  return (
    <Button
      ref={button}
      variant="primary"
      icon="key"
      className="h-10 w-full"
      busy={asking || busy === 'passkey'}
      onClick={() => void show()}
    >
      {asking ? t.waitingForPasskey : t.confirmWithPasskey}
    </Button>
  );
}
