import type { Ms, TenantId } from '#contract/ids.ts';
import { faultOf } from '../http/serve-call.ts';
import type { World } from '../world.ts';
import { follow } from './ticket-follow.ts';
import { poll } from './ticket-poll.ts';
import { work } from './ticket-work.ts';

const EVERY: Ms = 5_000;
const STOP_MS: Ms = 3_000;
const SIDE_BY_SIDE = 8;

/**
 * Looks after tickets every five seconds: what results mean for them, what their systems are to be told, what their systems say. A provider whose
 * system hangs does not hold the others up: eight are looked after side by side.
 */
export function startTickets(world: World): { tick(): Promise<void>; stop(): Promise<void> } {
  let timer: { cancel(): void } | null = null;
  let last: Promise<void> = Promise.resolve();
  let stopped = false;

  async function once(): Promise<void> {
    const tenants = [...await world.store.tenants()];
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let tenant = tenants.shift(); tenant !== undefined; tenant = tenants.shift()) await lookAfter(tenant);
    }));
  }
  async function lookAfter(tenant: TenantId): Promise<void> {
    if (stopped) return;
    try {
      if (!await follow(world, tenant)) return;
      await work(world, tenant);
      await poll(world, tenant);
    } catch (error) {
      world.log.error('tickets of a provider could not be looked after', { tenant, ...faultOf(error) });
    }
  }
  /** One at a time: a tick that takes long is not overtaken. */
  function tick(): Promise<void> {
    last = last.then(once).catch((error: unknown) => { world.log.error('tickets failed', faultOf(error)); });
    return last;
  }
  function wait(): void {
    timer = world.clock.after(EVERY, () => { void tick().finally(() => { if (!stopped) wait(); }); });
  }
  wait();
  return {
    tick,
    async stop() {
      stopped = true;
      timer?.cancel();
      await Promise.race([last, new Promise<void>((resolve) => { world.clock.after(STOP_MS, resolve); })]);
    },
  };
}
