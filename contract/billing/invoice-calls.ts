import * as v from 'valibot';
import { call } from '../call.ts';
import { lastErrorFields } from '../last-error.ts';
import { PAGE, getPage, words } from '../paging.ts';
import { INVOICE_STATES } from './invoice.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const whole = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,8}$/, () => schemaMessages.wholeFromOne),
  v.transform(Number),
);
const day = v.pipe(v.string(), v.isoDate());
/** The id of a QuickBooks record. Text that can't be one counts as an unknown id. */
const remoteId = v.pipe(
  v.string(),
  v.maxLength(64),
  v.transform((id) => (/^\d{1,20}$/.test(id) ? id : '0')),
);

/** Filters. `owed`: open or overdue. `from` and `to` refer to the invoice date, both inclusive. */
const QUERY_FIELDS = {
  state: v.optional(v.picklist([...INVOICE_STATES, 'owed'])),
  company: v.optional(whole),
  from: v.optional(day),
  to: v.optional(day),
  search: words,
};
export const INVOICE_SORTS = ['-day', 'day', 'due', 'number', 'company'] as const;

/**
 * `company` is null if the customer isn't mapped to a company, or if the company was deleted.
 * Amounts are in thousandths of the currency's unit.
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
 * `subtotal`: a line that sums up the lines above it. `text`: a line with text only. `tax` of the
 * invoice isn't part of its lines.
 */
const line = v.object({
  kind: v.picklist(['item', 'discount', 'subtotal', 'text']),
  item: orNull(v.string()),
  description: orNull(v.string()),
  quantity: orNull(v.number()),
  price: orNull(v.number()),
  amount: orNull(v.number()),
});
export type InvoiceLine = v.InferOutput<typeof line>;
/**
 * `note`: the sender's note to the customer. `mailed`: whether QuickBooks has emailed the invoice;
 * null if it doesn't say.
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
 * The state of the import. `reading`: the first import isn't complete yet. `error`: why the last
 * import failed.
 */
const source = v.object({
  kind: v.picklist(['none', 'reading', 'read']),
  readAt: orNull(v.number()),
  ...lastErrorFields,
});

const GATE = 'monitoring.invoices' as const;

export const invoiceCalls = {
  listInvoices: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices',
    summary:
      'Lists invoices in pages as of the last import, newest first, with the totals of all matches per currency. `search` matches number, customer and company.',
    input: v.strictObject({
      ...QUERY_FIELDS,
      sort: v.optional(v.picklist(INVOICE_SORTS)),
      ...PAGE,
    }),
    output: v.object({ ...getPage(invoiceOut).entries, sums: v.array(sum), source }),
    gate: GATE,
    failures: ['bad-input', 'forbidden'],
  }),
  getInvoice: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices/{id}',
    summary: 'Returns an invoice with its lines.',
    input: v.strictObject({ id: remoteId }),
    output: invoiceWhole,
    gate: GATE,
    failures: ['forbidden', 'not-found'],
  }),
  invoicePdf: call({
    method: 'GET',
    path: 'o365/quickbooks/invoices/{id}/pdf',
    summary:
      'Returns the PDF that QuickBooks creates for the invoice. QuickBooks creates it at the time of the call.',
    input: v.strictObject({ id: remoteId }),
    output: 'bytes',
    gate: GATE,
    failures: ['forbidden', 'not-found', 'conflict', 'too-many', 'busy'],
  }),
  exportInvoices: call({
    method: 'POST',
    path: 'o365/quickbooks/invoices-csv',
    summary: 'Exports all matching invoices as a CSV file.',
    input: v.strictObject({ format: v.optional(v.literal('csv')), ...QUERY_FIELDS }),
    output: 'bytes',
    gate: GATE,
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
