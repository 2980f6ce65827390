import type { WorkerChance, WorkerClock } from './context.ts';

/** The only place in the worker that reads the time. */
export const realClock: WorkerClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const id = setTimeout(work, ms);
    return () => clearTimeout(id);
  },
};

/** The only place in the worker that reads random numbers. */
export const realChance: WorkerChance = {
  fraction: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  // Pages that are not served securely have no `randomUUID`, but still send requests.
  mark: () =>
    [...crypto.getRandomValues(new Uint32Array(3))].map((part) => part.toString(36)).join('-'),
};
