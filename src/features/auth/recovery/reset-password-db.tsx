import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { dropFragment, useWayIn } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { Done } from './done.tsx';
import { FaultCallout, useWaits } from '../sign-in/error-callout.tsx';
import { shortOf } from '../new-password-rules.ts';
import { NewPassword } from '../new-password.tsx';
import { useRecoveryAsk } from './use-recovery-call.ts';
import { ToSignIn } from './back-to-sign-in.tsx';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.choosePassword;

/**
 * Target of the link in the password reset email. The link is checked before the user chooses a
 * password.
 */
export function ResetPasswordDb() {
  const { fragment } = useWayIn();
  const [hash, setHash] = useState('');
  // Another link opened in the same tab starts again. The hash of a used link is stored nowhere
  // else.
  if (fragment !== '' && fragment.slice(1) !== hash) setHash(fragment.slice(1));
  return <ByLink key={hash} hash={hash} />;
}

function ByLink({ hash }: { readonly hash: string }) {
  const { busy, fault, ask } = useRecoveryAsk();
  const [link, setLink] = useState<'unknown' | 'good' | 'over'>(
    HASH.test(hash) ? 'unknown' : 'over',
  );
  const [done, setDone] = useState(false);
  const asked = useRef(false);

  async function check(): Promise<void> {
    const answer = await ask(() => client().ask('checkPasswordLinkSent', { hash }));
    if (answer.ok) setLink('good');
    else if (answer.failure.kind === 'not-found') setLink('over');
  }
  useEffect(() => {
    if (link !== 'unknown' || asked.current) return;
    asked.current = true;
    void check();
  });

  if (done) return <Done title={TITLE}>{t.passwordReset}</Done>;
  if (link === 'over') {
    return (
      <AccountPage title={TITLE}>
        <Callout tone="failed" alert>
          {ACCOUNT.linkOver}
        </Callout>
        <Link
          to="/forgot-password-db"
          className="inline-flex items-center justify-self-start text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.requestNewLink}
        </Link>
        <ToSignIn />
      </AccountPage>
    );
  }
  return (
    <AccountPage title={TITLE}>
      {link === 'good' && (
        <Choose
          hash={hash}
          onDone={() => {
            setDone(true);
            dropFragment();
          }}
          onOver={() => setLink('over')}
        />
      )}
      {link === 'unknown' && fault === null && (
        <DelayedFallback>
          <output className="block text-ink-2">{t.checkingLink}</output>
        </DelayedFallback>
      )}
      {link === 'unknown' && fault !== null && (
        <>
          <FaultCallout fault={fault} />
          <Button className="justify-self-start" busy={busy} onClick={() => void check()}>
            {t.checkAgain}
          </Button>
        </>
      )}
      <ToSignIn />
    </AccountPage>
  );
}

function Choose({
  hash,
  onDone,
  onOver,
}: {
  readonly hash: string;
  readonly onDone: () => void;
  readonly onOver: () => void;
}) {
  const { busy, fault, ask } = useRecoveryAsk();
  const [password, setPassword] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const waits = useWaits(fault);
  useEffect(() => field.current?.focus(), []);

  async function submit(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (busy || waits !== null) return;
    const short = shortOf(password);
    setWrong(short);
    if (short !== null) {
      field.current?.focus();
      return;
    }
    const answer = await ask(() =>
      client().ask('changePasswordByLink', { hash, newPassword: password }),
    );
    if (answer.ok) onDone();
    else if (answer.failure.kind === 'not-found') onOver();
    else if (answer.failure.kind === 'bad-input') {
      setWrong(answer.failure.message);
      field.current?.focus();
    }
  }
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => void submit(event)}
      noValidate
      aria-busy={busy}
    >
      <FaultCallout fault={fault} />
      <NewPassword
        ref={field}
        auth="db"
        value={password}
        onChange={(value) => {
          setPassword(value);
          setWrong(null);
        }}
        fault={wrong}
      />
      <Button
        type="submit"
        variant="primary"
        className="h-10 w-full"
        busy={busy}
        disabled={waits !== null}
      >
        {waits === null ? (busy ? t.saving : t.setPassword) : t.tryAgainIn({ when: waits })}
      </Button>
    </form>
  );
}

const HASH = /^[\w-]{1,200}$/;
