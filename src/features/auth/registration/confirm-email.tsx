import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { dropFragment, useWayIn } from '#src/app/session/sign-in-context.ts';
import { AccountPage } from '../account-page.tsx';
import { CheckedLink } from '../recovery/checked-link.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { useRecoveryRequest } from '../recovery/use-recovery-call.ts';
import { accountMessages as t } from '../messages.en.ts';

const TITLE = t.confirmEmailTitle;

/**
 * Target of the link in the confirmation email. It needs a button press, because mail scanners open
 * links automatically.
 */
export function ConfirmEmail() {
  const { fragment } = useWayIn();
  const [token, setToken] = useState('');
  // Another link opened in the same tab starts again.
  if (fragment !== '' && fragment.slice(1) !== token) setToken(fragment.slice(1));
  return (
    <CheckedLink
      key={token}
      title={TITLE}
      token={token}
      check={checkEmailLink}
      whenOver={
        <>
          <p className="m-0 text-ink-2">{t.requestLink}</p>
          <ToPortal />
        </>
      }
    >
      {(onOver) => <ByLink token={token} onOver={onOver} />}
    </CheckedLink>
  );
}

const checkEmailLink = (token: string) => client().ask('checkEmailLink', { token });

function ByLink({ token, onOver }: { readonly token: string; readonly onOver: () => void }) {
  const { busy, error, request } = useRecoveryRequest();
  const [isConfirmed, setConfirmed] = useState(false);
  const waits = useWaits(error);

  async function confirm(): Promise<void> {
    if (busy || waits !== null) return;
    const answer = await request(() => client().ask('confirmEmail', { token }));
    if (answer.ok) {
      setConfirmed(true);
      dropFragment();
    } else if (answer.failure.kind === 'not-found') onOver();
  }

  if (isConfirmed)
    return (
      <AccountPage title={TITLE}>
        <Callout tone="success" alert>
          {t.emailConfirmed}
        </Callout>
        <ToPortal />
      </AccountPage>
    );
  return (
    <AccountPage title={TITLE} description={t.confirmOnlyOwn}>
      <ErrorCallout error={error} />
      <Button
        ref={focus}
        variant="primary"
        className="h-10 w-full"
        busy={busy}
        disabled={waits !== null}
        onClick={() => void confirm()}
      >
        {waits === null ? (busy ? t.confirming : t.confirmAddress) : t.tryAgainIn({ when: waits })}
      </Button>
    </AccountPage>
  );
}

function ToPortal() {
  const router = useRouter();
  return (
    <Button
      ref={focus}
      variant="primary"
      className="h-10 w-full"
      onClick={() => void router.navigate({ href: '/', replace: true })}
    >
      {t.openPortal}
    </Button>
  );
}

const focus = (button: HTMLButtonElement | null): void => button?.focus();
