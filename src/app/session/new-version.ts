import { createActor, fromPromise, waitFor } from 'xstate';
import { MESSAGES } from '#contract/messages.ts';
import { signOutMachine } from '#machines/sign-out.ts';
import { client, currentSession, whenSessionKnown } from '../worker/worker-client.ts';
import { sayAtSignIn } from './sign-in-context.ts';
import { forgetUser } from './sign-out.ts';

/**
 * VERSION-1: logs out the user of the previous version, then calls `onDone`. Unsent changes are
 * sent first; those that cannot be sent stay on this device for their user (OUT-7). Offline it
 * waits, because nobody could log in again; the page starts meanwhile.
 */
export async function leaveForNewVersion(onDone: () => void): Promise<void> {
  const who = await whenSessionKnown();
  if (who.kind === 'out') {
    onDone();
    return;
  }
  const actor = createActor(machine, {
    input: { cause: 'new-version', isOffline: !navigator.onLine, unsent: 0 },
  });
  actor.subscribe((state) => {
    if (!state.matches('out')) return;
    forgetUser();
    sayAtSignIn(MESSAGES.newVersion);
    onDone();
  });
  actor.start();
  if (actor.getSnapshot().matches('waitingForNetwork'))
    addEventListener(
      'online',
      () => {
        if (currentSession().kind === 'in') actor.send({ type: 'ONLINE' });
        else onDone();
      },
      { once: true },
    );
  else await waitFor(actor, (state) => state.matches('out'), { timeout: Infinity });
}

const machine = signOutMachine.provide({
  actors: { signOut: fromPromise(({ input }) => client().signOut(input)) },
});
