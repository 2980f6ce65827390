import { assign, fromPromise, setup } from 'xstate';
import type { ExplorerInput, RestorePoint } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** A session without any request ends after an hour. */
export const IDLE_MS: Ms = 60 * 60_000;

/** What a session shows: an organization at one moment. */
export interface SessionChoice extends ExplorerInput {
  readonly organizationId: string;
}

interface RestoreSessionContext {
  readonly organizationId: string | null;
  /** Newest first. Empty if they could not be read. */
  readonly points: readonly RestorePoint[];
  readonly choice: SessionChoice | null;
  readonly sessionId: string | null;
  /** The address within the session, so that a session that ended reopens at the same place. */
  readonly place: string | null;
  readonly failure: Failure | null;
}
export type RestoreSessionEvent =
  | { readonly type: 'CHOOSE'; readonly organizationId: string }
  | { readonly type: 'OPEN'; readonly choice: SessionChoice }
  /** The user did something: where they are. The idle time starts again. */
  | { readonly type: 'VISIT'; readonly place: string }
  /** The server ended the session. */
  | { readonly type: 'ENDED' }
  | { readonly type: 'REOPEN' }
  | { readonly type: 'STOP' };

/**
 * A restore session. Choosing an organization ends the session of the one before.
 *
 *   none ─CHOOSE─▶ listing ─▶ none ─OPEN─▶ opening ─▶ open ─STOP─▶ stopping ─▶ none
 *                                             ▲         └─(60 min)─▶ ended ─REOPEN─▶ opening
 *                                             └─ OPEN at another point: changing
 */
export const restoreSessionMachine = setup({
  types: { context: {} as RestoreSessionContext, events: {} as RestoreSessionEvent },
  actors: {
    listPoints: fromPromise<Result<readonly RestorePoint[]>, string | null>(notProvided),
    open: fromPromise<Result<string>, SessionChoice | null>(notProvided),
    /** Ends the session, but not its rights to write. */
    change: fromPromise<Result<unknown>, string | null>(notProvided),
    stop: fromPromise<Result<unknown>, string | null>(notProvided),
  },
  delays: { idle: IDLE_MS },
  guards: {
    isOfOrganization: ({ context, event }) =>
      event.type === 'OPEN' && event.choice.organizationId === context.organizationId,
  },
  actions: {
    choose: assign(({ event }) =>
      event.type === 'CHOOSE'
        ? {
            organizationId: event.organizationId,
            points: [],
            choice: null,
            place: null,
            failure: null,
          }
        : {},
    ),
    setChoice: assign(({ event }) =>
      event.type === 'OPEN' ? { choice: event.choice, failure: null } : {},
    ),
    clear: assign({
      organizationId: null,
      points: [],
      choice: null,
      sessionId: null,
      place: null,
      failure: null,
    }),
    forgetSession: assign({ sessionId: null }),
    failOnBug: assign(() => ({ failure: bug() })),
  },
}).createMachine({
  id: 'restore-session',
  context: {
    organizationId: null,
    points: [],
    choice: null,
    sessionId: null,
    place: null,
    failure: null,
  },
  initial: 'none',
  states: {
    none: {
      on: {
        CHOOSE: { target: 'listing', actions: 'choose' },
        OPEN: {
          guard: 'isOfOrganization',
          target: 'opening',
          actions: 'setChoice',
        },
      },
    },
    listing: {
      on: { CHOOSE: { target: 'listing', reenter: true, actions: 'choose' } },
      invoke: {
        id: 'listPoints',
        src: 'listPoints',
        input: ({ context }) => context.organizationId,
        onDone: {
          target: 'none',
          actions: assign(({ event }) => ({
            points: event.output.ok ? event.output.value : [],
            failure: getFailure(event.output),
          })),
        },
        onError: { target: 'none', actions: 'failOnBug' },
      },
    },
    opening: {
      on: { CHOOSE: { target: 'listing', actions: 'choose' } },
      invoke: {
        id: 'open',
        src: 'open',
        input: ({ context }) => context.choice,
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'open',
            actions: assign(({ event }) =>
              event.output.ok ? { sessionId: event.output.value, failure: null } : {},
            ),
          },
          {
            target: 'none',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'none', actions: 'failOnBug' },
      },
    },
    open: {
      on: {
        VISIT: {
          target: 'open',
          reenter: true, // starts the idle time again
          actions: assign(({ event }) => ({ place: event.place, failure: null })),
        },
        OPEN: { guard: 'isOfOrganization', target: 'changing', actions: 'setChoice' },
        CHOOSE: { target: 'leaving', actions: 'choose' },
        STOP: 'stopping',
        ENDED: { target: 'ended', actions: 'forgetSession' },
      },
      after: { idle: 'idle' },
    },
    /** Another point: the session of the one before is stopped, as well as that is possible. */
    changing: {
      invoke: {
        id: 'change',
        src: 'change',
        input: ({ context }) => context.sessionId,
        onDone: { target: 'opening', actions: 'forgetSession' },
        onError: { target: 'opening', actions: 'forgetSession' },
      },
    },
    leaving: {
      on: { CHOOSE: { actions: 'choose' } },
      invoke: {
        id: 'leave',
        src: 'stop',
        input: ({ context }) => context.sessionId,
        onDone: { target: 'listing', actions: 'forgetSession' },
        onError: { target: 'listing', actions: 'forgetSession' },
      },
    },
    idle: {
      invoke: {
        id: 'idle',
        src: 'stop',
        input: ({ context }) => context.sessionId,
        onDone: { target: 'ended', actions: 'forgetSession' },
        onError: { target: 'ended', actions: 'forgetSession' },
      },
    },
    ended: {
      on: {
        REOPEN: { target: 'opening', actions: assign({ failure: null }) },
        OPEN: { guard: 'isOfOrganization', target: 'opening', actions: 'setChoice' },
        CHOOSE: { target: 'listing', actions: 'choose' },
        STOP: { target: 'none', actions: 'clear' },
      },
    },
    stopping: {
      invoke: {
        id: 'stop',
        src: 'stop',
        input: ({ context }) => context.sessionId,
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'none', actions: 'clear' },
          {
            target: 'open',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'open', actions: 'failOnBug' },
      },
    },
  },
});
