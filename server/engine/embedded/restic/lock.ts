import type { EngineResult } from '#contract/engine/engine.ts';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { PROCESS_SPACE } from './process-space.ts';
import type { Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { readDocument, writeDocument } from './unpacked.ts';
import { resticMessages as t } from './messages.en.ts';

// restic's lock files: any number of shared locks, or a single exclusive one. A crashed process
// leaves its lock, which expires after 30 minutes, or at once if this process can see that the
// other one is gone.

export type LockKind = 'shared' | 'exclusive';

const STALE_MS: Ms = 30 * 60_000;
const REFRESH_MS: Ms = 5 * 60_000;
/** Without a refresh for this long, nothing is written: others may soon take the lock for stale. */
const LOST_MS: Ms = 25 * 60_000;
/** How long a lock of somebody else that was written at the same time takes to appear. */
const SETTLE_MS: Ms = 200;

export interface Lock {
  readonly kind: LockKind;
  /** Fails with `ended` once others may no longer respect the lock. */
  check(): EngineResult<void>;
  /** The same, and looks whether somebody removed the lock, whose clock differs for example. */
  confirm(): Promise<EngineResult<void>>;
  release(): Promise<EngineResult<void>>;
}

interface Place {
  readonly target: RepositoryTarget;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** The ids of the locks that this process has. Any other lock of this process was left behind. */
const held = new Set<string>();

/** Returns `busy` if somebody else has a lock that excludes this one. */
export async function acquireLock(place: Place, kind: LockKind): Promise<EngineResult<Lock>> {
  const id = randomUUID();
  // Before it can be seen.
  held.add(id);
  let isAcquired = false;
  try {
    const before = await checkLocks(place, kind);
    if (!before.ok) return before;
    const first = await writeLock(place, kind, id);
    if (!first.ok) return first;
    await wait(place.clock, SETTLE_MS);
    const after = await checkLocks(place, kind, first.value.name);
    if (after.ok) {
      isAcquired = true;
      return ok(keepLock(place, kind, id, first.value));
    }
    await place.target.remove('locks', first.value.name);
    return after;
  } finally {
    if (!isAcquired) held.delete(id);
  }
}

interface WrittenLock {
  readonly name: string;
  readonly at: Ms;
}

/** Rewrites the lock every five minutes until it is released, or lost: then it stays lost. */
function keepLock(place: Place, kind: LockKind, id: string, first: WrittenLock): Lock {
  const { target, clock } = place;
  let written = first;
  let isOver = false;
  let refreshing: Promise<void> = Promise.resolve();
  let timer = clock.after(REFRESH_MS, refresh);

  function check(): EngineResult<void> {
    isOver ||= clock.now() - written.at > LOST_MS;
    return isOver ? lostLock() : done;
  }
  function refresh(): void {
    refreshing = renew().catch(() => undefined); // a failed refresh shows in `check`
  }
  async function renew(): Promise<void> {
    // Somebody may have cleaned up meanwhile, so a lost lock is not taken up again.
    if (!check().ok) return void (await target.remove('locks', written.name));
    await look();
    if (isOver) return;
    const next = await writeLock(place, kind, id);
    if (next.ok) {
      const former = written.name;
      written = next.value;
      await target.remove('locks', former);
    }
    if (!isOver) timer = clock.after(REFRESH_MS, refresh);
  }

  async function look(): Promise<EngineResult<void>> {
    const { name } = written;
    const file = await target.read('locks', name);
    if (file.ok) return done;
    if (file.error.kind !== 'missing') return file;
    if (name !== written.name) return look(); // rewritten meanwhile
    isOver = true;
    return lostLock();
  }

  return {
    kind,
    check,
    async confirm() {
      const checked = check();
      return checked.ok ? look() : checked;
    },
    async release() {
      isOver = true;
      timer.cancel();
      await refreshing;
      try {
        return await target.remove('locks', written.name);
      } finally {
        held.delete(id);
      }
    },
  };
}
const lostLock = (): Failed => failed('ended', t.lockLost);

async function writeLock(
  { target, sealer, clock }: Place,
  kind: LockKind,
  id: string,
): Promise<EngineResult<WrittenLock>> {
  const at = clock.now();
  const name = await writeDocument(
    target,
    sealer,
    'locks',
    JSON.stringify({
      time: new Date(at).toISOString(),
      exclusive: kind === 'exclusive',
      hostname: hostname(),
      username: 'daybook',
      pid: process.pid,
      // Not in restic, which ignores them.
      processSpace: PROCESS_SPACE,
      startedAt: performance.timeOrigin,
      id,
    }),
  );
  return name.ok ? ok({ name: name.value, at }) : name;
}

/** Fails if another lock excludes this one, and removes stale ones. */
export async function checkLocks(
  place: Place,
  kind: LockKind,
  own: string | null = null,
): Promise<EngineResult<void>> {
  const { target, sealer } = place;
  const files = await target.list('locks');
  if (!files.ok) return files;
  for (const { name } of files.value) {
    if (name === own) continue;
    const document = await readDocument(target, sealer, 'locks', name);
    if (!document.ok && document.error.kind === 'missing') continue; // released since
    if (!document.ok && document.error.kind !== 'damaged') return document;
    const lock = document.ok ? v.safeParse(LOCK, document.value) : null;
    // An unreadable lock belongs to another process, and its end is unknown.
    if (lock?.success !== true) return failed('busy', t.lockUnreadable);
    if (isStale(place.clock.now(), lock.output)) {
      const removed = await target.remove('locks', name);
      if (!removed.ok) return removed;
    } else if (kind === 'exclusive' || lock.output.exclusive) return lockedSince(lock.output);
  }
  return done;
}

/** Neither the user nor the host: customers read it, too. */
function lockedSince({ time }: v.InferOutput<typeof LOCK>): Failed {
  const [day, minute = ''] = new Date(time).toISOString().split('T');
  return failed('busy', t.lockedSince({ time: `${day} ${minute.slice(0, 5)} UTC` }));
}

function isStale(now: Ms, lock: v.InferOutput<typeof LOCK>): boolean {
  const at = Date.parse(lock.time);
  const isVisible = lock.processSpace !== '' && lock.processSpace === PROCESS_SPACE;
  return now - at > STALE_MS || (isVisible && lock.pid > 0 && isGone(lock, at));
}

/**
 * After a restart of a container, this process often has the number of the one that crashed. Locks of
 * former versions have no id: those are compared by time, which is wrong after a clock was set back.
 */
function isGone({ pid, startedAt, id }: v.InferOutput<typeof LOCK>, lockedAt: Ms): boolean {
  if (pid !== process.pid) return !isRunning(pid);
  if (startedAt === undefined || id === undefined) return lockedAt < performance.timeOrigin;
  return startedAt !== performance.timeOrigin || !held.has(id);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user can't be signaled, but is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const wait = (clock: Clock, ms: Ms): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

const LOCK = v.object({
  time: v.pipe(
    v.string(),
    v.check((time) => !Number.isNaN(Date.parse(time))),
  ),
  exclusive: v.boolean(),
  pid: v.optional(v.number(), 0),
  processSpace: v.optional(v.string(), ''),
  startedAt: v.optional(v.number()),
  id: v.optional(v.string()),
});
