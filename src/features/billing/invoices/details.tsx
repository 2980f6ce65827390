import { useState } from 'react';
import type { InvoiceLine, InvoiceWhole } from '#contract/billing/invoice-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { saveFile } from '#src/ui/save-file.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { dayWords } from '../../shared/date-range/day-range.ts';
import { moneyWords } from '../labels.ts';
import { InvoiceMark } from './mark.tsx';
import { invoiceMessages as t } from './messages.en.ts';

/** Side panel of an invoice: status, lines and a link to its PDF. */
export function InvoiceDetails({
  invoice,
  offline,
  zone,
}: {
  readonly invoice: InvoiceWhole;
  readonly offline: boolean;
  readonly zone: string;
}) {
  const {
    _id: id,
    day,
    due,
    currency,
    total,
    balance,
    customer,
    companyName,
    lines,
    tax,
    note,
    mailed,
    changedAt,
  } = invoice;
  const mutation = useServerMutation();
  const [wrong, setWrong] = useState<string | null>(null);

  async function pdf(): Promise<void> {
    setWrong(null);
    const made = await mutation.send(() => client().file('invoicePdf', { id }));
    if (!made.ok) return setWrong(getFailureText(made.failure));
    saveFile(made.value.name, made.value.file);
    showSuccess(t.fileDownloaded({ name: made.value.name }));
  }

  return (
    <div className="min-h-0 grow overflow-auto px-4 pb-4 tablet:px-5">
      <p className="m-0 flex flex-wrap items-center gap-x-3 gap-y-2 py-2">
        <InvoiceMark invoice={invoice} />
        <Button
          size="sm"
          icon="download"
          className="ml-auto"
          busy={mutation.busy}
          disabled={offline}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => void pdf()}
        >
          {t.downloadPdf}
        </Button>
      </p>
      {wrong !== null && (
        <div className="pb-3">
          <Callout tone="failed" alert>
            {wrong}
          </Callout>
        </div>
      )}
      <dl className="m-0 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-t border-hair py-3 [&_dd]:m-0 [&_dd]:break-words [&_dt]:text-ink-2">
        <dt>{t.date}</dt>
        <dd>{dayWords(day)}</dd>
        <dt>{t.due}</dt>
        <dd>{due === null ? t.noDueDate : dayWords(due)}</dd>
        <dt>{t.company}</dt>
        <dd>{companyName ?? t.notMapped}</dd>
        <dt>{t.customer}</dt>
        <dd>{customer === '' ? t.unnamed : customer}</dd>
        {mailed !== null && (
          <>
            <dt>{t.email}</dt>
            <dd>{mailed ? t.sentFromQuickBooks : t.notSentFromQuickBooks}</dd>
          </>
        )}
        <dt>{t.changed}</dt>
        <dd>{formatWhen(changedAt, zone)}</dd>
      </dl>
      <table className="w-full border-collapse [&_td]:py-1.5 [&_td]:align-top [&_th]:py-1.5 [&_th]:text-left [&_th]:font-normal">
        <caption className="sr-only">{t.lines}</caption>
        <thead>
          <tr className="border-t-2 border-b border-head-rule text-agate text-ink-2">
            <th scope="col">{t.line}</th>
            <th scope="col" className="w-32 text-right!">
              {t.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, i) => (
            <Line key={i} line={line} currency={currency} />
          ))}
          {lines.length === 0 && (
            <tr className="border-b border-hair">
              <td colSpan={2} className="text-ink-2">
                {t.noLines}
              </td>
            </tr>
          )}
        </tbody>
        <tfoot>
          {tax !== null && <Sum label={t.tax} amount={tax} currency={currency} />}
          <Sum label={t.total} amount={total} currency={currency} bold />
          {balance !== total && <Sum label={t.paid} amount={total - balance} currency={currency} />}
          {balance > 0 && <Sum label={t.unpaid} amount={balance} currency={currency} bold />}
        </tfoot>
      </table>
      {note !== null && <p className="m-0 pt-3 break-words text-ink-2">{note}</p>}
    </div>
  );
}

function Line({
  line: { kind, item, description, quantity, price, amount },
  currency,
}: {
  readonly line: InvoiceLine;
  readonly currency: string;
}) {
  const word = item ?? (kind === 'subtotal' ? t.subtotal : kind === 'discount' ? t.discount : null);
  return (
    <tr className={`border-b border-hair ${kind === 'subtotal' ? 'text-ink-2' : ''}`}>
      <td className="pr-3 break-words">
        {word !== null && <span className="block">{word}</span>}
        {description !== null && (
          <span className={`block ${word === null ? '' : 'text-agate text-ink-2'}`}>
            {description}
          </span>
        )}
        {quantity !== null && price !== null && (
          <span className="block text-agate text-ink-2 tabular-nums">
            {quantity} × {price} {currency}
          </span>
        )}
      </td>
      <td className="text-right tabular-nums">
        {amount === null ? '' : moneyWords(amount, currency)}
      </td>
    </tr>
  );
}

const Sum = ({
  label,
  amount,
  currency,
  bold = false,
}: {
  readonly label: string;
  readonly amount: number;
  readonly currency: string;
  readonly bold?: boolean;
}) => (
  <tr className={bold ? 'font-semibold' : 'text-ink-2'}>
    <th scope="row" className={bold ? 'font-semibold!' : ''}>
      {label}
    </th>
    <td className="text-right tabular-nums">{moneyWords(amount, currency)}</td>
  </tr>
);
