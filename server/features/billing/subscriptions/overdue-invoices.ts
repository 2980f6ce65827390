import { DAY_MS } from '#contract/time/durations.ts';
import {
  getNextStatus,
  isFailing,
  isOwedOfEnded,
  type SubscriptionRow,
} from '#contract/billing/subscriptions.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import type { UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { dayText, getDay } from '#contract/time/day.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { getLatestSubscriptions } from './count-usage.ts';
import { getMonthAt, getMonthEnd } from './month.ts';

/** What was read longer ago, such as before QuickBooks was disconnected, stops nobody's backups. */
const FRESH_MS: Ms = 2 * DAY_MS;

interface At {
  readonly timeZone: string;
  readonly graceDays: number;
  readonly now: Ms;
}
/** The invoice of a month as QuickBooks had it when it was read last. */
interface MonthInvoice {
  readonly id: string;
  readonly number: string;
  readonly company: CompanyN;
  readonly usageId: string;
  readonly voided: boolean;
  readonly balance: Mills;
  readonly due: string | null;
}

/**
 * Returns what the invoices of months in QuickBooks change: a voided one releases its month (BILL-16),
 * and overdue ones start the grace period of a subscription as a failed card payment does, which ends
 * when they are paid (BILL-13). What a card subscription owes is added to what it owes at Stripe.
 */
export async function getInvoiceEvents(tx: TenantTx, at: At): Promise<readonly NewEvent[]> {
  const invoiced = (await tx.all('usageMonth')).filter(({ invoice }) => invoice !== null);
  const readAt = await loadReadAt(tx);
  if (invoiced.length === 0 || readAt === null || readAt < at.now - FRESH_MS) return [];
  const invoices = await loadMonthInvoices(tx, invoiced);
  const released = invoices.filter(
    (one) =>
      one.voided && !invoices.some((other) => other.usageId === one.usageId && !other.voided),
  );
  return [
    ...released.map(toRelease),
    // What is owed of an earlier one is owed by the last one of its company.
    ...[...getLatestSubscriptions(await tx.all('subscription')).values()].flatMap((row) =>
      row.hasCard
        ? []
        : getPaymentEvents(
            row,
            invoices.filter(({ company, voided }) => company === row.company && !voided),
            at,
          ),
    ),
  ];
}

/**
 * Returns how to find what is overdue in QuickBooks of a subscription, whoever collects it (BILL-13).
 * What was read long ago stops nobody's backups, and doesn't settle what is owed.
 */
export async function loadOverdue(
  tx: TenantTx,
  { timeZone, now }: Pick<At, 'timeZone' | 'now'>,
): Promise<(row: SubscriptionRow) => Mills> {
  const invoiced = (await tx.all('usageMonth')).filter(({ invoice }) => invoice !== null);
  const readAt = await loadReadAt(tx);
  if (invoiced.length === 0 || readAt === null) return getOwedBeforeCard;
  const invoices = (await loadMonthInvoices(tx, invoiced)).filter(({ voided }) => !voided);
  const isFresh = readAt >= now - FRESH_MS;
  return (row) => {
    const isOwing = isFailing(row) || isOwedOfEnded(row);
    if (!isFresh && !isOwing && getOwedBeforeCard(row) === 0) return 0;
    const own = invoices.filter(({ company }) => company === row.company);
    return own.length === 0 ? getOwedBeforeCard(row) : getOverdueMills(row, own, { timeZone, now });
  };
}

/**
 * Returns how to find the oldest unpaid invoice of a company's months in QuickBooks, without what was
 * written off. Null: there is none, or QuickBooks isn't connected.
 */
export async function loadUnpaidInvoices(
  tx: TenantTx,
): Promise<(company: CompanyN) => Pick<MonthInvoice, 'id' | 'number'> | null> {
  const invoiced = (await tx.all('usageMonth')).filter(({ invoice }) => invoice !== null);
  if (invoiced.length === 0 || (await loadReadAt(tx)) === null) return () => null;
  const { timeZone } = await loadCompanyLimit(tx);
  const rows = [...getLatestSubscriptions(await tx.all('subscription')).values()];
  const forgiven = new Map(rows.map((row) => [row.company, getForgivenText(row, timeZone)]));
  const unpaid = (await loadMonthInvoices(tx, invoiced))
    .filter(({ voided, balance }) => !voided && balance > 0)
    .filter((one) => getDueText(one) > (forgiven.get(one.company) ?? ''))
    .sort(
      (a, b) => getDueText(a).localeCompare(getDueText(b), 'en') || Number(a.id) - Number(b.id),
    );
  return (company) => unpaid.find((one) => one.company === company) ?? null;
}

/** One without a due day comes last. */
const getDueText = ({ due }: MonthInvoice): string => due ?? '9999';

