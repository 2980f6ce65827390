import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import {
  isSameUsage,
  type Hundredths,
  type UsageMonthRow,
} from '#contract/billing/usage-months.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { OrganizationDay } from '#server/platform/queries/licensed-users.ts';
import { loadStoredUsageDays, loadUsageDays } from '../suite-usage/usage-days.ts';
import { getMonthAt, type Month } from './month.ts';

const GIGABYTE = 1_000_000_000;

/**
 * Counts a month of every company that had a subscription in it (BILL-12), and returns the events of
 * what changed. Days without a subscription and days of a trial count nothing.
 */
export async function countUsage(
  tx: TenantTx,
  context: Pick<AppContext, 'chance'>,
  month: Month,
  { timeZone, now }: { readonly timeZone: string; readonly now: Ms },
): Promise<readonly NewEvent[]> {
  const today = getDay(now, timeZone, 0);
  const last = Math.min(month.last, today);
  const subscriptions = getLatestSubscriptions(await tx.all('subscription'));
  const rows = (await tx.all('usageMonth')).filter((row) => row.month === month.text);
  const byCompany = new Map(rows.map((row) => [row.company, row]));
  const days = await loadDays(tx, { first: month.first, last }, { timeZone, now });
  const lengthDays = month.last - month.first + 1;
  return [...subscriptions.values()].flatMap((subscription): NewEvent[] => {
    const billed = getBilledDays(subscription, { first: month.first, last }, timeZone);
    const row = byCompany.get(subscription.company);
    if ((billed === null && row === undefined) || row?.invoice != null) return [];
    const own = (days.get(subscription.company) ?? []).filter(
      ({ day }) => billed !== null && day >= billed.first && day <= billed.last,
    );
    const counted = {
      users: getAverage(own.reduce((sum, { used }) => sum + used, 0) * 100, lengthDays),
      gigabytes: getAverage(
        (own.reduce((sum, { bytes }) => sum + bytes, 0) / GIGABYTE) * 100,
        lengthDays,
      ),
      minimumUsers: getAverage(
        billed === null ? 0 : subscription.minimumUsers * 100 * (billed.last - billed.first + 1),
        lengthDays,
      ),
      level: subscription.level,
      currency: subscription.currency,
      userMills: subscription.userMills,
      gigabyteMills: subscription.gigabyteMills,
    };
    if (row !== undefined && isSameUsage(row, counted)) return [];
    const id = row?.id ?? context.chance.uuid();
    return [
      {
        company: subscription.company,
        entity: `usage:${id}`,
        event: {
          type: 'usage.counted@1',
          data: { id, company: subscription.company, month: month.text, ...counted },
        },
      },
    ];
  });
}

/** Returns the events of the current month. */
export const countCurrentUsage = (
  tx: TenantTx,
  context: Pick<AppContext, 'chance'>,
  at: { readonly timeZone: string; readonly now: Ms },
): Promise<readonly NewEvent[]> => countUsage(tx, context, getMonthAt(at.now, at.timeZone), at);

/** Returns the running subscription of each company, or else its last one. */
export function getLatestSubscriptions(
  rows: readonly SubscriptionRow[],
): ReadonlyMap<CompanyN, SubscriptionRow> {
  const latest = new Map<CompanyN, SubscriptionRow>();
  for (const row of rows) {
    const other = latest.get(row.company);
    if (other === undefined || isLater(row, other)) latest.set(row.company, row);
  }
  return latest;
}

const isLater = (a: SubscriptionRow, b: SubscriptionRow): boolean =>
  (a.endedAt === null) === (b.endedAt === null) ? a.startedAt > b.startedAt : a.endedAt === null;

export const findUsage = (
  rows: readonly UsageMonthRow[],
  company: CompanyN,
): UsageMonthRow | null => rows.find((row) => row.company === company) ?? null;

const getAverage = (sum: number, days: number): Hundredths => Math.round(sum / days);

interface Days {
  readonly first: DayN;
  readonly last: DayN;
}

/** The days of a range that the subscription bills; null if there is none. */
function getBilledDays(
  { status, startedAt, trialEndsAt, endedAt }: SubscriptionRow,
  { first, last }: Days,
  timeZone: string,
): Days | null {
  if (status === 'pending') return null;
  const day = (at: Ms): DayN => getDay(at, timeZone, 0);
  const days = {
    first: Math.max(first, day(startedAt), trialEndsAt === null ? first : day(trialEndsAt)),
    last: Math.min(last, endedAt === null ? last : day(endedAt)),
  };
  return days.last < days.first ? null : days;
}

/** Of an organization that was removed, only days that ended while it was there. */
async function loadDays(
  tx: TenantTx,
  range: Days,
  at: { readonly timeZone: string; readonly now: Ms },
): Promise<ReadonlyMap<CompanyN, readonly OrganizationDay[]>> {
  const organizations = await tx.all('organization');
  const companies = new Map(organizations.map(({ id, company }) => [id, company]));
  const days = [
    ...(await loadUsageDays(
      tx,
      organizations.filter(({ removedAt }) => removedAt === null),
      range,
      at,
    )),
    ...(await loadStoredUsageDays(
      tx,
      organizations.filter(({ removedAt }) => removedAt !== null),
      range,
    )),
  ];
  return Map.groupBy(days, ({ organizationId }) => companies.get(organizationId) ?? 0);
}
