import { useRouter } from '@tanstack/react-router';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { useBranding } from '#src/app/session/session.ts';
import { holdPage } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { AuthenticatorSecret } from '../authenticator-secret.tsx';
import { CodeForm } from './code-form.tsx';
import { ErrorCallout } from './error-callout.tsx';
import { RecoveryCodes } from '../recovery-codes.tsx';
import { useSignInStep } from './use-sign-in-step.ts';
import { StepFoot } from './step-footer.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Requires an authenticator during sign-in, then shows the recovery codes once. */
export function Enrol({ step }: { readonly step: SignInStep }) {
  const router = useRouter();
  const portal = getSidebarTitle(useBranding());
  const { state, send, busy, error } = useSignInStep();
  const { recoveryCodes } = state.context;

  if (recoveryCodes !== null) {
    return (
      <AccountPage title={t.saveRecoveryCodes} description={t.recoveryCodesDetail}>
        <RecoveryCodes
          codes={recoveryCodes}
          portal={portal}
          action={t.continue}
          onSaved={() => {
            send({ type: 'CONTINUE' });
            holdPage(false);
            void router.invalidate();
          }}
        />
      </AccountPage>
    );
  }
  return (
    <AccountPage title={t.setUpAuthenticator} description={t.setUpAuthenticatorDetail}>
      {step.enrol && <AuthenticatorSecret {...step.enrol} />}
      <ErrorCallout error={error} />
      <CodeForm
        label={t.code}
        busy={busy !== null}
        error={error}
        action={t.continue}
        onCode={(code) => send({ type: 'ANSWER', ask: { way: 'enrol', code } })}
      />
      <StepFoot />
    </AccountPage>
  );
}
