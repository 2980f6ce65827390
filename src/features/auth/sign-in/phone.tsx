import { AccountPage } from '../account-page.tsx';
import { ErrorCallout, useWaits } from './error-callout.tsx';
import { PhoneForm } from './phone-form.tsx';
import { useSignInStep } from './use-sign-in-step.ts';
import { StepFoot } from './step-footer.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Asks for a mobile number so that a code can be sent. */
export function Phone() {
  const { send, busy, error } = useSignInStep();
  const waits = useWaits(error);
  return (
    <AccountPage title={t.yourMobilePhone} description={t.phoneDetail}>
      <ErrorCallout error={error} />
      <PhoneForm
        label={t.mobilePhone}
        busy={busy !== null}
        disabled={waits !== null}
        action={t.sendCode}
        onPhone={(mobilePhone) => send({ type: 'ANSWER', ask: { way: 'phone', mobilePhone } })}
      />
      <StepFoot />
    </AccountPage>
  );
}
