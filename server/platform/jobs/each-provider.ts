import type { Ms, TenantId } from '#contract/ids.ts';
import { faultOf } from '../http/serve-call.ts';
import { repeat } from './repeat.ts';
import type { Watch } from './repeat.ts';
import type { AppContext } from '../app-context.ts';

export interface Timer {
  stop(): void;
  tick(now: Ms): Promise<void>;
}

/**
 * Runs `work` for every provider, one after the other, at the interval `every` in ms. Logs a
 * provider's failure as `says` and continues with the next.
 */
export function eachProvider(
  world: AppContext,
  every: Ms,
  says: string,
  work: (tenant: TenantId, now: Ms) => Promise<void>,
): Timer {
  let stopped = false;
  let timer: { cancel(): void } | null = null;
  async function tick(now: Ms): Promise<void> {
    for (const tenant of await world.store.tenants()) {
      if (stopped) return;
      try {
        await work(tenant, now);
      } catch (error) {
        world.log.error(says, { tenant, ...faultOf(error) });
      }
    }
  }
  function wait(): void {
    timer = world.clock.after(every, () => {
      void tick(world.clock.now())
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
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

const SIDE_BY_SIDE = 8;

/**
 * The same for work that waits for external services: runs eight providers at a time, so that a
 * hanging address delays no other provider. `look` starts one pass and returns the work for each
 * provider; `over` returns whether to stop early.
 */
export const besideEachOther = (
  world: AppContext,
  every: Ms,
  says: string,
  look: (now: Ms, over: () => boolean) => (tenant: TenantId) => Promise<void>,
): Watch =>
  repeat(world, every, says, async (now, over) => {
    const work = look(now, over);
    const tenants = [...(await world.store.tenants())];
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let tenant = tenants.shift(); tenant !== undefined; tenant = tenants.shift()) {
          if (over()) return;
          try {
            await work(tenant);
          } catch (error) {
            world.log.error(says, { tenant, ...faultOf(error) });
          }
        }
      }),
    );
  });
