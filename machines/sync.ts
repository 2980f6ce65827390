import { assign, fromCallback, fromPromise, raise, setup } from 'xstate';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { backOffMs, firstContactMs, QUICK_RETURNS, returnMs } from './back-off.ts';
import { beginning, getWait, IN_CONTACT, loseContact } from './sync-events.ts';
import type {
  SyncOutcome,
  PushOutcome,
  Surroundings,
  SyncContext,
  SyncEvent,
} from './sync-events.ts';

/**
 * Ends the wait of a device whose user does something. The waits after it are short again, but a device
 * that is woken often makes no burst of attempts each time.
 */
const HURRY = {
  guard: 'mayHurry',
  target: 'starting',
  actions: 'shortenWaits',
} as const;

/** Lower than any head. */
const NEVER_REQUESTED = -1;

/**
 * The loop that keeps a device in step with the log (SYNC-5, SYNC-8). No state gets stuck, and
 * after a failure it always waits before it continues:
 *
 *   starting ─▶ bootstrapping ─▶ online ─┬ log:    pulling ⇄ loading (a day) ─▶ live (paused ─▶ ready) ─▶ pulling …
 *       ▲             │            │     ├ push:   idle ⇄ sending ⇄ resting
 *       └── offline ◀─┴────────────┘     └ stream: attached ⇄ resting
 *                                  ╰─▶ signed-out, update-needed
 *
 * Days and events are fetched in sequence, never in parallel. So the page of a day is always at or
 * after the cursor, and never overwrites something newer (SYNC-2).
 */
