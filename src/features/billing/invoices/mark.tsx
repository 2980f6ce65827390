import type { InvoiceOut } from '#contract/billing/invoice-calls.ts';
import { Icon } from '#src/ui/icon.tsx';
import { INVOICE_WORDS, moneyWords } from '../labels.ts';
import { invoiceMessages as t } from './messages.en.ts';

/** Status of an invoice as icon, word and color, with a note if it is partly paid. */
export function InvoiceMark({
  invoice: { state, total, balance, currency },
}: {
  readonly invoice: Pick<InvoiceOut, 'state' | 'total' | 'balance' | 'currency'>;
}) {
  const { label, icon, text } = INVOICE_WORDS[state];
  const paid = total - balance;
  return (
    <span className="inline-flex max-w-full min-w-0 flex-wrap items-center gap-x-2 align-middle">
      <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${text}`}>
        <Icon name={icon} />
        {label}
      </span>
      {balance > 0 && paid > 0 && (
        <span className="text-agate whitespace-nowrap text-ink-3">
          {t.paidAmount({ amount: moneyWords(paid, currency) })}
        </span>
      )}
    </span>
  );
}
