import { AccountPage } from '../account-page.tsx';
import { FaultCallout, useWaits } from './error-callout.tsx';
import { PhoneForm } from './phone-form.tsx';
import { useStepAnswer } from './use-step-answer.ts';
import { StepFoot } from './step-footer.tsx';

/** A mobile number, before a code can be sent. */
export function Phone() {
  const { busy, fault, answer } = useStepAnswer();
  const waits = useWaits(fault);
  return (
    <AccountPage
      title="Your mobile phone"
      says="Signing in here takes a code by SMS. The number is kept once you have typed the code."
    >
      <FaultCallout fault={fault} />
      <PhoneForm
        label="Mobile phone"
        busy={busy !== null}
        disabled={waits !== null}
        action="Send code"
        onPhone={(mobilePhone) => void answer({ way: 'phone', mobilePhone })}
      />
      <StepFoot />
    </AccountPage>
  );
}
