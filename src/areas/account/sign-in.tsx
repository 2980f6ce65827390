import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { BASE } from '#contract/messages/base.ts';
import { now, useNow } from '#src/clock.ts';
import { door, useWatch } from '#src/door.ts';
import { titleOf } from '#src/frame/branded.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { faultOf, waitWords } from './sign-in-fault.ts';
import type { SignInFault } from './sign-in-fault.ts';
import { SignInBrand } from './sign-in-brand.tsx';

export function SignIn() {
  const who = useWatch('who', NOTHING);
  const branding = who === undefined || who.is === 'starting' ? null : who.branding;
  const expired = who?.is === 'out' && who.reason === 'expired';
  const offline = who?.is === 'out' && who.offline;
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<SignInFault | null>(null);
  const first = useRef<HTMLInputElement>(null);
  const secret = useRef<HTMLInputElement>(null);
  const second = useNow(1_000);
  useEffect(() => first.current?.focus(), []);
  const waits = fault?.is === 'throttled' ? waitWords(fault.until, Math.max(second, fault.from)) : null;

  async function signIn(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits !== null) return;
    if (username.trim() === '') { first.current?.focus(); setFault({ is: 'empty', what: 'username' }); return; }
    if (password === '') { secret.current?.focus(); setFault({ is: 'empty', what: 'password' }); return; }
    setBusy(true);
    setFault(null);
    const result = await door().signIn({ way: 'password', auth: branding?.authType ?? 'db', username: username.trim(), password });
    setBusy(false);
    // Signed in: `who` changes, and the guard of this page leads on.
    if (result.ok) return;
    setFault(faultOf(result.failure, now()));
    if (result.failure.kind === 'wrong-credentials') {
      setPassword('');
      secret.current?.focus();
    }
  }

  return (
    <div className="grid min-h-dvh grid-rows-[auto_minmax(0,1fr)] bg-sheet desk:grid-cols-[minmax(320px,560px)_minmax(0,1fr)] desk:grid-rows-1">
      <title>{`Sign in - ${titleOf(branding)}`}</title>
      <SignInBrand branding={branding} />
      <main className="grid content-start justify-items-center px-5 py-10 desk:content-center">
        <form className="grid w-full max-w-[360px] gap-5" onSubmit={(event) => void signIn(event)} noValidate aria-busy={busy}>
          <div>
            <h1 className="m-0 text-head">Sign in</h1>
            {branding && <p className="m-0 mt-1 break-words text-ink-2">Use your {branding.name} account.</p>}
          </div>
          {expired && fault === null && <Callout tone="warning">{BASE.sessionExpired}</Callout>}
          {offline && <Callout tone="warning" alert>{BASE.signInNeedsNetwork}</Callout>}
          {fault?.is === 'refused' && <Callout tone="failed" alert>{fault.sentence}</Callout>}
          {waits !== null && <Callout tone="warning" alert>{BASE.tooManyTries} <span aria-hidden>You can try again {waits}.</span></Callout>}
          <TextField
            ref={first} label="Username" name="username" tall autoComplete="username" autoCapitalize="none" autoCorrect="off" spellCheck={false} maxLength={LIMITS.nameChars}
            value={username} onChange={(event) => setUsername(event.target.value)} fault={fault?.is === 'empty' && fault.what === 'username' ? 'Enter your username.' : null}
          />
          <TextField
            ref={secret} label="Password" name="password" tall type={shown ? 'text' : 'password'} autoComplete="current-password" autoCapitalize="none" spellCheck={false}
            maxLength={LIMITS.passwordChars} value={password} onChange={(event) => setPassword(event.target.value)}
            fault={fault?.is === 'empty' && fault.what === 'password' ? 'Enter your password.' : null}
            end={<IconButton icon={shown ? 'eye-off' : 'eye'} label={shown ? 'Hide password' : 'Show password'} aria-pressed={shown} className="mr-1" onClick={() => setShown(!shown)} />}
          />
          <Button type="submit" variant="primary" className="h-10 w-full" busy={busy} disabled={waits !== null}>
            {waits === null ? (busy ? 'Signing in…' : 'Sign in') : `Try again ${waits}`}
          </Button>
        </form>
      </main>
    </div>
  );
}

const NOTHING = {};
