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
 * Does `work` for every provider, `every` so often, one after the other; what fails of one is
 * logged as `says` and keeps no other from its turn.
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
 * The same for work that waits for others: eight providers are looked after side by side, so that
 * an address that hangs holds no other one up. `look` begins one look and answers what is done for
 * each provider; `over` is asked between its pieces.
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
