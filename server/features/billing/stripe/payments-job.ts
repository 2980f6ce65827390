import { SECOND_MS } from '#contract/time/durations.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { findPrices } from '#contract/billing/service-levels.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadStoredUsageDays } from '../suite-usage/usage-days.ts';
import { loadOverdue } from '../subscriptions/overdue-invoices.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { collectMonths } from './collect-months.ts';
import { beginGracePeriods } from './collection-errors.ts';
import { linkLostPages } from './company-checkout.ts';
import { syncEndedDebts } from './ended-debts.ts';
import { moveToZero } from './move-to-zero.ts';
import { connectStripe, writeStripe } from './stripe.ts';
import { syncSubscription } from './sync-subscription.ts';
import { releaseVoided } from './voided-invoices.ts';

const EVERY_MS: Ms = 3_600_000;
/** How old the known state of a subscription at Stripe may be (BILL-10). */
const READ_MS: Ms = 6 * EVERY_MS;
/** Days before are not sent any more: the meter takes events of the last 35 days. */
const MAX_LATE_DAYS = 30;

/** A day of a metered subscription that Stripe doesn't know yet. */
interface MeteredDay {
  readonly company: number;
  readonly customer: string;
  readonly meter: string;
  readonly day: number;
  readonly users: number;
  /** The last second of the day, in seconds as Stripe counts. */
  readonly endsAt: number;
}

/**
 * Sends the users of each day that ended to the billing meters of metered levels, collects the months
 * that are closed, reads again what an event may have been lost of, and ends at Stripe what ended
 * here. Each is sent once: a meter event has the day as its identifier.
 */
export const payments =
  (context: AppContext): JobHandler<'payments'> =>
  async ({ tenant, now, signal }) => {
    const stripe = await connectStripe(context, tenant);
    if (stripe === null) return now + EVERY_MS;
    const refused = new Set<CompanyN>();
    for (const { company, customer, meter, day, users, endsAt } of await findMeteredDays(
      context,
      tenant,
      now,
    )) {
      if (signal.aborted) return now;
      if (refused.has(company)) continue;
      const body = {
        event_name: meter,
        identifier: `${company}-${day}`,
        payload: { stripe_customer_id: customer, value: String(users) },
        // Late or not, a day belongs to the billing period in which it was.
        timestamp: endsAt,
      };
      const sent = await writeStripe(
        context,
        tenant,
        { what: `meter:${company}:${day}`, body },
        (options) => stripe.billing.meterEvents.create(body, options),
      );
      if (!sent.ok) {
        if (sent.failure.kind === 'busy') return now + EVERY_MS;
        // The days of a company are sent in order; those of other companies don't wait for it.
        refused.add(company);
        continue;
      }
      await context.store.tenant(tenant, ({ sql }) =>
        sql
          .updateTable('stripe_customer')
          .set({ metered_day: day })
          .where('tenant_id', '=', tenant)
          .where('company_n', '=', company)
          .execute(),
      );
    }
    const moved = await moveToZero(context, tenant, stripe, now);
    if (!moved.ok) return now + EVERY_MS;
    const linked = await linkLostPages(context, tenant, stripe);
    if (!linked.ok && linked.failure.kind === 'busy') return now + EVERY_MS;
    const collected = await collectMonths(context, tenant, stripe, { now, signal });
    await beginGracePeriods(context, tenant);
    if (!collected.ok) return now + EVERY_MS;
    for (const { company, subscription } of await findEnded(context, tenant)) {
      const ended = await writeStripe(
        context,
        tenant,
        { what: `subscription:${subscription}`, body: 'cancel' },
        (options) => stripe.subscriptions.cancel(subscription, {}, options),
      );
      // What Stripe doesn't know any more has ended there. Anything else, such as a revoked key, is tried again.
      if (!ended.ok && ended.failure.kind !== 'not-found') continue;
      await context.store.tenant(tenant, ({ sql }) =>
        sql
          .updateTable('stripe_customer')
          .set({ ended_at: now })
          .where('tenant_id', '=', tenant)
          .where('company_n', '=', company)
          .execute(),
      );
    }
    for (const { subscription, customer } of await findUnread(context, tenant, now)) {
      if (signal.aborted) return now;
      const released = await releaseVoided(context, tenant, stripe, customer);
      if (!released.ok && released.failure.kind === 'busy') return now + EVERY_MS;
      const read = await syncSubscription(context, tenant, stripe, { subscription, event: null });
      if (!read.ok && read.failure.kind === 'busy') return now + EVERY_MS;
    }
    await syncEndedDebts(context, tenant, stripe, { now, signal });
    return now + EVERY_MS;
  };

