import { createActor, fromPromise, waitFor } from 'xstate';
import type { UserSession } from '#contract/auth/current-user.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { signInMachine } from '#machines/sign-in.ts';
import { isOpening } from '#machines/sign-in-requests.ts';
import type { Auth, PageSignInRequest, SignInRequest } from '#machines/sign-in-requests.ts';
import type { Signing } from '../api.ts';
import type { WorkerClock } from '../context.ts';
import { ATTEMPT_OVER, NO_ANSWER } from '../failures.ts';

const NOT_NOW: Failure = {
  kind: 'busy',
  get message() {
    return MESSAGES.busy;
  },
  retryAfterMs: 1_000,
};

/** The server's answer: a session, or the next step. */
export type Granted = UserSession | SignInStep;
const isStep = (granted: Granted): granted is SignInStep => 'step' in granted;

export interface SignInFlow {
  /** The state of the current attempt, for the pages of its steps. */
  readonly now: () => Signing;
  go(ask: PageSignInRequest): Promise<Result<Granted>>;
  /** Goes back to the name and password. */
  back(): void;
}

/**
 * Runs the sign-in machine: one attempt at a time, and none before a wait that the server requested
 * has ended. `loadAuth`: the directory that checks names; null if the server can't be reached.
 */
export function makeSignIn(
  clock: WorkerClock,
  ask: (what: SignInRequest, auth: Auth) => Promise<Result<Granted>>,
  loadAuth: () => Promise<Auth | null>,
  changed: () => void,
): SignInFlow {
  let granted: UserSession | null = null;
  const machine = signInMachine.provide({
    actors: {
      ask: fromPromise(async ({ input }) => {
        if (!input) throw new Error('nothing to ask');
        const answer = await ask(input, actor.getSnapshot().context.auth);
        granted = answer.ok && !isStep(answer.value) ? answer.value : null;
        if (!answer.ok) return { kind: 'failed', failure: answer.failure };
        return isStep(answer.value) ? { kind: 'step', step: answer.value } : { kind: 'in' };
      }),
    },
  });
  // The machine's timers run on the worker's clock. Each has a name, so that it can be canceled.
  const timers = new Map<number, () => void>();
  let last = 0;
  const timing = {
    setTimeout: (work: (...input: unknown[]) => void, ms: number): number => {
      timers.set(
        ++last,
        clock.after(ms, () => {
          work();
        }),
      );
      return last;
    },
    clearTimeout: (name: number): void => {
      timers.get(name)?.();
      timers.delete(name);
    },
  };
  const begin = () => {
    const next = createActor(machine, { input: { now: () => clock.now() }, clock: timing });
    next.subscribe(changed);
    return next.start();
  };
  let actor = begin();

  return {
    now: () => {
      const {
        context: { step, auth },
      } = actor.getSnapshot();
      return step === null ? { kind: 'none' } : { kind: 'step', step, auth };
    },
    back: () => actor.send({ type: 'BACK' }),
    async go(request) {
      let what;
      if (request.way === 'password' && request.auth === null) {
        // In the wrong directory, a right password would fail, and a wrong one would not count
        // against the right account.
        const auth = await loadAuth();
        if (auth === null) return failed(NO_ANSWER);
        what = { ...request, auth };
      } else what = request;
      const { value, context } = actor.getSnapshot();
      if (value === 'throttled' || (value === 'held' && !isOpening(what)))
        return failed(waiting((context.until ?? 0) - clock.now()));
      if (value === 'asking' || value === 'answering') return failed(NOT_NOW);
      if (isOpening(what)) actor.send({ type: 'SUBMIT', ask: what });
      else if (context.step === null) return failed(ATTEMPT_OVER);
      else actor.send({ type: 'ANSWER', ask: what });
      const {
        value: end,
        context: { failure, step },
      } = await waitFor(actor, (now) => now.value !== 'asking' && now.value !== 'answering', {
        timeout: Infinity,
      });
      if (end === 'in' && granted) {
        const session = granted;
        granted = null;
        actor.stop();
        actor = begin();
        return ok(session);
      }
      return failure === null && step !== null
        ? ok(step)
        : failed(failure ?? { kind: 'wrong-credentials', message: MESSAGES.wrongCredentials });
    },
  };
}

const waiting = (ms: number): Failure => ({
  kind: 'too-many',
  message: MESSAGES.tooManyTries,
  retryAfterMs: Math.max(0, ms),
});
