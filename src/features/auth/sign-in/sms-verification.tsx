import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { Link } from '@tanstack/react-router';
import { RESEND_WAIT_MS } from '#machines/sign-in-step.ts';
import { useNow } from '#src/app/clock.ts';
import { Button } from '#src/ui/button.tsx';
import { AccountPage } from '../account-page.tsx';
import { CodeForm } from './code-form.tsx';
import { ErrorCallout } from './error-callout.tsx';
import { PhoneForm } from './phone-form.tsx';
import { waitWords } from './sign-in-error.ts';
import { useSignInStep } from './use-sign-in-step.ts';
import { StepFoot } from './step-footer.tsx';
import { listOtherMethods } from './step-path.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { accountMessages as t } from '../messages.en.ts';

/**
 * The code sent by SMS. The user can request another code. They can change the number once, as long
 * as no code for the current number was ever entered.
 */
export function SmsVerification({
  step: { phone, mayChangePhone, resends, methods },
}: {
  readonly step: SignInStep;
}) {
  const { state, send, busy, error, resendError } = useSignInStep(true);
  const { sentAt, isSentAgain, isPhoneChanged } = state.context;
  const isChanging = state.matches('changingPhone') || state.matches('sendingToPhone');
  const since = sentAt ?? 0;
  const waits = waitWords(since + RESEND_WAIT_MS, Math.max(useNow(1_000), since));

  return (
    <AccountPage
      title={t.enterTheCode}
      description={
        phone === null
          ? t.smsSentOwn
          : richText(t.smsSent, { phone: <span className="whitespace-nowrap">{phone}</span> })
      }
    >
      <ErrorCallout error={error ?? resendError} />
      {isChanging ? (
        <PhoneForm
          label={t.newMobilePhone}
          busy={busy === 'resend'}
          disabled={waits !== null || resends === 0}
          action={waits === null ? t.sendCode : t.sendCodeWhen({ when: waits })}
          onPhone={(mobilePhone) => send({ type: 'SEND_TO_PHONE', mobilePhone })}
        />
      ) : (
        <CodeForm
          key={since}
          label={t.code}
          busy={busy !== null}
          error={error}
          action={t.continue}
          {...((mayChangePhone || isPhoneChanged) && {
            hint: t.confirmsNumber,
          })}
          onCode={(code) =>
            send({
              type: 'ANSWER',
              ask: { way: 'sms', code, ...(isPhoneChanged && { phoneUpdatedOnce: true }) },
            })
          }
        />
      )}
      <StepFoot>
        <output className="block text-ink-2">{isSentAgain && t.anotherCodeSent}</output>
        {resends === 0 ? (
          <p className="m-0 py-1 text-ink-2">{ACCOUNT.noMoreCodes}</p>
        ) : (
          !isChanging &&
          (waits === null ? (
            <Button
              variant="quiet"
              className="-ml-2"
              icon="sync"
              busy={busy === 'resend'}
              onClick={() => send({ type: 'RESEND' })}
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
            onClick={() => send({ type: isChanging ? 'KEEP_PHONE' : 'CHANGE_PHONE' })}
          >
            {isChanging ? t.keepNumber : t.otherNumber}
          </Button>
        )}
        {listOtherMethods(methods).length > 0 && (
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
