import { useState } from 'react';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { ACCOUNT } from '#contract/messages/account.ts';
import { Link } from '@tanstack/react-router';
import { now, useNow } from '#src/app/clock.ts';
import { Button } from '#src/ui/button.tsx';
import { AccountPage } from '../account-page.tsx';
import { CodeForm } from './code-form.tsx';
import { FaultCallout } from './error-callout.tsx';
import { PhoneForm } from './phone-form.tsx';
import { waitWords } from './sign-in-error.ts';
import { useStepAnswer } from './use-step-answer.ts';
import { StepFoot } from './step-footer.tsx';
import { othersOf } from './step-path.ts';

/** A code may be on its way for so long before another one is asked for. */
const ANOTHER_MS = 30_000;

/**
 * The code that came by SMS; another one, or another number while no code to the present one was
 * ever typed, and once.
 */
export function SmsVerification({
  step: { phone, mayChangePhone, resends, methods },
}: {
  readonly step: SignInStep;
}) {
  const { busy, fault, answer, setFault } = useStepAnswer();
  const [since, setSince] = useState(now);
  const [changing, setChanging] = useState(false);
  const [changed, setChanged] = useState(false);
  const [told, setTold] = useState('');
  const waits = waitWords(since + ANOTHER_MS, Math.max(useNow(1_000), since));

  async function send(newMobilePhone: string | null): Promise<void> {
    setTold('');
    if ((await answer({ way: 'resend', newMobilePhone })) === null) return;
    if (newMobilePhone !== null) setChanged(true);
    setSince(now());
    setChanging(false);
    setTold('Another code is on its way.');
  }

  return (
    <AccountPage
      title="Enter the code"
      says={
        <>
          We sent a code of six digits to{' '}
          <span className="whitespace-nowrap">{phone ?? 'your mobile phone'}</span>. It is good for
          five minutes.
        </>
      }
    >
      <FaultCallout fault={fault} />
      {changing ? (
        <PhoneForm
          label="New mobile phone"
          busy={busy === 'resend'}
          disabled={waits !== null || resends === 0}
          action={waits === null ? 'Send code' : `Send code ${waits}`}
          onPhone={(number) => void send(number)}
        />
      ) : (
        <CodeForm
          key={since}
          label="Code"
          busy={busy === 'sms'}
          fault={fault}
          action="Continue"
          {...((mayChangePhone || changed) && {
            hint: 'With this code you confirm that the number is right.',
          })}
          onCode={async (code) =>
            (await answer({ way: 'sms', code, ...(changed && { phoneUpdatedOnce: true }) })) !==
            null
          }
        />
      )}
      <StepFoot>
        <output className="block text-ink-2">{told}</output>
        {resends === 0 ? (
          <p className="m-0 py-1 text-ink-2">{ACCOUNT.noMoreCodes}</p>
        ) : (
          !changing &&
          (waits === null ? (
            <Button
              variant="quiet"
              className="-ml-2"
              icon="sync"
              busy={busy === 'resend'}
              onClick={() => void send(null)}
            >
              Send another code ({resends} left)
            </Button>
          ) : (
            <p className="m-0 flex min-h-8 items-center text-ink-2 pointer-coarse:min-h-11">
              You can ask for another code {waits} ({resends} left).
            </p>
          ))
        )}
        {mayChangePhone && resends > 0 && (
          <Button
            variant="quiet"
            className="-ml-2"
            icon="phone"
            onClick={() => {
              setFault(null);
              setChanging(!changing);
            }}
          >
            {changing ? 'Keep this number' : 'Use another number'}
          </Button>
        )}
        {othersOf(methods).length > 0 && (
          <Link
            to="/verification"
            className="inline-flex items-center py-1 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
          >
            Use another way
          </Link>
        )}
      </StepFoot>
    </AccountPage>
  );
}
