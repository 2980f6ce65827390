import type { InvoiceSum } from '#contract/billing/invoice.ts';
import { moneyWords } from '../labels.ts';
import { invoiceMessages as t } from './messages.en.ts';

/**
 * Totals of all matching invoices, one line per currency; currencies are never added up (BILL-3).
 */
export function Sums({ sums }: { readonly sums: readonly InvoiceSum[] }) {
  if (sums.length === 0) return null;
  return (
    <ul
      aria-label={t.totals}
      className="m-0 flex list-none flex-wrap gap-x-10 gap-y-2 px-4 py-3 tablet:px-5"
    >
      {sums.map(({ currency, count, total, balance, overdue }) => (
        <li key={currency} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <span className="text-ink-2">
            {currency}, {t.invoiceCount({ count })}
          </span>
          <span className="tabular-nums">
            {t.totalAmount({ amount: moneyWords(total, currency) })}
          </span>
          {balance > 0 && (
            <b className="tabular-nums">
              {t.openAmount({ amount: moneyWords(balance, currency) })}
            </b>
          )}
          {overdue > 0 && (
            <span className="text-warning tabular-nums">
              {t.overdueAmount({ amount: moneyWords(overdue, currency) })}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
