import { afterAll } from 'vitest';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE } from '../outbound/outside.ts';
import type { Store } from '#server/platform/db/store.ts';
import { parseCsv } from '../../contract/runs/parse-csv.ts';
import { aBureau, type Bureau } from './fixtures.ts';
import { customer, invoice, quickBooksStandIn } from './fakes/quickbooks.ts';
import type { QuickBooksStandIn, Rec } from './fakes/quickbooks.ts';

/** Books that were read once, with an invoice of each state. */

const DAY = 86_400_000;
/** A day so many days from the test's today, 2 March 2026. */
export const day = (from: number): string =>
  new Date(Date.UTC(2026, 2, 2) + from * DAY).toISOString().slice(0, 10);
const of = (id: number, name: string): Rec => ({ CustomerRef: { value: String(id), name } });
export const ids = async (
  bureau: Bureau,
  query: string,
  who = bureau.ada,
): Promise<readonly string[]> =>
  (await bureau.list(`${query}${query === '' ? '?' : '&'}pageSize=200`, who)).rows.map(
    ({ _id }) => _id,
  );
export const csv = async (
  bureau: Bureau,
  request: object = {},
  who = bureau.ada,
): Promise<readonly (readonly string[])[]> =>
  parseCsv((await who('POST', 'o365/quickbooks/invoices-csv', { format: 'csv', ...request })).text);

const begun: QuickBooksStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});

/** A server whose QuickBooks is a stand-in, which ends after the file. */
export async function withQuickBooks(
  open: () => Promise<Store>,
): Promise<{ readonly ground: Fixture; readonly qb: QuickBooksStandIn }> {
  let fixture: Fixture | null = null;
  const qb = await quickBooksStandIn(() => fixture?.context.clock.now() ?? 0);
  begun.push(qb);
  fixture = await makeFixture({ ...HERE, quickBooks: qb.url }, await open());
  return { ground: fixture, qb };
}

/** One of each state, in three customers; the third is a part of the second. */
export async function aReadBureau(fixture: Fixture, qb: QuickBooksStandIn): Promise<Bureau> {
  const bureau = await aBureau(fixture, qb);
  const { books } = bureau;
  books.customers.push(
    customer(1, 'Calloway Freight'),
    customer(2, 'Drummond and Pike Ltd'),
    customer(3, 'Warehouse', { ParentRef: { value: '2' }, Job: true }),
    customer(4, 'Old customer', { Active: false }),
  );
  books.invoices.push(
    invoice(11, {
      TxnDate: day(-5),
      DueDate: day(0),
      TotalAmt: 100.1,
      Balance: 60.05,
      ...of(1, 'Calloway Freight'),
    }), // due today: open
    invoice(12, {
      TxnDate: day(-40),
      DueDate: day(-1),
      TotalAmt: 200.2,
      Balance: 200.2,
      ...of(1, 'Calloway Freight'),
    }), // overdue
    invoice(13, {
      TxnDate: day(-60),
      DueDate: day(-30),
      TotalAmt: 300,
      Balance: 0,
      CurrencyRef: { value: 'EUR' },
      ...of(2, 'Drummond and Pike Ltd'),
    }), // paid
    invoice(14, {
      TxnDate: day(-3),
      DueDate: day(-2),
      TotalAmt: 0,
      Balance: 0,
      PrivateNote: 'Voided - sent twice',
      ...of(2, 'Drummond and Pike Ltd'),
    }),
    invoice(15, {
      TxnDate: day(-2),
      DueDate: null,
      TotalAmt: 50,
      Balance: 50,
      CurrencyRef: null,
      DocNumber: '=1+1',
      ...of(3, 'Warehouse'),
    }), // in the currency of the books, never overdue
    invoice(16, {
      TxnDate: day(-1),
      TotalAmt: 7,
      Balance: 7,
      DocNumber: null,
      PrivateNote: 'voided? no',
      CurrencyRef: { value: 'JPY' },
      ...of(9, 'Nobody knows'),
    }),
  );
  await bureau.connect();
  await bureau.read();
  return bureau;
}