export const syncMachine = setup({
  types: {
    context: {} as SyncContext,
    events: {} as SyncEvent,
    input: {} as Surroundings & { readonly loaded: boolean; readonly left: number },
  },
  actors: {
    bootstrap: fromPromise<SyncOutcome>(notGiven),
    pull: fromPromise<SyncOutcome>(notGiven),
    loadDay: fromPromise<SyncOutcome>(notGiven),
    push: fromPromise<PushOutcome>(notGiven),
    stream: fromCallback<SyncEvent>(notGivenStream),
  },
  delays: {
    backOff: ({ context }) =>
      context.renewals > context.attempt
        ? backOffMs(context.renewals - 1, context.waitMs, context.fraction())
        : getReturnWait(context),
    pushRest: ({ context }) =>
      backOffMs(context.pushAttempt - 1, context.pushWaitMs, context.fraction()),
    streamRest: ({ context }) =>
      backOffMs(context.streamAttempt + 2, context.streamWaitMs, context.fraction()),
    pullGap: LIMITS.pullGapMs,
    poll: ({ context }) => (context.streamUp ? LIMITS.maxBackoffMs : LIMITS.pollMs),
    steady: 10_000,
  },
  actions: {
    shortenWaits: assign({ attempt: ({ context }) => Math.min(context.attempt, QUICK_RETURNS) }),
  },
  guards: {
    over: ({ context }) =>
      context.failure?.kind === 'signed-out' || context.failure?.kind === 'expired',
    outdated: ({ context }) => context.failure?.kind === 'update-needed',
    hasBegun: ({ context }) => context.loaded,
    behind: ({ context }) => context.knownHead > context.requestedHead,
    /** The user's own change, or whatever is new, is to be pulled without a pause. */
    mustPull: ({ context }) => context.sentHead > context.requestedHead,
    mayHurry: ({ context }) => context.waitMs === 0,
    mayHurryPush: ({ context }) => context.pushWaitMs === 0,
    pushFailedBefore: ({ context }) => context.pushAttempt > 0,
  },
}).createMachine({
  id: 'sync',
  context: ({ input }) => beginning(input.loaded, input.left, input),
  initial: 'starting',
  on: {
    POKE: {
      actions: assign({
        knownHead: ({ context, event }) => Math.max(context.knownHead, event.head),
      }),
    },
  },
  states: {
    'starting': { always: [{ guard: 'hasBegun', target: 'online' }, { target: 'bootstrapping' }] },
    'bootstrapping': {
      invoke: {
        id: 'bootstrap',
        src: 'bootstrap',
        onDone: [
          {
            guard: ({ event }) => event.output.kind === 'done',
            target: 'online',
            actions: assign(({ event }) => ({
              loaded: true,
              live: false,
              ...reached(event.output),
            })),
          },
          {
            target: 'judging',
            actions: assign(({ context, event }) => missed(context, event.output)),
          },
        ],
        onError: { target: 'judging', actions: assign(({ context }) => missed(context, BUG)) },
      },
    },
    'online': {
      type: 'parallel',
      on: {
        SCOPE: {
          target: 'judging',
          actions: assign(({ context }) => missed(context, { kind: 'reload' })),
        },
      },
      states: {
        log: {
          initial: 'pulling',
          states: {
            pulling: {
              entry: assign({
                requestedHead: ({ context }) => Math.max(context.knownHead, context.sentHead),
              }),
              // The pull in flight may miss the newest events, so another one follows.
              on: { NUDGE: { actions: assign({ requestedHead: NEVER_REQUESTED }) } },
              invoke: {
                id: 'pull',
                src: 'pull',
                onDone: [
                  {
                    guard: ({ context, event }) =>
                      event.output.kind === 'done' && context.sentHead > context.requestedHead,
                    target: 'pulling',
                    reenter: true,
                  },
                  {
                    guard: ({ event }) => event.output.kind === 'done' && event.output.left > 0,
                    target: 'loading',
                    actions: assign(({ context, event }) => pulled(context, event.output)),
                  },
                  {
                    guard: ({ event }) => event.output.kind === 'done',
                    target: 'live',
                    actions: assign(({ context, event }) => pulled(context, event.output)),
                  },
                  {
                    target: '#sync.judging',
                    actions: assign(({ context, event }) => missed(context, event.output)),
                  },
                ],
                onError: {
                  target: '#sync.judging',
                  actions: assign(({ context }) => missed(context, BUG)),
                },
              },
            },
            loading: {
              invoke: {
                id: 'loadDay',
                src: 'loadDay',
                onDone: [
                  {
                    guard: ({ context, event }) =>
                      event.output.kind === 'done' &&
                      event.output.left > 0 &&
                      context.knownHead <= context.requestedHead,
                    target: 'loading',
                    reenter: true,
                    actions: assign(({ event }) => ({
                      ...reached(event.output),
                      attempt: 0,
                      waitMs: 0,
                    })),
                  },
                  {
                    guard: ({ event }) => event.output.kind === 'done',
                    target: 'pulling',
                    actions: assign(({ event }) => ({
                      left: event.output.kind === 'done' ? event.output.left : 0,
                      contact: IN_CONTACT,
                      attempt: 0,
                      waitMs: 0,
                    })),
                  },
                  {
                    target: '#sync.judging',
                    actions: assign(({ context, event }) => missed(context, event.output)),
                  },
                ],
                onError: {
                  target: '#sync.judging',
                  actions: assign(({ context }) => missed(context, BUG)),
                },
              },
            },
            live: {
              entry: assign({ live: true, failure: null, contact: IN_CONTACT, waitMs: 0 }),
              initial: 'paused',
              states: {
                // What arrives in quick succession comes with one pull (SYNC-22).
                paused: {
                  always: { guard: 'mustPull', target: '#sync.online.log.pulling' },
                  after: { pullGap: 'ready' },
                },
                ready: { always: { guard: 'behind', target: '#sync.online.log.pulling' } },
              },
              on: {
                NUDGE: 'pulling',
                STREAM_CLOSED: 'pulling',
                STREAM_OPEN: 'pulling',
                WAKE: 'pulling',
              },
              after: { poll: 'pulling', steady: { actions: assign({ attempt: 0, renewals: 0 }) } },
            },
          },
        },
        push: {
          initial: 'deciding',
          states: {
            deciding: {
              always: [{ guard: 'pushFailedBefore', target: 'resting' }, { target: 'sending' }],
            },
            idle: { on: { COMMAND: 'sending' } },
            sending: {
              entry: assign({ queued: false }),
              on: { COMMAND: { actions: assign({ queued: true }) } },
              invoke: {
                id: 'push',
                src: 'push',
                onDone: [
                  {
                    guard: ({ context, event }) =>
                      event.output.kind === 'done' && (event.output.left > 0 || context.queued),
                    target: 'sending',
                    reenter: true,
                    actions: assign(({ context, event }) => sent(context, event.output)),
                  },
                  {
                    guard: ({ event }) => event.output.kind === 'done',
                    target: 'idle',
                    actions: assign(({ context, event }) => sent(context, event.output)),
                  },
                  {
                    guard: ({ event }) =>
                      event.output.kind === 'failed' && ENDS.has(event.output.failure.kind),
                    target: '#sync.judging',
                    actions: assign(({ context, event }) =>
                      missed(context, event.output as SyncOutcome),
                    ),
                  },
                  {
                    target: 'resting',
                    actions: [
                      assign(({ context, event }) => unsent(context, event.output)),
                      raise({ type: 'NUDGE' }),
                    ],
                  },
                ],
                onError: {
                  target: 'resting',
                  actions: assign(({ context }) => unsent(context, BUG)),
                },
              },
            },
            resting: {
              on: { WAKE: { guard: 'mayHurryPush', target: 'sending' } },
              after: { pushRest: 'sending' },
            },
          },
        },
        stream: {
          initial: 'attached',
          states: {
            attached: {
              invoke: {
                id: 'stream',
                src: 'stream',
                onError: {
                  target: 'resting',
                  actions: assign({
                    streamUp: false,
                    streamAttempt: ({ context }) => context.streamAttempt + 1,
                  }),
                },
              },
              exit: assign({ streamUp: false }),
              on: {
                STREAM_CLOSED: {
                  target: 'resting',
                  actions: assign(({ context, event }) => ({
                    streamAttempt: context.streamAttempt + 1,
                    streamWaitMs: event.retryAfterMs,
                  })),
                },
              },
              initial: 'connecting',
              states: {
                connecting: { on: { STREAM_OPEN: 'open' } },
                open: {
                  entry: assign({ streamUp: true }),
                  // A stream that closes right after opening is no success. Only a stream that
                  // stays open is.
                  after: { steady: { actions: assign({ streamAttempt: 0, streamWaitMs: 0 }) } },
                },
              },
            },
            resting: { after: { streamRest: 'attached' } },
          },
        },
      },
    },
    'judging': {
      always: [
        { guard: 'over', target: 'signed-out' },
        { guard: 'outdated', target: 'update-needed' },
        { target: 'offline' },
      ],
    },
    'offline': {
      entry: assign({ live: false }),
      on: { WAKE: HURRY, COMMAND: HURRY },
      after: { backOff: 'starting' },
    },
    'update-needed': { entry: assign({ live: false }), on: { WAKE: 'starting' } },
    'signed-out': { entry: assign({ live: false }) },
  },
});

