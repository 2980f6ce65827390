import { useRef, useState, type SyntheticEvent } from 'react';
import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { describePrice, getLevelName } from '../../../billing/subscriptions/labels.ts';
import { accountMessages } from '../../messages.en.ts';
import { findTooShort } from '../../new-password-rules.ts';
import { NewPassword } from '../../new-password.tsx';
import { signUpMessages as t } from './messages.en.ts';

/** What a new customer enters. `password`: null if the form doesn't ask for one. */
export interface SignUpDetails {
  readonly email: string;
  readonly name: string;
  readonly company: string;
  readonly level: ServiceLevel;
  readonly password: string | null;
}
type Draft = Omit<SignUpDetails, 'level'> & { readonly level: ServiceLevel | null };
type Errors = Partial<Readonly<Record<keyof Draft, string>>>;

export interface DetailsFormProps {
  readonly options: Pick<OutputOf<'getSignUpOptions'>, 'currency' | 'levels'>;
  readonly initial: Draft;
  /** The link proves the address, so it doesn't change after that. */
  readonly isEmailFixed: boolean;
  readonly label: string;
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  readonly onSubmit: (details: SignUpDetails) => Promise<void>;
}

/** The details of a sign-up, before the address is verified and after. */
export function DetailsForm({
  options,
  initial,
  isEmailFixed,
  label,
  isBusy,
  failure,
  onSubmit,
}: DetailsFormProps) {
  const branding = useBranding();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors>({});
  const [draft, setDraft] = useState(initial);
  const change = (next: Partial<Draft>): void => {
    setDraft({ ...draft, ...next });
    setErrors({
      ...errors,
      ...Object.fromEntries(Object.keys(next).map((name) => [name, undefined])),
    });
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const found = findErrors(draft);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first === undefined && draft.level !== null)
      void onSubmit({ ...draft, level: draft.level });
    else form.current?.querySelector<HTMLInputElement>(`[data-field="${first}"] input`)?.focus();
  };
  const issues: Errors =
    failure?.kind === 'bad-input'
      ? Object.fromEntries(failure.issues.map(({ path, message }) => [path, message]))
      : {};
  const getError = (name: keyof Draft): string | null => errors[name] ?? issues[name] ?? null;
  const levelError = getError('level');
  return (
    <>
      {failure !== null && failure.kind !== 'bad-input' && (
        <Callout tone="failed" alert>
          {getFailureText(failure)}
        </Callout>
      )}
      <form
        ref={form}
        noValidate
        aria-busy={isBusy}
        className="grid gap-5"
        onSubmit={(event) => submit(event)}
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
            error={getError('name')}
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
            error={getError('company')}
            onChange={(event) => change({ company: event.target.value })}
          />
        </div>
        {!isEmailFixed && (
          <div data-field="email">
            <TextField
              label={accountMessages.email}
              required
              tall
              type="email"
              autoComplete="email"
              maxLength={254}
              value={draft.email}
              error={getError('email')}
              onChange={(event) => change({ email: event.target.value })}
            />
          </div>
        )}
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
          {levelError !== null && (
            <p role="alert" className="m-0 pt-1 text-agate text-failed">
              {levelError}
            </p>
          )}
        </fieldset>
        {draft.password !== null && (
          <div data-field="password">
            <NewPassword
              auth="db"
              value={draft.password}
              error={getError('password')}
              onChange={(password) => change({ password })}
            />
          </div>
        )}
        <div>
          <Button variant="primary" type="submit" busy={isBusy}>
            {label}
          </Button>
        </div>
      </form>
    </>
  );
}

function findErrors({ email, name, company, level, password }: Draft): Errors {
  const short = password === null ? null : findTooShort(password);
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
