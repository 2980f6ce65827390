import { useMachine } from '@xstate/react';
import { useRef, useState, type SyntheticEvent } from 'react';
import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import type { OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { signUpMachine } from '#machines/sign-up.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useBranding } from '#src/app/session/session.ts';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { describePrice, getLevelName } from '../../../billing/subscriptions/labels.ts';
import { AccountPage } from '../../account-page.tsx';
import { accountMessages } from '../../messages.en.ts';
import { findTooShort } from '../../new-password-rules.ts';
import { NewPassword } from '../../new-password.tsx';
import { signUpMessages as t } from './messages.en.ts';

interface Draft {
  readonly email: string;
  readonly name: string;
  readonly company: string;
  readonly level: ServiceLevel | null;
  readonly password: string;
}
type Errors = Partial<Readonly<Record<keyof Draft, string>>>;

/** Registers a new customer (BILL-19). */
export function SignUpForm({ options }: { readonly options: OutputOf<'getSignUpOptions'> }) {
  const branding = useBranding();
  const [state, send] = useMachine(signUpMachine, { input: { hasLink: false } });
  const mutation = useServerMutation();
  const form = useRef<HTMLFormElement>(null);
  const [isResent, setIsResent] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [draft, setDraft] = useState<Draft>({
    email: '',
    name: '',
    company: '',
    level: options.levels.length === 1 ? (options.levels[0]?.level ?? null) : null,
    password: '',
  });
  const change = (next: Partial<Draft>): void => {
    setDraft({ ...draft, ...next });
    setErrors({
      ...errors,
      ...Object.fromEntries(Object.keys(next).map((name) => [name, undefined])),
    });
  };
  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    const found = findErrors(draft);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first !== undefined || draft.level === null) {
      form.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus();
      return;
    }
    const { level } = draft;
    const answer = await mutation.send(() => client().ask('signUp', { ...draft, level }));
    if (answer.ok) return send({ type: 'SENT' });
    if (answer.failure.kind === 'bad-input') {
      const [issue] = answer.failure.issues;
      if (issue !== undefined) setErrors({ [issue.path]: issue.message });
    }
  };
  const resend = async (): Promise<void> => {
    const answer = await mutation.send(() => client().ask('resendSignUp', { email: draft.email }));
    if (!answer.ok) return;
    setIsResent(true);
    send({ type: 'RESENT' });
  };
  const failure = mutation.failure !== null && mutation.failure.kind !== 'bad-input' && (
    <Callout tone="failed" alert>
      {getFailureText(mutation.failure)}
    </Callout>
  );
  if (state.value === 'emailed')
    return (
      <AccountPage title={t.checkEmail}>
        {failure}
        <output className="block">{isResent ? t.resent : t.sent({ email: draft.email })}</output>
        <div>
          <Button busy={mutation.busy} onClick={() => void resend()}>
            {t.resend}
          </Button>
        </div>
      </AccountPage>
    );
  return (
    <AccountPage title={t.title} description={t.description({ portal: getSidebarTitle(branding) })}>
      {failure}
      <form
        ref={form}
        noValidate
        aria-busy={mutation.busy}
        className="grid gap-5"
        onSubmit={(event) => void submit(event)}
      >
        <RequiredNote />
        <div data-field="name">
          <TextField
            label={accountMessages.yourName}
            required
            tall
            autoComplete="name"
            maxLength={LIMITS.nameChars}
            value={draft.name}
            error={errors.name ?? null}
            onChange={(event) => change({ name: event.target.value })}
          />
        </div>
        <div data-field="company">
          <TextField
            label={t.company}
            required
            tall
            autoComplete="organization"
            maxLength={LIMITS.nameChars}
            value={draft.company}
            error={errors.company ?? null}
            onChange={(event) => change({ company: event.target.value })}
          />
        </div>
        <div data-field="email">
          <TextField
            label={accountMessages.email}
            required
            tall
            type="email"
            autoComplete="email"
            maxLength={254}
            value={draft.email}
            error={errors.email ?? null}
            onChange={(event) => change({ email: event.target.value })}
          />
        </div>
        <fieldset data-field="level" className="m-0 min-w-0 border-0 p-0">
          <legend className="pb-1 font-semibold">
            {t.level}
            <RequiredMark />
          </legend>
          {options.levels.map((prices) => (
            <Choice
              key={prices.level}
              name="level"
              checked={draft.level === prices.level}
              title={getLevelName(prices.level, branding)}
              detail={describePrice({ ...prices, currency: options.currency })}
              onChoose={() => change({ level: prices.level })}
            />
          ))}
          {errors.level !== undefined && (
            <p role="alert" className="m-0 pt-1 text-agate text-failed">
              {errors.level}
            </p>
          )}
        </fieldset>
        <div data-field="password">
          <NewPassword
            auth="db"
            value={draft.password}
            error={errors.password ?? null}
            onChange={(password) => change({ password })}
          />
        </div>
        <div>
          <Button variant="primary" type="submit" busy={mutation.busy}>
            {t.register}
          </Button>
        </div>
      </form>
    </AccountPage>
  );
}

function findErrors({ email, name, company, level, password }: Draft): Errors {
  const short = findTooShort(password);
  return {
    ...(name.trim() === '' && { name: accountMessages.nameMissing }),
    ...(company.trim() === '' && { company: t.companyMissing }),
    ...(email.trim() === ''
      ? { email: t.emailMissing }
      : !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) && {
          email: accountMessages.emailInvalid,
        }),
    ...(level === null && { level: t.levelMissing }),
    ...(short !== null && { password: short }),
  };
}
