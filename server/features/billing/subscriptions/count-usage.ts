import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import {
  isSameUsage,
  type CountedUsage,
  type Hundredths,
  type UsageMonthRow,
} from '#contract/billing/usage-months.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { type DayN, dayText, getDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { OrganizationDay } from '#server/platform/queries/licensed-users.ts';
import { loadStoredUsageDays, loadUsageDays } from '../suite-usage/usage-days.ts';
import { loadBilledDays, type BilledTerms } from './billed-terms.ts';
import { getMonthAt, getMonthEnd, type CalendarMonth } from './month.ts';

const GIGABYTE = 1_000_000_000;

/**
 * Counts a month of every company that had a subscription in it, each day at its own terms (BILL-12,
 * BILL-15), and returns the events of what changed. A month that was acknowledged after its end stays.
 */
export async function countUsage(
  tx: TenantTx,
  context: Pick<AppContext, 'chance'>,
  month: CalendarMonth,
  { timeZone, now }: { readonly timeZone: string; readonly now: Ms },
): Promise<readonly NewEvent[]> {
  const range = { first: month.first, last: Math.min(month.last, getDay(now, timeZone, 0)) };
  const billed = await loadOwnDays(tx, month, range, timeZone);
  const rows = (await tx.all('usageMonth')).filter((row) => row.month === month.text);
  const byCompany = new Map(rows.map((row) => [row.company, row]));
  const days = await loadDays(tx, range, { timeZone, now });
  const lengthDays = month.last - month.first + 1;
  const monthEnd = getMonthEnd(month, timeZone);
  const companies = new Set([...billed.keys(), ...byCompany.keys()]);
  return [...companies].flatMap((company): NewEvent[] => {
    const row = byCompany.get(company);
    if (row?.invoice != null || (row?.ack != null && row.ack.at >= monthEnd)) return [];
    const terms = billed.get(company) ?? new Map<DayN, BilledTerms>();
    const counted =
      sumDays(terms, days.get(company) ?? [], lengthDays) ?? (row && withoutDays(row));
    if (counted === undefined || (row !== undefined && isSameUsage(row, counted))) return [];
    const id = row?.id ?? context.chance.uuid();
    return [
      {
        company,
        entity: `usage:${id}`,
        event: { type: 'usage.counted@1', data: { id, company, month: month.text, ...counted } },
      },
    ];
  });
}

/**
 * Returns the billed days without those that Stripe charged by prices of its own, in the month in which
 * that ended.
 */
async function loadOwnDays(
  tx: TenantTx,
  month: CalendarMonth,
  range: Days,
  timeZone: string,
): Promise<ReadonlyMap<CompanyN, ReadonlyMap<DayN, BilledTerms>>> {
  const billed = await loadBilledDays(tx, range, timeZone);
  const moved = await tx.sql
    .selectFrom('stripe_customer')
    .select(['company_n', 'collected_from'])
    .where('tenant_id', '=', tx.tenant)
    .where('collected_from', 'like', `${month.text}-%`)
    .execute();
  const from = new Map(moved.map((row) => [row.company_n, row.collected_from ?? '']));
  return new Map(
    [...billed].map(([company, days]) => [
      company,
      new Map([...days].filter(([day]) => dayText(day) >= (from.get(company) ?? ''))),
    ]),
  );
}

/**
 * Returns what the billed days of a month sum up to, by terms if these changed; null if no day is
 * billed. `lengthDays`: of the whole month.
 */
export function sumDays(
  billed: ReadonlyMap<DayN, BilledTerms>,
  days: readonly Pick<OrganizationDay, 'day' | 'used' | 'bytes'>[],
  lengthDays: number,
): CountedUsage | null {
  const byDay = Map.groupBy(days, ({ day }) => day);
  const byTerms = Map.groupBy(billed, ([, terms]) => JSON.stringify(Object.entries(terms)));
  const parts = [...byTerms.values()].flatMap((same) => {
    const [, terms] = same[0] ?? [];
    if (terms === undefined) return [];
    const own = same.flatMap(([day]) => byDay.get(day) ?? []);
    return [
      {
        ...terms,
        users: getAverage(own.reduce((sum, { used }) => sum + used, 0) * 100, lengthDays),
        gigabytes: getAverage(
          (own.reduce((sum, { bytes }) => sum + bytes, 0) / GIGABYTE) * 100,
          lengthDays,
        ),
        minimumUsers: getAverage(terms.minimumUsers * 100 * same.length, lengthDays),
        days: same.length,
      },
    ];
  });
  const [, last] = [...billed].at(-1) ?? [];
  if (last === undefined) return null;
  const sum = (name: 'users' | 'gigabytes' | 'minimumUsers'): Hundredths =>
    parts.reduce((all, part) => all + part[name], 0);
  return {
    ...last,
    users: sum('users'),
    gigabytes: sum('gigabytes'),
    minimumUsers: sum('minimumUsers'),
    ...(parts.length > 1 && { parts: parts.map(({ currency: _currency, ...part }) => part) }),
  };
}

/** A month of which no day is billed any more, such as one with a trial from its only day. */
const withoutDays = ({
  level,
  currency,
  userMills,
  gigabyteMills,
}: UsageMonthRow): CountedUsage => ({
  level,
  currency,
  userMills,
  gigabyteMills,
  users: 0,
  gigabytes: 0,
  minimumUsers: 0,
});

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
