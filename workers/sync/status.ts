import type { SnapshotFrom } from 'xstate';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { syncMachine } from '#machines/sync.ts';
import type { SyncStatus } from '#workers/api.ts';
import type { Replica } from './replica.ts';

/** Returns the status of the loop for the user. A short interruption doesn't count as offline yet (OFF-9). */
export function isInState(snapshot: SnapshotFrom<typeof syncMachine>): SyncStatus['kind'] {
  const { context } = snapshot;
  if (snapshot.matches('signed-out')) return 'signed-out';
  if (snapshot.matches('update-needed')) return 'update-needed';
  if (context.live) return 'live';
  if (context.failure === null || !context.contact.isLost) return 'catching-up';
  return context.failure.kind === 'no-answer' ? 'offline' : 'server-trouble';
}

/** Whether changes are stored here until the server responds again. */
export const isAway = (kind: SyncStatus['kind']): boolean =>
  kind === 'offline' || kind === 'server-trouble';

export interface StatusInput {
  readonly kind: SyncStatus['kind'];
  readonly offlineSince: Ms | null;
  readonly replica: Pick<Replica, 'full' | 'daysLeft' | 'syncedAt'>;
  readonly waiting: number;
  readonly refused: number;
  readonly partly: number;
  readonly follower: boolean;
  readonly storage: 'persisted' | 'best-effort' | 'memory';
  readonly error: string | null;
  readonly pushFailure: Failure | null;
  readonly reload: boolean;
}

export const getSyncStatus = ({
  kind,
  offlineSince,
  replica,
  waiting,
  refused,
  partly,
  follower,
  storage,
  error,
  pushFailure,
  reload,
}: StatusInput): SyncStatus => ({
  kind,
  syncedAt: replica.syncedAt,
  offlineSince: isAway(kind) ? offlineSince : null,
  left: replica.daysLeft + (kind === 'live' || replica.daysLeft > 0 ? 0 : 1),
  waiting,
  refused,
  partly,
  follower,
  storage: replica.full ? 'full' : storage,
  error: replica.full ? MESSAGES.storage : (error ?? serverFull(waiting, pushFailure)),
  reload,
});

/** Changes are stored here while the server can't store them. */
const serverFull = (waiting: number, failure: Failure | null): string | null =>
  waiting > 0 && failure?.kind === 'out-of-space' ? MESSAGES.outOfSpaceQueued : null;
