import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { ACCOUNT } from '#contract/messages/account.messages.en.ts';
import type { Result } from '#contract/result.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { AccountPage } from '../account-page.tsx';
import { ErrorCallout, useWaits } from '../sign-in/error-callout.tsx';
import { accountMessages as t } from '../messages.en.ts';
import { useRecoveryRequest } from './use-recovery-call.ts';

export interface CheckedLinkProps {
  readonly title: string;
  /** The secret of the link. */
  readonly token: string;
  /** Asks the server about the link without using it up. */
  readonly check: (token: string) => Promise<Result<unknown>>;
  /** The next step if the link is over. */
  readonly whenOver: ReactNode;
  /** `onOver`: the link was used or has expired meanwhile. */
  readonly children: (onOver: () => void) => ReactNode;
}

/**
 * A page that a link opens. The link is checked before there is anything to fill in. Mount it with
 * the token as its key.
 */
export function CheckedLink({ title, token, check, whenOver, children }: CheckedLinkProps) {
  const { busy, error, request } = useRecoveryRequest();
  const [link, setLink] = useState<'unknown' | 'valid' | 'over'>(
    TOKEN.test(token) ? 'unknown' : 'over',
  );
  const waits = useWaits(error);
  const ask = async (): Promise<void> => {
    const answer = await request(() => check(token));
    if (answer.ok) setLink('valid');
    else if (answer.failure.kind === 'not-found') setLink('over');
  };
  useEffect(() => {
    if (link === 'unknown') void ask();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per link
  }, []);

  if (link === 'valid') return children(() => setLink('over'));
  if (link === 'over')
    return (
      <AccountPage title={title}>
        <Callout tone="failed" alert>
          {ACCOUNT.linkOver}
        </Callout>
        {whenOver}
      </AccountPage>
    );
  return (
    <AccountPage title={title}>
      {error === null ? (
        <DelayedFallback>
          <output className="block text-ink-2">{t.checkingLink}</output>
        </DelayedFallback>
      ) : (
        <>
          <ErrorCallout error={error} />
          <Button
            className="justify-self-start"
            busy={busy}
            disabled={waits !== null}
            onClick={() => void ask()}
          >
            {t.checkAgain}
          </Button>
        </>
      )}
    </AccountPage>
  );
}

const TOKEN = /^[\w-]{1,200}$/;
