import { assign, fromPromise, setup } from 'xstate';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bugAt, mayTryAgain, notProvided, getRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Auth } from './sign-in-requests.ts';

export interface SecurityAnswer {
  readonly question: string;
  readonly answer: string;
}
/** The account of a user name, which may not exist. */
export interface Account {
  readonly auth: Auth;
  readonly questions: readonly string[];
}
/** A code, with the new password if it resets one. */
export interface CodeUse {
  readonly code: string;
  readonly newPassword: string | null;
}

interface RecoveryContext {
  readonly now: () => Ms;
  readonly username: string;
  readonly account: Account;
  /** Stay in this page's memory, so that another code can be requested. */
  readonly answers: readonly SecurityAnswer[];
  /** Set only while the request is in flight, so that codes and passwords don't stay in memory. */
  readonly use: CodeUse | null;
  readonly refusal: Refusal | null;
  /** Why no other code was sent. The one that was sent before stays valid. */
  readonly resendRefusal: Refusal | null;
  readonly isCodeSent: boolean;
}
export type RecoveryEvent =
  | { readonly type: 'NAME'; readonly username: string }
  | { readonly type: 'ANSWERS'; readonly answers: readonly SecurityAnswer[] }
  | { readonly type: 'RESEND' }
  | { readonly type: 'USE_CODE'; readonly use: CodeUse };

/**
 * Recovers an account with a code: unlocks it, or sets its password (RECOVER-2, RECOVER-3). It
 * signs nobody in.
 *
 *   name ─NAME─▶ looking ─▶ questions ─ANSWERS─▶ sending ─▶ code ─USE_CODE─▶ using ─▶ done
 *                   └─(no questions)─────────────▶ ▲          │ ▲──────────────┘ refused
 *                                        resending ◀─RESEND───┘
 */
export const recoveryMachine = setup({
  types: {
    context: {} as RecoveryContext,
    events: {} as RecoveryEvent,
    input: {} as { readonly now: () => Ms },
  },
  actors: {
    look: fromPromise<Result<Account>, string>(notProvided),
    send: fromPromise<
      Result<unknown>,
      { readonly username: string; readonly answers: readonly SecurityAnswer[] }
    >(notProvided),
    use: fromPromise<Result<unknown>, { readonly username: string; readonly use: CodeUse | null }>(
      notProvided,
    ),
  },
  guards: {
    mayTry: ({ context }) => mayTryAgain(context.refusal, context.now()),
    hasQuestions: ({ context }) => context.account.questions.length > 0,
  },
  actions: {
    clear: assign({ refusal: null, resendRefusal: null }),
    holdUse: assign(({ event }) =>
      event.type === 'USE_CODE' ? { use: event.use, refusal: null } : {},
    ),
    failOnBug: assign({ refusal: ({ context }) => bugAt(context.now()) }),
  },
}).createMachine({
  id: 'recovery',
  context: ({ input }) => ({
    now: input.now,
    username: '',
    account: { auth: 'db', questions: [] },
    answers: [],
    use: null,
    refusal: null,
    resendRefusal: null,
    isCodeSent: false,
  }),
  initial: 'name',
  states: {
    name: {
      on: {
        NAME: {
          guard: 'mayTry',
          target: 'looking',
          actions: ['clear', assign(({ event }) => ({ username: event.username, answers: [] }))],
        },
      },
    },
    looking: {
      invoke: {
        id: 'look',
        src: 'look',
        input: ({ context }) => context.username,
        onDone: [
          {
            guard: ({ event }) => event.output.ok && event.output.value.questions.length > 0,
            target: 'questions',
            actions: assign(({ event }) =>
              event.output.ok ? { account: event.output.value } : {},
            ),
          },
          {
            guard: ({ event }) => event.output.ok,
            target: 'sending',
            actions: assign(({ event }) =>
              event.output.ok ? { account: event.output.value } : {},
            ),
          },
          {
            target: 'name',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'name', actions: 'failOnBug' },
      },
    },
    questions: {
      on: {
        ANSWERS: {
          guard: 'mayTry',
          target: 'sending',
          actions: ['clear', assign(({ event }) => ({ answers: event.answers }))],
        },
      },
    },
    sending: {
      invoke: {
        id: 'send',
        src: 'send',
        input: ({ context: { username, answers } }) => ({ username, answers }),
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'code',
            actions: assign({ isCodeSent: true }),
          },
          {
            target: 'unsent',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'unsent', actions: 'failOnBug' },
      },
    },
    unsent: { always: [{ guard: 'hasQuestions', target: 'questions' }, { target: 'name' }] },
    code: {
      on: {
        RESEND: {
          target: 'resending',
          actions: assign({ resendRefusal: null, isCodeSent: false }),
        },
        USE_CODE: { guard: 'mayTry', target: 'using', actions: 'holdUse' },
      },
    },
    resending: {
      // The code that was sent before stays valid.
      on: { USE_CODE: { guard: 'mayTry', target: 'using', actions: 'holdUse' } },
      invoke: {
        id: 'resend',
        src: 'send',
        input: ({ context: { username, answers } }) => ({ username, answers }),
        onDone: {
          target: 'code',
          actions: assign(({ context, event }) => ({
            isCodeSent: event.output.ok,
            resendRefusal: getRefusal(event.output, context.now()),
          })),
        },
        onError: {
          target: 'code',
          actions: assign({ resendRefusal: ({ context }) => bugAt(context.now()) }),
        },
      },
    },
    using: {
      invoke: {
        id: 'use',
        src: 'use',
        input: ({ context: { username, use } }) => ({ username, use }),
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'done' },
          {
            target: 'code',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'code', actions: 'failOnBug' },
      },
      exit: assign({ use: null }),
    },
    done: { type: 'final', entry: assign({ answers: [] }) },
  },
});
