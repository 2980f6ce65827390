import * as v from 'valibot';
import type { InvoiceDraft } from '#contract/billing/invoice.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { readError, parsed, QuickBooksError, quickBooksAt, sendTo } from './quickbooks-endpoint.ts';
import {
  CompanyShape,
  CreatedShape,
  CustomerShape,
  EmployeeShape,
  InvoiceShape,
  ItemShape,
  LinkShape,
  PreferencesShape,
  TaxCodeShape,
} from './quickbooks-shapes.ts';
import { billingMessages as t } from './messages.en.ts';
import { loadBooksAccess, type QuickBooksRow } from './quickbooks-tokens.ts';

/** The maximum page size of QuickBooks, and the maximum number of ids in one query. */
export const PAGE_ROWS = 1_000;
export const IDS = 100;
const VERSION = '75';
const PDF_BYTES = 10 * 1_048_576;
const MAGIC = '%PDF-';

type Rows<S extends v.GenericSchema> = readonly v.InferOutput<S>[];
/** `start`: the first row, from 1. `since`: only what changed then or later; null for all. */
interface Span {
  readonly start: number;
  readonly since: Ms | null;
}

/**
 * The queries to QuickBooks Online, signed in. Each response is checked against its schema. Each
 * throws a `QuickBooksError` if the request fails.
 */
export interface Books {
  invoices(span: Span): Promise<Rows<typeof InvoiceShape>>;
  invoicesOf(ids: readonly string[]): Promise<Rows<typeof InvoiceShape>>;
  /** Includes inactive customers. */
  customers(span: Span): Promise<Rows<typeof CustomerShape>>;
  /** The home currency, for invoices that name none. */
  currency(): Promise<string>;
  company(): Promise<string>;
  employees(): Promise<readonly NamedEntity[]>;
  /** Products and services, without categories and bundles. */
  items(): Promise<readonly NamedEntity[]>;
  taxes(): Promise<readonly NamedEntity[]>;
  /** The same `requestId` returns the invoice that it made first. */
  createInvoice(requestId: string, draft: InvoiceDraft): Promise<{ readonly number: string }>;
  pdf(id: string): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Intuit's page on which an invoice is paid online. Null if it has none: online payment isn't on for
   * the invoice, or it has no email address.
   */
  paymentLink(id: string): Promise<string | null>;
}

export interface NamedEntity {
  readonly id: string;
  readonly name: string;
}

