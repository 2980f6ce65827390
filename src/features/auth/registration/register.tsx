import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { getSidebarTitle } from '#src/app/shell/branding/apply-branding.ts';
import { pauseRedirectTarget } from '#src/app/router/redirect-target.ts';
import { useBranding } from '#src/app/session/session.ts';
import { useWayIn } from '#src/app/session/sign-in-context.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { AccountPage } from '../account-page.tsx';
import { Done } from '../recovery/done.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { findTooShort } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useRecoveryAsk } from '../recovery/use-recovery-call.ts';
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
  return <Form key={token} token={token} />;
}

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
      <ToSignIn />
    </AccountPage>
  );
}

type What = 'name' | 'username' | 'email' | 'newPassword';

function Form({ token }: { readonly token: string }) {
  const portal = getSidebarTitle(useBranding());
  const { busy, error, request } = useRecoveryAsk();
  const [typed, setTyped] = useState<Readonly<Record<What, string>>>({
    name: '',
    username: '',
    email: '',
    newPassword: '',
  });
  const [wrong, setWrong] = useState<Partial<Readonly<Record<What, string>>>>({});
  const [made, setMade] = useState<{ readonly username: string; readonly email: string } | null>(
    null,
  );
  const form = useRef<HTMLFormElement>(null);
  const waits = useWaits(error);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const set = (what: What, value: string): void => {
    setTyped({ ...typed, [what]: value });
    setWrong({ ...wrong, [what]: undefined });
  };
  const refuse = (errors: Partial<Record<What, string>>): void => {
    setWrong(errors);
    const first = ORDER.find((what) => errors[what] !== undefined);
    if (first !== undefined)
      form.current?.querySelector<HTMLInputElement>(`[name="${NAMES[first]}"]`)?.focus();
  };

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits !== null) return;
    const name = typed.name.trim();
    const username = typed.username.trim();
    const email = typed.email.trim();
    const short = findTooShort(typed.newPassword);
    const errors: Partial<Record<What, string>> = {
      ...(name === '' && { name: t.nameMissing }),
      ...(username === ''
        ? { username: t.newUsernameMissing }
        : /\s/.test(username) && { username: t.usernameHasSpaces }),
      ...(email !== '' &&
        !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && {
          email: t.emailInvalid,
        }),
      ...(short !== null && { newPassword: short }),
    };
    refuse(errors);
    if (Object.keys(errors).length > 0) return;
    const answer = await request(() =>
      client().ask('acceptInvitation', {
        token,
        name,
        username,
        password: typed.newPassword,
        ...(email !== '' && { email }),
      }),
    );
    if (answer.ok) {
      setMade({ username: answer.value.username, email });
      return;
    }
    if (answer.failure.kind === 'conflict') refuse({ username: answer.failure.message });
    if (answer.failure.kind !== 'bad-input') return;
    const at = answer.failure.issues[0]?.path ?? 'password';
    refuse({
      [at === 'name' || at === 'username' || at === 'email' ? at : 'newPassword']:
        answer.failure.message,
    });
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
      <form
        ref={form}
        className="grid gap-5"
        onSubmit={(event) => void submit(event)}
        noValidate
        aria-busy={busy}
      >
        <RequiredNote />
        <TextField
          label={t.yourName}
          required
          name="name"
          tall
          autoComplete="name"
          maxLength={LIMITS.nameChars}
          value={typed.name}
          onChange={(event) => set('name', event.target.value)}
          error={wrong.name ?? null}
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
          value={typed.username}
          onChange={(event) => set('username', event.target.value)}
          error={wrong.username ?? null}
        />
        <TextField
          label={t.email}
          name="email"
          type="email"
          tall
          autoComplete="email"
          maxLength={254}
          value={typed.email}
          onChange={(event) => set('email', event.target.value)}
          hint={t.emailHint}
          error={wrong.email ?? null}
        />
        <NewPassword
          auth="db"
          value={typed.newPassword}
          onChange={(value) => set('newPassword', value)}
          error={wrong.newPassword ?? null}
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

const EMPTY = {};
const ORDER = ['name', 'username', 'email', 'newPassword'] as const satisfies readonly What[];
const NAMES: Readonly<Record<What, string>> = {
  name: 'name',
  username: 'username',
  email: 'email',
  newPassword: 'new-password',
};
