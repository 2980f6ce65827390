import type { WorkerChance, WorkerClock } from './context.ts';

/** The one place of this room where time comes from. */
export const realClock: WorkerClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const id = setTimeout(work, ms);
    return () => clearTimeout(id);
  },
};

/** And chance. */
export const realChance: WorkerChance = {
  fraction: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};
