import { assign, fromPromise, setup } from 'xstate';
import type { Ms } from '#contract/ids.ts';
import { backOffMs } from './back-off.ts';
import { notProvided } from './refusal.ts';

/**
 * What the server says about the session of a locked device. `later`: it did not answer.
 * `reopened`: the session continues, and begins another time on the device. `over`: the user has to
 * sign in.
 */
export type ExpiryAnswer = 'reopened' | 'over' | 'later';

export interface SessionExpiryInput {
  /** When the device locks without contact to the server; null: it is locked already. */
  readonly until: Ms | null;
  readonly now: () => Ms;
  /** 0 ≤ x < 1 */
  readonly fraction: () => number;
}
interface Context extends SessionExpiryInput {
  readonly attempt: number;
}

export type SessionExpiryEvent =
  /** The server confirmed the session: the device may stay open until then. */
  | { readonly type: 'RENEWED'; readonly until: Ms }
  /** The server ended the session. */
  | { readonly type: 'ENDED' };

/** Browsers count a longer time as none. */
const LONGEST_TIMER_MS: Ms = 2 ** 31 - 1;
/**
 * The first attempts after locking are this far apart already, because no user waits at the screen.
 */
const FIRST_ATTEMPT = 6;

/**
 * How long a device stays open without contact to the server (C7, A11). When the time is over, the
 * screen locks and the data key is destroyed. Then only the server knows whether the session goes
 * on, so it is asked until it answers.
 *
 *   open ─limit─▶ locking ─▶ asking ─▶ reopened
 *    │                       │  ▲
 *    └─ENDED─▶ ended ◀───────┤  └── waiting ◀─ later
 *                            └──────────┘
 */
export const sessionExpiryMachine = setup({
  types: {
    context: {} as Context,
    events: {} as SessionExpiryEvent,
    input: {} as SessionExpiryInput,
  },
  actors: {
    /** Destroys the data key of a device whose time is over. */
    destroyKey: fromPromise<unknown>(notProvided),
    askServer: fromPromise<ExpiryAnswer>(notProvided),
  },
  actions: {
    lock: () => {},
    end: () => {},
  },
  guards: {
    isLocked: ({ context: { until } }) => until === null,
    isOver: ({ context: { until, now } }) => until !== null && now() >= until,
  },
  delays: {
    limit: ({ context: { until, now } }) =>
      Math.min(Math.max(0, (until ?? 0) - now()), LONGEST_TIMER_MS),
    backOff: ({ context: { attempt, fraction } }) => backOffMs(attempt, 0, fraction()),
  },
}).createMachine({
  id: 'session-expiry',
  context: ({ input }) => ({ ...input, attempt: FIRST_ATTEMPT }),
  initial: 'deciding',
  states: {
    deciding: { always: [{ guard: 'isLocked', target: 'asking' }, { target: 'open' }] },
    open: {
      after: {
        limit: [
          { guard: 'isOver', target: 'locking' },
          { target: 'open', reenter: true },
        ],
      },
      on: {
        RENEWED: {
          target: 'open',
          reenter: true,
          actions: assign(({ event }) => ({ until: event.until })),
        },
        ENDED: { target: 'ended', actions: 'end' },
      },
    },
    locking: {
      entry: 'lock',
      invoke: { id: 'destroyKey', src: 'destroyKey', onDone: 'asking', onError: 'asking' },
    },
    asking: {
      invoke: {
        id: 'askServer',
        src: 'askServer',
        onDone: [
          { guard: ({ event }) => event.output === 'reopened', target: 'reopened' },
          { guard: ({ event }) => event.output === 'over', target: 'ended' },
          { target: 'waiting' },
        ],
        onError: 'waiting',
      },
    },
    waiting: {
      after: {
        backOff: {
          target: 'asking',
          actions: assign(({ context }) => ({ attempt: context.attempt + 1 })),
        },
      },
    },
    reopened: { type: 'final' },
    ended: { type: 'final' },
  },
});
