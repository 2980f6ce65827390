import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMachine } from '@xstate/react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { SignUpOut } from '#contract/billing/sign-up-calls.ts';
import type { Failure } from '#contract/errors.ts';
import { signUpMachine } from '#machines/sign-up.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { describePrice } from '../../../billing/subscriptions/labels.ts';
import { useQuery } from '../../../shared/queries/use-query.ts';
import { AccountPage } from '../../account-page.tsx';
import { DetailsForm } from './details-form.tsx';
import { Recaptcha } from './recaptcha.tsx';
import { signUpMessages as t } from './messages.en.ts';
import { useStepFocus } from './use-step-focus.ts';

/** How often the page asks whether Stripe has confirmed the payment. */
const POLL_MS = 2_000;

/** A sign-up that its link opens, at the step where it was left (BILL-19). */
export function OpenSignUp({ hash }: { readonly hash: string }) {
  const { history } = useRouter();
  const [state, send] = useMachine(signUpMachine, { input: { hasLink: true } });
  const [signUp, setSignUp] = useState<SignUpOut | null>(null);
  const [tries, setTries] = useState(0);
  const [hasMoved, setHasMoved] = useState(false);
  const mutation = useServerMutation();
  const isBack = useRouterState({
    select: ({ location }) => location.searchStr.includes('checkout=success'),
  });
  const take = (next: SignUpOut): void => {
    if (next.step !== signUp?.step) setHasMoved(false);
    setSignUp(next);
    send({ type: next.step });
  };
  const endIfOver = (reason: Failure): void => {
    if (reason.kind === 'not-found') send({ type: 'OVER' });
  };
  /** A refusal may mean that another tab has continued: then the page follows it. */
  const follow = async (reason: Failure): Promise<void> => {
    endIfOver(reason);
    if (reason.kind !== 'conflict') return;
    const answer = await client().ask('verifySignUp', { hash });
    if (!answer.ok || answer.value.step === signUp?.step) return;
    mutation.clear();
    take(answer.value);
    setHasMoved(true);
  };
  const open = async (): Promise<void> => {
    const answer = await mutation.send(() => client().ask('verifySignUp', { hash }));
    if (answer.ok) take(answer.value);
    else endIfOver(answer.failure);
  };
  const step = state.value as keyof (typeof signUpMachine)['states'];
  useStepFocus(step);
  useEffect(() => {
    void open();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per link
  }, [hash]);
  const payment = useQuery('verifySignUp', { hash }, step === 'paying', { poll: () => POLL_MS });
  const onPayment = useEffectEvent(() => {
    if (step !== 'paying') return;
    if (payment.failure !== null) endIfOver(payment.failure);
    else if (payment.value !== null) take(payment.value);
  });
  useEffect(() => onPayment(), [payment.value, payment.failure]);
  const validate = async (response: string): Promise<void> => {
    const answer = await mutation.send(() => client().ask('validateRecaptcha', { hash, response }));
    if (answer.ok) take(answer.value);
    else {
      endIfOver(answer.failure);
      // A response is valid once, so a new widget asks again.
      setTries(tries + 1);
    }
  };
  const checkOut = async (): Promise<void> => {
    const answer = await mutation.send(() => client().ask('startCheckout', { hash }), 'checkout');
    if (!answer.ok) return follow(answer.failure);
    if (answer.value.url === null) await open();
    else location.assign(answer.value.url);
  };
  const failure = mutation.failure ?? (step === 'paying' ? payment.failure : null);
  const error = failure !== null && step !== 'over' && (
    <Callout tone="failed" alert>
      {getFailureText(failure)}
    </Callout>
  );
  const above = error || (hasMoved && <Callout tone="running">{t.moved}</Callout>);
  if (step === 'over')
    return (
      <AccountPage title={t.title}>
        <Callout tone="failed" alert>
          {t.over}
        </Callout>
        <div>
          <Button variant="primary" onClick={() => history.push('/o365/register')}>
            {t.again}
          </Button>
        </div>
      </AccountPage>
    );
  if (signUp === null)
    return (
      <AccountPage title={t.title}>
        {failure === null ? (
          <output className="block text-ink-2">{t.opening}</output>
        ) : (
          <RetryCallout failure={failure} onRetry={() => void open()}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
      </AccountPage>
    );
  const prices =
    signUp.prices === null ? '' : describePrice({ ...signUp.prices, currency: signUp.currency });
  const isFree = signUp.prices?.userMills === 0 && signUp.prices.gigabyteMills === 0;
  const edit = (
    <Button
      onClick={() => {
        mutation.clear();
        setHasMoved(false);
        send({ type: 'EDIT' });
      }}
    >
      {t.edit}
    </Button>
  );
  switch (step) {
    case 'details':
      return (
        <Details
          hash={hash}
          signUp={signUp}
          onChange={take}
          onFailure={(reason) => void follow(reason)}
        />
      );
    case 'captcha':
      return (
        <AccountPage title={t.captcha} description={signUp.email}>
          {above}
          <Recaptcha key={tries} onAnswer={(response) => void validate(response)} />
        </AccountPage>
      );
    case 'checkout':
      return (
        <AccountPage title={isFree ? t.title : t.pay} description={prices}>
          {above}
          <p className="m-0">
            {isFree ? t.free({ company: signUp.company }) : t.payHint({ company: signUp.company })}
          </p>
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" busy={mutation.busy} onClick={() => void checkOut()}>
              {isFree ? t.create : t.toPayment}
            </Button>
            {edit}
          </div>
        </AccountPage>
      );
    case 'paying':
      return (
        <AccountPage title={isBack ? t.paying : t.notPaid} description={prices}>
          {above}
          <output className="block">{isBack ? t.payingHint : t.notPaidHint}</output>
          <div className="flex flex-wrap gap-2">
            <Button
              variant={isBack ? 'default' : 'primary'}
              busy={mutation.pending === 'checkout'}
              onClick={() => void checkOut()}
            >
              {t.openPayment}
            </Button>
            {!isBack && edit}
          </div>
        </AccountPage>
      );
    default:
      return (
        <AccountPage title={t.ready}>
          <output className="block">{t.readyHint({ email: signUp.email })}</output>
          <div>
            <Button variant="primary" onClick={() => history.push('/login')}>
              {t.signIn}
            </Button>
          </div>
        </AccountPage>
      );
  }
}

/** The holder of the link sets the password, and corrects what somebody else may have entered. */
function Details({
  hash,
  signUp,
  onChange,
  onFailure,
}: {
  readonly hash: string;
  readonly signUp: SignUpOut;
  readonly onChange: (signUp: SignUpOut) => void;
  readonly onFailure: (failure: Failure) => void;
}) {
  const isNew = signUp.step === 'details';
  const { email, name, company, level } = signUp;
  return (
    <AccountPage title={isNew ? t.choosePassword : t.edit} description={email}>
      <DetailsForm
        options={signUp}
        initial={{ email, name, company, level, password: isNew ? '' : null }}
        isEmailFixed
        label={isNew ? t.next : t.save}
        submit={async (details) => {
          const answer = await client().ask('completeSignUp', {
            hash,
            name: details.name,
            company: details.company,
            level: details.level,
            ...(details.password !== null && { password: details.password }),
          });
          if (!answer.ok) onFailure(answer.failure);
          return answer;
        }}
        onSaved={onChange}
      />
      {!isNew && (
        <div>
          <Button onClick={() => onChange(signUp)}>{t.back}</Button>
        </div>
      )}
    </AccountPage>
  );
}
