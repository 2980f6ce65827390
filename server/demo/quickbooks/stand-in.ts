import { dayText } from '#contract/time/day.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { DAY_MS, SECOND_MS } from '#contract/time/durations.ts';
import { makeInvoicePdf } from './invoice-pdf.ts';
import { demoQuickBooksMessages as t } from './messages.en.ts';
import { showPaymentPage } from './payment-page.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Amounts are in the currency's unit. */
export interface BookLine {
  readonly description: string;
  readonly item: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}
export interface BookInvoice {
  readonly number: string;
  readonly customer: string;
  readonly day: Day;
  readonly due: Day;
  readonly isPaid: boolean;
  readonly currency: string;
  readonly note: string | null;
  readonly lines: readonly BookLine[];
  readonly changedAt: Ms;
}
/** The books of a company in QuickBooks. */
export interface Books {
  readonly company: string;
  readonly currency: string;
  readonly customers: readonly Named[];
  readonly employees: readonly Named[];
  readonly invoices: readonly BookInvoice[];
}

export const DEMO_ITEMS: readonly Named[] = [
  { id: '1', name: t.backup },
  { id: '2', name: t.storage },
];
const TAX_CODES: readonly Named[] = [
  { id: 'NON', name: t.nonTaxable },
  { id: 'TAX', name: t.salesTax },
];
/** Days until an invoice is due. */
export const TERM_DAYS = 60;
const HOUR_SECONDS = 3_600;
const FIRST_NUMBER = 1_001;

interface StandInOptions {
  /** Where its payment pages are, such as `/demo/quickbooks/1`. */
  readonly base: string;
  readonly now: () => Ms;
  readonly loadBooks: () => Promise<Books>;
}

/**
 * Stands in for QuickBooks Online in the demo, as developer.intuit.com publishes its accounting API,
 * version 3: queries, invoices that are made once per request id, their PDFs and payment pages, and tokens.
 */
export function makeQuickBooksStandIn({ base, now, loadBooks }: StandInOptions) {
  /** Invoices that were made since the start, by the id of the request. */
  const made = new Map<string, BookInvoice>();
  /** When invoices were paid online since the start, by their number. */
  const payments = new Map<string, Ms>();

  async function load(): Promise<Books> {
    const books = await loadBooks();
    const own = [...made.values()];
    const numbers = new Set(own.map(({ number }) => number));
    const invoices = [...books.invoices.filter(({ number }) => !numbers.has(number)), ...own];
    return {
      ...books,
      invoices: invoices.map((invoice) => {
        const changedAt = payments.get(invoice.number);
        return changedAt === undefined ? invoice : { ...invoice, isPaid: true, changedAt };
      }),
    };
  }

  async function create(requestId: string, body: unknown): Promise<Response> {
    const known = made.get(requestId);
    const books = await load();
    if (known !== undefined) return json({ Invoice: toInvoice(known, books) });
    const at = now();
    const today = Math.floor(at / DAY_MS);
    const { CustomerRef, CurrencyRef, PrivateNote, Line } = body as PostedInvoice;
    const numbers = books.invoices.map(({ number }) => Number(number));
    const invoice: BookInvoice = {
      number: String(Math.max(FIRST_NUMBER, ...numbers) + 1),
      customer: CustomerRef.value,
      day: dayText(today),
      due: dayText(today + TERM_DAYS),
      isPaid: false,
      currency: CurrencyRef.value,
      note: PrivateNote ?? null,
      lines: Line.map(({ Description, Amount, SalesItemLineDetail: detail }) => ({
        description: Description,
        item: detail.ItemRef.value,
        quantity: detail.Qty,
        price: detail.UnitPrice,
        amount: Amount,
      })),
      changedAt: at,
    };
    made.set(requestId, invoice);
    return json({ Invoice: toInvoice(invoice, books) });
  }

  /**
   * The link to the payment page is only there if the request includes it: online payment is on for
   * these invoices, and they have an email address.
   */
  async function getInvoice(number: string, include: string | null): Promise<Response> {
    const books = await load();
    const invoice = books.invoices.find((one) => one.number === number);
    if (invoice === undefined) return new Response(null, { status: 404 });
    return json({
      Invoice: {
        ...toInvoice(invoice, books),
        ...(include === 'invoiceLink' && { InvoiceLink: `${base}/${invoice.number}` }),
      },
    });
  }

  /** The page on which an invoice is paid. Its button, a POST, enters the payment in the books. */
  async function showPage(method: string, number: string): Promise<Response> {
    const books = await load();
    const invoice = books.invoices.find((one) => one.number === number);
    if (invoice === undefined) return new Response(null, { status: 404 });
    const address = `${base}/${invoice.number}`;
    if (method === 'POST') {
      if (!invoice.isPaid) payments.set(invoice.number, now());
      return new Response(null, { status: 303, headers: { location: address } });
    }
    return showPaymentPage(address, {
      ...invoice,
      company: books.company,
      customer: findName(books.customers, invoice.customer),
      total: getTotal(invoice),
    });
  }

  async function getPdf(number: string): Promise<Response> {
    const books = await load();
    const invoice = books.invoices.find((one) => one.number === number);
    if (invoice === undefined) return new Response(null, { status: 404 });
    const { customers, company } = books;
    const pdf = makeInvoicePdf([
      company,
      t.invoice({ number: invoice.number }),
      t.dates({ day: invoice.day, due: invoice.due }),
      t.customer({ name: findName(customers, invoice.customer) }),
      '',
      ...invoice.lines.map(({ description, quantity, price, amount }) =>
        t.line({
          description,
          quantity: String(quantity),
          price: price.toFixed(2),
          amount: amount.toFixed(2),
        }),
      ),
      '',
      t.total({ total: getTotal(invoice).toFixed(2), currency: invoice.currency }),
    ]);
    return new Response(pdf, { headers: { 'content-type': 'application/pdf' } });
  }

  async function fetch(request: Request): Promise<Response> {
    const { hostname, pathname, searchParams } = new URL(request.url);
    if (hostname === 'oauth.platform.intuit.com')
      return json({
        token_type: 'bearer',
        access_token: 'demo-access',
        refresh_token: 'demo-refresh',
        expires_in: HOUR_SECONDS,
      });
    if (hostname === 'developer.api.intuit.com') return new Response(null, { status: 200 });
    const [, action = '', id = '', format = ''] =
      /^\/v3\/company\/[^/]+\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(pathname) ?? [];
    if (action === 'query' && request.method === 'GET')
      return json({ QueryResponse: answerQuery(searchParams.get('query') ?? '', await load()) });
    if (action === 'invoice' && request.method === 'POST')
      return create(searchParams.get('requestid') ?? '', await request.json());
    if (action === 'invoice' && format === 'pdf') return getPdf(id);
    if (action === 'invoice' && id !== '') return getInvoice(id, searchParams.get('include'));
    return new Response(null, { status: 404 });
  }

  return { fetch, showPage };
}