export function connectQuickBooks(
  context: AppContext,
  tenant: TenantId,
  { environment }: Pick<QuickBooksRow, 'environment'>,
  realm: string,
): Books {
  const base = `${quickBooksAt(context, environment).api}/v3/company/${encodeURIComponent(realm)}`;

  /** Renews a token once if QuickBooks refuses it before its expiry. */
  async function get(
    path: string,
    accept: string,
    { maxBytes, post }: { readonly maxBytes?: number; readonly post?: unknown } = {},
  ): Promise<Response> {
    for (let refused: string | null = null; ;) {
      const access = await loadBooksAccess(context, tenant, refused);
      const answer = await sendTo(context, `${base}/${path}`, {
        headers: {
          accept,
          authorization: `Bearer ${access}`,
          ...(post !== undefined && { 'content-type': 'application/json' }),
        },
        ...(post !== undefined && { method: 'POST', body: JSON.stringify(post) }),
        ...(maxBytes !== undefined && { maxBytes }),
      });
      if (answer.status === 200) return answer;
      if (answer.status !== 401 || refused !== null)
        throw await readError(answer, context.clock.now());
      refused = access;
    }
  }

  async function query<S extends v.GenericSchema>(
    entity: string,
    shape: S,
    clauses: string,
  ): Promise<Rows<S>> {
    const answer = await get(
      `query?${new URLSearchParams({ query: `select * from ${entity}${clauses}`, minorversion: VERSION }).toString()}`,
      'application/json',
    );
    const read = v.safeParse(
      v.object({ QueryResponse: v.object({ [entity]: v.optional(v.array(v.unknown()), []) }) }),
      parsed(await answer.text()),
    );
    if (!read.success) throw new QuickBooksError('later', t.unreadable);
    const rows = v.safeParse(v.array(shape), read.output.QueryResponse[entity]);
    if (!rows.success)
      throw new QuickBooksError(
        'later',
        (entity === 'Invoice' ? t.badInvoice : t.badRecord)({ path: getPath(rows.issues[0]) }),
      );
    return rows.output;
  }

  return {
    invoices: ({ start, since }) =>
      query('Invoice', InvoiceShape, `${where(changed(since))} ORDERBY Id${window(start)}`),
    invoicesOf: (ids) =>
      query(
        'Invoice',
        InvoiceShape,
        `${where([`Id in (${ids.map((id) => `'${id}'`).join(', ')})`])}${window(1)}`,
      ),
    customers: ({ start, since }) =>
      query(
        'Customer',
        CustomerShape,
        `${where(['Active in (true, false)', ...changed(since)])} ORDERBY Id${window(start)}`,
      ),
    currency: async () =>
      (await query('Preferences', PreferencesShape, ''))[0]?.CurrencyPrefs.HomeCurrency.value ??
      'XXX',
    company: async () => (await query('CompanyInfo', CompanyShape, ''))[0]?.CompanyName ?? '',
    employees: async () =>
      (await query('Employee', EmployeeShape, window(1))).map(({ Id, DisplayName }) => ({
        id: Id,
        name: DisplayName,
      })),
    items: async () =>
      (await query('Item', ItemShape, window(1)))
        .filter(({ Type }) => Type !== 'Category' && Type !== 'Group')
        .map(({ Id, Name }) => ({ id: Id, name: Name })),
    taxes: async () =>
      (await query('TaxCode', TaxCodeShape, window(1))).map(({ Id, Name }) => ({
        id: Id,
        name: Name,
      })),
    async createInvoice(requestId, { customer, currency, note, lines }) {
      const answer = await get(
        `invoice?${new URLSearchParams({ minorversion: VERSION, requestid: requestId }).toString()}`,
        'application/json',
        {
          post: {
            CustomerRef: { value: customer },
            CurrencyRef: { value: currency },
            ...(note !== null && { PrivateNote: note }),
            Line: lines.map(({ item, description, quantity, price, amount, tax }) => ({
              DetailType: 'SalesItemLineDetail',
              Description: description,
              Amount: amount,
              SalesItemLineDetail: {
                ItemRef: { value: item },
                Qty: quantity,
                UnitPrice: price,
                ...(tax !== null && { TaxCodeRef: { value: tax } }),
              },
            })),
          },
        },
      );
      const read = v.safeParse(CreatedShape, parsed(await answer.text()));
      if (!read.success) throw new QuickBooksError('later', t.unreadable);
      const { Id, DocNumber } = read.output.Invoice;
      return { number: DocNumber ?? Id };
    },
    async pdf(id) {
      const answer = await get(
        `invoice/${encodeURIComponent(id)}/pdf?minorversion=${VERSION}`,
        'application/pdf',
        { maxBytes: PDF_BYTES },
      );
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (Buffer.from(bytes.subarray(0, MAGIC.length)).toString('latin1') !== MAGIC)
        throw new QuickBooksError('later', t.noPdf);
      return bytes;
    },
    async paymentLink(id) {
      const answer = await get(
        `invoice/${encodeURIComponent(id)}?${new URLSearchParams({ include: 'invoiceLink', minorversion: VERSION }).toString()}`,
        'application/json',
      );
      const read = v.safeParse(LinkShape, parsed(await answer.text()));
      if (!read.success) throw new QuickBooksError('later', t.unreadable);
      const { InvoiceLink: link } = read.output.Invoice;
      return link !== null && isPaymentPage(link, context) ? link : null;
    },
  };
}

/** No other page gets a customer who wants to pay: it is at Intuit, or the demo's own. */
function isPaymentPage(link: string, { payments: { pages } }: AppContext): boolean {
  if (pages !== null) return /^[\w/-]+$/.test(link) && link.startsWith(pages);
  const url = URL.parse(link);
  return url !== null && url.protocol === 'https:' && /(^|\.)intuit\.com$/.test(url.hostname);
}

const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
const changed = (since: Ms | null): readonly string[] =>
  since === null
    ? []
    : [`MetaData.LastUpdatedTime >= '${new Date(since).toISOString().slice(0, 19)}Z'`];
const window = (start: number): string => ` STARTPOSITION ${start} MAXRESULTS ${PAGE_ROWS}`;
const getPath = (issue: v.BaseIssue<unknown>): string => {
  const path = v.getDotPath(issue);
  return path === null ? '' : ` (${path})`;
};
