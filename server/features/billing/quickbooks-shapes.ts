import * as v from 'valibot';
import type { InvoiceLine } from '#contract/billing/invoice-calls.ts';
import type { Mills } from '#contract/billing/invoice.ts';
import { toMills } from '#contract/billing/invoice.ts';
import type { Day, Ms } from '#contract/ids.ts';
import type { InvoiceRest } from '../../platform/db/database-billing.ts';

// Records of the accounting API, version 3, as published at developer.intuit.com. The schemas
// contain only the stored fields.

const text = v.optional(v.nullable(v.string()), null);
const amount = v.optional(v.nullable(v.number()), null);
const id = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const ref = v.object({ value: v.string(), name: text });
const day = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d/),
  v.transform((one) => one.slice(0, 10)),
);
const moment = v.pipe(
  v.string(),
  v.transform((one) => Date.parse(one)),
  v.finite(),
);

const FlatLine = v.object({
  Amount: amount,
  Description: text,
  DetailType: text,
  SalesItemLineDetail: v.optional(
    v.nullable(
      v.object({ ItemRef: v.optional(v.nullable(ref), null), Qty: amount, UnitPrice: amount }),
    ),
    null,
  ),
});
const Line = v.object({
  ...FlatLine.entries,
  GroupLineDetail: v.optional(
    v.nullable(
      v.object({
        GroupItemRef: v.optional(v.nullable(ref), null),
        Quantity: amount,
        Line: v.optional(v.array(FlatLine), []),
      }),
    ),
    null,
  ),
});
type Flat = v.InferOutput<typeof FlatLine>;

export const InvoiceShape = v.object({
  Id: id,
  DocNumber: text,
  TxnDate: day,
  DueDate: v.optional(v.nullable(day), null),
  CustomerRef: ref,
  CurrencyRef: v.optional(v.nullable(ref), null),
  TotalAmt: v.optional(v.number(), 0),
  Balance: v.optional(v.number(), 0),
  PrivateNote: text,
  CustomerMemo: v.optional(v.nullable(v.object({ value: text })), null),
  EmailStatus: text,
  Line: v.optional(v.array(Line), []),
  TxnTaxDetail: v.optional(v.nullable(v.object({ TotalTax: amount })), null),
  MetaData: v.object({ LastUpdatedTime: moment }),
});
export const CustomerShape = v.object({
  Id: id,
  DisplayName: v.string(),
  Active: v.optional(v.boolean(), true),
  ParentRef: v.optional(v.nullable(ref), null),
});
export const PreferencesShape = v.object({
  CurrencyPrefs: v.object({ HomeCurrency: v.object({ value: v.string() }) }),
});
const recordId = v.pipe(v.string(), v.regex(/^\w{1,20}$/));
export const EmployeeShape = v.object({ Id: recordId, DisplayName: v.string() });
export const ItemShape = v.object({ Id: recordId, Name: v.string(), Type: text });
export const TaxCodeShape = v.object({ Id: recordId, Name: v.string() });
export const CreatedShape = v.object({ Invoice: v.object({ Id: id, DocNumber: text }) });
export const LinkShape = v.object({ Invoice: v.object({ InvoiceLink: text }) });
export const CompanyShape = v.object({ CompanyName: v.string() });

/** A stored invoice. `currency` is null if the invoice names none and uses the home currency. */
export interface ReadInvoice {
  readonly id: string;
  readonly customer: string;
  readonly customerName: string;
  readonly number: string;
  readonly currency: string | null;
  readonly day: Day;
  readonly due: Day | null;
  readonly total: Mills;
  readonly balance: Mills;
  readonly voided: boolean;
  readonly rest: InvoiceRest;
  readonly changedAt: Ms;
}

export function getInvoice(one: v.InferOutput<typeof InvoiceShape>): ReadInvoice {
  const {
    Id,
    DocNumber,
    TxnDate,
    DueDate,
    CustomerRef,
    CurrencyRef,
    TotalAmt,
    Balance,
    PrivateNote,
    CustomerMemo,
    EmailStatus,
    TxnTaxDetail,
    MetaData,
  } = one;
  return {
    id: Id,
    customer: CustomerRef.value,
    customerName: shortenBookText(CustomerRef.name ?? '', 200),
    number: shortenBookText(DocNumber ?? '', 60),
    currency: CurrencyRef === null ? null : shortenBookText(CurrencyRef.value, 8).toUpperCase(),
    day: TxnDate,
    due: DueDate,
    total: toMills(TotalAmt),
    balance: toMills(Balance),
    // Voiding sets all amounts to zero and puts this word before the note; no other field shows it.
    voided: TotalAmt === 0 && Balance === 0 && /^voided\b/i.test(PrivateNote ?? ''),
    rest: {
      lines: getLines(one),
      tax: TxnTaxDetail?.TotalTax == null ? null : toMills(TxnTaxDetail.TotalTax),
      note: CustomerMemo?.value ? shortenBookText(CustomerMemo.value, 1_000) : null,
      mailed: EmailStatus === null ? null : EmailStatus === 'EmailSent',
    },
    changedAt: MetaData.LastUpdatedTime,
  };
}

const MAX_LINES = 500;
/** The lines of a group follow the group's own line. */
const getLines = ({ Line: lines }: v.InferOutput<typeof InvoiceShape>): readonly InvoiceLine[] =>
  lines
    .flatMap((one): InvoiceLine[] => {
      const { GroupLineDetail: group } = one;
      if (group === null) return [getLine(one)];
      return [
        {
          ...getLine(one),
          kind: 'subtotal',
          item: group.GroupItemRef?.name ?? null,
          quantity: group.Quantity,
        },
        ...group.Line.map(getLine),
      ];
    })
    .slice(0, MAX_LINES);

function getLine({
  Amount,
  Description,
  DetailType,
  SalesItemLineDetail: item,
}: Flat): InvoiceLine {
  const kind =
    DetailType === 'SubTotalLineDetail'
      ? 'subtotal'
      : DetailType === 'DiscountLineDetail'
        ? 'discount'
        : DetailType === 'DescriptionOnly' ||
            DetailType === 'DescriptionLineDetail' ||
            Amount === null
          ? 'text'
          : 'item';
  return {
    kind,
    item: item?.ItemRef?.name == null ? null : shortenBookText(item.ItemRef.name, 200),
    description: Description === null ? null : shortenBookText(Description, 1_000),
    quantity: item?.Qty ?? null,
    price: item?.UnitPrice ?? null,
    amount: Amount === null ? null : toMills(kind === 'discount' ? -Amount : Amount),
  };
}

export const shortenBookText = (words: string, max: number): string =>
  words
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, max);
