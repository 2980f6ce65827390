import { assign, fromPromise, setup } from 'xstate';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { notProvided } from './refusal.ts';

/** What happens to changes that the server has not received (OUT-7). `ask`: none are expected. */
export type Unsent = 'ask' | UnsentChoice;
export type UnsentChoice = 'send' | 'keep' | 'discard';

/** `out`: whether the user is signed out. `unsent`: the changes that prevented it. */
export interface SignOutResult {
  readonly out: boolean;
  readonly unsent: number;
}

/** Why the user is still signed in after an attempt. */
export type SignOutRefusal =
  | { readonly kind: 'offline' }
  | { readonly kind: 'not-all-sent' }
  | { readonly kind: 'failed'; readonly message: string };

interface SignOutContext {
  readonly cause: SignOutInput['cause'];
  readonly isOffline: boolean;
  readonly how: Unsent;
  readonly unsent: number;
  readonly refusal: SignOutRefusal | null;
}
export interface SignOutInput {
  /** `new-version`: another version of the app was started (VERSION-1). */
  readonly cause: 'user' | 'new-version';
  readonly isOffline: boolean;
  /** The unsent changes that this device knows of. */
  readonly unsent: number;
}
export type SignOutEvent =
  | {
      readonly type: 'CHOOSE';
      readonly how: UnsentChoice;
      readonly isOffline: boolean;
    }
  | { readonly type: 'STAY' }
  | { readonly type: 'ONLINE' };

/**
 * Signs out (OUT-7). A user with unsent changes chooses what happens to them, and confirms offline,
 * when nobody could sign in again. A new version asks nobody: it sends the changes, or stores them
 * for the user, and waits for the network first.
 *
 *   leaving ─▶ out
 *      └─▶ choosing ─CHOOSE─▶ leaving      choosing ─STAY─▶ stayed
 *   waitingForNetwork ─ONLINE─▶ sending ─▶ out
 *                                  └─▶ storing ─▶ out
 */
export const signOutMachine = setup({
  types: {
    context: {} as SignOutContext,
    events: {} as SignOutEvent,
    input: {} as SignOutInput,
  },
  actors: { signOut: fromPromise<Result<SignOutResult>, Unsent>(notProvided) },
  guards: { isFirst: ({ context }) => context.how === 'ask' },
  actions: {
    failOnBug: assign(() => ({ refusal: { kind: 'failed', message: MESSAGES.serverError } })),
  },
}).createMachine({
  id: 'sign-out',
  context: ({ input }) => ({ ...input, how: 'ask', refusal: null }),
  initial: 'deciding',
  states: {
    deciding: {
      always: [
        {
          guard: ({ context: { cause, isOffline } }) => cause === 'new-version' && isOffline,
          target: 'waitingForNetwork',
        },
        { guard: ({ context }) => context.cause === 'new-version', target: 'sending' },
        {
          guard: ({ context: { isOffline, unsent } }) => isOffline && unsent === 0,
          target: 'choosing',
        },
        { target: 'leaving' },
      ],
    },
    leaving: {
      invoke: {
        id: 'leave',
        src: 'signOut',
        input: ({ context }) => context.how,
        onDone: [
          { guard: ({ event }) => isOut(event.output), target: 'out' },
          {
            guard: ({ event }) => event.output.ok,
            target: 'choosing',
            actions: assign(({ context, event }) => ({
              unsent: event.output.ok ? event.output.value.unsent : 0,
              refusal: context.how === 'send' ? { kind: 'not-all-sent' } : null,
            })),
          },
          {
            guard: 'isFirst',
            target: 'failed',
            actions: assign(({ event }) => ({ refusal: getRefusal(event.output) })),
          },
          {
            target: 'choosing',
            actions: assign(({ event }) => ({ refusal: getRefusal(event.output) })),
          },
        ],
        onError: [
          { guard: 'isFirst', target: 'failed', actions: 'failOnBug' },
          { target: 'choosing', actions: 'failOnBug' },
        ],
      },
    },
    choosing: {
      on: {
        CHOOSE: [
          {
            guard: ({ event }) => event.how === 'send' && event.isOffline,
            actions: assign({ refusal: { kind: 'offline' } }),
          },
          {
            target: 'leaving',
            actions: assign(({ event }) => ({ how: event.how, refusal: null })),
          },
        ],
        STAY: 'stayed',
      },
    },
    waitingForNetwork: { on: { ONLINE: 'sending' } },
    sending: {
      invoke: {
        id: 'send',
        src: 'signOut',
        input: 'send',
        onDone: [
          { guard: ({ event }) => isOut(event.output), target: 'out' },
          { target: 'storing' },
        ],
        onError: 'storing',
      },
    },
    storing: {
      invoke: { id: 'store', src: 'signOut', input: 'keep', onDone: 'out', onError: 'out' },
    },
    out: { type: 'final' },
    stayed: { type: 'final' },
    /** Nothing was unsent, and signing out failed. */
    failed: { type: 'final' },
  },
});

const isOut = (result: Result<SignOutResult>): boolean => result.ok && result.value.out;
const getRefusal = (result: Result<SignOutResult>): SignOutRefusal | null =>
  result.ok ? null : { kind: 'failed', message: result.failure.message };
