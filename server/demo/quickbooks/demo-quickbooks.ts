import { MILLS } from '#contract/billing/invoice.ts';
import { getBilledUsage, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { Ms } from '#contract/ids.ts';
import { dayText, getDay } from '#contract/time/day.ts';
import { loadBillingSettings } from '../../features/billing/subscriptions/settings.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import { storeSecret } from '../../platform/outbound/secret.ts';
import { loadCompanyLimit } from '../../platform/queries/query.ts';
import type { ReadCursor } from '../../platform/db/database-billing.ts';
import type { DemoPlan, ProviderPlan } from '../plan.ts';
import { demoQuickBooksMessages as t } from './messages.en.ts';
import {
  type BookInvoice,
  type Books,
  DEMO_ITEMS,
  makeQuickBooksStandIn,
  TERM_DAYS,
} from './stand-in.ts';

/** Statuses of subscribers of the demo who don't pay. */
const UNPAID: ReadonlySet<string> = new Set(['payment_failed', 'disabled']);
/** Stripe's numbers, which begin with letters, aren't in the books: a customer is billed by one. */
const BOOK_NUMBER = /^\d+$/;
/** Invoices of these last days are still open. */
const OPEN_DAYS = 57;

interface DemoQuickBooks {
  /** What requests to Intuit are sent to. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The page on which an invoice of the n-th provider is paid, from 1, and its button. */
  readonly showPage: (
    request: Request,
    at: { readonly n: string; readonly number: string },
  ) => Promise<Response>;
}

/**
 * Gives providers of the demo that show invoices a QuickBooks, which answers from their usage. Its
 * payment pages are below `base`, a path of this server.
 */
export function openDemoQuickBooks(
  context: AppContext,
  { providers }: DemoPlan,
  base: string,
): DemoQuickBooks {
  const accounts = providers.map((provider, index) => ({
    realm: getRealm(index),
    tenant: provider.id,
    standIn: makeQuickBooksStandIn({
      base: `${base}/${index + 1}`,
      now: () => context.clock.now(),
      loadBooks: () =>
        context.store.tenant(provider.id, (tx) => loadBooks(tx, context, provider), {
          readOnly: true,
        }),
    }),
  }));
  return {
    fetch(request) {
      const account =
        accounts.find(({ realm }) => new URL(request.url).pathname.includes(`/${realm}/`)) ??
        accounts[0];
      if (account === undefined) throw new TypeError('fetch failed');
      return account.standIn.fetch(request);
    },
    async showPage({ method }, { n, number }) {
      const account = accounts[Number(n) - 1];
      if (account === undefined) return new Response(null, { status: 404 });
      const page = await account.standIn.showPage(method, number);
      if (method === 'POST' && page.status === 303)
        await context.store.tenant(account.tenant, (tx) => readSoon(tx, context.clock.now()));
      return page;
    },
  };
}

/** A payment is in memory until the portal has read it, so it is read at once. */
async function readSoon(tx: TenantTx, now: Ms): Promise<void> {
  await tx.sql
    .updateTable('quickbooks')
    .set({ poll_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('poll_at', 'is not', null)
    .execute();
  await scheduleRecurring(tx, 'invoices', now);
}

const getRealm = (index: number): string => `91300000000000${index + 1}`;

/** Connects a provider of the demo to its QuickBooks, with its customers. */
export async function connectDemoQuickBooks(
  tx: TenantTx,
  context: AppContext,
  { branding }: ProviderPlan,
  index: number,
): Promise<void> {
  if (!branding.features.invoice_automation) return;
  const now = context.clock.now();
  await storeSecret(tx, context, 'quickbooks', 'demo-secret');
  await storeSecret(
    tx,
    context,
    'quickbooks-tokens',
    JSON.stringify({ access: 'demo-access', refresh: 'demo-refresh', until: now }),
  );
  await tx.sql
    .insertInto('quickbooks')
    .values({
      tenant_id: tx.tenant,
      environment: 'production',
      client_id: 'demo',
      realm_id: getRealm(index),
      connected_at: now,
      poll_at: now,
      read_at: null,
      whole_at: null,
      held_by: null,
      renewed_by: null,
      fault: null,
      cursor: JSON.stringify(UNREAD),
    })
    .execute();
  const rows = (await loadCustomers(tx)).map(({ n, name }) => ({
    tenant_id: tx.tenant,
    id: String(n),
    name,
    parent_id: null,
    active: true,
    company_n: n,
    mapped_name: name,
    stands_for: n,
    seen_at: now,
  }));
  if (rows.length > 0) await tx.sql.insertInto('invoice_customer').values(rows).execute();
  await scheduleRecurring(tx, 'invoices', now);
}

const UNREAD: ReadCursor = { at: 'rest', start: 1, since: null, began: 0 };

/** Companies with a subscription. */
async function loadCustomers(
  tx: TenantTx,
): Promise<readonly { readonly n: number; readonly name: string }[]> {
  const subscribers = new Set((await tx.all('subscription')).map(({ company }) => company));
  return (await tx.all('company')).filter(({ n }) => subscribers.has(n));
}

/**
 * The books have what the provider has invoiced, and the payments that it has read, so that they outlast
 * a restart.
 */
async function loadBooks(
  tx: TenantTx,
  { clock }: AppContext,
  { branding, people }: ProviderPlan,
): Promise<Books> {
  const { timeZone } = await loadCompanyLimit(tx);
  const today = getDay(clock.now(), timeZone, 0);
  const unpaid = new Set(
    (await tx.all('subscription'))
      .filter(({ status }) => UNPAID.has(status))
      .map(({ company }) => company),
  );
  const paid = new Set(
    (
      await tx.sql
        .selectFrom('invoice')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where('balance', '<=', 0)
        .execute()
    ).map(({ id }) => id),
  );
  return {
    company: branding.name,
    currency: (await loadBillingSettings(tx)).currency,
    customers: (await loadCustomers(tx)).map(({ n, name }) => ({ id: String(n), name })),
    employees: people.map(({ name }, index) => ({ id: String(index + 1), name })),
    invoices: (await tx.all('usageMonth')).flatMap((row): BookInvoice[] => {
      if (row.invoice === null || !BOOK_NUMBER.test(row.invoice.id)) return [];
      const day = getDay(row.invoice.at, timeZone, 0);
      return [
        {
          number: row.invoice.id,
          customer: String(row.company),
          day: dayText(day),
          due: dayText(day + TERM_DAYS),
          isPaid: paid.has(row.invoice.id) || (!unpaid.has(row.company) && today - day > OPEN_DAYS),
          currency: row.currency,
          note: null,
          lines: getLines(row),
          changedAt: row.invoice.at,
        },
      ];
    }),
  };
}

const getLines = (row: UsageMonthRow): BookInvoice['lines'] =>
  getBilledUsage(row).lines.map(({ kind, quantity, priceMills, amountMills }) => ({
    description: t[kind]({ month: row.month }),
    item: (kind === 'users' ? DEMO_ITEMS[0] : DEMO_ITEMS[1])?.id ?? '',
    quantity: quantity / 100,
    price: priceMills / MILLS,
    amount: amountMills / MILLS,
  }));
