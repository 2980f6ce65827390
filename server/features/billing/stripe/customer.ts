import type { Stripe } from 'stripe';
import type { CompanyN, TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { writeStripe } from './stripe.ts';

interface Payer {
  readonly company: CompanyN;
  readonly customer: string | null;
  readonly email: string | null;
}

/** Returns the id of a company's customer at Stripe, and creates it if there is none. */
export async function ensureCustomer(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { company, customer, email }: Payer,
): Promise<Result<string>> {
  if (customer !== null) return ok(customer);
  const fields = {
    ...(email !== null && { email }),
    metadata: { company: String(company) },
  };
  const made = await writeStripe(
    context,
    tenant,
    { what: `customer:${company}`, body: fields },
    (options) => stripe.customers.create(fields, options),
  );
  if (!made.ok) return made;
  return ok(await context.store.tenant(tenant, (tx) => storeCustomer(tx, company, made.value.id)));
}

/** Of two at the same time, the first counts. */
async function storeCustomer(
  { sql, tenant }: TenantTx,
  company: CompanyN,
  customer: string,
): Promise<string> {
  await sql
    .insertInto('stripe_customer')
    .values({ tenant_id: tenant, company_n: company, customer_id: customer })
    .onConflict((on) => on.doNothing())
    .execute();
  const row = await sql
    .selectFrom('stripe_customer')
    .select('customer_id')
    .where('tenant_id', '=', tenant)
    .where('company_n', '=', company)
    .executeTakeFirstOrThrow();
  return row.customer_id;
}

/** Makes a card the one that later invoices of a customer are charged to. */
export const setDefaultCard = (
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { customer, card }: { readonly customer: string; readonly card: string },
): Promise<Result<unknown>> =>
  writeStripe(context, tenant, { what: `default-card:${customer}`, body: card }, (options) =>
    stripe.customers.update(
      customer,
      { invoice_settings: { default_payment_method: card } },
      options,
    ),
  );

/** Makes the card of a new subscription the one that its months are charged to. */
export async function useSubscriptionCard(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  { customer, default_payment_method: method }: Stripe.Subscription,
): Promise<Result<unknown>> {
  const card = typeof method === 'string' ? method : method?.id;
  return card === undefined
    ? ok(null)
    : setDefaultCard(context, tenant, stripe, {
        customer: typeof customer === 'string' ? customer : customer.id,
        card,
      });
}
