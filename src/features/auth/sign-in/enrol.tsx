import { useRouter } from '@tanstack/react-router';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { sidebarTitleOf } from '#src/app/shell/branding/apply-branding.ts';
import { useBranding } from '#src/app/session/session.ts';
import { holdPage } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { AuthenticatorSecret } from '../authenticator-secret.tsx';
import { CodeForm } from './code-form.tsx';
import { FaultCallout } from './error-callout.tsx';
import { RecoveryCodes } from '../recovery-codes.tsx';
import { useSignInStep } from './use-sign-in-step.ts';
import { StepFoot } from './step-footer.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Requires an authenticator during sign-in, then shows the recovery codes once. */
export function Enrol({ step }: { readonly step: SignInStep }) {
  const router = useRouter();
  const portal = sidebarTitleOf(useBranding());
  const { state, send, busy, fault } = useSignInStep();
  const { recoveryCodes } = state.context;

  if (recoveryCodes !== null) {
    return (
      <AccountPage title={t.saveRecoveryCodes} says={t.recoveryCodesDetail}>
        <RecoveryCodes
          codes={recoveryCodes}
          portal={portal}
          action={t.continue}
          onKept={() => {
            send({ type: 'CONTINUE' });
            holdPage(false);
            void router.invalidate();
          }}
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
        onCode={(code) => send({ type: 'ANSWER', ask: { way: 'enrol', code } })}
      />
      <StepFoot />
    </AccountPage>
  );
}
