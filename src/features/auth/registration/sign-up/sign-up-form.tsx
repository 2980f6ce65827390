import { useMachine } from '@xstate/react';
import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { signUpMachine } from '#machines/sign-up.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useBranding } from '#src/app/session/session.ts';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../../account-page.tsx';
import { DetailsForm } from './details-form.tsx';
import type { SignUpDetails } from './details-form.tsx';
import { signUpMessages as t } from './messages.en.ts';
import { useStepFocus } from './use-step-focus.ts';

/**
 * Registers a new customer (BILL-19). The user who opens the link in the email sets the password.
 */
export function SignUpForm({ options }: { readonly options: OutputOf<'getSignUpOptions'> }) {
  const branding = useBranding();
  const [state, send] = useMachine(signUpMachine, { input: { hasLink: false } });
  const mutation = useServerMutation();
  const [isResent, setIsResent] = useState(false);
  const [details, setDetails] = useState<SignUpDetails | null>(null);
  const email = details?.email.trim() ?? '';
  useStepFocus(state.matches('emailed') ? 'emailed' : 'form');
  const resend = async (): Promise<void> => {
    setIsResent(false);
    const answer = await mutation.send(() => client().ask('resendSignUp', { email }));
    if (!answer.ok) return;
    setIsResent(true);
    send({ type: 'RESENT' });
  };
  if (state.value === 'emailed')
    return (
      <AccountPage title={t.checkEmail}>
        {mutation.failure !== null && (
          <Callout tone="failed" alert>
            {getFailureText(mutation.failure)}
          </Callout>
        )}
        <p className="m-0 break-words">{t.sent({ email })}</p>
        <output className="block empty:hidden">{isResent ? t.resent : ''}</output>
        <div className="flex flex-wrap gap-2">
          <Button busy={mutation.busy} onClick={() => void resend()}>
            {t.resend}
          </Button>
          <Button
            onClick={() => {
              mutation.clear();
              setIsResent(false);
              send({ type: 'EDIT' });
            }}
          >
            {t.changeEmail}
          </Button>
        </div>
      </AccountPage>
    );
  return (
    <AccountPage title={t.title} description={t.description({ portal: getSidebarTitle(branding) })}>
      <DetailsForm
        options={options}
        initial={
          details ?? {
            email: '',
            name: '',
            company: '',
            level: options.levels.length === 1 ? (options.levels[0]?.level ?? null) : null,
            password: null,
          }
        }
        isEmailFixed={false}
        label={t.register}
        submit={({ email: address, name, company, level }) =>
          client().ask('signUp', { email: address, name, company, level })
        }
        onSaved={(_, entered) => {
          setDetails(entered);
          send({ type: 'SENT' });
        }}
      />
    </AccountPage>
  );
}
