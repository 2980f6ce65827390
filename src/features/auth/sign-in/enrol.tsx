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

/** An authenticator has to be set up on the way in; then the recovery codes, once. */
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
      <AccountPage
        title="Keep your recovery codes"
        says="With one of them you sign in when your authenticator app is not at hand. They are shown only now."
      >
        <RecoveryCodes
          codes={codes}
          portal={portal}
          action="Continue"
          onKept={() => void onward()}
        />
      </AccountPage>
    );
  }
  return (
    <AccountPage
      title="Set up an authenticator app"
      says="Signing in here takes a code of an authenticator app. Scan this with the app, then type the first code that it shows."
    >
      {step.enrol && <AuthenticatorSecret {...step.enrol} />}
      <FaultCallout fault={fault} />
      <CodeForm
        label="Code"
        busy={busy !== null}
        fault={fault}
        action="Continue"
        onCode={confirm}
      />
      <StepFoot />
    </AccountPage>
  );
}
