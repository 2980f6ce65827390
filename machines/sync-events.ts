import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';

/**
 * The result of a step of the loop. `cursor`: the last log position on this device; `left`: days of
 * runs that are not loaded yet.
 */
export type SyncOutcome =
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

/** What the device knows about its way to the server (OFF-9). */
export interface Contact {
  /** Whether the server has answered properly since the loop began. */
  readonly hasBeen: boolean;
  /** When the first attempt failed of those that have failed since the last answer. */
  readonly missingSince: Ms | null;
  /** Whether the connection counts as lost, and not only as interrupted. */
  readonly isLost: boolean;
}

/** The time and the network of the device. */
export interface Surroundings {
  /** 0 ≤ x < 1, for jitter. */
  readonly fraction: () => number;
  readonly now: () => Ms;
  /** False if the browser reports that there is no network. */
  readonly isOnline: () => boolean;
}

export interface SyncContext extends Surroundings {
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
  readonly contact: Contact;
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

export const beginning = (
  loaded: boolean,
  left: number,
  { fraction, now, isOnline }: Surroundings,
): SyncContext => ({
  fraction,
  now,
  isOnline,
  loaded,
  live: false,
  left,
  knownHead: 0,
  requestedHead: 0,
  sentHead: 0,
  failure: null,
  contact: { hasBeen: false, missingSince: null, isLost: false },
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

/** The server has answered properly. */
export const IN_CONTACT: Contact = { hasBeen: true, missingSince: null, isLost: false };

/**
 * The contact after an attempt that failed now. An interruption becomes a loss when an attempt fails after
 * the grace, so a server that has returned by then is never reported as lost, or when the browser reports that
 * there is no network. A clock that was set back counts as the end of the grace.
 */
export function loseContact(
  contact: Contact,
  { now, isOnline }: Pick<Surroundings, 'now' | 'isOnline'>,
): Contact {
  const at = now();
  const missingSince = contact.missingSince ?? at;
  const isGrace = at >= missingSince && at - missingSince < LIMITS.graceMs;
  return { ...contact, missingSince, isLost: contact.isLost || !isGrace || !isOnline() };
}

export const getWait = (failure: Failure): Ms =>
  'retryAfterMs' in failure ? failure.retryAfterMs : 0;
