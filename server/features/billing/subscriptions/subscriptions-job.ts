import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { countUsage } from './count-usage.ts';
import { getMonthAt, getMonthBefore, getMonthEnd } from './month.ts';
import { getInvoiceEvents } from './overdue-invoices.ts';
import { loadBillingSettings } from './settings.ts';

const EVERY_MS: Ms = 3_600_000;

/**
 * Ends grace and cancelled periods, renews what is paid by invoice, follows the invoices of months, and
 * counts the usage of the current and the previous month.
 */
export const subscriptions =
  (context: AppContext): JobHandler<'subscriptions'> =>
  ({ tenant, now }) =>
    context.store.tenant(tenant, async (tx) => {
      const all = await tx.all('subscription');
      if (all.length === 0) return now + EVERY_MS;
      await tx.lock();
      const { timeZone } = await loadCompanyLimit(tx);
      const by = { actor: { kind: 'clock' }, subject: null, commandId: null, at: now } as const;
      await tx.append(
        all.flatMap((row) => getDueEvents(row, timeZone, now)),
        by,
      );
      const { graceDays } = await loadBillingSettings(tx);
      await tx.append(await getInvoiceEvents(tx, { timeZone, graceDays, now }), by);
      const month = getMonthAt(now, timeZone);
      for (const counted of [getMonthBefore(month), month])
        await tx.append(await countUsage(tx, context, counted, { timeZone, now }), by);
      return Math.min(
        now + EVERY_MS,
        ...(await tx.all('subscription'))
          .map(getDueAt)
          .filter((at) => at !== null)
          .map((at) => Math.max(at, now + 1_000)),
      );
    });

/** When the clock changes a subscription next. */
function getDueAt({ status, graceEndsAt, periodEndsAt, hasCard }: SubscriptionRow): Ms | null {
  if (status === 'payment_failed') return graceEndsAt;
  if (status === 'cancelled' || (status === 'active' && !hasCard)) return periodEndsAt;
  return null;
}

function getDueEvents(row: SubscriptionRow, timeZone: string, now: Ms): readonly NewEvent[] {
  const dueAt = getDueAt(row);
  if (dueAt === null || dueAt > now) return [];
  const { id, company, status } = row;
  const about = (event: NewEvent['event']): NewEvent => ({
    company,
    entity: `subscription:${id}`,
    event,
  });
  if (status === 'payment_failed')
    return [about({ type: 'subscription.disabled@1', data: { id } })];
  return [
    about(
      status === 'cancelled'
        ? { type: 'subscription.ended@1', data: { id } }
        : {
            type: 'subscription.paid@1',
            data: { id, periodEndsAt: getMonthEnd(getMonthAt(now, timeZone), timeZone) },
          },
    ),
  ];
}