/** A step that throws is a bug. The loop continues. */
const BUG: SyncOutcome & PushOutcome = {
  kind: 'failed',
  failure: {
    kind: 'server-error',
    get message() {
      return MESSAGES.serverError;
    },
  },
};
const ENDS: ReadonlySet<Failure['kind']> = new Set(['signed-out', 'expired', 'update-needed']);

function getReturnWait({ attempt, waitMs, contact, now, fraction }: SyncContext): number {
  if (contact.hasBeen || contact.missingSince === null)
    return returnMs(attempt - 1, waitMs, fraction());
  const graceLeftMs = contact.missingSince + LIMITS.graceMs - now();
  return firstContactMs(attempt - 1, waitMs, fraction(), graceLeftMs);
}

const reached = (outcome: SyncOutcome): Partial<SyncContext> =>
  outcome.kind === 'done'
    ? {
        left: outcome.left,
        knownHead: outcome.cursor,
        requestedHead: outcome.cursor,
        sentHead: 0,
        failure: null,
        contact: IN_CONTACT,
      }
    : {};

/** After a pull: heads that were reported while it ran may be newer than what it brought. */
const pulled = (context: SyncContext, outcome: SyncOutcome): Partial<SyncContext> => ({
  ...reached(outcome),
  ...(outcome.kind === 'done' &&
    context.knownHead > context.requestedHead && {
      knownHead: Math.max(context.knownHead, outcome.cursor),
    }),
});

/** After a failure: whether to continue or to bootstrap again, with a longer wait than the last. */
function missed(context: SyncContext, outcome: SyncOutcome): Partial<SyncContext> {
  const waits = {
    attempt: context.attempt + 1,
    waitMs: 0,
    knownHead: Math.max(context.requestedHead, 0),
  };
  if (outcome.kind === 'reload')
    return {
      ...waits,
      attempt: context.attempt,
      loaded: false,
      renewals: context.renewals + 1,
      failure: null,
    };
  return outcome.kind === 'failed'
    ? {
        ...waits,
        failure: outcome.failure,
        contact: loseContact(context.contact, context),
        waitMs: getWait(outcome.failure),
      }
    : waits;
}

const sent = (context: SyncContext, outcome: PushOutcome): Partial<SyncContext> => {
  const seq = outcome.kind === 'done' ? (outcome.seq ?? 0) : 0;
  return {
    pushAttempt: 0,
    pushWaitMs: 0,
    pushFailure: null,
    knownHead: Math.max(context.knownHead, seq),
    sentHead: Math.max(context.sentHead, seq),
  };
};

const unsent = (context: SyncContext, outcome: PushOutcome): Partial<SyncContext> => {
  const pushFailure = outcome.kind === 'failed' ? outcome.failure : null;
  return {
    pushAttempt: context.pushAttempt + 1,
    pushWaitMs: pushFailure === null ? 0 : getWait(pushFailure),
    pushFailure,
  };
};

function notGiven(): Promise<never> {
  return Promise.reject(new Error('a need of the machine was not given'));
}
function notGivenStream(): void {
  throw new Error('a need of the machine was not given');
}
