import * as v from 'valibot';
import { call } from '../call.ts';
import { PAGE, pageOf, words } from '../paging.ts';
import { INVOICE_STATES } from './invoice.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const whole = v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/), v.transform(Number));
const day = v.pipe(v.string(), v.isoDate());
/** As QuickBooks numbers its records. One that cannot be is one that is not there. */
const remoteId = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (/^\d{1,20}$/.test(id) ? id : '0')),
);

/** What is asked for. `owed`: open or overdue. Days are of the invoice, both of them included. */
const ASKED = {
  state: v.optional(v.picklist([...INVOICE_STATES, 'owed'])),
  company: v.optional(whole),
  from: v.optional(day),
  to: v.optional(day),
  search: words,
};
export const INVOICE_SORTS = ['-day', 'day', 'due', 'number', 'company'] as const;

/**
 * `company` null: of a customer that stands for no company, or for one that is gone. Amounts in
 * thousandths of the currency's unit.
 */
const entries = {
  _id: v.string(),
  number: v.string(),
  day: v.string(),
  due: orNull(v.string()),
  state: v.picklist(INVOICE_STATES),
  currency: v.string(),
  total: v.number(),
  balance: v.number(),
  company: orNull(v.number()),
  companyName: orNull(v.string()),
  customer: v.string(),
};
const invoiceOut = v.object(entries);
export type InvoiceOut = v.InferOutput<typeof invoiceOut>;

/**
 * `subtotal`: a line that sums up those above it, `text`: words alone. `tax` of the invoice stands
 * beside its lines.
 */
const line = v.object({
  is: v.picklist(['item', 'discount', 'subtotal', 'text']),
  item: orNull(v.string()),
  description: orNull(v.string()),
  quantity: orNull(v.number()),
  price: orNull(v.number()),
  amount: orNull(v.number()),
});
export type InvoiceLine = v.InferOutput<typeof line>;
/**
 * `note`: what the sender wrote on it for who pays. `mailed`: whether QuickBooks has sent it by
 * mail; null: it does not tell.
 */
const invoiceWhole = v.object({
  ...entries,
  lines: v.array(line),
  tax: orNull(v.number()),
  note: orNull(v.string()),
  mailed: orNull(v.boolean()),
  changedAt: v.number(),
});
export type InvoiceWhole = v.InferOutput<typeof invoiceWhole>;

const sum = v.object({
  currency: v.string(),
  count: v.number(),
  total: v.number(),
  balance: v.number(),
  overdue: v.number(),
});
/**
 * Where they come from. `reading`: for the first time, not whole yet. `fault`: why QuickBooks could
 * not be read last.
 */
const source = v.object({
  is: v.picklist(['none', 'reading', 'read']),
  readAt: orNull(v.number()),
  fault: orNull(v.string()),
});

const GATE = 'monitoring.invoices' as const;

export const invoiceCalls = {
  listInvoices: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices',
    summary:
      'Invoices in pages, as QuickBooks told them last, the newest first; what all that match come to, for each currency. Looks in number, customer and company.',
    input: v.strictObject({ ...ASKED, sort: v.optional(v.picklist(INVOICE_SORTS)), ...PAGE }),
    output: v.object({ ...pageOf(invoiceOut).entries, sums: v.array(sum), source }),
    gate: GATE,
    failures: ['bad-input', 'forbidden'],
  }),
  getInvoice: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices/{id}',
    summary: 'One invoice with its lines.',
    input: v.strictObject({ id: remoteId }),
    output: invoiceWhole,
    gate: GATE,
    failures: ['forbidden', 'not-found'],
  }),
  invoicePdf: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices/{id}/pdf',
    summary: 'The invoice as QuickBooks prints it, asked for now.',
    input: v.strictObject({ id: remoteId }),
    output: 'bytes',
    gate: GATE,
    failures: ['forbidden', 'not-found', 'conflict', 'too-many', 'busy'],
  }),
  exportInvoices: call({
    method: 'POST',
    path: 'o365/quickbooks/invoices-csv',
    summary: 'All invoices that match as a CSV file.',
    input: v.strictObject({ format: v.optional(v.literal('csv')), ...ASKED }),
    output: 'bytes',
    gate: GATE,
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
