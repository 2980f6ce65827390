import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { explainBooksError } from './invoice-handlers.ts';
import { connectQuickBooks } from './quickbooks.ts';
import { catchBooksError } from './quickbooks-endpoint.ts';
import { quickBooksRow } from './quickbooks-tokens.ts';
import { findPayer, recordPage } from './stripe/payer.ts';
import { loadUnpaidInvoices } from './subscriptions/overdue-invoices.ts';

/** Requests to QuickBooks per minute and user. */
const LINKS = 30;

/**
 * BILL-13: a debt in QuickBooks is paid online on QuickBooks' own page, which enters the payment there.
 * It is read like any other payment, and ends the grace period.
 */
export function onlinePaymentHandlers(context: AppContext): Pick<Handlers, 'payInvoiceOnline'> {
  const rateLimit = makePerMinuteLimit(LINKS);
  return {
    async payInvoiceOnline(input, ctx) {
      const payer = await findPayer(context, ctx, input);
      if (!payer.ok) return payer;
      const { company } = payer.value;
      const { row, invoice } = await context.store.tenant(
        ctx.tenant,
        async (tx) => ({
          row: await quickBooksRow(tx),
          invoice: (await loadUnpaidInvoices(tx))(company),
        }),
        { readOnly: true },
      );
      if (invoice === null) return failed({ kind: 'conflict', message: MESSAGES.noUnpaidInvoice });
      if (row?.realm_id == null || row.ended)
        return failed({ kind: 'conflict', message: MESSAGES.quickBooksNotConnected });
      const refused = rateLimit.check(`${ctx.tenant} ${ctx.session.userId}`, ctx.now);
      if (refused) return failed(refused);
      const books = connectQuickBooks(context, ctx.tenant, row, row.realm_id);
      const link = await catchBooksError(() => books.paymentLink(invoice.id));
      if (!link.ok) return failed(explainBooksError(link.error));
      if (link.value !== null) await recordPage(context, ctx, 'invoice.payment', company);
      return ok({ url: link.value });
    },
  };
}
