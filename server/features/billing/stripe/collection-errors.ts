import type { CollectionError } from '#contract/billing/subscription-calls.ts';
import { getBilledUsage, type UsageMonthRow } from '#contract/billing/usage-months.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { stripeInvoiceMessages as t } from './messages.en.ts';
import { formatMoney } from './terms-text.ts';

const CENT_MILLS = 10;

/** Why a month isn't collected. `differs`: what its invoice at Stripe has, in cents. */
type NewError =
  | { readonly kind: 'refused' }
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
    if (before.error === null) await mailCollectionError(tx, context, row, error);
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
        error.kind === 'refused'
          ? t.refusedHint
          : t.differsHint({ net: formatMoney(error.netCents * CENT_MILLS, currency) });
      return {
        subject: t.notCollectedSubject(about),
        text: `${t.notCollected(about)}\n\n${why}${link}\n`,
      };
    },
    'o365.subscriptions',
  );
}

/** Returns why months aren't collected by their ids. */
export async function loadCollectionErrors({
  sql,
  tenant,
}: TenantTx): Promise<ReadonlyMap<string, CollectionError>> {
  const rows = await sql
    .selectFrom('stripe_invoice')
    .select(['usage_id', 'error', 'net_cents', 'total_cents'])
    .where('tenant_id', '=', tenant)
    .where('error', 'is not', null)
    .execute();
  return new Map(
    rows.map(({ usage_id: id, net_cents: net, total_cents: total }) => [
      id,
      net === null || total === null
        ? { kind: 'refused' as const }
        : { kind: 'differs' as const, netMills: net * CENT_MILLS, totalMills: total * CENT_MILLS },
    ]),
  );
}
