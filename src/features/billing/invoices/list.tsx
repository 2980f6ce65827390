import type { InvoiceOut } from '#contract/billing/invoice-calls.ts';
import { stepEntries } from '#src/ui/step-entries.ts';
import { dayWords } from '../../shared/date-range/day-range.ts';
import { moneyWords } from '../labels.ts';
import { InvoiceMark } from './mark.tsx';
import { invoiceMessages as t } from './messages.en.ts';

export interface InvoiceListProps {
  readonly rows: readonly InvoiceOut[];
  readonly open: string | null;
  readonly busy: boolean;
  /** The side panel is open, so only the first columns fit. */
  readonly narrow: boolean;
  readonly onOpen: (id: string) => void;
}

/** A row per invoice on wide screens, a card on a phone. */
export function InvoiceList({ rows, open, busy, narrow, onOpen }: InvoiceListProps) {
  const wide = narrow ? 'hidden' : 'hidden desk:table-cell';
  return (
    <table
      aria-busy={busy}
      className="block w-full tablet:table tablet:table-fixed tablet:border-collapse"
    >
      <thead className="sr-only tablet:not-sr-only tablet:table-header-group">
        <tr className="h-9 border-t-2 border-b border-head-rule text-left text-agate text-ink-2">
          <th scope="col" className="w-28 pl-5 font-normal">
            {t.invoice}
          </th>
          <th scope="col" className="font-normal">
            {t.company}
          </th>
          <th scope="col" className={`${narrow ? 'w-36' : 'w-56'} font-normal`}>
            {t.status}
          </th>
          <th scope="col" className={`w-28 font-normal ${wide}`}>
            {t.date}
          </th>
          <th scope="col" className={`${narrow ? 'w-24' : 'w-28'} font-normal`}>
            {t.due}
          </th>
          <th scope="col" className={`w-40 pr-3 text-right font-normal ${wide}`}>
            {t.total}
          </th>
          <th scope="col" className="w-36 pr-5 text-right font-normal">
            {t.unpaid}
          </th>
        </tr>
      </thead>
      <tbody className="block tablet:table-row-group">
        {rows.map((invoice) => {
          const {
            _id: id,
            number,
            day,
            due,
            currency,
            total,
            balance,
            companyName,
            customer,
          } = invoice;
          const name = (companyName ?? customer) || t.unnamedCustomer;
          return (
            <tr
              key={id}
              className={`block cursor-pointer border-b border-hair px-4 py-2 tablet:table-row tablet:h-11 tablet:p-0 ${open === id ? 'bg-accent-wash' : 'hover:bg-wash'}`}
              onClick={(event) => {
                if (!(event.target instanceof Element && event.target.closest('button')))
                  onOpen(id);
              }}
            >
              <td className="block min-w-0 tablet:table-cell tablet:pr-3 tablet:pl-5">
                <Number id={id} number={number} open={open === id} onOpen={() => onOpen(id)} />
              </td>
              <td
                className="block min-w-0 truncate tablet:table-cell tablet:pr-3"
                data-tip={
                  companyName === null ? t.customerWithoutCompany({ customer: name }) : name
                }
              >
                {name}
                {companyName === null && (
                  <span className="text-agate text-ink-3"> {t.noCompany}</span>
                )}
              </td>
              <td className="block min-w-0 tablet:table-cell tablet:pr-3">
                <InvoiceMark invoice={invoice} />
              </td>
              <td className={`${wide} whitespace-nowrap text-ink-2`}>{dayWords(day)}</td>
              <td className="hidden whitespace-nowrap text-ink-2 tablet:table-cell">
                {due === null ? '–' : dayWords(due)}
              </td>
              <td className={`${wide} pr-3 text-right tabular-nums text-ink-2`}>
                {moneyWords(total, currency)}
              </td>
              <td className="hidden pr-5 text-right font-semibold tabular-nums tablet:table-cell">
                {balance === 0 ? '–' : moneyWords(balance, currency)}
              </td>
              <td className="block text-agate text-ink-2 tablet:hidden">
                {[
                  moneyWords(total, currency),
                  ...(balance > 0 && balance !== total
                    ? [t.openAmount({ amount: moneyWords(balance, currency) })]
                    : []),
                  dayWords(day),
                  ...(due === null ? [] : [t.dueOn({ day: dayWords(due) })]),
                ].join(' · ')}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Number({
  id,
  number,
  open,
  onOpen,
}: {
  readonly id: string;
  readonly number: string;
  readonly open: boolean;
  readonly onOpen: () => void;
}) {
  return (
    <button
      type="button"
      data-entry={id}
      aria-expanded={open}
      className="flex w-full min-w-0 items-center rounded-part py-1 text-left font-semibold pointer-coarse:min-h-11"
      onClick={onOpen}
      onKeyDown={stepEntries}
    >
      <bdi className="truncate" data-tip={number}>
        {number === '' ? t.noNumber : number}
      </bdi>
    </button>
  );
}
