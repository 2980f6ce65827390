import { assign, fromPromise, setup } from 'xstate';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';

export interface Credentials { readonly username: string; readonly password: string }
/** What asking the server answers: in, or why not. Later factors become further kinds of `is`, and states beside `asking`. */
export type SignInAnswer = { readonly is: 'in' } | { readonly is: 'failed'; readonly failure: Failure };

interface SignInContext {
  readonly now: () => Ms;
  /** Only while it is being asked: a password stays nowhere. */
  readonly credentials: Credentials | null;
  readonly failure: Failure | null;
  readonly waitMs: Ms;
  /** When another try may be made; null where one may be made now. */
  readonly until: Ms | null;
}
export type SignInEvent = { readonly type: 'SUBMIT'; readonly credentials: Credentials } | { readonly type: 'EDIT' };

/**
 * Signing in with a name and password of the database:
 *
 *   idle ─SUBMIT─▶ asking ─▶ in
 *     ▲ EDIT         ├─▶ wrong, noNetwork ─SUBMIT─▶ asking
 *     └──────────────┴─▶ throttled ─(its time)─▶ idle
 */
export const signInMachine = setup({
  types: { context: {} as SignInContext, events: {} as SignInEvent, input: {} as { readonly now: () => Ms } },
  actors: {
    ask: fromPromise<SignInAnswer, Credentials>(() => Promise.reject(new Error('a need of the machine was not given'))),
  },
  delays: { wait: ({ context }) => context.waitMs },
}).createMachine({
  id: 'sign-in',
  context: ({ input }) => ({ now: input.now, credentials: null, failure: null, waitMs: 0, until: null }),
  initial: 'idle',
  states: {
    idle: { on: { SUBMIT: { target: 'asking', actions: assign({ credentials: ({ event }) => event.credentials }) } } },
    asking: {
      invoke: {
        id: 'ask', src: 'ask', input: ({ context }) => context.credentials ?? { username: '', password: '' },
        onDone: [
          { guard: ({ event }) => event.output.is === 'in', target: 'in', actions: assign({ failure: null }) },
          {
            guard: ({ event }) => event.output.is === 'failed' && 'retryAfterMs' in event.output.failure, target: 'throttled',
            actions: assign(({ event }) => failing(event.output)),
          },
          {
            guard: ({ event }) => event.output.is === 'failed' && NO_NETWORK.has(event.output.failure.kind), target: 'noNetwork',
            actions: assign(({ event }) => failing(event.output)),
          },
          { target: 'wrong', actions: assign(({ event }) => failing(event.output)) },
        ],
        onError: { target: 'wrong', actions: assign({ failure: { kind: 'server-fault', message: MESSAGES.loginFailed } }) },
      },
      exit: assign({ credentials: null }),
    },
    wrong: { on: { SUBMIT: { target: 'asking', actions: assign({ credentials: ({ event }) => event.credentials }) }, EDIT: 'idle' } },
    noNetwork: { on: { SUBMIT: { target: 'asking', actions: assign({ credentials: ({ event }) => event.credentials }) }, EDIT: 'idle' } },
    throttled: {
      entry: assign({ until: ({ context }) => context.now() + context.waitMs }),
      exit: assign({ until: null }),
      after: { wait: { target: 'idle', actions: assign({ failure: null }) } },
    },
    in: { type: 'final' },
  },
});

const NO_NETWORK: ReadonlySet<Failure['kind']> = new Set(['no-answer', 'needs-network']);

const failing = (answer: SignInAnswer): Partial<SignInContext> => (answer.is === 'in' ? {} : {
  failure: answer.failure, waitMs: 'retryAfterMs' in answer.failure ? answer.failure.retryAfterMs : 0,
});
