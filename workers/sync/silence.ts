import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { failed } from '#contract/result.ts';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER } from '#workers/failures.ts';

/** The timeout for a silent server. The outcome of the call is then unknown. */
const SILENCE_MS: Ms = 20_000;
/** For calls that wait for a system outside. Shorter than the server remembers an unfinished call. */
export const SLOW_SILENCE_MS: Ms = 100_000;

/** Controls for the timeout of a running call. */
export interface Silence {
  /** While something else than this call is waited for. */
  readonly pause: () => void;
  readonly restart: () => void;
}

/**
 * Returns the result of `work`, or that there was none: it threw, timed out, or was aborted. `work`
 * is aborted then, and its later result is ignored.
 */
export async function withinSilence<T>(
  clock: WorkerClock,
  work: (signal: AbortSignal, timeout: Silence) => Promise<Result<T>>,
  caller?: AbortSignal,
  max: Ms = SILENCE_MS,
): Promise<Result<T>> {
  const stop = new AbortController();
  const giveUp = (): void => stop.abort();
  let off = clock.after(max, giveUp);
  const timeout: Silence = {
    pause: () => off(),
    restart: () => {
      off();
      off = clock.after(max, giveUp);
    },
  };
  caller?.addEventListener('abort', giveUp, { once: true });
  if (caller?.aborted) giveUp();
  const silence = new Promise<Result<T>>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(failed(NO_ANSWER)), { once: true });
    if (stop.signal.aborted) resolve(failed(NO_ANSWER));
  });
  try {
    return await Promise.race([work(stop.signal, timeout), silence]);
  } catch {
    return failed(NO_ANSWER);
  } finally {
    off();
  }
}
