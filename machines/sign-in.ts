import { assign, fromPromise, setup } from 'xstate';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type {
  Answering,
  Auth,
  OpeningRequest,
  SignInResult,
  SignInRequest,
} from './sign-in-requests.ts';

interface SignInContext {
  readonly now: () => Ms;
  /** Set only while the request is in flight, so that passwords and codes don't stay in memory. */
  readonly ask: SignInRequest | null;
  readonly auth: Auth;
  /** What the server asks for next; null until the password is accepted. */
  readonly step: SignInStep | null;
  readonly failure: Failure | null;
  readonly waitMs: Ms;
  /** When the user may try again; null if now. */
  readonly until: Ms | null;
}
export type SignInEvent =
  | { readonly type: 'SUBMIT'; readonly ask: OpeningRequest }
  | { readonly type: 'ANSWER'; readonly ask: Answering }
  | { readonly type: 'EDIT' }
  | { readonly type: 'BACK' };

const STEP_EVENTS = {
  ANSWER: { target: 'answering', actions: 'answer' },
  BACK: { target: 'idle', actions: 'forget' },
  SUBMIT: { target: 'asking', actions: 'open' },
  EDIT: { actions: 'clear' },
} as const;

/**
 * Signs in, one step at a time:
 *
 *   idle ─SUBMIT─▶ asking ─▶ in
 *     ▲ EDIT         ├─▶ wrong, noNetwork ─SUBMIT─▶ asking
 *     ├──────────────┼─▶ throttled ─(wait)─▶ idle
 *     │              └─▶ code, phone, enrol ─ANSWER─▶ answering ─▶ in, the next step, or the same
 *     │                                                   │        step with its failure
 *     └─BACK, or the attempt has ended ─┘                 └─▶ held ─(wait)─▶ the same step
 */
export const signInMachine = setup({
  types: {
    context: {} as SignInContext,
    events: {} as SignInEvent,
    input: {} as { readonly now: () => Ms },
  },
  actors: {
    ask: fromPromise<SignInResult, SignInRequest | null>(() =>
      Promise.reject(new Error('a need of the machine was not given')),
    ),
  },
  delays: { wait: ({ context }) => context.waitMs },
  actions: {
    open: assign(({ event }) =>
      event.type === 'SUBMIT'
        ? {
            ask: event.ask,
            step: null,
            failure: null,
            auth: event.ask.way === 'password' ? event.ask.auth : 'db',
          }
        : {},
    ),
    answer: assign(({ event }) =>
      event.type === 'ANSWER' ? { ask: event.ask, failure: null } : {},
    ),
    forget: assign({ step: null, failure: null }),
    clear: assign({ failure: null }),
    wait: assign({ until: ({ context }) => context.now() + context.waitMs }),
  },
  guards: {
    atPhone: ({ context }) => context.step?.step === 'phone',
    atEnrol: ({ context }) => context.step?.step === 'enrol',
  },
}).createMachine({
  id: 'sign-in',
  context: ({ input }) => ({
    now: input.now,
    ask: null,
    auth: 'db',
    step: null,
    failure: null,
    waitMs: 0,
    until: null,
  }),
  initial: 'idle',
  states: {
    idle: { on: { SUBMIT: { target: 'asking', actions: 'open' } } },
    asking: {
      invoke: {
        id: 'ask',
        src: 'ask',
        input: ({ context }) => context.ask,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'in',
            target: 'in',
            actions: assign({ failure: null }),
          },
          {
            guard: ({ event }) => event.output.kind === 'step',
            target: 'step',
            actions: assign(({ event }) => taking(event.output)),
          },
          {
            guard: ({ event }) => waits(event.output),
            target: 'throttled',
            actions: assign(({ event }) => failing(event.output)),
          },
          {
            guard: ({ event }) => unreachable(event.output),
            target: 'noNetwork',
            actions: assign(({ event }) => failing(event.output)),
          },
          { target: 'wrong', actions: assign(({ event }) => failing(event.output)) },
        ],
        onError: {
          target: 'wrong',
          actions: assign(() => ({
            failure: { kind: 'server-error', message: MESSAGES.loginFailed },
          })),
        },
      },
      exit: assign({ ask: null }),
    },
    wrong: {
      on: {
        SUBMIT: { target: 'asking', actions: 'open' },
        EDIT: { target: 'idle', actions: 'clear' },
      },
    },
    noNetwork: {
      on: {
        SUBMIT: { target: 'asking', actions: 'open' },
        EDIT: { target: 'idle', actions: 'clear' },
      },
    },
    throttled: {
      entry: 'wait',
      exit: assign({ until: null }),
      after: { wait: { target: 'idle', actions: assign({ failure: null }) } },
    },

    step: {
      always: [
        { guard: 'atPhone', target: 'phone' },
        { guard: 'atEnrol', target: 'enrol' },
        { target: 'code' },
      ],
    },
    code: { on: STEP_EVENTS },
    phone: { on: STEP_EVENTS },
    enrol: { on: STEP_EVENTS },
    answering: {
      invoke: {
        id: 'answer',
        src: 'ask',
        input: ({ context }) => context.ask,
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'in',
            target: 'in',
            actions: assign({ failure: null, step: null }),
          },
          {
            guard: ({ event }) => event.output.kind === 'step',
            target: 'step',
            actions: assign(({ event }) => taking(event.output)),
          },
          {
            guard: ({ event }) => isOver(event.output),
            target: 'wrong',
            actions: assign(({ event }) => ({ ...failing(event.output), step: null })),
          },
          // If a new code could not be sent, the previous one stays valid.
          {
            guard: ({ context, event }) => waits(event.output) && context.ask?.way !== 'resend',
            target: 'held',
            actions: assign(({ event }) => failing(event.output)),
          },
          { target: 'step', actions: assign(({ event }) => failing(event.output)) },
        ],
        onError: {
          target: 'step',
          actions: assign(() => ({
            failure: { kind: 'server-error', message: MESSAGES.loginFailed },
          })),
        },
      },
      exit: assign({ ask: null }),
    },
    held: {
      entry: 'wait',
      exit: assign({ until: null }),
      on: {
        BACK: { target: 'idle', actions: 'forget' },
        SUBMIT: { target: 'asking', actions: 'open' },
      },
      after: { wait: { target: 'step', actions: assign({ failure: null }) } },
    },
    in: { type: 'final' },
  },
});

const NO_NETWORK: ReadonlySet<Failure['kind']> = new Set(['no-answer', 'needs-network']);

const unreachable = (answer: SignInResult): boolean =>
  answer.kind === 'failed' && NO_NETWORK.has(answer.failure.kind);
const waits = (answer: SignInResult): boolean =>
  answer.kind === 'failed' && answer.failure.kind === 'too-many';
/** True when the attempt has ended and the user must start again with the password. */
const isOver = (answer: SignInResult): boolean =>
  answer.kind === 'failed' &&
  (answer.failure.kind === 'expired' || answer.failure.kind === 'signed-out');
const taking = (answer: SignInResult): Partial<SignInContext> =>
  answer.kind === 'step' ? { step: answer.step, failure: null } : {};
const failing = (answer: SignInResult): Partial<SignInContext> =>
  answer.kind === 'failed'
    ? {
        failure: answer.failure,
        waitMs: 'retryAfterMs' in answer.failure ? answer.failure.retryAfterMs : 0,
      }
    : {};
