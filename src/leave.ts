import { MESSAGES } from '#contract/messages.ts';
import { door, whoKnown } from './door.ts';
import { keep } from './kept.ts';
import { ACTING_FROM, PROMPT_DISMISSED } from './kept-keys.ts';
import { forgetClicks } from './sso.ts';
import { sayAtSignIn } from './way-in.ts';

/** Logging out also deletes what this browser stores about a user outside the worker's data. */
export function forgetUser(): void {
  forgetClicks();
  keep(ACTING_FROM, null);
  keep(PROMPT_DISMISSED, null);
  void import('./push.ts').then(({ endPush }) => endPush()).catch(() => {});
}

/**
 * VERSION-1: logs out who is in, and calls `onDone` once nobody of the former version is. Unsent
 * changes are sent first; what cannot be sent stays on this device for its user (OUT-7). With no
 * network it waits: nobody could log in again.
 */
export async function leaveForNewVersion(onDone: () => void): Promise<void> {
  const who = await whoKnown();
  if (who.is === 'in' && !navigator.onLine) {
    addEventListener('online', () => void leaveForNewVersion(onDone), { once: true });
    return;
  }
  if (who.is === 'in') {
    const sent = await door().signOut('send');
    if (!sent.ok || !sent.value.out) await door().signOut('keep');
    forgetUser();
    sayAtSignIn(MESSAGES.newVersion);
  }
  onDone();
}
