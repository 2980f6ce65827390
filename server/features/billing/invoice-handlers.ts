import { getLastError } from '#contract/last-error.ts';
import type { InvoiceOut } from '#contract/billing/invoice-calls.ts';
import { MILLS } from '#contract/billing/invoice.ts';
import type { Failure } from '#contract/errors.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getDay, dayText } from '#contract/time/day.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { failed, ok } from '#contract/result.ts';
import { csvAnswer, loadZone } from '../../platform/http/csv-response.ts';
import { FORBIDDEN, NOT_FOUND, refuse } from '../../platform/http/envelope.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { toScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { everyInvoice, invoicePage, invoiceSeen } from './invoice-page.ts';
import { connectQuickBooks } from './quickbooks.ts';
import { catchBooksError, type QuickBooksError } from './quickbooks-endpoint.ts';
import { quickBooksRow } from './quickbooks-tokens.ts';
import { areInvoicesOn } from './read-invoices.ts';
import { billingMessages as t } from './messages.en.ts';

/** PDF requests to QuickBooks per minute and user. */
const PDFS = 30;

/**
 * BILL-2 to BILL-5: returns stored invoices to users who can see them, if the portal shows
 * invoices.
 */
export function invoiceHandlers(
  context: AppContext,
): Pick<Handlers, 'listInvoices' | 'getInvoice' | 'invoicePdf' | 'exportInvoices'> {
  const rateLimit = makePerMinuteLimit(PDFS);
  return {
    listInvoices: ({ sort = '-day', page = 1, pageSize = PAGE_SIZE, ...request }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (!(await areInvoicesOn(tx))) return failed(FORBIDDEN);
          const row = await quickBooksRow(tx);
          const details = await invoicePage(
            tx,
            toScope(ctx.session),
            request,
            sort,
            await loadToday(tx, ctx.now),
            page,
            pageSize,
          );
          return ok({
            ...details,
            page,
            pageSize,
            source: {
              kind:
                row?.realm_id == null
                  ? ('none' as const)
                  : row.read_at === null
                    ? ('reading' as const)
                    : ('read' as const),
              readAt: row?.read_at ?? null,
              ...getLastError(row?.fault ?? null),
            },
          });
        },
        { readOnly: true },
      ),

    getInvoice: ({ id }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (!(await areInvoicesOn(tx))) return failed(FORBIDDEN);
          const one = await invoiceSeen(tx, toScope(ctx.session), id, await loadToday(tx, ctx.now));
          return one ? ok(one) : failed(NOT_FOUND);
        },
        { readOnly: true },
      ),

    async invoicePdf({ id }, ctx) {
      const found = await context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (!(await areInvoicesOn(tx))) return failed(FORBIDDEN);
          const one = await invoiceSeen(tx, toScope(ctx.session), id, await loadToday(tx, ctx.now));
          return one ? ok({ one, row: await quickBooksRow(tx) }) : failed(NOT_FOUND);
        },
        { readOnly: true },
      );
      if (!found.ok) return refuse(found.failure);
      const { one, row } = found.value;
      if (row?.realm_id == null || row.ended)
        return refuse({ kind: 'conflict', message: MESSAGES.quickBooksNotConnected });
      const refused = rateLimit.check(`${ctx.tenant} ${ctx.session.userId}`, ctx.now);
      if (refused) return refuse(refused);
      const books = connectQuickBooks(context, ctx.tenant, row, row.realm_id);
      const pdf = await catchBooksError(() => books.pdf(id));
      if (!pdf.ok) return refuse(explainBooksError(pdf.error));
      const name = `Invoice_${one.number.replaceAll(/[^\w.-]+/g, '-') || id}.pdf`;
      return new Response(pdf.value, {
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': `attachment; filename="${name}"`,
          'cache-control': 'no-store',
        },
      });
    },

    exportInvoices: ({ format: _format, ...request }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          if (!(await areInvoicesOn(tx))) return refuse(FORBIDDEN);
          const rows = await everyInvoice(
            tx,
            toScope(ctx.session),
            request,
            await loadToday(tx, ctx.now),
            LIMITS.invoiceRows,
          );
          return csvAnswer('Invoices-', ctx.now, await loadZone(tx), [
            columns(),
            ...rows.map(getCells),
          ]);
        },
        { readOnly: true },
      ),
  };
}

const columns = (): readonly string[] => [
  t.number,
  t.date,
  t.due,
  t.status,
  t.company,
  t.customer,
  t.currency,
  t.total,
  t.balance,
];
/** Amounts are numbers in the currency of the same row. */
const getCells = ({
  number,
  day,
  due,
  state,
  companyName,
  customer,
  currency,
  total,
  balance,
}: InvoiceOut): readonly (string | number | null)[] => [
  number,
  day,
  due,
  t[state],
  companyName,
  customer,
  currency,
  total / MILLS,
  balance / MILLS,
];

/** Returns the calendar day in the provider's time zone. */
const loadToday = async (tx: TenantTx, now: Ms): Promise<Day> =>
  dayText(getDay(now, await loadZone(tx), 0));

export const explainBooksError = ({ kind, message, afterMs }: QuickBooksError): Failure =>
  kind === 'later'
    ? { kind: 'busy', message, retryAfterMs: afterMs ?? 10_000 }
    : { kind: 'conflict', message };
