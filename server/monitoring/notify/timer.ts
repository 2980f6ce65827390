import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { faultOf } from '#server/http/serve-call.ts';
import type { World } from '#server/world.ts';
import { deliverDue } from './deliver.ts';
import { sendDigests } from './digest.ts';
import { look } from './look.ts';
import { dropDevices, pushDue } from './push-due.ts';

const EVERY: Ms = 5_000, CLEAN_MS: Ms = 3_600_000, STOP_MS: Ms = 3_000;
const SIDE_BY_SIDE = 8;

/**
 * NOTIFY-1 to NOTIFY-5, every five seconds: what is new is put on its way, digests that are due are sent, and what waits goes out. An address that hangs
 * does not hold other providers up: eight are looked after side by side.
 */
export function startNotify(world: World): { tick(): Promise<void>; stop(): Promise<void> } {
  let timer: { cancel(): void } | null = null, last: Promise<void> = Promise.resolve(), stopped = false, cleanAt: Ms = 0;

  async function once(): Promise<void> {
    const now = world.clock.now(), clean = now - cleanAt >= CLEAN_MS || now < cleanAt, tenants = [...await world.store.tenants()];
    if (clean) cleanAt = now;
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let tenant = tenants.shift(); tenant !== undefined; tenant = tenants.shift()) await lookAfter(tenant, now, clean);
    }));
  }
  async function lookAfter(tenant: TenantId, now: Ms, clean: boolean): Promise<void> {
    // What fails of one does not keep the others from their turn.
    for (const work of [look, sendDigests, pushDue, deliverDue, ...(clean ? [forget] : [])]) {
      if (stopped) return;
      try {
        await work(world, tenant, now);
      } catch (error) {
        world.log.error('what is to be told of a provider could not be looked after', { tenant, ...faultOf(error) });
      }
    }
  }
  /** One at a time: a tick that takes long is not overtaken. */
  function tick(): Promise<void> {
    last = last.then(once).catch((error: unknown) => { world.log.error('telling failed', faultOf(error)); });
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

/** Deliveries go after their time, and those that are more than are shown. */
const forget = (world: World, tenant: TenantId, now: Ms): Promise<void> => world.store.tenant(tenant, async (tx) => {
  const { sql } = tx;
  await dropDevices(tx, now);
  await sql.deleteFrom('webhook_delivery').where('tenant_id', '=', tenant).where('made_at', '<', now - LIMITS.webhookKeepMs).execute();
  for (const { id } of await sql.selectFrom('webhook').select('id').where('tenant_id', '=', tenant).execute()) {
    const over = await sql.selectFrom('webhook_delivery').select('id').where('tenant_id', '=', tenant).where('webhook_id', '=', id).where('next_at', 'is', null).orderBy('made_at', 'desc').orderBy('id').offset(LIMITS.webhookHistory).execute();
    if (over.length > 0) await sql.deleteFrom('webhook_delivery').where('tenant_id', '=', tenant).where('id', 'in', over.map((one) => one.id)).execute();
  }
});
