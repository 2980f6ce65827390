import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { TEXT_LIMITS } from '#contract/text-limits.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { SignInReply } from '#workers/api.ts';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { sayAtSignIn, useWayIn } from '#src/app/session/sign-in-context.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { AccountPage } from '../account-page.tsx';
import { ErrorCallout, useWaits } from './error-callout.tsx';
import { toSignInError } from './sign-in-error.ts';
import type { SignInError } from './sign-in-error.ts';
import { SignInWays } from './sign-in-methods.tsx';
import { signInMessages as t } from './sign-in.messages.en.ts';
import { getStepPath } from './step-path.ts';

export function SignInScreen() {
  const router = useRouter();
  const who = useWatch('who', EMPTY);
  const branding = who === undefined || who.kind === 'starting' ? null : who.branding;
  const out = who?.kind === 'out' ? who : null;
  const { fragment, sentence } = useWayIn();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  /** If some users belong to the directory, users of the portal itself choose that here. */
  const [here, setHere] = useState(false);
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<SignInError | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const secret = useRef<HTMLInputElement>(null);
  const waits = useWaits(error);
  useEffect(() => first.current?.focus(), []);
  useEffect(() => {
    if (BRINGS.test(fragment))
      void go(async () => (await import('./link-sign-in.ts')).enter(fragment));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- runs once for each fragment
  }, [fragment]);

  /** Runs one sign-in at a time. On success `who` changes, and the guard of this page redirects. */
  async function go(ask: () => Promise<Result<SignInReply>>): Promise<void> {
    setBusy(true);
    setError(null);
    sayAtSignIn(null);
    const result = await ask();
    // It stays busy until the redirect, which takes a while on a slow device.
    if (result.ok)
      await (result.value.kind === 'step'
        ? router.navigate({ to: getStepPath(result.value.step) })
        : router.invalidate());
    setBusy(false);
    if (!result.ok) {
      setError(toSignInError(result.failure, now()));
      if (result.failure.kind === 'wrong-credentials') {
        setPassword('');
        secret.current?.focus();
      }
    }
  }

  function signIn(event: SyntheticEvent): void {
    event.preventDefault();
    if (busy || waits !== null) return;
    if (username.trim() === '') {
      first.current?.focus();
      setError({ kind: 'empty', what: 'username' });
      return;
    }
    if (password === '') {
      secret.current?.focus();
      setError({ kind: 'empty', what: 'password' });
      return;
    }
    void go(() =>
      client().signIn({
        way: 'password',
        auth: here ? 'db' : null,
        username: username.trim(),
        password,
        ...(remember && { rememberComputer: true }),
      }),
    );
  }

  return (
    <AccountPage
      title={t.title}
      // A line from the beginning, so that the form doesn't move under a press.
      description={
        branding === null
          ? '\u00a0'
          : here
            ? t.usePortalPassword({ provider: branding.name })
            : t.useAccount({ provider: branding.name })
      }
    >
      {sentence !== null && error === null && (
        <Callout tone="warning" alert>
          {sentence}
        </Callout>
      )}
      {out?.reason === 'expired' && sentence === null && error === null && (
        <Callout tone="warning">{BASE.sessionExpired}</Callout>
      )}
      {out?.offline && (
        <Callout tone="warning" alert>
          {BASE.signInNeedsNetwork}
        </Callout>
      )}
      <ErrorCallout error={error} />
      <form className="grid gap-5" onSubmit={signIn} noValidate aria-busy={busy}>
        <TextField
          ref={first}
          label={t.username}
          required
          name="username"
          tall
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          maxLength={TEXT_LIMITS.nameChars}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          error={error?.kind === 'empty' && error.what === 'username' ? t.usernameMissing : null}
        />
        <TextField
          ref={secret}
          label={t.password}
          required
          name="password"
          tall
          type={shown ? 'text' : 'password'}
          autoComplete="current-password"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={TEXT_LIMITS.passwordChars}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={error?.kind === 'empty' && error.what === 'password' ? t.passwordMissing : null}
          end={
            <IconButton
              icon={shown ? 'eye-off' : 'eye'}
              label={shown ? t.hidePassword : t.showPassword}
              aria-pressed={shown}
              className="mr-1"
              onClick={() => setShown(!shown)}
            />
          }
        />
        <Switch label={t.remember} detail={t.rememberHint} on={remember} onChange={setRemember} />
        <Button
          type="submit"
          variant="primary"
          className="h-10 w-full"
          busy={busy}
          disabled={waits !== null}
        >
          {waits === null ? (busy ? t.signingIn : t.title) : t.tryAgain({ when: waits })}
        </Button>
      </form>
      {branding && (
        <SignInWays
          branding={branding}
          auth={here ? 'db' : branding.authType}
          busy={busy}
          onGo={(ask) => void go(ask)}
          onAuth={(next) => {
            setHere(next === 'db');
            setError(null);
            first.current?.focus();
          }}
        />
      )}
    </AccountPage>
  );
}

const EMPTY = {};
const BRINGS = /^#(token=|signed-in$|step$|refused=)/;
