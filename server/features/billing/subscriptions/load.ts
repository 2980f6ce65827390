import { seesSubscriptions } from '#contract/billing/subscriber.ts';
import type {
  CompanySubscription,
  SubscriptionOut,
  UsageMonthOut,
} from '#contract/billing/subscription-calls.ts';
import {
  isOwedOfEnded,
  type SubscriptionRow,
  type UndoableOperation,
} from '#contract/billing/subscriptions.ts';
import { getBilledUsage, isReleased, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { CompanyN, Ms, UserId } from '#contract/ids.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { seesCompany } from '#server/platform/tenancy/company-list.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';
import { loadCollectionErrors } from '../stripe/collection-errors.ts';
import { loadCardMonths, loadSubscriptionsAt } from './billed-terms.ts';
import { getLatestSubscriptions, findUsage } from './count-usage.ts';
import { getMonthAt, parseMonth, type CalendarMonth } from './month.ts';
import { loadUnpaidInvoices } from './overdue-invoices.ts';

/** Whether a user sees the subscription of a company (BILL-14). */
export const seesSubscription = (
  session: Pick<Principal, 'roles' | 'key' | 'companies'>,
  company: Pick<CompanyRow, 'n' | 'deletedAt'>,
): boolean =>
  seesCompany(session, company) &&
  seesSubscriptions(session, hasAbility(session, 'o365.subscriptions'));

/** A company by its number or id, if the caller sees its subscription. */
export const findBilledCompany = (
  tx: TenantTx,
  session: Principal,
  ref: number | string,
): Promise<CompanyRow | null> => findCompany(tx, ref, (row) => seesSubscription(session, row));

/** A company whose debt the caller can write off: a deleted one, too. */
export const findDebtor = (
  tx: TenantTx,
  session: Principal,
  ref: number | string,
): Promise<CompanyRow | null> => findCompany(tx, ref, (row) => seesMonths(session, row));

const findCompany = async (
  tx: TenantTx,
  ref: number | string,
  isSeen: (row: CompanyRow) => boolean,
): Promise<CompanyRow | null> =>
  (await tx.all('company')).find((row) => (row.n === ref || row.id === ref) && isSeen(row)) ?? null;

/** The running subscription of a company, or else its last one. */
export const findSubscription = async (
  tx: TenantTx,
  company: CompanyN,
): Promise<SubscriptionRow | null> =>
  getLatestSubscriptions(await tx.all('subscription')).get(company) ?? null;

/** Operations of a subscriber that can be undone. */
const OWN_UNDO: ReadonlySet<UndoableOperation> = new Set(['cancel', 'change-level']);

/** BILL-14: a subscriber undoes what a subscriber did; the provider's terms are the provider's. */
export async function canUndo(
  tx: TenantTx,
  session: Principal,
  { undo }: Pick<SubscriptionRow, 'undo'>,
): Promise<boolean> {
  if (undo === null) return false;
  if (hasAbility(session, 'o365.subscriptions')) return true;
  if (!OWN_UNDO.has(undo.operation) || undo.by === undefined) return false;
  // Stripe reported it: customers cancel on its page, and its event may come before the answer to them.
  if (undo.by === 'clock') return undo.operation === 'cancel';
  const user = (await tx.rows('user', [undo.by])).get(undo.by);
  return user !== undefined && !hasAbility({ roles: user.roles }, 'o365.subscriptions');
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Companies whose subscriptions a user sees, and deleted ones, whose months can still be billed (BILL-17). */
export const loadBilledCompanies = async (
  tx: TenantTx,
  session: Principal,
): Promise<readonly CompanyRow[]> =>
  (await tx.all('company')).filter((row) => seesMonths(session, row));

/** A month of a deleted company can still be acknowledged and invoiced. */
export const seesMonths = (session: Principal, { n }: Pick<CompanyRow, 'n'>): boolean =>
  seesSubscription(session, { n });

/**
 * Returns the subscription that each company had in a month: as it was at the end of the month, or as it
 * is now if the month isn't over. One that ended before the month is there while something is owed of it
 * (BILL-13). In a month to come, there is none (BILL-17).
 */
async function loadMonthSubscriptions(
  tx: TenantTx,
  month: CalendarMonth,
  now: Ms,
): Promise<ReadonlyMap<CompanyN, SubscriptionRow>> {
  const { timeZone } = await loadCompanyLimit(tx);
  const today = getDay(now, timeZone, 0);
  if (month.first > today) return new Map();
  const rows =
    month.last < today
      ? await loadSubscriptionsAt(tx, month.last, timeZone)
      : await tx.all('subscription');
  return getLatestSubscriptions(
    rows.filter(
      (row) =>
        row.endedAt === null ||
        isOwedOfEnded(row) ||
        getDay(row.endedAt, timeZone, 0) >= month.first,
    ),
  );
}

/**
 * Companies by name with their subscription and their usage in a month; only those that have one, and
 * deleted ones only with usage, or while they owe something.
 */
export const listMonthSubscriptions = async (
  tx: TenantTx,
  session: Principal,
  companies: readonly CompanyRow[],
  at: { readonly month: CalendarMonth; readonly now: Ms },
): Promise<readonly CompanySubscription[]> =>
  listCompanySubscriptions(tx, session, companies, {
    ...at,
    subscriptions: await loadMonthSubscriptions(tx, at.month, at.now),
  });

/** Companies by name with their last subscription, also one that has ended, and their current usage. */
export const listLastSubscriptions = async (
  tx: TenantTx,
  session: Principal,
  companies: readonly CompanyRow[],
  now: Ms,
): Promise<readonly CompanySubscription[]> => {
  const { timeZone } = await loadCompanyLimit(tx);
  return listCompanySubscriptions(tx, session, companies, {
    month: getMonthAt(now, timeZone),
    now,
    subscriptions: getLatestSubscriptions(await tx.all('subscription')),
  });
};

async function listCompanySubscriptions(
  tx: TenantTx,
  session: Principal,
  companies: readonly CompanyRow[],
  {
    month,
    now,
    subscriptions,
  }: {
    readonly month: CalendarMonth;
    readonly now: Ms;
    readonly subscriptions: ReadonlyMap<CompanyN, SubscriptionRow>;
  },
): Promise<readonly CompanySubscription[]> {
  const { timeZone } = await loadCompanyLimit(tx);
  // Nothing is undone in a month that is over.
  const isPast = month.last < getDay(now, timeZone, 0);
  const usage = (await tx.all('usageMonth')).filter((row) => row.month === month.text);
  const toUsage = await makeUsageOutput(tx, now);
  const findUnpaid = await loadUnpaidInvoices(tx);
  const rows: CompanySubscription[] = [];
  for (const { n, id, name, deletedAt } of companies) {
    const isDeleted = deletedAt !== undefined;
    const found = subscriptions.get(n);
    const row = findUsage(usage, n);
    if (row === null && (found === undefined || (isDeleted && !isOwedOfEnded(found)))) continue;
    const subscription =
      found === undefined
        ? null
        : toSubscriptionOutput(
            !isPast && (await canUndo(tx, session, found)) ? found : { ...found, undo: null },
          );
    rows.push({
      company: n,
      companyId: id,
      companyName: name,
      isDeleted,
      subscription,
      isPast,
      usage: row === null ? null : toUsage(row),
      unpaidInvoice: findUnpaid(n)?.number ?? null,
    });
  }
  return rows.sort(
    (a, b) => collator.compare(a.companyName, b.companyName) || a.company - b.company,
  );
}

export const toSubscriptionOutput = ({
  id,
  company: _company,
  forgivenAt: _forgivenAt,
  owedBeforeCardMills: _owedBefore,
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
  const names = await loadAllUserNames(tx);
  const { timeZone } = await loadCompanyLimit(tx);
  const isByCard = await loadCardMonths(tx, timeZone);
  const errors = await loadCollectionErrors(tx);
  const today: DayN = getDay(now, timeZone, 0);
  const person = ({ by, at }: { readonly by: UserId; readonly at: Ms }) => ({
    name: by === 'clock' ? actorMessages.system : (names.get(by) ?? actorMessages.formerUser),
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
      isByCard: isByCard(row),
      isReleased: isReleased(row),
      error: errors.get(row.id) ?? null,
      isOver: parseMonth(row.month).last < today,
      countedAt: row.countedAt,
    };
  };
}
