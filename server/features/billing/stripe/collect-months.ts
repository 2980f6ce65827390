import { SECOND_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import { getBilledUsage, isReleased, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { startOfDay } from '#contract/time/day.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { hasDraft } from '../month-invoice/stored-draft.ts';
import { loadCardMonths } from '../subscriptions/billed-terms.ts';
import { countUsage } from '../subscriptions/count-usage.ts';
import { getMonthAt, getMonthBefore, getMonthEnd, parseMonth } from '../subscriptions/month.ts';
import { loadWriteOffs, storeCollectionError } from './collection-errors.ts';
import { stripeInvoiceMessages as t } from './messages.en.ts';
import { KEY_REFUSED, readStripe, writeStripe } from './stripe.ts';
import { formatMoney } from './terms-text.ts';

const CENT_MILLS = 10;
/** A month that nobody acknowledged is collected this long after its end: until then it can be changed. */
const REVIEW_MS: Ms = 3 * 86_400_000;

/** A month that is being collected. `draft`: its invoice at Stripe, once it is known. */
interface Month {
  readonly row: UsageMonthRow;
  readonly customer: string;
  readonly draft: string | null;
  readonly timeZone: string;
}

/**
 * BILL-22: collects each closed month of a card subscription by an invoice at Stripe, whose lines are
 * those of the month. A month is closed when it is acknowledged after its end, or three days after its end.
 * Its amount can't change from then on, and it is charged once, however often this is repeated: a
 * draft that was left behind is never charged, and one is finalized only if it has the month's amount.
 * What isn't collected is shown with the month, and emailed once.
 */
export async function collectMonths(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { now, signal }: { readonly now: Ms; readonly signal: AbortSignal },
): Promise<Result<unknown>> {
  for (const month of await claimMonths(context, tenant, now)) {
    if (signal.aborted) break;
    const collected = await collectMonth(context, tenant, stripe, month);
    if (collected.ok) continue;
    if (collected.failure.kind === 'busy') return collected;
    // Neither later months nor other companies wait for it.
    const kind = collected.failure === KEY_REFUSED ? 'unauthorized' : 'refused';
    await storeCollectionError(context, tenant, month.row, { kind });
  }
  return ok(null);
}

/** Closes the months that are due, and returns all that aren't collected yet, in their order. */
const claimMonths = (context: AppContext, tenant: TenantId, now: Ms): Promise<readonly Month[]> =>
  context.store.tenant(tenant, async (tx) => {
    const customers = new Map(
      (
        await tx.sql
          .selectFrom('stripe_customer')
          .select(['company_n', 'customer_id', 'collected_from'])
          .where('tenant_id', '=', tenant)
          .where('collected_from', 'is not', null)
          .execute()
      ).map((row) => [row.company_n, row]),
    );
    if (customers.size === 0) return [];
    await tx.lock();
    const { timeZone } = await loadCompanyLimit(tx);
    const by = { actor: { kind: 'clock' }, subject: null, commandId: null, at: now } as const;
    const current = getMonthAt(now, timeZone);
    await tx.append(await countUsage(tx, context, getMonthBefore(current), { timeZone, now }), by);
    const drafts = new Map(
      (
        await tx.sql
          .selectFrom('stripe_invoice')
          .select(['usage_id', 'invoice_id', 'error', 'at'])
          .where('tenant_id', '=', tenant)
          .execute()
      ).map((row) => [row.usage_id, row]),
    );
    const getWrittenOffAt = await loadWriteOffs(tx);
    const rows = (await tx.all('usageMonth'))
      .filter(({ month, invoice }) => invoice === null && month < current.text)
      .sort((a, b) => a.month.localeCompare(b.month, 'en'));
    const isByCard = await loadCardMonths(tx, timeZone);
    const found: Month[] = [];
    for (const row of rows) {
      const customer = customers.get(row.company);
      if (customer === undefined || row.month < (customer.collected_from ?? '').slice(0, 7))
        continue;
      const month = { row, customer: customer.customer_id, timeZone };
      const draft = drafts.get(row.id);
      if (draft !== undefined) {
        const isWrittenOff = draft.error !== null && draft.at <= getWrittenOffAt(row.company);
        // Its invoice in QuickBooks is being made.
        if (!isWrittenOff && !(await hasDraft(tx, row.id)))
          found.push({ ...month, draft: draft.invoice_id });
        continue;
      }
      const endedAt = getMonthEnd(parseMonth(row.month), timeZone);
      // A month whose invoice was voided waits until somebody acknowledges it again.
      const isInReview = now < endedAt + REVIEW_MS;
      // Who acknowledged a month before its end hasn't seen all of it.
      if (row.ack === null ? isReleased(row) || isInReview : row.ack.at < endedAt && isInReview)
        continue;
      if (getBilledUsage(row).totalMills === 0 || (await hasDraft(tx, row.id))) continue;
      if (!isByCard(row)) continue;
      // An acknowledged month is not counted again.
      if (row.ack === null || row.ack.at < endedAt)
        await tx.append(
          [
            {
              event: { type: 'usage.acknowledged@1', data: { id: row.id } },
              company: row.company,
              entity: `usage:${row.id}`,
            },
          ],
          by,
        );
      await tx.sql
        .insertInto('stripe_invoice')
        .values({ tenant_id: tenant, usage_id: row.id, invoice_id: null, at: now })
        .execute();
      found.push({ ...month, draft: null });
    }
    return found;
  });

async function collectMonth(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  month: Month,
): Promise<Result<unknown>> {
  const { row } = month;
  const { lines, totalMills } = getBilledUsage(row);
  const cents = totalMills / CENT_MILLS;
  const known = month.draft === null ? null : await findInvoice(stripe, month.draft);
  if (known !== null && !known.ok) return known;
  let invoice = known?.value ?? null;
  if (invoice === null) {
    if (month.draft !== null) await forgetDraft(context, tenant, row);
    const created = await createDraft(context, tenant, stripe, month);
    if (!created.ok) return created;
    invoice = created.value;
  }
  const { id } = invoice;
  if (invoice.status === 'draft' && invoice.lines.data.length === 0) {
    const { first, last } = parseMonth(row.month);
    const period = {
      start: startOfDay(first, month.timeZone, 0) / SECOND_MS,
      end: startOfDay(last + 1, month.timeZone, 0) / SECOND_MS,
    };
    const body = {
      lines: lines.map(({ kind, quantity, priceMills, amountMills }) => ({
        amount: amountMills / CENT_MILLS,
        description: t[kind]({
          month: row.month,
          quantity: String(quantity / 100),
          price: formatMoney(priceMills, row.currency),
        }),
        discountable: false,
        period,
      })),
    };
    const added = await writeStripe(
      context,
      tenant,
      { what: `month-lines:${id}`, body },
      (options) => stripe.invoices.addLines(id, body, options),
    );
    if (!added.ok) return added;
    invoice = added.value;
  }
  if (invoice.status === 'void') {
    // Somebody finalized and voided it: the next turn creates another one.
    await storeDraftId(context, tenant, row, null);
    return ok(null);
  }
  const { net, total } = getInvoiceAmounts(invoice);
  if (net !== cents) {
    // Something else is in it, such as a discount. Nothing is charged until somebody corrects it.
    await storeCollectionError(context, tenant, row, {
      kind: 'differs',
      netCents: net,
      totalCents: total,
    });
    return ok(null);
  }
  if (invoice.status === 'draft') {
    const body = { auto_advance: true };
    const finalized = await writeStripe(
      context,
      tenant,
      { what: `month-finalize:${id}`, body },
      (options) => stripe.invoices.finalizeInvoice(id, body, options),
    );
    if (!finalized.ok) return finalized;
    invoice = finalized.value;
  }
  const number = invoice.number ?? id;
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    await deleteDraftRow(tx, row.id);
    await tx.append(
      [
        {
          event: { type: 'usage.invoiced@1', data: { id: row.id, invoice: number } },
          company: row.company,
          entity: `usage:${row.id}`,
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
    );
  });
  return ok(null);
}

/**
 * Returns what an invoice asks for our lines, and in all, in cents. A tax is the provider's: it is
 * added to our lines, or is in them.
 */
function getInvoiceAmounts({
  total,
  total_excluding_tax: withoutTax,
  total_taxes: taxes,
}: Stripe.Invoice): { readonly net: number; readonly total: number } {
  const included = (taxes ?? [])
    .filter(({ tax_behavior: behavior }) => behavior === 'inclusive')
    .reduce((sum, { amount }) => sum + amount, 0);
  return { net: (withoutTax ?? total) + included, total };
}

/** Null: somebody has deleted the draft at Stripe. */
async function findInvoice(
  stripe: Stripe,
  id: string,
): Promise<Result<(Stripe.Invoice & { readonly id: string }) | null>> {
  const found = await readStripe(() => stripe.invoices.retrieve(id));
  if (!found.ok) return found.failure.kind === 'not-found' ? ok(null) : found;
  return ok({ ...found.value, id });
}

async function createDraft(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { row, customer }: Month,
): Promise<Result<Stripe.Invoice & { readonly id: string }>> {
  const body = {
    customer,
    currency: row.currency.toLowerCase(),
    collection_method: 'charge_automatically' as const,
    // Charged only after it is finalized with the month's amount.
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude' as const,
    description: t.invoice({ month: row.month }),
    metadata: { usage: row.id, month: row.month },
  };
  const created = await writeStripe(
    context,
    tenant,
    { what: `month-invoice:${row.id}`, body },
    (options) => stripe.invoices.create(body, options),
  );
  if (!created.ok) return created;
  const { id } = created.value;
  // The month was changed meanwhile: this draft is never charged, and the next turn makes another one.
  if (!(await storeDraftId(context, tenant, row, id)))
    return failed({ kind: 'busy', message: MESSAGES.stripeUnreachable, retryAfterMs: SECOND_MS });
  return ok({ ...created.value, id });
}

/** Returns whether the month is still being collected, and not invoiced in QuickBooks instead. */
const storeDraftId = (
  context: AppContext,
  tenant: TenantId,
  { id }: UsageMonthRow,
  invoice: string | null,
): Promise<boolean> =>
  context.store.tenant(tenant, async (tx) => {
    const { sql } = tx;
    await tx.lock();
    if (await hasDraft(tx, id)) return false;
    const { numUpdatedRows } = await sql
      .updateTable('stripe_invoice')
      .set({ invoice_id: invoice, error: null, net_cents: null, total_cents: null })
      .where('tenant_id', '=', tenant)
      .where('usage_id', '=', id)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });

/** Forgets a draft that somebody has deleted at Stripe. Why the month isn't collected is still shown. */
const forgetDraft = (
  context: AppContext,
  tenant: TenantId,
  { id }: UsageMonthRow,
): Promise<unknown> =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('stripe_invoice')
      .set({ invoice_id: null })
      .where('tenant_id', '=', tenant)
      .where('usage_id', '=', id)
      .execute(),
  );

/** Forgets that Stripe collects a month. */
export const deleteDraftRow = ({ sql, tenant }: TenantTx, usageId: string): Promise<unknown> =>
  sql
    .deleteFrom('stripe_invoice')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .execute();

/**
 * Whether a month is being collected by Stripe, so that it can't change. One whose invoice Stripe refused
 * to make isn't: it is open again, and is collected again. The log is locked.
 */
export async function isBeingCollected(
  { sql, tenant }: TenantTx,
  usageId: string,
): Promise<boolean> {
  await sql
    .deleteFrom('stripe_invoice')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .where('invoice_id', 'is', null)
    .where('error', 'in', ['refused', 'unauthorized'])
    .execute();
  const row = await sql
    .selectFrom('stripe_invoice')
    .select('usage_id')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .executeTakeFirst();
  return row !== undefined;
}
