import { assign, fromPromise, setup } from 'xstate';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bugAt, mayTryAgain, notProvided, getRefusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';

interface RequestContext {
  readonly now: () => Ms;
  readonly username: string;
  readonly refusal: Refusal | null;
}

/**
 * Requests a password reset link by email (RECOVER-4).
 *
 *   name ─NAME─▶ sending ─▶ sent ─AGAIN─▶ name
 *    ▲──────────────┘ refused
 */
export const passwordLinkRequestMachine = setup({
  types: {
    context: {} as RequestContext,
    events: {} as { readonly type: 'NAME'; readonly username: string } | { readonly type: 'AGAIN' },
    input: {} as { readonly now: () => Ms },
  },
  actors: { send: fromPromise<Result<unknown>, string>(notProvided) },
}).createMachine({
  id: 'password-link-request',
  context: ({ input }) => ({ now: input.now, username: '', refusal: null }),
  initial: 'name',
  states: {
    name: {
      on: {
        NAME: {
          guard: ({ context }) => mayTryAgain(context.refusal, context.now()),
          target: 'sending',
          actions: assign(({ event }) => ({ username: event.username, refusal: null })),
        },
      },
    },
    sending: {
      invoke: {
        id: 'send',
        src: 'send',
        input: ({ context }) => context.username,
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'sent' },
          {
            target: 'name',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: {
          target: 'name',
          actions: assign({ refusal: ({ context }) => bugAt(context.now()) }),
        },
      },
    },
    sent: { on: { AGAIN: 'name' } },
  },
});

interface LinkContext {
  readonly now: () => Ms;
  /** The secret of the link. A link works once. */
  readonly hash: string;
  /** Set only while the request is in flight, so that it doesn't stay in memory. */
  readonly newPassword: string | null;
  readonly refusal: Refusal | null;
}

/**
 * Sets a password with the link of a password reset email (RECOVER-4). The link is checked before
 * the user chooses a password.
 *
 *   checking ─▶ choosing ─SAVE─▶ saving ─▶ done
 *      │           ▲────────────────┤ refused
 *      ├─▶ over ◀───────────────────┘
 *      └─▶ unreachable ─CHECK─▶ checking
 */
export const passwordLinkMachine = setup({
  types: {
    context: {} as LinkContext,
    events: {} as
      | { readonly type: 'CHECK' }
      | { readonly type: 'SAVE'; readonly newPassword: string },
    input: {} as { readonly now: () => Ms; readonly hash: string },
  },
  actors: {
    check: fromPromise<Result<unknown>, string>(notProvided),
    save: fromPromise<
      Result<unknown>,
      { readonly hash: string; readonly newPassword: string | null }
    >(notProvided),
  },
  guards: { mayTry: ({ context }) => mayTryAgain(context.refusal, context.now()) },
  actions: { failOnBug: assign({ refusal: ({ context }) => bugAt(context.now()) }) },
}).createMachine({
  id: 'password-link',
  context: ({ input }) => ({
    now: input.now,
    hash: input.hash,
    newPassword: null,
    refusal: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      always: [
        { guard: ({ context }) => HASH.test(context.hash), target: 'checking' },
        { target: 'over' },
      ],
    },
    checking: {
      invoke: {
        id: 'check',
        src: 'check',
        input: ({ context }) => context.hash,
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'choosing' },
          { guard: ({ event }) => isOver(event.output), target: 'over' },
          {
            target: 'unreachable',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'unreachable', actions: 'failOnBug' },
      },
    },
    unreachable: {
      on: { CHECK: { guard: 'mayTry', target: 'checking', actions: assign({ refusal: null }) } },
    },
    choosing: {
      on: {
        SAVE: {
          guard: 'mayTry',
          target: 'saving',
          actions: assign(({ event }) => ({ newPassword: event.newPassword, refusal: null })),
        },
      },
    },
    saving: {
      invoke: {
        id: 'save',
        src: 'save',
        input: ({ context: { hash, newPassword } }) => ({ hash, newPassword }),
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'done' },
          { guard: ({ event }) => isOver(event.output), target: 'over' },
          {
            target: 'choosing',
            actions: assign(({ context, event }) => ({
              refusal: getRefusal(event.output, context.now()),
            })),
          },
        ],
        onError: { target: 'choosing', actions: 'failOnBug' },
      },
      exit: assign({ newPassword: null }),
    },
    /** The link was used, has expired, or never existed. */
    over: { type: 'final' },
    done: { type: 'final' },
  },
});

const HASH = /^[\w-]{1,200}$/;
const isOver = (result: Result<unknown>): boolean =>
  !result.ok && result.failure.kind === 'not-found';
