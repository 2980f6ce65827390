import type { Ms } from '#contract/ids.ts';
import { describeError } from '../platform/http/serve-call.ts';
import type { AppContext } from '../platform/app-context.ts';

/** `tick`: runs now instead of at the next interval, and rejects if the work fails. */
export interface RepeatedTask {
  tick(now?: Ms): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs `work` at the interval `every` in ms, never two passes at once. Logs failures as `says`.
 * `over` returns whether to stop early. `stop` waits for the current pass.
 */
export function repeat(
  context: AppContext,
  every: Ms,
  says: string,
  work: (now: Ms, over: () => boolean) => Promise<void>,
): RepeatedTask {
  let timer: { cancel(): void } | null = null;
  let last: Promise<void> = Promise.resolve();
  let stopped = false;
  const over = (): boolean => stopped;
  function tick(now?: Ms): Promise<void> {
    const mine = last.then(() => work(now ?? context.clock.now(), over));
    last = mine.catch(() => undefined);
    return mine;
  }
  function wait(): void {
    timer = context.clock.after(every, () => {
      tick()
        .catch((error: unknown) => {
          context.log.error(says, describeError(error));
        })
        .finally(() => {
          if (!stopped) wait();
        });
    });
  }
  wait();
  return {
    tick,
    async stop() {
      stopped = true;
      timer?.cancel();
      await last;
    },
  };
}
