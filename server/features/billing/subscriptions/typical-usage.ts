import type { LastUsage } from '#contract/billing/subscription-changes.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { Ms } from '#contract/ids.ts';
import { getDay } from '#contract/time/day.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getToday } from '#server/platform/queries/licensed-users.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadUsageDays } from '../suite-usage/usage-days.ts';
import { sumDays } from './count-usage.ts';
import { getMonthAt, getMonthBefore } from './month.ts';

export interface TypicalUsage {
  readonly usage: LastUsage;
  /** The month that had this usage; null if it is that of today, for a whole month. */
  readonly usageMonth: { readonly month: number; readonly year: number } | null;
}

/**
 * Returns what a month of a subscription uses: the last month that is over, as it is billed, if all of
 * its days were billed; otherwise a whole month with the usage of today.
 */
export async function loadTypicalUsage(
  tx: TenantTx,
  row: SubscriptionRow,
  now: Ms,
): Promise<TypicalUsage> {
  const { timeZone } = await loadCompanyLimit(tx);
  const month = getMonthBefore(getMonthAt(now, timeZone));
  const billedSince = getDay(Math.max(row.startedAt, row.trialEndsAt ?? 0), timeZone, 0);
  const counted = (await tx.all('usageMonth')).find(
    (one) => one.company === row.company && one.month === month.text,
  );
  if (counted !== undefined && billedSince <= month.first)
    return {
      usage: counted.changed ?? counted,
      usageMonth: {
        month: Number(month.text.slice(5)),
        year: Number(month.text.slice(0, 4)),
      },
    };
  const today = getToday(now, timeZone);
  const organizations = (await tx.all('organization')).filter(
    ({ company, removedAt }) => company === row.company && removedAt === null,
  );
  const days = await loadUsageDays(
    tx,
    organizations,
    { first: today, last: today },
    { timeZone, now },
  );
  return {
    usage: sumDays(new Map([[today, row]]), days, 1) ?? { users: 0, gigabytes: 0 },
    usageMonth: null,
  };
}
