import { randomUUID } from 'node:crypto';
import { json, listen } from '../../outbound/listen.ts';
import type { Query, Outside, Details } from '../../outbound/listen.ts';

/** Keys of an app, and of one that Intuit does not know. */
export const APP = { clientId: 'AB-client', secret: 'client-secret-of-quickbooks' };

export type Rec = Record<string, unknown>;
export interface FakeError extends Details {
  readonly when?: (request: Query) => boolean;
  readonly done?: boolean;
}
/** The books of one company. */
export interface Books {
  readonly realm: string;
  readonly invoices: Rec[];
  readonly customers: Rec[];
  readonly employees: Rec[];
  readonly items: Rec[];
  readonly taxes: Rec[];
  /** Invoices by the id of the request that made them. */
  readonly requests: Map<string, Rec>;
  name: string;
  currency: string;
}
export interface QuickBooksStandIn extends Outside {
  readonly errors: FakeError[];
  books(): Books;
  /** What Intuit sends somebody back with who gave access to these books. */
  back(
    url: string,
    books: Books,
  ): { readonly code: string; readonly state: string; readonly realmId: string };
  /** Access tokens of these books are not taken any more; `refresh`: nor are refresh tokens. */
  end(books: Books, refresh?: boolean): void;
  readonly revoked: string[];
}

