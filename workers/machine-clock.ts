import type { WorkerClock } from './context.ts';

/** Returns the clock of a machine that runs in the worker. */
export const getMachineClock = (
  clock: WorkerClock,
): {
  readonly setTimeout: (work: () => void, ms: number) => unknown;
  readonly clearTimeout: (off: unknown) => void;
} => ({
  setTimeout: (work, ms) => clock.after(ms, work),
  clearTimeout: (off) => (off as () => void)(),
});
