import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { sidebarTitleOf } from '#src/app/shell/branding/apply-branding.ts';
import { useBranding } from '#src/app/session/session.ts';
import { holdPage } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { AuthenticatorSecret } from '../authenticator-secret.tsx';
import { CodeForm } from './code-form.tsx';
import { FaultCallout } from './error-callout.tsx';
import { RecoveryCodes } from '../recovery-codes.tsx';
import { useStepAnswer } from './use-step-answer.ts';
import { StepFoot } from './step-footer.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Requires an authenticator during sign-in, then shows the recovery codes once. */
export function Enrol({ step }: { readonly step: SignInStep }) {
  const router = useRouter();
  const portal = sidebarTitleOf(useBranding());
  const { busy, fault, answer } = useStepAnswer();
  const [codes, setCodes] = useState<readonly string[] | null>(null);

  async function onward(): Promise<void> {
    holdPage(false);
    await router.invalidate();
  }
  async function confirm(code: string): Promise<boolean> {
    const answered = await answer({ way: 'enrol', code });
    if (answered?.is !== 'in') return answered !== null;
    if (answered.recoveryCodes === null) await onward();
    else setCodes(answered.recoveryCodes);
    return true;
  }

  if (codes !== null) {
    return (
      <AccountPage title={t.saveRecoveryCodes} says={t.recoveryCodesDetail}>
        <RecoveryCodes
          codes={codes}
          portal={portal}
          action={t.continue}
          onKept={() => void onward()}
        />
      </AccountPage>
    );
  }
  return (
    <AccountPage title={t.setUpAuthenticator} says={t.setUpAuthenticatorDetail}>
      {step.enrol && <AuthenticatorSecret {...step.enrol} />}
      <FaultCallout fault={fault} />
      <CodeForm
        label={t.code}
        busy={busy !== null}
        fault={fault}
        action={t.continue}
        onCode={confirm}
      />
      <StepFoot />
    </AccountPage>
  );
}