/** Every published field that a record of this kind always has, with what the test says of it. */
export const invoice = (id: number, more: Rec = {}): Rec => ({
  domain: 'QBO',
  sparse: false,
  Id: String(id),
  SyncToken: '0',
  DocNumber: String(1000 + id),
  TxnDate: '2026-02-10',
  DueDate: '2026-03-12',
  CustomerRef: { value: '1', name: 'Calloway Freight' },
  CurrencyRef: { value: 'USD', name: 'United States Dollar' },
  TotalAmt: 362.07,
  Balance: 362.07,
  EmailStatus: 'EmailSent',
  PrintStatus: 'NeedToPrint',
  TxnTaxDetail: { TotalTax: 26.82 },
  MetaData: {
    CreateTime: '2026-02-10T09:00:00-08:00',
    LastUpdatedTime: '2026-02-10T09:00:00-08:00',
  },
  Line: [
    {
      Id: '1',
      LineNum: 1,
      Description: 'Backup of servers',
      Amount: 335.25,
      DetailType: 'SalesItemLineDetail',
      SalesItemLineDetail: {
        ItemRef: { value: '5', name: 'Server backup' },
        Qty: 5,
        UnitPrice: 67.05,
        TaxCodeRef: { value: 'TAX' },
      },
    },
    { Amount: 335.25, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
  ],
  ...more,
});
export const customer = (id: number, name: string, more: Rec = {}): Rec => ({
  domain: 'QBO',
  sparse: false,
  Id: String(id),
  SyncToken: '0',
  DisplayName: name,
  Active: true,
  Job: false,
  MetaData: {
    CreateTime: '2026-01-01T09:00:00-08:00',
    LastUpdatedTime: '2026-01-01T09:00:00-08:00',
  },
  ...more,
});

interface Grant {
  readonly realm: string;
  access: string;
  until: number;
  refresh: string | null;
}
const HOUR = 3_600_000;

/**
 * QuickBooks Online as developer.intuit.com publishes it: what is asked of it otherwise is refused.
 * A refresh token is good once: each renewal gives another.
 */
export async function quickBooksStandIn(now: () => number, port = 0): Promise<QuickBooksStandIn> {
  const all = new Map<string, Books>();
  const codes = new Map<string, { readonly realm: string; readonly redirect: string }>();
  const grants: Grant[] = [];
  const errors: FakeError[] = [];
  const revoked: string[] = [];
  let next = 4620816365000000000n;

  function tokens(grant: Grant): Details {
    Object.assign(grant, { access: randomUUID(), until: now() + HOUR, refresh: randomUUID() });
    return json({
      token_type: 'bearer',
      access_token: grant.access,
      expires_in: 3600,
      refresh_token: grant.refresh,
      x_refresh_token_expires_in: 8_726_400,
    });
  }
  function token(form: URLSearchParams): Details {
    const code = codes.get(form.get('code') ?? '');
    const refresh = form.get('refresh_token');
    if (
      form.get('grant_type') === 'authorization_code' &&
      code &&
      code.redirect === form.get('redirect_uri')
    ) {
      codes.delete(form.get('code') ?? '');
      const grant: Grant = { realm: code.realm, access: '', until: 0, refresh: null };
      grants.push(grant);
      return tokens(grant);
    }
    const grant =
      form.get('grant_type') === 'refresh_token'
        ? grants.find((one) => refresh !== null && one.refresh === refresh)
        : undefined;
    return grant ? tokens(grant) : json({ error: 'invalid_grant' }, 400);
  }
  function give(
    url: URL,
    books: Books,
  ): { readonly code: string; readonly state: string; readonly realmId: string } {
    const { searchParams: query } = url;
    const request = ['client_id', 'response_type', 'scope']
      .map((name) => query.get(name))
      .join(' ');
    if (request !== `${APP.clientId} code com.intuit.quickbooks.accounting`)
      throw new Error(`not asked for as published: ${request}`);
    const code = randomUUID();
    codes.set(code, { realm: books.realm, redirect: query.get('redirect_uri') ?? '' });
    return { code, state: query.get('state') ?? '', realmId: books.realm };
  }

  function answer(request: Query): Details {
    const url = new URL(request.path, 'http://intuit');
    const basic = `Basic ${Buffer.from(`${APP.clientId}:${APP.secret}`).toString('base64')}`;
    const [first] = all.values();
    // Here somebody would sign in and choose a company.
    if (url.pathname === '/connect/oauth2' && first)
      return {
        status: 302,
        headers: {
          location: `${url.searchParams.get('redirect_uri') ?? ''}?${new URLSearchParams({ ...give(url, first) }).toString()}`,
        },
      };
    if (url.pathname === '/oauth2/v1/tokens/bearer')
      return request.headers.authorization === basic
        ? token(new URLSearchParams(request.body))
        : json({ error: 'invalid_client' }, 401);
    if (url.pathname === '/v2/oauth2/tokens/revoke' && request.headers.authorization === basic) {
      revoked.push((JSON.parse(request.body) as { token: string }).token);
      return { status: 200 };
    }
    const [, realm = '', rest = ''] = /^\/v3\/company\/(\d+)\/(.+)$/.exec(url.pathname) ?? [];
    const books = all.get(realm);
    if (
      !books ||
      !grants.some(
        (one) =>
          one.realm === realm &&
          request.headers.authorization === `Bearer ${one.access}` &&
          now() < one.until,
      )
    ) {
      return json(
        {
          Fault: {
            Error: [
              {
                Message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401',
                Detail: 'Token expired',
                code: '3200',
              },
            ],
            type: 'AUTHENTICATION',
          },
          time: '2026-03-02T00:00:00-08:00',
        },
        401,
      );
    }
    if (url.searchParams.get('minorversion') !== '75') return refused('minorversion');
    if (rest === 'invoice' && request.method === 'POST') return create(books, url, request.body);
    const pdf = /^invoice\/(\d+)\/pdf$/.exec(rest)?.[1];
    if (pdf !== undefined && request.headers.accept === 'application/pdf') {
      return books.invoices.some(({ Id }) => Id === pdf)
        ? { headers: { 'content-type': 'application/pdf' }, body: `%PDF-1.4 invoice ${pdf}` }
        : json(
            {
              Fault: {
                Error: [{ Message: 'Object Not Found', code: '610' }],
                type: 'ValidationFault',
              },
            },
            404,
          );
    }
    const linked = /^invoice\/(\d+)$/.exec(rest)?.[1];
    if (
      linked !== undefined &&
      request.method === 'GET' &&
      url.searchParams.get('include') === 'invoiceLink'
    ) {
      const one = books.invoices.find(({ Id }) => Id === linked);
      // As published: only with online payment switched on, and an email address.
      const isPayable = one?.['AllowOnlineCreditCardPayment'] === true && one['BillEmail'] != null;
      return one === undefined
        ? refused('Object Not Found')
        : json({
            Invoice: {
              ...one,
              ...(isPayable && { InvoiceLink: `https://connect.intuit.com/t/scs-v1-${linked}` }),
            },
          });
    }
    return rest === 'query' &&
      request.method === 'GET' &&
      request.headers.accept === 'application/json'
      ? queried(books, url.searchParams.get('query') ?? '')
      : refused(`no such operation ${rest}`);
  }

  const server = await listen(
    async (request) => {
      const at = errors.findIndex(({ when }) => when === undefined || when(request));
      const [error] = at < 0 ? [] : errors.splice(at, 1);
      const right = error === undefined || error.done === true ? answer(request) : null;
      return error ?? right ?? { status: 500 };
    },
    '127.0.0.1',
    port,
  );
  return {
    ...server,
    errors,
    revoked,
    books() {
      next += 1n;
      const made: Books = {
        realm: String(next),
        invoices: [],
        customers: [],
        employees: [],
        items: [],
        taxes: [],
        requests: new Map(),
        name: 'Lakeside Managed IT',
        currency: 'USD',
      };
      all.set(made.realm, made);
      return made;
    },
    back: (url, books) => give(new URL(url), books),
    end(books, refresh = false) {
      for (const grant of grants)
        if (grant.realm === books.realm)
          Object.assign(grant, { until: 0, ...(refresh && { refresh: null }) });
    },
  };
}

/**
 * Creates an invoice: the customer and the items must exist, each amount is quantity by price in whole
 * cents, and a request id that was used returns what it made.
 */
function create(books: Books, url: URL, body: string): Details {
  const requestId = url.searchParams.get('requestid') ?? '';
  const before = books.requests.get(requestId);
  if (before) return json({ Invoice: before, time: '2026-03-02T00:00:00-08:00' });
  const draft = JSON.parse(body) as {
    CustomerRef: { value: string };
    CurrencyRef: { value: string };
    PrivateNote?: string;
    Line: {
      Amount: number;
      SalesItemLineDetail: { ItemRef: { value: string }; Qty: number; UnitPrice: number };
    }[];
  };
  if (requestId === '' || requestId.length > 50) return refused('requestid');
  if (!books.customers.some(({ Id }) => Id === draft.CustomerRef.value))
    return refused('Invalid Reference Id: CustomerRef');
  for (const { Amount, SalesItemLineDetail: item } of draft.Line) {
    if (!books.items.some(({ Id }) => Id === item.ItemRef.value))
      return refused('Invalid Reference Id: ItemRef');
    if (Math.abs(Amount - item.Qty * item.UnitPrice) > 0.005_001)
      return refused('Amount calculation incorrect in the request');
  }
  const cents = draft.Line.reduce((sum, { Amount }) => sum + Math.round(Amount * 100), 0);
  const made = invoice(500 + books.invoices.length, {
    ...draft,
    TotalAmt: cents / 100,
    Balance: cents / 100,
  });
  books.invoices.push(made);
  books.requests.set(requestId, made);
  return json({ Invoice: made, time: '2026-03-02T00:00:00-08:00' });
}

const refused = (detail: string): Details =>
  json(
    {
      Fault: {
        Error: [{ Message: 'Error parsing query', Detail: detail, code: '4000' }],
        type: 'ValidationFault',
      },
    },
    400,
  );

/**
 * The language of queries as far as it is published and used here: one entity, `where` with `and`,
 * `ORDERBY`, a window of 1,000 rows at most.
 */
function queried(books: Books, query: string): Details {
  const read =
    /^select \* from (\w+)(?: where (.+?))?(?: ORDERBY (\w+))?(?: STARTPOSITION (\d+))?(?: MAXRESULTS (\d+))?$/.exec(
      query,
    );
  if (!read) return refused(`QueryParserError: ${query}`);
  const [, entity = '', conditions, order, start = '1', max = '100'] = read;
  if (Number(max) > 1_000 || Number(start) < 1 || (order !== undefined && order !== 'Id'))
    return refused(`window: ${query}`);
  const lists: Record<string, Rec[]> = {
    Invoice: books.invoices,
    Customer: books.customers,
    Employee: books.employees,
    Item: books.items,
    TaxCode: books.taxes,
    CompanyInfo: [{ Id: '1', CompanyName: books.name }],
    Preferences: [{ Id: '1', CurrencyPrefs: { HomeCurrency: { value: books.currency } } }],
  };
  const list = lists[entity];
  if (!list) return refused(`invalid entity ${entity}`);
  let found = list;
  let all = false;
  for (const condition of conditions?.split(' and ') ?? []) {
    const since = /^MetaData\.LastUpdatedTime >= '(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)'$/.exec(
      condition,
    )?.[1];
    const ids = /^Id in \(((?:'\d+'(?:, )?)+)\)$/.exec(condition)?.[1];
    if (since !== undefined)
      found = found.filter(
        (one) =>
          Date.parse((one['MetaData'] as { LastUpdatedTime: string }).LastUpdatedTime) >=
          Date.parse(since),
      );
    else if (ids !== undefined)
      found = found.filter((one) => ids.includes(`'${String(one['Id'])}'`));
    else if (condition === 'Active in (true, false)') all = true;
    else return refused(`QueryValidationError: ${condition}`);
  }
  if (entity === 'Customer' && !all) found = found.filter((one) => one['Active'] === true);
  const rows = found
    .toSorted((a, b) => Number(a['Id']) - Number(b['Id']))
    .slice(Number(start) - 1, Number(start) - 1 + Number(max));
  return json({
    QueryResponse:
      rows.length === 0
        ? {}
        : { [entity]: rows, startPosition: Number(start), maxResults: rows.length },
    time: '2026-03-02T00:00:00-08:00',
  });
}
