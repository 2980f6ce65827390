import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';

/**
 * What the loop's needs answer. `cursor`: how far the log is here; `left`: days of runs that are
 * still to come.
 */
export type Outcome =
  | { readonly is: 'done'; readonly cursor: number; readonly left: number }
  /**
   * What is here no longer fits the server (epoch, scope, an event that cannot be read): begin
   * anew.
   */
  | { readonly is: 'anew' }
  | { readonly is: 'failed'; readonly failure: Failure };

/**
 * `seq`: where the log stands with the command in it; null where nothing was sent. `left`: commands
 * that wait still.
 */
export type PushOutcome =
  | { readonly is: 'done'; readonly seq: number | null; readonly left: number }
  | { readonly is: 'failed'; readonly failure: Failure };

export type SyncEvent =
  | { readonly type: 'POKE'; readonly head: number }
  /** Something may be there: pull, whatever the heads say. */
  | { readonly type: 'NUDGE' }
  | { readonly type: 'SCOPE' }
  | { readonly type: 'STREAM_OPEN' }
  | { readonly type: 'STREAM_CLOSED'; readonly retryAfterMs: Ms }
  /** A command waits in the outbox. */
  | { readonly type: 'COMMAND' }
  /** A person or the device says: try now. */
  | { readonly type: 'WAKE' };

export interface SyncContext {
  /** 0 ≤ x < 1, for jitter. */
  readonly fraction: () => number;
  /** There is a begin to go on from. */
  readonly loaded: boolean;
  /** Everything was here since the last begin or loss of the network. */
  readonly live: boolean;
  readonly left: number;
  /**
   * Heads of the log: the greatest we were told of, and what it was when the pull in flight (or the
   * last one) began.
   */
  readonly told: number;
  readonly asked: number;
  readonly failure: Failure | null;
  /** Why the oldest command could not be sent the last time; null where it could. */
  readonly pushFailure: Failure | null;
  /**
   * Waits in a row: of the whole loop, of beginning anew, of the outbox, of the stream. Each goes
   * back to 0 by its own success only.
   */
  readonly attempt: number;
  readonly renewals: number;
  readonly pushAttempt: number;
  readonly streamAttempt: number;
  /** What the server asked us to wait. */
  readonly waitMs: Ms;
  readonly pushWaitMs: Ms;
  readonly streamWaitMs: Ms;
  readonly streamUp: boolean;
  /** A command was kept while another was on its way. */
  readonly queued: boolean;
}

export const beginning = (loaded: boolean, left: number, fraction: () => number): SyncContext => ({
  fraction,
  loaded,
  live: false,
  left,
  told: 0,
  asked: 0,
  failure: null,
  pushFailure: null,
  attempt: 0,
  renewals: 0,
  pushAttempt: 0,
  streamAttempt: 0,
  waitMs: 0,
  pushWaitMs: 0,
  streamWaitMs: 0,
  streamUp: false,
  queued: false,
});

export const waitOf = (failure: Failure): Ms =>
  'retryAfterMs' in failure ? failure.retryAfterMs : 0;
