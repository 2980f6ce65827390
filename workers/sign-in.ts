import { createActor, fromPromise, waitFor } from 'xstate';
import type { Session } from '#contract/account/me.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { signInMachine } from '#machines/sign-in.ts';
import type { Credentials } from '#machines/sign-in.ts';
import type { WorkerClock } from './world.ts';

const NOT_NOW: Failure = { kind: 'busy', message: MESSAGES.busy, retryAfterMs: 1_000 };

/** Walks the sign-in machine: one attempt at a time, and none before its time where the server asked to wait. */
export function makeSignIn(clock: WorkerClock, ask: (credentials: Credentials) => Promise<Result<Session>>): (credentials: Credentials) => Promise<Result<Session>> {
  let granted: Session | null = null;
  const machine = signInMachine.provide({
    actors: {
      ask: fromPromise(async ({ input }) => {
        const answer = await ask(input);
        granted = answer.ok ? answer.value : null;
        return answer.ok ? { is: 'in' } : { is: 'failed', failure: answer.failure };
      }),
    },
  });
  // The timers of the machine are this world's: a name for each, so that it can be called off.
  const timers = new Map<number, () => void>();
  let last = 0;
  const timing = {
    setTimeout: (work: (...given: unknown[]) => void, ms: number): number => { timers.set(++last, clock.after(ms, () => { work(); })); return last; },
    clearTimeout: (name: number): void => { timers.get(name)?.(); timers.delete(name); },
  };
  const begin = () => createActor(machine, { input: { now: () => clock.now() }, clock: timing }).start();
  let actor = begin();

  return async (credentials) => {
    const { value, context } = actor.getSnapshot();
    if (value === 'throttled') return failed({ kind: 'too-many', message: MESSAGES.tooManyTries, retryAfterMs: Math.max(0, (context.until ?? 0) - clock.now()) });
    if (value === 'asking') return failed(NOT_NOW);
    actor.send({ type: 'SUBMIT', credentials });
    const { value: end, context: { failure } } = await waitFor(actor, (now) => now.value !== 'asking', { timeout: Infinity });
    if (end !== 'in' || !granted) return failed(failure ?? { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials });
    actor.stop();
    actor = begin();
    return ok(granted);
  };
}
