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
import { signUpMessages as t } from './messages.en.ts';

/**
 * Registers a new customer (BILL-19). The user who opens the link in the email sets the password.
 */
export function SignUpForm({ options }: { readonly options: OutputOf<'getSignUpOptions'> }) {
  const branding = useBranding();
  const [state, send] = useMachine(signUpMachine, { input: { hasLink: false } });
  const mutation = useServerMutation();
  const [isResent, setIsResent] = useState(false);
  const [email, setEmail] = useState('');
  const resend = async (): Promise<void> => {
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
        <output className="block">{isResent ? t.resent({ email }) : t.sent({ email })}</output>
        <div>
          <Button busy={mutation.busy} onClick={() => void resend()}>
            {t.resend}
          </Button>
        </div>
      </AccountPage>
    );
  return (
    <AccountPage title={t.title} description={t.description({ portal: getSidebarTitle(branding) })}>
      <DetailsForm
        options={options}
        initial={{
          email: '',
          name: '',
          company: '',
          level: options.levels.length === 1 ? (options.levels[0]?.level ?? null) : null,
          password: null,
        }}
        isEmailFixed={false}
        label={t.register}
        submit={({ email: address, name, company, level }) =>
          client().ask('signUp', { email: address, name, company, level })
        }
        onSaved={(_, details) => {
          setEmail(details.email.trim());
          send({ type: 'SENT' });
        }}
      />
    </AccountPage>
  );
}
