import type { CompanyN, Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import {
  isQuiet,
  NOTIFY_CATEGORIES,
  quietUntil,
  WEBHOOK_TYPES,
} from '#contract/notifications/notifications.ts';
import type { NotifyCategory, WebhookFields } from '#contract/notifications/notifications.ts';
import { isoOrNull } from '#server/platform/queries/run-details.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hears, loadListeners } from './audience.ts';
import { getFactLink } from './fact.ts';
import type { NotificationFact } from './fact.ts';

/** How long push notifications wait, so that simultaneous facts are sent as one. */
const GATHER_MS: Ms = 10_000;

/** Queues facts for webhooks and devices, in the transaction that found them. */
export async function fanOut(
  tx: TenantTx,
  context: AppContext,
  facts: readonly NotificationFact[],
  portal: string | null,
  now: Ms,
): Promise<void> {
  if (facts.length === 0) return;
  await toWebhooks(tx, context, facts, portal, now);
  await toDevices(tx, facts, now);
}

/**
 * NOTIFY-4: webhooks have no quiet hours. A delivery contains up to the maximum number of facts of
 * one category. If an address falls behind, its oldest deliveries are dropped.
 */
async function toWebhooks(
  tx: TenantTx,
  context: AppContext,
  facts: readonly NotificationFact[],
  portal: string | null,
  now: Ms,
): Promise<void> {
  const { sql, tenant } = tx;
  const hooks = await sql
    .selectFrom('webhook')
    .select(['id', 'fields'])
    .where('tenant_id', '=', tenant)
    .where('stopped_at', 'is', null)
    .execute();
  for (const { id, fields } of hooks) {
    if (!fields.enabled) continue;
    let put = 0;
    for (const category of NOTIFY_CATEGORIES) {
      const own = fields.categories.includes(category)
        ? facts.filter((fact) => fact.category === category && isFor(fields, fact))
        : [];
      for (let from = 0; from < own.length; from += LIMITS.webhookFacts) {
        const some = own.slice(from, from + LIMITS.webhookFacts);
        await queueDelivery(tx, context, {
          webhook: id,
          category,
          facts: some.length,
          body: getBody(
            category,
            some.map(({ link, data }) => ({
              ...data,
              url: portal === null ? null : portal + link,
            })),
            now,
          ),
          now,
        });
        put += 1;
      }
    }
    if (put > 0) await dropOldest(tx, id, now);
  }
}

/**
 * NOTIFY-8: the webhook must include all companies of a fact. Facts of the provider as a whole go
 * only to webhooks for all companies.
 */
const isFor = (
  { companies = null }: Pick<WebhookFields, 'companies'>,
  fact: Pick<NotificationFact, 'companies'>,
): boolean =>
  companies === null ||
  (fact.companies !== null &&
    fact.companies.length > 0 &&
    fact.companies.every((n) => companies.includes(n)));

export const getBody = (
  category: NotifyCategory | 'test',
  items: readonly object[],
  now: Ms,
): string =>
  JSON.stringify({ type: WEBHOOK_TYPES[category], timestamp: isoOrNull(now), data: { items } });

export async function queueDelivery(
  tx: TenantTx,
  { chance }: AppContext,
  {
    webhook,
    category,
    facts,
    body,
    now,
  }: {
    readonly webhook: string;
    readonly category: NotifyCategory | 'test';
    readonly facts: number;
    readonly body: string;
    readonly now: Ms;
  },
): Promise<string> {
  const { sql, tenant } = tx;
  const id = chance.uuid();
  await sql
    .insertInto('webhook_delivery')
    .values({
      tenant_id: tenant,
      id,
      webhook_id: webhook,
      category,
      facts,
      body,
      state: 'waiting',
      made_at: now,
      done_at: null,
      next_at: now,
      code: null,
      fault: null,
    })
    .execute();
  await scheduleRecurring(tx, 'webhooks', now);
  return id;
}

async function dropOldest({ sql, tenant }: TenantTx, webhook: string, now: Ms): Promise<void> {
  const over = await sql
    .selectFrom('webhook_delivery')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'waiting')
    .orderBy('made_at', 'desc')
    .orderBy('id')
    .offset(LIMITS.webhookWaiting)
    .execute();
  if (over.length > 0)
    await sql
      .updateTable('webhook_delivery')
      .set({ state: 'dropped', next_at: null, done_at: now })
      .where('tenant_id', '=', tenant)
      .where(
        'id',
        'in',
        over.map(({ id }) => id),
      )
      .execute();
}

/**
 * NOTIFY-5: notifies each listener's devices once for all simultaneous facts; during quiet hours,
 * when they end.
 */
async function toDevices(tx: TenantTx, facts: readonly NotificationFact[], now: Ms): Promise<void> {
  const { sql, tenant } = tx;
  const devices = await sql
    .selectFrom('push_device')
    .innerJoin('notify_setting', (on) =>
      on
        .onRef('notify_setting.tenant_id', '=', 'push_device.tenant_id')
        .onRef('notify_setting.user_id', '=', 'push_device.user_id'),
    )
    .select(['push_device.id', 'push_device.user_id', 'notify_setting.settings'])
    .where('push_device.tenant_id', '=', tenant)
    .execute();
  const listeners = await loadListeners(
    tx,
    devices.map(({ user_id }) => user_id),
  );
  for (const { id, user_id, settings } of devices) {
    const listener = listeners.get(user_id);
    const next = isQuiet(settings.quiet, settings.timeZone, now)
      ? quietUntil(settings.quiet, settings.timeZone, now)
      : now + GATHER_MS;
    for (const category of NOTIFY_CATEGORIES) {
      const own =
        listener && settings.categories[category].push
          ? facts.filter((fact) => fact.category === category && hears(listener, fact))
          : [];
      if (own.length > 0) await putWaiting(tx, id, category, own, now, next);
    }
  }
}

async function putWaiting(
  tx: TenantTx,
  device: string,
  category: NotifyCategory,
  facts: readonly NotificationFact[],
  now: Ms,
  next: Ms,
): Promise<void> {
  const { sql, tenant } = tx;
  const before = await sql
    .selectFrom('push_waiting')
    .select(['facts', 'company_n', 'next_at', 'at'])
    .where('tenant_id', '=', tenant)
    .where('device_id', '=', device)
    .where('category', '=', category)
    .executeTakeFirst();
  const company = oneCompany(facts, before);
  const count = facts.length + (before?.facts ?? 0);
  const [only] = facts;
  const row = {
    facts: count,
    company_n: company,
    link: count === 1 && only ? only.link : getFactLink(category, company),
    at: before?.at ?? now,
    next_at: before?.next_at ?? next,
  };
  await sql
    .insertInto('push_waiting')
    .values({ tenant_id: tenant, device_id: device, category, ...row })
    .onConflict((on) => on.columns(['tenant_id', 'device_id', 'category']).doUpdateSet(row))
    .execute();
  await scheduleRecurring(tx, 'push', row.next_at);
}

/** Returns the company that all facts share; null if there are several. */
function oneCompany(
  facts: readonly NotificationFact[],
  before: { readonly company_n: CompanyN | null } | undefined,
): CompanyN | null {
  const all = new Set<CompanyN | null>(
    facts.map(({ companies }) => (companies?.length === 1 ? (companies[0] ?? null) : null)),
  );
  if (before) all.add(before.company_n);
  const [first = null] = all;
  return all.size === 1 ? first : null;
}
