import type { ParsedInputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { FORBIDDEN, NOT_FOUND } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { findCompany } from '../subscriptions/load.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';
import { connectStripe, readStripe, writeStripe } from './stripe.ts';

type Names = 'updateCard' | 'collectCard' | 'getCheckoutResult';
type CardInput = ParsedInputOf<'updateCard'>;

interface Payer {
  readonly company: CompanyN;
  readonly customer: string | null;
  readonly currency: string;
  readonly address: string;
  readonly email: string | null;
}

/** Stripe's own pages for cards: the product holds no card data (BILL-20). */
export const checkoutHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  async updateCard(input, ctx) {
    const payer = await findPayer(context, ctx, input);
    if (!payer.ok) return payer;
    const { company, customer, address } = payer.value;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null || customer === null) return NO_CARD;
    const body = { customer, return_url: `${address}/subscriptions/checkout/update` };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `portal:${company}`, body },
      (options) => stripe.billingPortal.sessions.create(body, options),
    );
    if (!session.ok) return session;
    await record(context, ctx, 'card.portal', company);
    return ok({ url: session.value.url });
  },

  async collectCard(input, ctx) {
    const payer = await findPayer(context, ctx, input);
    if (!payer.ok) return payer;
    const { company, address, currency, email } = payer.value;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    let { customer } = payer.value;
    if (customer === null) {
      const fields = {
        ...(email !== null && { email }),
        metadata: { company: String(company) },
      };
      const made = await writeStripe(
        context,
        ctx.tenant,
        { what: `customer:${company}`, body: fields },
        (options) => stripe.customers.create(fields, options),
      );
      if (!made.ok) return made;
      customer = await context.store.tenant(ctx.tenant, (tx) =>
        storeCustomer(tx, company, made.value.id),
      );
    }
    const body = {
      mode: 'setup' as const,
      customer,
      currency: currency.toLowerCase(),
      success_url: `${address}/subscriptions/checkout/ccCollection?session={CHECKOUT_SESSION_ID}`,
      cancel_url: `${address}/o365/subscriptions`,
    };
    const session = await writeStripe(
      context,
      ctx.tenant,
      { what: `setup:${company}`, body },
      (options) => stripe.checkout.sessions.create(body, options),
    );
    if (!session.ok) return session;
    const { id, url } = session.value;
    if (url === null) return failed({ kind: 'conflict', message: MESSAGES.stripeRefused });
    await context.store.tenant(ctx.tenant, ({ sql }) =>
      sql
        .insertInto('stripe_checkout')
        .values({ tenant_id: ctx.tenant, id, company_n: company, at: ctx.now })
        .onConflict((on) => on.doNothing())
        .execute(),
    );
    await record(context, ctx, 'card.collected', company);
    return ok({ url });
  },

  async getCheckoutResult({ checkoutId }, ctx) {
    const known = await context.store.tenant(
      ctx.tenant,
      async (tx) => {
        const row = await tx.sql
          .selectFrom('stripe_checkout')
          .select('company_n')
          .where('tenant_id', '=', ctx.tenant)
          .where('id', '=', checkoutId)
          .executeTakeFirst();
        return row === undefined ? null : findCompany(tx, ctx.session, row.company_n);
      },
      { readOnly: true },
    );
    if (known === null) return NOT_FOUND;
    const stripe = await connectStripe(context, ctx.tenant);
    if (stripe === null) return failed({ kind: 'conflict', message: MESSAGES.stripeMissing });
    const session = await readStripe(() => stripe.checkout.sessions.retrieve(checkoutId));
    if (!session.ok) return session;
    const { status, mode } = session.value;
    return ok({
      status: STATUSES.find((known) => known === status) ?? 'open',
      mode: mode === 'setup' ? 'setup' : 'subscription',
    });
  },
});

const STATUSES = ['open', 'complete', 'expired'] as const;
const NO_CARD: Result<never> = failed({ kind: 'conflict', message: MESSAGES.noCard });

/** The caller's company: the named one, or the only one that the caller has. */
function findPayer(
  context: AppContext,
  ctx: SessionContext,
  { companyId }: CardInput,
): Promise<Result<Payer>> {
  const { session, tenant } = ctx;
  return context.store.tenant(
    tenant,
    async (tx): Promise<Result<Payer>> => {
      if (!hasAbility(session, 'o365.service-level') && !hasAbility(session, 'o365.subscriptions'))
        return FORBIDDEN;
      const [only, ...others] = session.companies ?? [];
      const ref = companyId ?? (others.length === 0 ? only : undefined);
      const company = ref === undefined ? null : await findCompany(tx, session, ref);
      if (company === null) return NOT_FOUND;
      const row = await tx.sql
        .selectFrom('stripe_customer')
        .select('customer_id')
        .where('tenant_id', '=', tenant)
        .where('company_n', '=', company.n)
        .executeTakeFirst();
      const person = await tx.sql
        .selectFrom('person')
        .select('email')
        .where('tenant_id', '=', tenant)
        .where('id', '=', session.userId)
        .executeTakeFirst();
      return ok({
        company: company.n,
        customer: row?.customer_id ?? null,
        currency: (await loadBillingSettings(tx)).currency,
        address: await portalAddress(tx, context, ctx),
        email: person?.email ?? null,
      });
    },
    { readOnly: true },
  );
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

const record = (
  context: AppContext,
  ctx: SessionContext,
  what: string,
  company: CompanyN,
): Promise<void> =>
  context.store.tenant(ctx.tenant, (tx) =>
    audit(tx, context, ctx, { what, user: null, detail: { company } }),
  );
