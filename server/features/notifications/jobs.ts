import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { JobHandler, LeaseHandler } from '#server/platform/jobs/job-types.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { deliverDue } from './deliver.ts';
import { sendDigests } from './digest.ts';
import { pollFacts, OPEN_FACTS_MS } from './poll.ts';
import { dropDevices, pushDue } from './push-due.ts';

/** The pause before deliveries that are still due: more than one turn sends, or sent elsewhere. */
const PAUSE: Ms = 5_000;

/** NOTIFY-1 to NOTIFY-3: queues new facts and sends due digests, also if one of the two fails. */
export const notifications =
  (context: AppContext): JobHandler<'notifications'> =>
  async ({ tenant, now }) => {
    const failures: unknown[] = [];
    for (const work of [pollFacts, sendDigests])
      await work(context, tenant, now).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
    const digest = await getNextDue(context, tenant, 'notify_setting');
    return Math.min(
      digest === null ? Infinity : Math.max(digest, now + PAUSE),
      now + OPEN_FACTS_MS,
    );
  };

/** NOTIFY-4: delivers what is queued for webhooks. */
export const webhooks =
  (context: AppContext): LeaseHandler<'webhooks'> =>
  async ({ tenant, now, lease }) => {
    await deliverDue(context, tenant, lease);
    return afterPause(await getNextDue(context, tenant, 'webhook_delivery'), now);
  };

/** NOTIFY-5: sends what is queued for devices. */
export const pushNotifications =
  (context: AppContext): LeaseHandler<'push'> =>
  async ({ tenant, now, lease }) => {
    await pushDue(context, tenant, lease);
    return afterPause(await getNextDue(context, tenant, 'push_waiting'), now);
  };

const afterPause = (at: Ms | null, now: Ms): Ms | null =>
  at === null ? null : Math.max(at, now + PAUSE);

const getNextDue = (
  context: AppContext,
  tenant: TenantId,
  table: 'notify_setting' | 'webhook_delivery' | 'push_waiting',
): Promise<Ms | null> =>
  context.store.tenant(
    tenant,
    async ({ sql }) => {
      const { at } = await sql
        .selectFrom(table)
        .select((e) => e.fn.min<Ms | null>('next_at').as('at'))
        .where('tenant_id', '=', tenant)
        .executeTakeFirstOrThrow();
      return at;
    },
    { readOnly: true },
  );

/** Deletes old deliveries, and those beyond the number that the page shows. */
export async function deleteOldDeliveries(tx: TenantTx, now: Ms): Promise<void> {
  const { sql, tenant } = tx;
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
}
