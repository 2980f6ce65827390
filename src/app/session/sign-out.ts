import { MESSAGES } from '#contract/messages.ts';
import { client, whenSessionKnown } from '../worker/worker-client.ts';
import { writeStored } from './browser-storage.ts';
import { ACTING_FROM, PROMPT_DISMISSED } from './storage-keys.ts';
import { forgetClicks } from './single-sign-on.ts';
import { sayAtSignIn } from './sign-in-context.ts';

/** Logging out also deletes what this browser stores about a user outside the worker's data. */
export function forgetUser(): void {
  forgetClicks();
  writeStored(ACTING_FROM, null);
  writeStored(PROMPT_DISMISSED, null);
  void import('../push-subscription.ts').then(({ endPush }) => endPush()).catch(() => {});
}

/**
 * VERSION-1: logs out who is in, and calls `onDone` once nobody of the former version is. Unsent
 * changes are sent first; what cannot be sent stays on this device for its user (OUT-7). With no
 * network it waits: nobody could log in again.
 */
export async function leaveForNewVersion(onDone: () => void): Promise<void> {
  const who = await whenSessionKnown();
  if (who.is === 'in' && !navigator.onLine) {
    addEventListener('online', () => void leaveForNewVersion(onDone), { once: true });
    return;
  }
  if (who.is === 'in') {
    const sent = await client().signOut('send');
    if (!sent.ok || !sent.value.out) await client().signOut('keep');
    forgetUser();
    sayAtSignIn(MESSAGES.newVersion);
  }
  onDone();
}
