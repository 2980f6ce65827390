import type { Ms } from '#contract/ids.ts';
import type { Clock } from '#server/platform/app-context.ts';

/** Time for work that waits. `sleep` returns early when the signal is aborted; it never throws. */
export interface WaitClock {
  now(): Ms;
  sleep(ms: Ms, signal: AbortSignal): Promise<void>;
}

export const waitClock = (clock: Clock): WaitClock => ({
  now: () => clock.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = clock.after(ms, done);
      signal.addEventListener('abort', done);
      function done(): void {
        timer.cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    }),
});
