import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { besideEachOther } from '#server/platform/jobs/each-provider.ts';
import type { Watch } from '#server/platform/jobs/repeat.ts';
import { faultOf } from '#server/platform/http/serve-call.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { deliverDue } from './deliver.ts';
import { sendDigests } from './digest.ts';
import { pollFacts } from './poll.ts';
import { dropDevices, pushDue } from './push-due.ts';

const EVERY: Ms = 5_000;
const CLEAN_MS: Ms = 3_600_000;
const SAYS = 'what is to be told of a provider could not be looked after';

/**
 * NOTIFY-1 to NOTIFY-5, every five seconds: queues new facts, sends due digests, and delivers what
 * is queued.
 */
export function startNotify(world: AppContext): Watch {
  let cleanAt: Ms = 0;
  return besideEachOther(world, EVERY, SAYS, (now, over) => {
    const clean = now - cleanAt >= CLEAN_MS || now < cleanAt;
    if (clean) cleanAt = now;
    return async (tenant) => {
      // A failure of one task does not stop the others.
      for (const work of [
        pollFacts,
        sendDigests,
        pushDue,
        deliverDue,
        ...(clean ? [forget] : []),
      ]) {
        if (over()) return;
        try {
          await work(world, tenant, now);
        } catch (error) {
          world.log.error(SAYS, { tenant, ...faultOf(error) });
        }
      }
    };
  });
}

/** Deletes old deliveries, and those beyond the number that the page shows. */
const forget = (world: AppContext, tenant: TenantId, now: Ms): Promise<void> =>
  world.store.tenant(tenant, async (tx) => {
    const { sql } = tx;
    await dropDevices(tx, now);
    await sql
      .deleteFrom('webhook_delivery')
      .where('tenant_id', '=', tenant)
      .where('made_at', '<', now - LIMITS.webhookKeepMs)
      .execute();
    for (const { id } of await sql
      .selectFrom('webhook')
      .select('id')
      .where('tenant_id', '=', tenant)
      .execute()) {
      const over = await sql
        .selectFrom('webhook_delivery')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('webhook_id', '=', id)
        .where('next_at', 'is', null)
        .orderBy('made_at', 'desc')
        .orderBy('id')
        .offset(LIMITS.webhookHistory)
        .execute();
      if (over.length > 0)
        await sql
          .deleteFrom('webhook_delivery')
          .where('tenant_id', '=', tenant)
          .where(
            'id',
            'in',
            over.map((one) => one.id),
          )
          .execute();
    }
  });
