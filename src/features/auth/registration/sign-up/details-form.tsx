import { useId } from 'react';
import * as v from 'valibot';
import { signUpCalls } from '#contract/billing/sign-up-calls.ts';
import type { ServiceLevel } from '#contract/billing/service-levels.ts';
import type { OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Choice } from '#src/ui/choice.tsx';
import { findFormErrors, readServerErrors } from '#src/ui/form-errors.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { RequiredMark } from '#src/ui/required-mark.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
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

export interface DetailsFormProps<T> {
  readonly options: Pick<OutputOf<'getSignUpOptions'>, 'currency' | 'levels'>;
  readonly initial: Draft;
  /** The link proves the address, so it doesn't change after that. */
  readonly isEmailFixed: boolean;
  readonly label: string;
  readonly submit: (details: SignUpDetails) => Promise<Result<T>>;
  readonly onSaved: (answer: T, details: SignUpDetails) => void;
}

/** The details of a sign-up, before the address is verified and after. */
export function DetailsForm<T>({
  options,
  initial,
  isEmailFixed,
  label,
  submit,
  onSaved,
}: DetailsFormProps<T>) {
  const branding = useBranding();
  const levelErrorId = useId();
  const {
    form: draft,
    change,
    errors,
    error,
    busy,
    formRef,
    save,
  } = useDraftForm({
    initial,
    schema: DETAILS,
    submit,
    explain: (failure) => {
      const { errors: found, above } = readServerErrors(failure, FIELDS);
      return { errors: found, above: above === null ? null : getFailureText(failure) };
    },
    onSaved,
  });
  const getError = (name: keyof Draft): string | null => errors[name] ?? null;
  const levelError = getError('level');
  return (
    <>
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      <form
        ref={formRef}
        noValidate
        aria-busy={busy}
        className="grid gap-5"
        onSubmit={(event) => void save(event)}
      >
        <RequiredNote />
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
        {!isEmailFixed && (
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
        )}
        <fieldset
          {...(levelError !== null && { 'data-error': true, 'aria-describedby': levelErrorId })}
          className="m-0 min-w-0 border-0 p-0"
        >
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
            <p id={levelErrorId} role="alert" className="m-0 pt-1 text-agate text-failed">
              {levelError}
            </p>
          )}
        </fieldset>
        {draft.password !== null && (
          <NewPassword
            auth="db"
            value={draft.password}
            error={getError('password')}
            onChange={(password) => change({ password })}
          />
        )}
        <div>
          <Button variant="primary" type="submit" busy={busy}>
            {label}
          </Button>
        </div>
      </form>
    </>
  );
}

const { completeSignUp, signUp } = signUpCalls;
/** What the calls of a sign-up take; each of them sends its part. */
const DETAILS_INPUT = v.strictObject({
  ...signUp.input.entries,
  password: v.nullable(completeSignUp.input.entries.password),
});

const DETAILS = makeReadingSchema<Draft, SignUpDetails>((draft) => {
  const { email, level, password } = draft;
  const short = password === null ? null : findTooShort(password);
  return {
    value: level === null ? null : { ...draft, level },
    errors: {
      ...findFormErrors(DETAILS_INPUT, draft, {
        name: accountMessages.nameMissing,
        company: t.companyMissing,
        email: email.trim() === '' ? t.emailMissing : accountMessages.emailInvalid,
        level: t.levelMissing,
      }),
      ...(short !== null && { password: short }),
    },
  };
});
/** Fields that show what the server says about them. */
const FIELDS = { name: null, company: null, email: null, level: null, password: null };