/** What this product posts. */
interface PostedInvoice {
  readonly CustomerRef: { readonly value: string };
  readonly CurrencyRef: { readonly value: string };
  readonly PrivateNote?: string;
  readonly Line: readonly {
    readonly Description: string;
    readonly Amount: number;
    readonly SalesItemLineDetail: {
      readonly ItemRef: { readonly value: string };
      readonly Qty: number;
      readonly UnitPrice: number;
    };
  }[];
}

const QUERY =
  /^select \* from (\w+)(?: where (.+?))?(?: ORDERBY Id)?(?: STARTPOSITION (\d+) MAXRESULTS (\d+))?$/;

function answerQuery(query: string, books: Books): Readonly<Record<string, unknown>> {
  const [, entity = '', where = '', start = '1', max = '1000'] = QUERY.exec(query) ?? [];
  const since = Date.parse(/LastUpdatedTime >= '([^']+)'/.exec(where)?.[1] ?? '1970-01-01');
  const ids = /\bId in \(([^)]*)\)/.exec(where)?.[1]?.match(/[^', ]+/g);
  const rows = listRecords(entity, books).filter(
    ({ Id, MetaData }) =>
      (ids == null || ids.includes(Id)) && Date.parse(MetaData.LastUpdatedTime) >= since,
  );
  return { [entity]: rows.slice(Number(start) - 1, Number(start) - 1 + Number(max)) };
}

interface BookRecord {
  readonly Id: string;
  readonly MetaData: { readonly LastUpdatedTime: string };
  readonly [field: string]: unknown;
}

const makeRecord = (id: string, fields: object, changedAt: Ms = 0): BookRecord => ({
  ...fields,
  Id: id,
  MetaData: { LastUpdatedTime: new Date(changedAt - (changedAt % SECOND_MS)).toISOString() },
});

function listRecords(entity: string, books: Books): readonly BookRecord[] {
  switch (entity) {
    case 'Invoice':
      return books.invoices.map((invoice) =>
        makeRecord(invoice.number, toInvoice(invoice, books), invoice.changedAt),
      );
    case 'Customer':
      return books.customers.map(({ id, name }) =>
        makeRecord(id, { DisplayName: name, Active: true }),
      );
    case 'Employee':
      return books.employees.map(({ id, name }) => makeRecord(id, { DisplayName: name }));
    case 'Item':
      return DEMO_ITEMS.map(({ id, name }) => makeRecord(id, { Name: name }));
    case 'TaxCode':
      return TAX_CODES.map(({ id, name }) => makeRecord(id, { Name: name }));
    case 'Preferences':
      return [makeRecord('1', { CurrencyPrefs: { HomeCurrency: { value: books.currency } } })];
    case 'CompanyInfo':
      return [makeRecord('1', { CompanyName: books.company })];
    default:
      return [];
  }
}

const toInvoice = (invoice: BookInvoice, { customers }: Books): object => ({
  Id: invoice.number,
  DocNumber: invoice.number,
  TxnDate: invoice.day,
  DueDate: invoice.due,
  CustomerRef: { value: invoice.customer, name: findName(customers, invoice.customer) },
  CurrencyRef: { value: invoice.currency },
  TotalAmt: getTotal(invoice),
  Balance: invoice.isPaid ? 0 : getTotal(invoice),
  PrivateNote: invoice.note,
  EmailStatus: 'EmailSent',
  BillEmail: { Address: `customer${invoice.customer}@demo.example` },
  AllowOnlineACHPayment: true,
  AllowOnlineCreditCardPayment: true,
  Line: invoice.lines.map(({ description, item, quantity, price, amount }) => ({
    DetailType: 'SalesItemLineDetail',
    Description: description,
    Amount: amount,
    SalesItemLineDetail: {
      ItemRef: { value: item, name: findName(DEMO_ITEMS, item) },
      Qty: quantity,
      UnitPrice: price,
    },
  })),
});

const findName = (among: readonly Named[], wanted: string): string =>
  among.find(({ id }) => id === wanted)?.name ?? '';

const getTotal = ({ lines }: BookInvoice): number =>
  lines.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0) / 100;

const json = (body: object): Response => Response.json(body);
