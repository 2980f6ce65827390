import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Failure } from '#contract/errors.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { client, onSessionChange, currentSession } from '../../worker/worker-client.ts';
import { ACTING_FROM } from '../../session/storage-keys.ts';
import { writeStored, readStored } from '../../session/browser-storage.ts';
import { localPath } from '../../router/redirect-target.ts';
import { withReauth } from '../reauth/reauth.ts';
import { tellFailure } from '../../../ui/toasts.ts';

const MOST = 10;

/** Returns the button text, such as `Exit dana`. Names are cut to ten characters. */
export const exitWord = (username: string): string => {
  const letters = Array.from(username);
  return `Exit ${letters.length > MOST ? `${letters.slice(0, MOST).join('')}…` : username}`;
};

/**
 * Starts to impersonate another user (G42) and redirects to that user's start page, here or at
 * another provider's portal. Returns null on success, otherwise the error message.
 */
export function useActAs(): (who: {
  readonly userId: string;
  readonly reason: string;
  readonly serviceProviderId?: string;
}) => Promise<Failure | null> {
  const { history } = useRouter();
  return async (who) => {
    const from = history.location.href;
    const answer = await withReauth(() => client().actAs(who));
    if (!answer.ok) return answer.failure;
    if (answer.value.is === 'unsent') return { kind: 'conflict', message: BASE.badRequest };
    writeStored(ACTING_FROM, from);
    if (answer.value.is === 'elsewhere') location.assign(answer.value.url);
    else {
      await knownAs(answer.value.me);
      history.replace('/');
    }
    return null;
  };
}

/**
 * Ends the impersonation. `unsent`: the number of changes in the other user's name that could not
 * be sent; the user must decide what happens to them.
 */
export function useExit(): {
  readonly busy: boolean;
  readonly unsent: number | null;
  readonly exit: (unsent?: 'ask' | 'discard') => void;
  readonly stay: () => void;
} {
  const { history } = useRouter();
  const [busy, setBusy] = useState(false);
  const [unsent, setUnsent] = useState<number | null>(null);
  async function go(how: 'ask' | 'discard'): Promise<void> {
    setBusy(true);
    const answer = await client().stopActing(how);
    setBusy(false);
    if (!answer.ok) return tellFailure(answer.failure.message, () => void go(how));
    if (answer.value.is === 'unsent') return setUnsent(answer.value.unsent);
    setUnsent(null);
    if (answer.value.is === 'elsewhere') return location.assign(answer.value.url);
    const from = localPath(readStored(ACTING_FROM) ?? '') ?? '/';
    writeStored(ACTING_FROM, null);
    await knownAs(answer.value.me);
    return history.replace(from);
  }
  return { busy, unsent, exit: (how = 'ask') => void go(how), stay: () => setUnsent(null) };
}

/**
 * Waits until the session is the expected one, so that the guards of the next page do not see the
 * previous user.
 */
function knownAs({ id, acting }: Me): Promise<void> {
  return new Promise((resolve) => {
    let stop: (() => void) | null = null;
    const look = (): void => {
      const who = currentSession();
      if (
        who.is !== 'in' ||
        who.me.id !== id ||
        who.me.acting?.impersonation !== acting?.impersonation
      )
        return;
      stop?.();
      resolve();
    };
    stop = onSessionChange(look);
    look();
  });
}
