import { SECOND_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import { findPrices } from '#contract/billing/service-levels.ts';
import type { Currency } from '#contract/billing/service-levels.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import { dayText, getDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { countUsage } from '../subscriptions/count-usage.ts';
import { getMonthAt, parseMonth } from '../subscriptions/month.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { readStripe, writeStripe } from './stripe.ts';
import { findZeroItem } from './zero-price.ts';

interface Priced {
  readonly company: CompanyN;
  readonly subscription: string;
  readonly price: string;
  readonly currency: Currency;
}

/** Where a moved subscription notes at Stripe from which day on its days are collected here. */
const COLLECTED_FROM = 'collected_from';

/**
 * Gives subscriptions of former versions, which Stripe charges by prices of its own, a price of zero.
 * Their days are collected from the first one on that Stripe hasn't charged: a licensed price is charged
 * ahead, until the end of the period that runs, and a metered one afterwards, until its begin.
 */
export async function moveToZero(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  now: Ms,
): Promise<Result<unknown>> {
  const priced = await findPriced(context, tenant);
  if (priced.length === 0) return ok(null);
  const { timeZone } = await context.store.tenant(tenant, loadCompanyLimit, { readOnly: true });
  for (const one of priced) {
    const moved = await move(context, tenant, stripe, { ...one, timeZone });
    if (!moved.ok && moved.failure.kind === 'busy') return moved;
    // One that Stripe refuses, such as for a price that is gone, doesn't stop the others.
    if (!moved.ok) continue;
    await context.store.tenant(tenant, async (tx) => {
      await tx.lock();
      await tx.sql
        .updateTable('stripe_customer')
        .set({ collected_from: moved.value })
        .where('tenant_id', '=', tenant)
        .where('company_n', '=', one.company)
        .where('subscription_id', '=', one.subscription)
        .execute();
      await recount(tx, context, one.company, { from: moved.value, timeZone, now });
    });
  }
  return ok(null);
}

/** Counts the first collected month again, of which only a part of the days is collected. */
async function recount(
  tx: TenantTx,
  context: AppContext,
  company: CompanyN,
  { from, timeZone, now }: { readonly from: string; readonly timeZone: string; readonly now: Ms },
): Promise<void> {
  const month = parseMonth(from.slice(0, 7));
  if (month.text > getMonthAt(now, timeZone).text) return;
  const by = { actor: { kind: 'clock' }, subject: null, commandId: null, at: now } as const;
  const row = (await tx.all('usageMonth')).find(
    (one) => one.company === company && one.month === month.text,
  );
  if (row !== undefined && row.ack !== null && row.invoice === null)
    await tx.append(
      [
        {
          company,
          entity: `usage:${row.id}`,
          event: { type: 'usage.unacknowledged@1', data: { id: row.id } },
        },
      ],
      by,
    );
  await tx.append(await countUsage(tx, context, month, { timeZone, now }), by);
}

const findPriced = (context: AppContext, tenant: TenantId): Promise<readonly Priced[]> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const rows = await tx.sql
        .selectFrom('stripe_customer')
        .select(['company_n', 'subscription_id'])
        .where('tenant_id', '=', tenant)
        .where('subscription_id', 'is not', null)
        .where('ended_at', 'is', null)
        .where('collected_from', 'is', null)
        .execute();
      if (rows.length === 0) return [];
      const settings = await loadBillingSettings(tx);
      const running = (await tx.all('subscription')).filter(
        ({ endedAt, hasCard }) => endedAt === null && hasCard,
      );
      return rows.flatMap(({ company_n: company, subscription_id: subscription }) => {
        const row = running.find((one) => one.company === company);
        const price = row && findPrices(settings, row.level)?.stripePrice;
        return subscription === null || row === undefined || price == null
          ? []
          : [{ company, subscription, price, currency: row.currency }];
      });
    },
    { readOnly: true },
  );

/** Returns the first day that is collected here. Repeated after a lost answer, it is the same one. */
async function move(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { subscription: id, price, currency, timeZone }: Priced & { readonly timeZone: string },
): Promise<Result<string>> {
  const current = await readStripe(() => stripe.subscriptions.retrieve(id));
  if (!current.ok) return current;
  const item = await findZeroItem(context, tenant, stripe, { price, currency });
  if (!item.ok) return item;
  const [before, ...others] = current.value.items.data;
  const isMetered = before?.price.recurring?.usage_type === 'metered';
  const chargedUntil = isMetered ? before.current_period_start : before?.current_period_end;
  const noted: string | undefined = current.value.metadata?.[COLLECTED_FROM];
  const from =
    noted ??
    dayText(
      getDay(
        chargedUntil === undefined ? context.clock.now() : chargedUntil * SECOND_MS,
        timeZone,
        0,
      ),
    );
  const body: Stripe.SubscriptionUpdateParams = {
    items: [
      { ...(before && { id: before.id }), ...item.value },
      ...others.map((other) => ({ id: other.id, deleted: true })),
    ],
    metadata: { [COLLECTED_FROM]: from },
    proration_behavior: 'none',
  };
  const written = await writeStripe(
    context,
    tenant,
    { what: `subscription:${id}`, body },
    (options) => stripe.subscriptions.update(id, body, options),
  );
  return written.ok ? ok(from) : written;
}
