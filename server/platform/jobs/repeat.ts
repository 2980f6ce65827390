import type { Ms } from '#contract/ids.ts';
import { faultOf } from '../http/serve-call.ts';
import type { AppContext } from '../app-context.ts';

/** `tick`: now, and not at its next time; what fails of it is told to whoever asked. */
export interface Watch {
  tick(now?: Ms): Promise<void>;
  stop(): Promise<void>;
}

/** What is under way when the server stops gets so long. */
const STOP_MS: Ms = 3_000;

/**
 * Does `work` `every` so often, one look after the other: one that takes long is not overtaken by
 * the next. What fails is logged as `says`. `over` is asked between the pieces of a look; `stop`
 * waits for the one under way, no longer than `patience`, null: until it has ended.
 */
export function repeat(
  world: AppContext,
  every: Ms,
  says: string,
  work: (now: Ms, over: () => boolean) => Promise<void>,
  patience: Ms | null = STOP_MS,
): Watch {
  let timer: { cancel(): void } | null = null;
  let last: Promise<void> = Promise.resolve();
  let stopped = false;
  const over = (): boolean => stopped;
  function tick(now?: Ms): Promise<void> {
    const mine = last.then(() => work(now ?? world.clock.now(), over));
    last = mine.catch(() => undefined);
    return mine;
  }
  function wait(): void {
    timer = world.clock.after(every, () => {
      tick()
        .catch((error: unknown) => {
          world.log.error(says, faultOf(error));
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
      await (patience === null
        ? last
        : Promise.race([
            last,
            new Promise<void>((resolve) => {
              world.clock.after(patience, resolve);
            }),
          ]));
    },
  };
}
