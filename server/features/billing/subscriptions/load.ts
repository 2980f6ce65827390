import type {
  CompanySubscription,
  SubscriptionOut,
  UsageMonthOut,
} from '#contract/billing/subscription-calls.ts';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import { getBilledUsage, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { CompanyN, Ms, UserId } from '#contract/ids.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { loadPeople } from '#server/platform/queries/run-details.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { seesCompany } from '#server/platform/tenancy/company-list.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';
import { getLatestSubscriptions, findUsage } from './count-usage.ts';
import { parseMonth, type Month } from './month.ts';

/** A company by its number or id, if the caller sees it. */
export const findCompany = async (
  tx: TenantTx,
  session: Principal,
  ref: number | string,
): Promise<CompanyRow | null> =>
  (await tx.all('company')).find(
    (row) => (row.n === ref || row.id === ref) && seesCompany(session, row),
  ) ?? null;

/** The running subscription of a company, or else its last one. */
export const findSubscription = async (
  tx: TenantTx,
  company: CompanyN,
): Promise<SubscriptionRow | null> =>
  getLatestSubscriptions(await tx.all('subscription')).get(company) ?? null;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Companies by name with their subscription and their usage in a month; only those that have one. */
export async function listCompanySubscriptions(
  tx: TenantTx,
  companies: readonly CompanyRow[],
  month: Month,
  now: Ms,
): Promise<readonly CompanySubscription[]> {
  const subscriptions = getLatestSubscriptions(await tx.all('subscription'));
  const usage = (await tx.all('usageMonth')).filter((row) => row.month === month.text);
  const toUsage = await makeUsageOutput(tx, now);
  return companies
    .map(({ n, id, name }) => {
      const subscription = subscriptions.get(n);
      const row = findUsage(usage, n);
      return {
        company: n,
        companyId: id,
        companyName: name,
        subscription: subscription === undefined ? null : toSubscriptionOutput(subscription),
        usage: row === null ? null : toUsage(row),
      };
    })
    .filter((row) => row.subscription !== null || row.usage !== null)
    .sort((a, b) => collator.compare(a.companyName, b.companyName) || a.company - b.company);
}

export const toSubscriptionOutput = ({
  id,
  company: _company,
  undo,
  ...row
}: SubscriptionRow): SubscriptionOut => ({
  _id: id,
  ...row,
  undo: undo === null ? null : { operation: undo.operation, level: undo.level },
});

export async function makeUsageOutput(
  tx: TenantTx,
  now: Ms,
): Promise<(row: UsageMonthRow) => UsageMonthOut> {
  const names = await loadPeople(tx);
  const { timeZone } = await loadCompanyLimit(tx);
  const today: DayN = getDay(now, timeZone, 0);
  const person = ({ by, at }: { readonly by: UserId; readonly at: Ms }) => ({
    name: names.get(by) ?? actorMessages.formerUser,
    at,
  });
  return (row) => {
    const { lines, totalMills } = getBilledUsage(row);
    return {
      _id: row.id,
      month: Number(row.month.slice(5)),
      year: Number(row.month.slice(0, 4)),
      level: row.level,
      currency: row.currency,
      users: row.users,
      gigabytes: row.gigabytes,
      changed: row.changed && {
        users: row.changed.users,
        gigabytes: row.changed.gigabytes,
        ...person(row.changed),
      },
      ack: row.ack !== null,
      acknowledged: row.ack && person(row.ack),
      lines: [...lines],
      totalMills,
      invoice: row.invoice?.id ?? null,
      isOver: parseMonth(row.month).last < today,
      countedAt: row.countedAt,
    };
  };
}
