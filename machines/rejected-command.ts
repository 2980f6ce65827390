import { assign, fromPromise, setup } from 'xstate';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** What the user does about a command that the server rejected (OUT-5). */
export type Repair = 'retry' | 'discard';

/**
 * A command that the server rejected. The user sends it again or discards it; once that is done,
 * the outbox no longer lists it, unless the server rejects it again.
 *
 *   rejected ─RETRY─▶ retrying ─▶ repaired
 *     │ ▲ ▲──────────────┘ failed
 *     │ └────────────────┐ failed
 *     └─DISCARD─▶ discarding ─▶ repaired
 */
export const rejectedCommandMachine = setup({
  types: {
    context: {} as { readonly id: string; readonly failure: Failure | null },
    events: {} as { readonly type: 'RETRY' } | { readonly type: 'DISCARD' },
    input: {} as { readonly id: string },
  },
  actors: {
    repair: fromPromise<Result<null>, { readonly id: string; readonly how: Repair }>(notProvided),
  },
  actions: {
    clear: assign({ failure: null }),
    failOnBug: assign(() => ({ failure: bug() })),
  },
}).createMachine({
  id: 'rejected-command',
  context: ({ input }) => ({ id: input.id, failure: null }),
  initial: 'rejected',
  states: {
    rejected: { on: { RETRY: 'retrying', DISCARD: 'discarding' } },
    retrying: {
      entry: 'clear',
      invoke: {
        id: 'retry',
        src: 'repair',
        input: ({ context }) => ({ id: context.id, how: 'retry' }),
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'repaired' },
          {
            target: 'rejected',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'rejected', actions: 'failOnBug' },
      },
    },
    discarding: {
      entry: 'clear',
      invoke: {
        id: 'discard',
        src: 'repair',
        input: ({ context }) => ({ id: context.id, how: 'discard' }),
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'repaired' },
          {
            target: 'rejected',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'rejected', actions: 'failOnBug' },
      },
    },
    /** A command that is still listed was rejected again. */
    repaired: { on: { RETRY: 'retrying', DISCARD: 'discarding' } },
  },
});
