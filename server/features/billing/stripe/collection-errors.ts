import { DAY_MS } from '#contract/time/durations.ts';
import type { CollectionError } from '#contract/billing/subscription-calls.ts';
import { getBilledUsage, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { loadOverdue } from '../subscriptions/overdue-invoices.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { connectStripe, writeStripe } from './stripe.ts';
import { stripeInvoiceMessages as t } from './messages.en.ts';
import { formatMoney } from './terms-text.ts';

const CENT_MILLS = 10;

/** Why a month isn't collected. `differs`: what its invoice at Stripe has, in cents. */
type NewError =
  | { readonly kind: 'refused' | 'unauthorized' }
  | { readonly kind: 'differs'; readonly netCents: number; readonly totalCents: number };

/** Stores why a month isn't collected. Administrators get one email until it is collected. */
export const storeCollectionError = (
  context: AppContext,
  tenant: TenantId,
  row: UsageMonthRow,
  error: NewError,
): Promise<void> =>
  context.store.tenant(tenant, async (tx) => {
    const before = await tx.sql
      .selectFrom('stripe_invoice')
      .select('error')
      .where('tenant_id', '=', tenant)
      .where('usage_id', '=', row.id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) return;
    // What is owed already stays owed while the key is refused.
    if (error.kind === 'unauthorized' && before.error !== null) return;
    await tx.sql
      .updateTable('stripe_invoice')
      .set({
        error: error.kind,
        net_cents: error.kind === 'differs' ? error.netCents : null,
        total_cents: error.kind === 'differs' ? error.totalCents : null,
      })
      .where('tenant_id', '=', tenant)
      .where('usage_id', '=', row.id)
      .execute();
    if (before.error === null || before.error === 'unauthorized')
      await mailCollectionError(tx, context, row, error);
  });

async function mailCollectionError(
  tx: TenantTx,
  context: AppContext,
  { company, month, currency, ...usage }: UsageMonthRow,
  error: NewError,
): Promise<void> {
  const address = await loadPortalAddress(tx, context);
  const link = address === null ? '' : `\n\n${address}/o365/billing?month=${month}`;
  const { totalMills } = getBilledUsage({ ...usage, company, month, currency });
  await mailAdministrators(
    tx,
    context,
    company,
    (name) => {
      const about = { company: name, month, amount: formatMoney(totalMills, currency) };
      const why =
        error.kind !== 'differs'
          ? t[`${error.kind}Hint`]
          : t.differsHint({ net: formatMoney(error.netCents * CENT_MILLS, currency) });
      return {
        subject: t.notCollectedSubject(about),
        text: `${t.notCollected(about)}\n\n${why}${link}\n`,
      };
    },
    'o365.subscriptions',
  );
}

/** Months that Stripe doesn't collect, and their drafts at Stripe, if there are any. */
async function loadUncollected({ sql, tenant }: TenantTx) {
  return sql
    .selectFrom('stripe_invoice')
    .select(['usage_id', 'invoice_id', 'error', 'net_cents', 'total_cents', 'at'])
    .where('tenant_id', '=', tenant)
    .where('error', 'is not', null)
    .execute();
}

/** When what a company owed was last written off; 0: never. */
export async function loadWriteOffs(tx: TenantTx): Promise<(company: CompanyN) => Ms> {
  const rows = await tx.all('subscription');
  return (company) =>
    Math.max(
      0,
      ...rows.filter((row) => row.company === company).map(({ forgivenAt }) => forgivenAt ?? 0),
    );
}

/**
 * Returns what a company owes of months that Stripe doesn't collect, and that weren't written off. A key
 * that Stripe refuses is the provider's own fault: nobody owes anything for it.
 */
export async function loadUncollectedMills(tx: TenantTx): Promise<(company: CompanyN) => Mills> {
  const rows = (await loadUncollected(tx)).filter(({ error }) => error !== 'unauthorized');
  if (rows.length === 0) return () => 0;
  const months = await tx.rows(
    'usageMonth',
    rows.map(({ usage_id: id }) => id),
  );
  const getWrittenOffAt = await loadWriteOffs(tx);
  return (company) =>
    rows
      .filter(({ at }) => at > getWrittenOffAt(company))
      .flatMap(({ usage_id: id }) => months.get(id) ?? [])
      .filter((month) => month.company === company && month.invoice === null)
      .reduce((sum, month) => sum + getBilledUsage(month).totalMills, 0);
}

/**
 * A month that Stripe doesn't collect is owed as an overdue invoice is (BILL-13): the grace period of
 * its subscription begins, even if the subscription can't be read at Stripe.
 */
export const beginGracePeriods = (context: AppContext, tenant: TenantId): Promise<void> =>
  context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const now = context.clock.now();
    const getUncollected = await loadUncollectedMills(tx);
    const owing = (await tx.all('subscription')).filter(
      ({ status, hasCard, company }) =>
        status === 'active' && hasCard && getUncollected(company) > 0,
    );
    if (owing.length === 0) return;
    const { graceDays } = await loadBillingSettings(tx);
    const { timeZone } = await loadCompanyLimit(tx);
    const getOverdue = await loadOverdue(tx, { timeZone, now });
    await tx.append(
      owing.map((row) => ({
        company: row.company,
        entity: `subscription:${row.id}`,
        event: {
          type: 'subscription.failed@1',
          data: {
            id: row.id,
            graceEndsAt: now + graceDays * DAY_MS,
            owedMills: getUncollected(row.company) + getOverdue(row),
          },
        },
      })),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
  });