/** Without invoices, it is unknown whether what was owed before the card was paid. */
const getOwedBeforeCard = ({ owedBeforeCardMills }: SubscriptionRow): Mills =>
  owedBeforeCardMills ?? 0;

/**
 * BILL-16: opens the months again whose invoices were deleted in QuickBooks, before they are
 * forgotten here. `ids`: of the invoices. The log is locked.
 */
export async function releaseDeleted(tx: TenantTx, ids: readonly string[], now: Ms): Promise<void> {
  if (ids.length === 0) return;
  const invoiced = (await tx.all('usageMonth')).filter(({ invoice }) => invoice !== null);
  const invoices = invoiced.length === 0 ? [] : await loadMonthInvoices(tx, invoiced);
  const deleted = new Set(ids);
  const released = new Map(
    invoices
      .filter(({ id }) => deleted.has(id))
      .filter((one) => !invoices.some((other) => isOther(one, other) && !deleted.has(other.id)))
      .map((one) => [one.usageId, one]),
  );
  await tx.append([...released.values()].map(toRelease), {
    actor: { kind: 'clock' },
    subject: null,
    commandId: null,
    at: now,
  });
}

const isOther = (one: MonthInvoice, other: MonthInvoice): boolean =>
  one.usageId === other.usageId && one.id !== other.id && !other.voided;

const toRelease = ({ company, usageId }: MonthInvoice): NewEvent => ({
  company,
  entity: `usage:${usageId}`,
  event: { type: 'usage.released@1', data: { id: usageId } },
});

/** When the invoices were read last; null if QuickBooks isn't connected. */
async function loadReadAt({ sql, tenant }: TenantTx): Promise<Ms | null> {
  const row = await sql
    .selectFrom('quickbooks')
    .select('read_at')
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  return row?.read_at ?? null;
}

async function loadMonthInvoices(
  { sql, tenant }: TenantTx,
  months: readonly UsageMonthRow[],
): Promise<readonly MonthInvoice[]> {
  const numbers = [...new Set(months.flatMap(({ invoice }) => invoice?.id ?? []))];
  const rows = await sql
    .selectFrom('invoice as i')
    .innerJoin('invoice_customer as c', (on) =>
      on.onRef('c.tenant_id', '=', 'i.tenant_id').onRef('c.id', '=', 'i.customer_id'),
    )
    .select(['i.id', 'i.number', 'i.voided', 'i.balance', 'i.due', 'c.stands_for as companyN'])
    .where('i.tenant_id', '=', tenant)
    .where('i.number', 'in', numbers)
    .execute();
  return months.flatMap(({ id: usageId, company, invoice }) =>
    rows
      .filter(({ number, companyN }) => number === invoice?.id && companyN === company)
      .map(({ id, number, voided, balance, due }) => ({
        id,
        number,
        company,
        usageId,
        voided,
        balance,
        due,
      })),
  );
}

/** What was due until this day was written off. */
const getForgivenText = ({ forgivenAt }: SubscriptionRow, timeZone: string): string =>
  forgivenAt === undefined ? '' : dayText(getDay(forgivenAt, timeZone, 0));

function getOverdueMills(
  row: SubscriptionRow,
  invoices: readonly MonthInvoice[],
  { timeZone, now }: Pick<At, 'timeZone' | 'now'>,
): Mills {
  const today = dayText(getDay(now, timeZone, 0));
  const forgiven = getForgivenText(row, timeZone);
  return invoices
    .filter(({ due }) => due !== null && due < today && due > forgiven)
    .reduce((sum, { balance }) => sum + balance, 0);
}

function getPaymentEvents(
  row: SubscriptionRow,
  invoices: readonly MonthInvoice[],
  { timeZone, graceDays, now }: At,
): readonly NewEvent[] {
  const { id, company, status, owedMills: before, periodEndsAt } = row;
  if (getNextStatus(status, 'failed') === null) return [];
  const owedMills = getOverdueMills(row, invoices, { timeZone, now });
  const about = (event: NewEvent['event']): NewEvent => ({
    company,
    entity: `subscription:${id}`,
    event,
  });
  const isFailed = status !== 'active';
  if (owedMills > 0)
    return isFailed && owedMills === before
      ? []
      : [
          about({
            type: 'subscription.failed@1',
            data: { id, graceEndsAt: now + graceDays * DAY_MS, owedMills },
          }),
        ];
  // Without invoices, it is unknown whether what is owed was paid.
  if (!isFailed || invoices.length === 0 || (status === 'ended' && before === 0)) return [];
  const end = Math.max(periodEndsAt, getMonthEnd(getMonthAt(now, timeZone), timeZone));
  return [about({ type: 'subscription.paid@1', data: { id, periodEndsAt: end } })];
}
