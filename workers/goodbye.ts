import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { backOffMs } from '#machines/back-off.ts';
import type { Loop } from './sync/loop.ts';
import { makeWire } from './sync/wire.ts';
import type { WorkerClock, WorkerWorld } from './world.ts';

const DRAIN_MS = 10_000, DRAIN_STEP_MS = 50, MOST_GOODBYES = 8, SLOWLY = 5;

/** Waits a moment for what is unsent to go out before somebody leaves. */
export async function drain(loop: Loop, clock: WorkerClock): Promise<void> {
  const until = clock.now() + DRAIN_MS;
  loop.wake();
  while (loop.outbox.waiting > 0 && clock.now() < until) {
    await new Promise<void>((resolve) => { clock.after(DRAIN_STEP_MS, resolve); });
  }
}

/** The session ends on the server too, as soon as it can be reached; for as long as nobody else has begun here. */
export async function endSession(world: WorkerWorld, token: string | null, stillOut: () => boolean): Promise<void> {
  if (token === null) return;
  const signedOut = failed({ kind: 'signed-out', message: MESSAGES.signedOut });
  const wire = makeWire({ ...world, tokens: { get: (refused) => Promise.resolve(refused === null ? ok(token) : signedOut) } });
  for (let attempt = 1; attempt <= MOST_GOODBYES && stillOut(); attempt++) {
    const answer = await wire.ask('logout', {});
    if (answer.ok || answer.failure.kind === 'signed-out' || answer.failure.kind === 'expired') return;
    await new Promise<void>((resolve) => { world.clock.after(backOffMs(attempt + SLOWLY, 0, 0.5), resolve); });
  }
}
