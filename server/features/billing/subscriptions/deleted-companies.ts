import { RESTORABLE_MS } from '#contract/billing/subscription-changes.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { isCompanyNameTaken } from '#server/platform/tenancy/company-names.ts';
import { restoreCompany } from '#server/platform/tenancy/delete-company.ts';

type Names = 'listDeletedCompanies' | 'restoreDeletedCompany';

/** BILL-13: users who see the whole provider restore a deleted company for 30 days. */
export const deletedCompanyHandlers = (context: AppContext): Pick<Handlers, Names> => ({
  listDeletedCompanies: async (_, ctx) =>
    ctx.session.companies !== null
      ? ok({ rows: [], count: 0 })
      : context.store.tenant(
          ctx.tenant,
          async (tx) => {
            const rows = (await tx.all('company'))
              .flatMap(({ id, n, name, deletedAt }) =>
                deletedAt === undefined || deletedAt + RESTORABLE_MS <= ctx.now
                  ? []
                  : [{ _id: id, n, name, deletedAt, restorableUntil: deletedAt + RESTORABLE_MS }],
              )
              .sort((a, b) => b.deletedAt - a.deletedAt);
            return ok({ rows, count: rows.length });
          },
          { readOnly: true },
        ),

  restoreDeletedCompany: async ({ companyId }, ctx) =>
    ctx.session.companies !== null
      ? FORBIDDEN_RESULT
      : context.store.tenant(ctx.tenant, async (tx) => {
          await tx.lock();
          const companies = await tx.all('company');
          const company = companies.find((row) => row.n === companyId || row.id === companyId);
          if (company?.deletedAt === undefined) return NOT_FOUND_RESULT;
          if (company.deletedAt + RESTORABLE_MS <= ctx.now)
            return failed({ kind: 'conflict', message: MESSAGES.notRestorable });
          if (await isCompanyNameTaken(tx, company.name, company))
            return failed({ kind: 'conflict', message: MESSAGES.companyNameTaken });
          await restoreCompany(tx, context, ctx, company);
          return ok({});
        }),
});