/**
 * Takes a month that Stripe doesn't collect out of Stripe, so that it can be invoiced in QuickBooks: its
 * draft is deleted, and can't be charged any more. `conflict`: Stripe may be collecting it.
 */
export async function deleteUncollectedDraft(
  context: AppContext,
  tenant: TenantId,
  usageId: string,
): Promise<Result<unknown>> {
  const row = await context.store.tenant(
    tenant,
    async (tx) => (await loadUncollected(tx)).find(({ usage_id: id }) => id === usageId),
    { readOnly: true },
  );
  if (row === undefined || row.invoice_id === null) return ok(null);
  const { invoice_id: id } = row;
  const stripe = await connectStripe(context, tenant);
  if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
  const deleted = await writeStripe(
    context,
    tenant,
    { what: `month-delete:${id}`, body: null },
    (options) => stripe.invoices.del(id, {}, options),
  );
  if (!deleted.ok && deleted.failure.kind !== 'not-found') return deleted;
  await context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('stripe_invoice')
      .set({ invoice_id: null })
      .where('tenant_id', '=', tenant)
      .where('usage_id', '=', usageId)
      .where('invoice_id', '=', id)
      .execute(),
  );
  return ok(null);
}

/** Whether Stripe doesn't collect a month, and has no draft of it that could be charged. */
export async function isWithoutDraft({ sql, tenant }: TenantTx, usageId: string): Promise<boolean> {
  const row = await sql
    .selectFrom('stripe_invoice')
    .select('usage_id')
    .where('tenant_id', '=', tenant)
    .where('usage_id', '=', usageId)
    .where('error', 'is not', null)
    .where('invoice_id', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns why months aren't collected by their ids. What was written off isn't owed any more. */
export async function loadCollectionErrors(
  tx: TenantTx,
): Promise<ReadonlyMap<string, CollectionError>> {
  const all = await loadUncollected(tx);
  if (all.length === 0) return new Map();
  const months = await tx.rows(
    'usageMonth',
    all.map(({ usage_id: id }) => id),
  );
  const getWrittenOffAt = await loadWriteOffs(tx);
  const rows = all.filter(({ usage_id: id, at }) => {
    const month = months.get(id);
    return month !== undefined && at > getWrittenOffAt(month.company);
  });
  return new Map(
    rows.map(({ usage_id: id, error, net_cents: net, total_cents: total }) => [
      id,
      net === null || total === null
        ? { kind: error === 'unauthorized' ? ('unauthorized' as const) : ('refused' as const) }
        : { kind: 'differs' as const, netMills: net * CENT_MILLS, totalMills: total * CENT_MILLS },
    ]),
  );
}
