import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { customersOut, standAnew } from './customers.ts';
import { keepsBooks } from './quickbooks-handlers.ts';

const FORBIDDEN = { kind: 'forbidden', message: MESSAGES.quickBooksNotYours } as const;

/** BILL-4: users with access to all companies map QuickBooks customers to companies. */
export const customerHandlers = (
  context: AppContext,
): Pick<Handlers, 'listCustomers' | 'setCustomers'> => ({
  listCustomers: (_, ctx) =>
    keepsBooks(ctx)
      ? context.store.tenant(ctx.tenant, async (tx) => ok(await customersOut(tx)), {
          readOnly: true,
        })
      : Promise.resolve(failed(FORBIDDEN)),

  setCustomers: ({ pairs }, ctx) =>
    keepsBooks(ctx)
      ? context.store.tenant(ctx.tenant, async (tx) => {
          await tx.lock();
          const companies = await tx.rows(
            'company',
            pairs.flatMap(({ company }) => (company === null ? [] : [company])),
          );
          const known = new Set(
            (
              await tx.sql
                .selectFrom('invoice_customer')
                .select('id')
                .where('tenant_id', '=', tx.tenant)
                .execute()
            ).map(({ id }) => id),
          );
          const isThere = (company: number): boolean => {
            const row = companies.get(company);
            return row !== undefined && row.deletedAt === undefined;
          };
          if (
            !pairs.every(
              ({ customer, company }) =>
                known.has(customer) && (company === null || isThere(company)),
            )
          )
            return failed(NOT_FOUND);
          for (const { customer, company } of pairs) {
            await tx.sql
              .updateTable('invoice_customer')
              .set((e) => ({
                company_n: company,
                mapped_name: company === null ? null : e.ref('name'),
              }))
              .where('tenant_id', '=', tx.tenant)
              .where('id', '=', customer)
              .execute();
          }
          await standAnew(tx);
          await audit(tx, context, ctx, {
            what: 'quickbooks.mapped',
            user: null,
            detail: { customers: pairs.length },
          });
          return ok(await customersOut(tx));
        })
      : Promise.resolve(failed(FORBIDDEN)),
});
