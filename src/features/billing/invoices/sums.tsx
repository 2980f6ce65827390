import type { InvoiceSum } from '#contract/billing/invoice.ts';
import { plural } from '#src/ui/format.ts';
import { moneyWords } from '../labels.ts';

/** What all that match come to: a line for each currency, never one for two (BILL-3). */
export function Sums({ sums }: { readonly sums: readonly InvoiceSum[] }) {
  if (sums.length === 0) return null;
  return (
    <ul
      aria-label="Sums"
      className="m-0 flex list-none flex-wrap gap-x-10 gap-y-2 px-4 py-3 tablet:px-5"
    >
      {sums.map(({ currency, count, total, balance, overdue }) => (
        <li key={currency} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <span className="text-ink-2">
            {currency}, {plural(count, 'invoice')}
          </span>
          <span className="tabular-nums">{moneyWords(total, currency)} in all</span>
          {balance > 0 && <b className="tabular-nums">{moneyWords(balance, currency)} not paid</b>}
          {overdue > 0 && (
            <span className="text-warning tabular-nums">
              {moneyWords(overdue, currency)} overdue
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
