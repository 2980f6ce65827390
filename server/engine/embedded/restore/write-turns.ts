import type { Ms } from '#contract/ids.ts';
import { waitClock } from '../graph/clock.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { failed } from '../../result.ts';
import type { WriteTurns } from '../types.ts';
import type { RunningTask } from './running-task.ts';
import { claimObject, type Claimed, releaseObject } from './stand-ins.ts';

type Task = Pick<RunningTask, 'store' | 'tenant' | 'id' | 'clock' | 'signal'>;

/**
 * The turns of a task: in this process one after the other, and against other restores of the
 * provider with a claim, which a process that was killed leaves to the one that continues its task.
 */
export function makeWriteTurns(task: Task): WriteTurns {
  const clock = waitClock(task.clock);
  const last = new Map<string, Promise<unknown>>();
  let pausedAt = clock.now();

  async function takeClaim(place: Claimed): Promise<boolean> {
    const until = clock.now() + MAX_WAIT_MS;
    while (!(await claimObject(task, place))) {
      if (task.signal.aborted || clock.now() >= until) return false;
      await clock.sleep(LOOK_AGAIN_MS, task.signal);
    }
    return true;
  }

  const run: WriteTurns['take'] = async (place, work) => {
    const claimed = { kind: 'channel', id: place } as const;
    if (!(await takeClaim(claimed))) return failed('busy', t.othersWrite, { waitMs: MAX_WAIT_MS });
    try {
      return await work();
    } finally {
      await releaseObject(task, claimed);
      if (clock.now() - pausedAt > PAUSE_EVERY_MS) {
        await clock.sleep(PAUSE_MS, task.signal);
        pausedAt = clock.now();
      }
    }
  };

  return {
    isTaken: (place) => last.has(place),
    async take(place, work) {
      const start = () => run(place, work);
      const turn = (last.get(place) ?? Promise.resolve()).then(start, start);
      last.set(place, turn);
      try {
        return await turn;
      } finally {
        if (last.get(place) === turn) last.delete(place);
      }
    },
  };
}

/** How often another restore's turn is waited for, and how long until the whole task waits. */
const LOOK_AGAIN_MS: Ms = 200;
const MAX_WAIT_MS: Ms = 10_000;
/** Many turns in a row leave others a gap that they can't miss. */
const PAUSE_EVERY_MS: Ms = 5_000;
const PAUSE_MS: Ms = 300;
