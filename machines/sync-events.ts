import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';

/**
 * The result of a step of the loop. `cursor`: the last log position on this device; `left`: days of
 * runs that are not loaded yet.
 */
export type Outcome =
  | { readonly kind: 'done'; readonly cursor: number; readonly left: number }
  /**
   * The local data no longer fits the server (epoch, scope, or an unreadable event): bootstrap
   * again.
   */
  | { readonly kind: 'reload' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * `seq`: the log position that includes the command; null if nothing was sent. `left`: commands
 * still in the outbox.
 */
export type PushOutcome =
  | { readonly kind: 'done'; readonly seq: number | null; readonly left: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type SyncEvent =
  | { readonly type: 'POKE'; readonly head: number }
  /** There may be new events: pull, whatever the known heads are. */
  | { readonly type: 'NUDGE' }
  | { readonly type: 'SCOPE' }
  | { readonly type: 'STREAM_OPEN' }
  | { readonly type: 'STREAM_CLOSED'; readonly retryAfterMs: Ms }
  /** A command was added to the outbox. */
  | { readonly type: 'COMMAND' }
  /** The user or the device asks for an immediate retry. */
  | { readonly type: 'WAKE' };

export interface SyncContext {
  /** 0 ≤ x < 1, for jitter. */
  readonly fraction: () => number;
  /** Whether the device has a bootstrap to continue from. */
  readonly loaded: boolean;
  /** Whether everything was loaded since the last bootstrap or loss of the network. */
  readonly live: boolean;
  readonly left: number;
  /**
   * Heads of the log. `knownHead`: the highest the server reported; `requestedHead`: its value when
   * the current or last pull began; `sentHead`: the highest with a change that this device sent
   * since then.
   */
  readonly knownHead: number;
  readonly requestedHead: number;
  readonly sentHead: number;
  readonly failure: Failure | null;
  /** Why the oldest command failed the last time; null if it didn't. */
  readonly pushFailure: Failure | null;
  /**
   * Consecutive failures of the whole loop, of the bootstrap, of the outbox and of the stream. Each
   * resets to 0 only when its own step succeeds.
   */
  readonly attempt: number;
  readonly renewals: number;
  readonly pushAttempt: number;
  readonly streamAttempt: number;
  /** The wait that the server asked for. */
  readonly waitMs: Ms;
  readonly pushWaitMs: Ms;
  readonly streamWaitMs: Ms;
  readonly streamUp: boolean;
  /** A command was added while another one was in flight. */
  readonly queued: boolean;
}

export const beginning = (loaded: boolean, left: number, fraction: () => number): SyncContext => ({
  fraction,
  loaded,
  live: false,
  left,
  knownHead: 0,
  requestedHead: 0,
  sentHead: 0,
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

export const getWait = (failure: Failure): Ms =>
  'retryAfterMs' in failure ? failure.retryAfterMs : 0;
