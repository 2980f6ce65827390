import type { Ms } from '#contract/ids.ts';
import type { Clock } from '../app-context.ts';

/**
 * Runs `work` again and again, `everyMs` after it ended. `onFailure`: for the first of several failures in
 * a row.
 *
 * @returns a function that stops it. Its promise resolves when `work` is not running.
 */
export function repeat(
  clock: Clock,
  everyMs: Ms,
  work: (isStopped: () => boolean) => Promise<void>,
  onFailure: (error: unknown) => void,
): () => Promise<void> {
  let isStopped = false;
  let isFailing = false;
  let timer: { cancel(): void } | null = null;
  let running: Promise<void> = Promise.resolve();

  const schedule = (): void => {
    if (isStopped) return;
    timer = clock.after(everyMs, () => {
      running = run().finally(schedule);
    });
  };

  async function run(): Promise<void> {
    try {
      await work(() => isStopped);
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isStopped) onFailure(error);
      isFailing = true;
    }
  }

  schedule();
  return async () => {
    isStopped = true;
    timer?.cancel();
    await running;
  };
}
