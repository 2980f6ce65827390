import type { Me } from '#contract/auth/current-user.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { backOffMs } from '#machines/back-off.ts';
import type { DataOwner } from '../disk/database.ts';
import type { Loop } from '../sync/loop.ts';
import { askRefresh } from '../sync/tokens.ts';
import { makeWire } from '../sync/wire.ts';
import type { WorkerClock, WorkerContext } from '../context.ts';

const DRAIN_MS = 10_000;
const DRAIN_STEP_MS = 50;
const MAX_GOODBYES = 8;
const SLOWLY = 5;

/** Waits briefly for unsent changes to be sent before the user leaves. */
export async function drain(loop: Loop, clock: WorkerClock): Promise<void> {
  const until = clock.now() + DRAIN_MS;
  loop.wake();
  while (loop.outbox.waiting > 0 && clock.now() < until) {
    await new Promise<void>((resolve) => {
      clock.after(DRAIN_STEP_MS, resolve);
    });
  }
}

/**
 * Ends the session on the server as soon as it can be reached, unless another session has started
 * here. A tab without an access token (just opened, or following another) gets one with the cookie,
 * and uses it only if it still belongs to `owner`.
 */
export async function endSession(
  context: WorkerContext,
  last: string | null,
  owner: DataOwner | null,
  stillOut: () => boolean,
): Promise<void> {
  let token = last;
  const signedOut = failed({ kind: 'signed-out', message: MESSAGES.signedOut });
  const wire = makeWire({
    ...context,
    tokens: {
      get: (refused) => Promise.resolve(refused === null && token !== null ? ok(token) : signedOut),
    },
  });
  for (let attempt = 1; attempt <= MAX_GOODBYES && stillOut(); attempt++) {
    if (token === null) {
      const session = await askRefresh(context);
      if (session.ok ? !isUser(session.value.user, owner) : ENDED.has(session.failure.kind)) return;
      token = session.ok ? session.value.token : null;
    }
    if (token !== null) {
      const answer = await wire.ask('logout', {});
      if (answer.ok || ENDED.has(answer.failure.kind)) return;
    }
    await new Promise<void>((resolve) => {
      context.clock.after(backOffMs(attempt + SLOWLY, 0, 0.5), resolve);
    });
  }
}

const ENDED: ReadonlySet<Failure['kind']> = new Set(['signed-out', 'expired']);
const isUser = (me: Pick<Me, 'id' | 'impersonator'>, owner: DataOwner | null): boolean =>
  me.id === owner?.user && (me.impersonator?.id ?? me.id) === owner.actor;
