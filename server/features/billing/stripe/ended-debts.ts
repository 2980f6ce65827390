import { DAY_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import type { SubscriptionRow } from '#contract/billing/subscriptions.ts';
import type { CompanyN, Ms, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { findSubscription } from '../subscriptions/load.ts';
import { loadOverdue } from '../subscriptions/overdue-invoices.ts';
import { loadUncollectedMills } from './collection-errors.ts';
import { getOwedMills, listOpenInvoices } from './open-invoices.ts';

/** How old the known debts of a subscription that ended lately may be. */
const READ_MS: Ms = 6 * 3_600_000;
/** Its last month is collected after it, and Stripe tries again for weeks. */
const FOLLOWED_MS: Ms = 60 * DAY_MS;

interface Debtor {
  readonly company: CompanyN;
  readonly customer: string;
}

/**
 * BILL-13: reads what companies owe of subscriptions that were paid by card and have ended: while they
 * owe something, and for some time after the end.
 */
export async function syncEndedDebts(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { now, signal }: { readonly now: Ms; readonly signal: AbortSignal },
): Promise<Result<unknown>> {
  for (const debtor of await findDebtors(context, tenant, now)) {
    if (signal.aborted) break;
    const read = await syncEndedDebt(context, tenant, stripe, debtor);
    if (!read.ok && read.failure.kind === 'busy') return read;
  }
  return ok(null);
}

/** Reads what a company owes of its last subscription, if that has ended and was paid by card. */
export async function syncEndedDebt(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { company, customer }: Debtor,
): Promise<Result<unknown>> {
  const isEnded = await context.store.tenant(
    tenant,
    async (tx) => (await findEnded(tx, company)) !== null,
    { readOnly: true },
  );
  if (!isEnded) return ok(null);
  const open = await listOpenInvoices(stripe, customer);
  if (!open.ok) return open;
  return context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const now = context.clock.now();
    await tx.sql
      .updateTable('stripe_customer')
      .set({ read_at: now })
      .where('tenant_id', '=', tenant)
      .where('company_n', '=', company)
      .execute();
    const row = await findEnded(tx, company);
    if (row === null) return ok(null);
    const { timeZone } = await loadCompanyLimit(tx);
    const getOverdue = await loadOverdue(tx, { timeZone, now });
    const getUncollected = await loadUncollectedMills(tx);
    const owedMills = getOwedMills(open.value) + getOverdue(row) + getUncollected(company);
    if (owedMills === row.owedMills) return ok(null);
    const { id, periodEndsAt } = row;
    await tx.append(
      [
        {
          company,
          entity: `subscription:${id}`,
          event:
            owedMills === 0
              ? { type: 'subscription.paid@1', data: { id, periodEndsAt } }
              : { type: 'subscription.failed@1', data: { id, graceEndsAt: now, owedMills } },
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: now },
    );
    return ok(null);
  });
}

/** The last subscription of a company, if it was paid by card and has ended. */
async function findEnded(tx: TenantTx, company: CompanyN): Promise<SubscriptionRow | null> {
  const row = await findSubscription(tx, company);
  return row !== null && row.hasCard && row.endedAt !== null ? row : null;
}

const findDebtors = (context: AppContext, tenant: TenantId, now: Ms): Promise<readonly Debtor[]> =>
  context.store.tenant(
    tenant,
    async (tx) => {
      const customers = await tx.sql
        .selectFrom('stripe_customer')
        .select(['company_n', 'customer_id', 'read_at'])
        .where('tenant_id', '=', tenant)
        .orderBy('company_n')
        .execute();
      const found: Debtor[] = [];
      for (const { company_n: company, customer_id: customer, read_at: readAt } of customers) {
        const row = await findEnded(tx, company);
        if (row?.endedAt == null) continue;
        const isDue = readAt <= now - READ_MS || readAt > now;
        if (row.owedMills > 0 || (isDue && row.endedAt > now - FOLLOWED_MS))
          found.push({ company, customer });
      }
      return found;
    },
    { readOnly: true },
  );
