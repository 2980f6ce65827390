import type { Ms } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';
import type { Presence } from '../db/presence.ts';

/** How often a server shows that it lives. */
const BEAT_MS: Ms = 1_500;
/**
 * A server stops its jobs this long after the begin of its last heartbeat that the database
 * confirmed: before any other server may take them over.
 */
const FENCE_MS: Ms = 6_500;
/** How long after a check the next one begins, at least. */
export const LOOK_PAUSE_MS: Ms = BEAT_MS;
/**
 * A server is gone when another one has not seen its heartbeat in this many checks, at most one after
 * each heartbeat of the checking server. Each begins `LOOK_PAUSE_MS` after the end of the one before,
 * and the first of these pauses after the heartbeat was seen: together a second longer than `FENCE_MS`,
 * however slow a check is. Counting checks instead of time makes a wrong clock, a database that was away
 * and a process that stood still harmless.
 */
const GONE_LOOKS = 5;

export interface Heartbeat {
  /** Resolves when the first heartbeat was confirmed or has failed. */
  readonly first: Promise<void>;
  /** Whether this server may run jobs. */
  isShown(): boolean;
  stop(): void;
}

/**
 * Shows regularly that a server lives (JOB-3). `onBeat`: after each heartbeat that was confirmed.
 * `onLost`: none was for so long that others may soon take its jobs.
 */
export function beginHeartbeat(
  clock: Clock,
  presence: Presence,
  { onBeat, onLost }: { readonly onBeat: () => void; readonly onLost: () => void },
): Heartbeat {
  let isShown = false;
  let isStopped = false;
  let fence: { cancel(): void } | null = null;
  let timer: { cancel(): void } | null = null;

  async function beat(): Promise<void> {
    // From the begin of the heartbeat, because others may see it at once.
    let isOver = false;
    const pause = Promise.withResolvers<undefined>();
    timer = clock.after(BEAT_MS, () => pause.resolve(undefined));
    const next = clock.after(FENCE_MS, () => {
      isOver = true;
      if (fence !== next) return;
      isShown = false;
      if (!isStopped) onLost();
    });
    try {
      await presence.beat();
      // An answer that took too long shows only that others have seen it once.
      if (isOver || isStopped) next.cancel();
      else {
        fence?.cancel();
        fence = next;
        isShown = true;
        onBeat();
      }
    } catch {
      next.cancel();
    }
    void pause.promise.then(() => (isStopped ? undefined : beat()));
  }

  return {
    first: presence.announced.then(beat),
    isShown: () => isShown,
    stop() {
      isStopped = true;
      timer?.cancel();
      fence?.cancel();
    },
  };
}

/** Finds the servers that are gone, by checking their heartbeats. */
export function watchBeats(): {
  /**
   * Returns which of these servers are gone. `marks`: of those that have a connection. One that has
   * never had a heartbeat is of an earlier version, and lives as long as it has a connection.
   */
  look(owners: readonly string[], marks: ReadonlyMap<string, string | null>): readonly string[];
} {
  const seen = new Map<string, { readonly mark: string | null; readonly silent: number }>();
  return {
    look(owners, marks) {
      const all = new Set(owners);
      for (const owner of seen.keys()) if (!all.has(owner)) seen.delete(owner);
      for (const owner of all) {
        const last = seen.get(owner) ?? { mark: null, silent: -1 };
        const mark = marks.get(owner) ?? null;
        const lives = mark === null ? marks.has(owner) && last.mark === null : mark !== last.mark;
        seen.set(owner, { mark: mark ?? last.mark, silent: lives ? 0 : last.silent + 1 });
      }
      return [...all].filter((owner) => (seen.get(owner)?.silent ?? 0) >= GONE_LOOKS);
    },
  };
}
