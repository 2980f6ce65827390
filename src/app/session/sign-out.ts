import { MESSAGES } from '#contract/messages.ts';
import { client, whenSessionKnown } from '../worker/worker-client.ts';
import { writeStored } from './browser-storage.ts';
import { ACTING_FROM, PROMPT_DISMISSED } from './storage-keys.ts';
import { forgetClicks } from './single-sign-on.ts';
import { sayAtSignIn } from './sign-in-context.ts';

/** Deletes what this browser stores about a user outside the worker's data. Called at sign-out. */
export function forgetUser(): void {
  forgetClicks();
  writeStored(ACTING_FROM, null);
  writeStored(PROMPT_DISMISSED, null);
  void import('../push-subscription.ts').then(({ endPush }) => endPush()).catch(() => {});
}

/**
 * VERSION-1: logs out the user of the previous version, then calls `onDone`. Unsent changes are
 * sent first; those that cannot be sent stay on this device for their user (OUT-7). Offline it
 * waits, because nobody could log in again.
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