function findMeteredDays(
  context: AppContext,
  tenant: TenantId,
  now: Ms,
): Promise<readonly MeteredDay[]> {
  return context.store.tenant(tenant, async (tx) => {
    const { timeZone } = await loadCompanyLimit(tx);
    const settings = await loadBillingSettings(tx);
    const last = getDay(now, timeZone, 0) - 1;
    const customers = await tx.sql
      .selectFrom('stripe_customer')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .execute();
    const organizations = await tx.all('organization');
    const found: MeteredDay[] = [];
    for (const row of await tx.all('subscription')) {
      const customer = customers.find(({ company_n }) => company_n === row.company);
      const meter = findPrices(settings, row.level)?.stripeMeter ?? null;
      if (!customer || meter === null || !row.hasCard || row.endedAt !== null) continue;
      const first = Math.max(
        getDay(row.startedAt, timeZone, 0),
        last - MAX_LATE_DAYS,
        (customer.metered_day ?? 0) + 1,
      );
      const days = await loadStoredUsageDays(
        tx,
        organizations.filter(({ company }) => company === row.company),
        { first, last },
      );
      const users = new Map<number, number>();
      for (const { day, used } of days) users.set(day, (users.get(day) ?? 0) + used);
      for (const [day, count] of [...users].sort(([a], [b]) => a - b))
        found.push({
          company: row.company,
          customer: customer.customer_id,
          meter,
          day,
          users: count,
          endsAt: Math.floor(startOfDay(day + 1, timeZone, 0) / SECOND_MS) - 1,
        });
    }
    return found;
  });
}

/**
 * Running subscriptions that weren't read for some hours, as an event of theirs may be lost, and those
 * that owe something: no event comes when an invoice in QuickBooks is overdue, or is paid.
 */
const findUnread = (
  context: AppContext,
  tenant: TenantId,
  now: Ms,
): Promise<readonly { readonly subscription: string; readonly customer: string }[]> =>
  context.store.tenant(tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('stripe_customer')
      .select(['company_n', 'subscription_id', 'customer_id', 'read_at'])
      .where('tenant_id', '=', tenant)
      .where('ended_at', 'is', null)
      .where('subscription_id', 'is not', null)
      .orderBy('read_at')
      .execute();
    if (rows.length === 0) return [];
    const { timeZone } = await loadCompanyLimit(tx);
    const getOverdue = await loadOverdue(tx, { timeZone, now });
    const owing = new Set(
      (await tx.all('subscription'))
        .filter((row) => row.hasCard && row.endedAt === null)
        .filter((row) => row.owedMills > 0 || getOverdue(row) > 0)
        .map(({ company }) => company),
    );
    return rows
      .filter(
        ({ company_n: company, read_at: readAt }) =>
          // A time in the future was written by a wrong clock.
          readAt <= now - READ_MS || readAt > now || owing.has(company),
      )
      .flatMap(({ subscription_id: subscription, customer_id: customer }) =>
        subscription === null ? [] : [{ subscription, customer }],
      );
  });

/** Subscriptions that ended here, such as those of deleted companies, and not yet at Stripe. */
function findEnded(
  context: AppContext,
  tenant: TenantId,
): Promise<readonly { readonly company: number; readonly subscription: string }[]> {
  return context.store.tenant(tenant, async (tx) => {
    const running = new Set(
      (await tx.all('subscription'))
        .filter(({ endedAt, hasCard }) => endedAt === null && hasCard)
        .map(({ company }) => company),
    );
    const rows = await tx.sql
      .selectFrom('stripe_customer')
      .select(['company_n as company', 'subscription_id as subscription'])
      .where('tenant_id', '=', tenant)
      .where('ended_at', 'is', null)
      .execute();
    return rows.flatMap(({ company, subscription }) =>
      subscription === null || running.has(company) ? [] : [{ company, subscription }],
    );
  });
}
