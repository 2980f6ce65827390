import type { ParsedInputOf } from '#contract/calls.ts';
import type { CompanyN } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { findBilledCompany, findSubscription } from '../subscriptions/load.ts';
import { loadBillingSettings } from '../subscriptions/settings.ts';

type CardInput = ParsedInputOf<'updateCard'>;

/** Who pays for a company, and how. */
export interface Payer {
  readonly company: CompanyN;
  readonly customer: string | null;
  readonly currency: string;
  readonly address: string;
  readonly email: string | null;
}

/** The caller's company: the named one, or the only one that the caller has. */
export function findPayer(
  context: AppContext,
  ctx: SessionContext,
  { companyId }: CardInput,
): Promise<Result<Payer>> {
  const { session, tenant } = ctx;
  return context.store.tenant(
    tenant,
    async (tx): Promise<Result<Payer>> => {
      if (!hasAbility(session, 'o365.service-level') && !hasAbility(session, 'o365.subscriptions'))
        return FORBIDDEN_RESULT;
      const [only, ...others] = session.companies ?? [];
      const ref = companyId ?? (others.length === 0 ? only : undefined);
      const company = ref === undefined ? null : await findBilledCompany(tx, session, ref);
      if (company === null) return NOT_FOUND_RESULT;
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
        currency:
          (await findSubscription(tx, company.n))?.currency ??
          (await loadBillingSettings(tx)).currency,
        address: await portalAddress(tx, context, ctx),
        email: person?.email ?? null,
      });
    },
    { readOnly: true },
  );
}

/** Records that somebody opened one of Stripe's pages. */
export const recordPage = (
  context: AppContext,
  ctx: SessionContext,
  what: string,
  company: CompanyN,
): Promise<void> =>
  context.store.tenant(ctx.tenant, (tx) =>
    audit(tx, context, ctx, { what, user: null, detail: { company } }),
  );
