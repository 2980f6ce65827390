import { useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { providerCalls } from '#contract/providers/calls.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { pauseRedirectTarget } from '#src/app/router/redirect-target.ts';
import { useBranding } from '#src/app/session/session.ts';
import { useWayIn } from '#src/app/session/sign-in-context.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { FormRefusal } from '#src/ui/use-draft-form.ts';
import { AccountPage } from '../account-page.tsx';
import { Done } from '../recovery/done.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { findTooShort } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useRecoveryRequest } from '../recovery/use-recovery-call.ts';
import { CheckedLink } from '../recovery/checked-link.tsx';
import { ToSignIn } from '../recovery/back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { SignUpForm } from './sign-up/sign-up-form.tsx';
import { OpenSignUp } from './sign-up/sign-up.tsx';

const TITLE = t.createYourAccount;

/**
 * Accepts an invitation. It first signs out an existing session; that user's unsent changes stay on
 * the device.
 */
export function Register() {
  const who = useWatch('who', EMPTY);
  const { fragment } = useWayIn();
  const { userId } = useParams({ strict: false }) as { readonly userId?: string };
  const token = fragment.slice(1) || userId || '';
  const leaving = useRef(false);
  const out = who?.kind === 'out';
  useEffect(() => {
    if (who?.kind !== 'in' || leaving.current) return;
    leaving.current = true;
    pauseRedirectTarget(true);
    void client()
      .signOut('keep')
      .finally(() => {
        leaving.current = false;
      });
  }, [who]);
  if (!out)
    return (
      <AccountPage title={TITLE}>
        <DelayedFallback>
          <output className="block text-ink-2">
            {who?.kind === 'in' ? t.signingOut : t.opening}
          </output>
        </DelayedFallback>
      </AccountPage>
    );
  if (token.startsWith('s-')) return <OpenSignUp key={token} hash={token} />;
  if (token === '') return <Begin />;
  return (
    <CheckedLink
      key={token}
      title={TITLE}
      token={token}
      check={checkInvitation}
      whenOver={<AskAgain />}
    >
      {(onOver) => <Form token={token} onOver={onOver} />}
    </CheckedLink>
  );
}

const checkInvitation = (token: string) => client().ask('checkInvitation', { token });

/** Only the person who made an invitation can make another one. */
const AskAgain = () => (
  <>
    <p className="m-0 text-ink-2">{t.askForInvitation}</p>
    <ToSignIn />
  </>
);

/** Without an invitation: a new customer registers, if the provider lets them. */
function Begin() {
  const { value, isLoading } = useQuery('getSignUpOptions', EMPTY);
  if (value?.isOpen === true) return <SignUpForm options={value} />;
  if (value === null && isLoading)
    return (
      <AccountPage title={TITLE}>
        <DelayedFallback>
          <output className="block text-ink-2">{t.opening}</output>
        </DelayedFallback>
      </AccountPage>
    );
  return (
    <AccountPage title={TITLE}>
      <Callout tone="failed" alert>
        {ACCOUNT.linkOver}
      </Callout>
      <AskAgain />
    </AccountPage>
  );
}

interface Draft {
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

function Form({ token, onOver }: { readonly token: string; readonly onOver: () => void }) {
  const portal = getSidebarTitle(useBranding());
  const { error, request } = useRecoveryRequest();
  const [made, setMade] = useState<{ readonly username: string; readonly email: string } | null>(
    null,
  );
  const waits = useWaits(error);
  const { form, change, errors, busy, formRef, save } = useDraftForm({
    initial: { name: '', username: '', email: '', password: '' },
    schema: makeInvitationSchema(token),
    submit: async (input) => {
      const answer = await request(() => client().ask('acceptInvitation', input));
      if (!answer.ok && answer.failure.kind === 'not-found') onOver();
      return answer;
    },
    explain: explainRefusal,
    onSaved: ({ username }, { email = '' }) => setMade({ username, email }),
  });
  const focusFirst = useEffectEvent(() => formRef.current?.querySelector('input')?.focus());
  useEffect(() => focusFirst(), []);
  function submit(event: SyntheticEvent): void {
    event.preventDefault();
    if (waits === null) void save();
  }

  if (made !== null) {
    return (
      <Done title={TITLE}>
        {made.email === ''
          ? t.accountCreated({ username: made.username })
          : t.accountCreatedConfirm(made)}
      </Done>
    );
  }
  return (
    <AccountPage title={TITLE} description={t.invited({ portal })}>
      <ErrorCallout error={error} />
      <form ref={formRef} className="grid gap-5" onSubmit={submit} noValidate aria-busy={busy}>
        <RequiredNote />
        <TextField
          label={t.yourName}
          required
          name="name"
          tall
          autoComplete="name"
          maxLength={LIMITS.nameChars}
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
          error={errors['name'] ?? null}
        />
        <TextField
          label={t.username}
          required
          name="username"
          tall
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={LIMITS.nameChars}
          value={form.username}
          onChange={({ target }) => change({ username: target.value })}
          error={errors['username'] ?? null}
        />
        <TextField
          label={t.email}
          name="email"
          type="email"
          tall
          autoComplete="email"
          maxLength={254}
          value={form.email}
          onChange={({ target }) => change({ email: target.value })}
          hint={t.emailHint}
          error={errors['email'] ?? null}
        />
        <NewPassword
          auth="db"
          value={form.password}
          onChange={(password) => change({ password })}
          error={errors['password'] ?? null}
        />
        <Button
          type="submit"
          variant="primary"
          className="h-10 w-full"
          busy={busy}
          disabled={waits !== null}
        >
          {waits === null
            ? busy
              ? t.creatingAccount
              : t.createAccount
            : t.tryAgainIn({ when: waits })}
        </Button>
      </form>
      <ToSignIn />
    </AccountPage>
  );
}

const makeInvitationSchema = (token: string) =>
  makeFormSchema(
    providerCalls.acceptInvitation.input,
    ({ name, username, email, password }: Draft) => ({
      value: {
        token,
        name: name.trim(),
        username: username.trim(),
        password,
        ...(email.trim() !== '' && { email: email.trim() }),
      },
      errors: {
        username: /\S\s+\S/.test(username) ? t.usernameHasSpaces : null,
        password: findTooShort(password),
      },
    }),
    {
      name: t.nameMissing,
      username: t.newUsernameMissing,
      email: t.emailInvalid,
      password: t.newPasswordMissing,
    },
  );

/** What is not about a field is shown above the form. */
function explainRefusal(failure: Failure): FormRefusal {
  if (failure.kind === 'conflict') return { errors: { username: failure.message }, above: null };
  if (failure.kind !== 'bad-input') return { errors: {}, above: null };
  const path = failure.issues[0]?.path ?? '';
  return { errors: { [FIELDS.has(path) ? path : 'password']: failure.message }, above: null };
}
const FIELDS: ReadonlySet<string> = new Set(['name', 'username', 'email']);
const EMPTY = {};
