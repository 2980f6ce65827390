import { useState } from 'react';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
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
import { richText } from '#src/ui/rich-text.tsx';
import { accountMessages as t } from '../messages.en.ts';

/** Wait before another code can be requested, in milliseconds. */
const ANOTHER_MS = 30_000;

/**
 * The code sent by SMS. The user can request another code. They can change the number once, as long
 * as no code for the current number was ever entered.
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
    setTold(t.anotherCodeSent);
  }

  return (
    <AccountPage
      title={t.enterTheCode}
      says={
        phone === null
          ? t.smsSentOwn
          : richText(t.smsSent, { phone: <span className="whitespace-nowrap">{phone}</span> })
      }
    >
      <FaultCallout fault={fault} />
      {changing ? (
        <PhoneForm
          label={t.newMobilePhone}
          busy={busy === 'resend'}
          disabled={waits !== null || resends === 0}
          action={waits === null ? t.sendCode : t.sendCodeWhen({ when: waits })}
          onPhone={(number) => void send(number)}
        />
      ) : (
        <CodeForm
          key={since}
          label={t.code}
          busy={busy === 'sms'}
          fault={fault}
          action={t.continue}
          {...((mayChangePhone || changed) && {
            hint: t.confirmsNumber,
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
              {t.resendCodeLeft({ count: resends })}
            </Button>
          ) : (
            <p className="m-0 flex min-h-8 items-center text-ink-2 pointer-coarse:min-h-11">
              {t.resendCodeWhen({ when: waits, count: resends })}
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
            {changing ? t.keepNumber : t.otherNumber}
          </Button>
        )}
        {othersOf(methods).length > 0 && (
          <Link
            to="/verification"
            className="inline-flex items-center py-1 text-accent underline underline-offset-2 pointer-coarse:min-h-11"
          >
            {t.otherMethod}
          </Link>
        )}
      </StepFoot>
    </AccountPage>
  );
}
