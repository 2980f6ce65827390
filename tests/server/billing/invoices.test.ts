import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CustomerOut } from '#contract/billing/quickbooks-calls.ts';
import type { InvoiceWhole } from '#contract/billing/invoice-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { makeGround } from '../http/ground.ts';
import type { Ground } from '../http/ground.ts';
import { HERE } from '../outbound/outside.ts';
import { eachDatabase } from '../store/databases.ts';
import { parseCsv } from '../../contract/monitoring/parse-csv.ts';
import { aBureau, type Bureau, CUSTOMERS, INVOICES, show } from './ground.ts';
import { customer, invoice, quickBooksStandIn } from './stand-ins/quickbooks.ts';
import type { QuickBooksStandIn, Rec } from './stand-ins/quickbooks.ts';

const DAY = 86_400_000;
let ground: Ground;
let qb: QuickBooksStandIn;
const begun: QuickBooksStandIn[] = [];
afterAll(async () => {
  await Promise.all(begun.map((one) => one.stop()));
});
/** A day so many days from the test's today, 2 March 2026. */
const day = (from: number): string =>
  new Date(Date.UTC(2026, 2, 2) + from * DAY).toISOString().slice(0, 10);
const of = (id: number, name: string): Rec => ({ CustomerRef: { value: String(id), name } });
const ids = async (bureau: Bureau, query: string, who = bureau.ada): Promise<readonly string[]> =>
  (await bureau.list(`${query}${query === '' ? '?' : '&'}pageSize=200`, who)).rows.map(
    ({ _id }) => _id,
  );
const csv = async (
  bureau: Bureau,
  asked: object = {},
  who = bureau.ada,
): Promise<readonly (readonly string[])[]> =>
  parseCsv((await who('POST', 'o365/quickbooks/invoices-csv', { format: 'csv', ...asked })).text);

/** What is left to pay. */
const most = (cents: number, paid: number): number => Math.floor((cents * (100 - paid)) / 100);
function cents(text: string | undefined): bigint {
  const [whole = '0', part = ''] = (text ?? '').split('.');
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'));
}

/** One of each state, in three customers; the third is a part of the second. */
async function aReadBureau(): Promise<Bureau> {
  const bureau = await aBureau(ground, qb);
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

eachDatabase((_name, open) => {
  beforeAll(async () => {
    const clock = { now: (): number => ground.world.clock.now() };
    qb = await quickBooksStandIn(() => clock.now());
    begun.push(qb);
    ground = await makeGround({ ...HERE, quickBooks: qb.url }, await open());
  });

  test('BILL-2, BILL-3: an invoice is open, overdue, paid or voided by its balance and its day; sums stand by currency; states, days and words narrow the list', async () => {
    const bureau = await aReadBureau();
    const all = await bureau.list();
    expect(
      all.rows.map(({ _id, state, currency, total, balance }) => [
        _id,
        state,
        currency,
        total,
        balance,
      ]),
    ).toEqual([
      ['16', 'open', 'JPY', 7_000, 7_000],
      ['15', 'open', 'USD', 50_000, 50_000],
      ['14', 'voided', 'USD', 0, 0],
      ['11', 'open', 'USD', 100_100, 60_050],
      ['12', 'overdue', 'USD', 200_200, 200_200],
      ['13', 'paid', 'EUR', 300_000, 0],
    ]);
    expect([all.count, all.sums]).toEqual([
      6,
      [
        { currency: 'EUR', count: 1, total: 300_000, balance: 0, overdue: 0 },
        { currency: 'JPY', count: 1, total: 7_000, balance: 7_000, overdue: 0 },
        { currency: 'USD', count: 4, total: 350_300, balance: 310_250, overdue: 200_200 },
      ],
    ]);
    expect(await ids(bureau, '?state=owed')).toEqual(['16', '15', '11', '12']);
    expect([
      await ids(bureau, '?state=open'),
      await ids(bureau, '?state=overdue'),
      await ids(bureau, '?state=paid'),
      await ids(bureau, '?state=voided'),
    ]).toEqual([['16', '15', '11'], ['12'], ['13'], ['14']]);
    expect(await ids(bureau, `?from=${day(-5)}&to=${day(-2)}`)).toEqual(['15', '14', '11']);
    expect([
      await ids(bureau, '?search=pike'),
      await ids(bureau, '?search=1012'),
      await ids(bureau, '?search=%25'),
    ]).toEqual([['14', '13'], ['12'], []]);
    expect((await ids(bureau, '?sort=due')).at(-1)).toBe('15');
    expect(await bureau.list('?page=2&pageSize=4')).toMatchObject({
      count: 6,
      page: 2,
      rows: [{ _id: '12' }, { _id: '13' }],
    });
    expect((await bureau.list('?state=paid')).sums).toEqual([
      { currency: 'EUR', count: 1, total: 300_000, balance: 0, overdue: 0 },
    ]);
    for (const query of ['?state=late', '?from=yesterday', '?sort=total', '?company=x', '?page=0'])
      expect((await bureau.ada('GET', `${INVOICES}${query}`)).status).toBe(400);
  });

  test('BILL-2: one invoice stands with its lines, tax and what was written on it', async () => {
    const bureau = await aBureau(ground, qb);
    bureau.books.invoices.push(
      invoice(1, {
        CustomerMemo: { value: 'Thank you' },
        EmailStatus: 'NotSet',
        TotalAmt: 107.5,
        Line: [
          {
            Description: 'Two servers',
            Amount: 100,
            DetailType: 'SalesItemLineDetail',
            SalesItemLineDetail: {
              ItemRef: { value: '5', name: 'Server backup' },
              Qty: 2.5,
              UnitPrice: 40,
            },
          },
          {
            Amount: 10,
            DetailType: 'GroupLineDetail',
            GroupLineDetail: {
              GroupItemRef: { value: '9', name: 'Bundle' },
              Quantity: 1,
              Line: [
                {
                  Amount: 10,
                  DetailType: 'SalesItemLineDetail',
                  SalesItemLineDetail: {
                    ItemRef: { value: '6', name: 'Laptop' },
                    Qty: 1,
                    UnitPrice: 10,
                  },
                },
              ],
            },
          },
          {
            Amount: 10,
            DetailType: 'DiscountLineDetail',
            DiscountLineDetail: { PercentBased: true },
          },
          { Description: 'Paid by card', DetailType: 'DescriptionOnly' },
          { Amount: 100, DetailType: 'SubTotalLineDetail' },
        ],
        TxnTaxDetail: { TotalTax: 7.5 },
      }),
    );
    await bureau.connect();
    await bureau.read();
    const one = (await bureau.ada<InvoiceWhole>('GET', `${INVOICES}/1`)).body.data;
    expect(one).toMatchObject({
      number: '1001',
      total: 107_500,
      tax: 7_500,
      note: 'Thank you',
      mailed: false,
      changedAt: Date.parse('2026-02-10T17:00:00Z'),
    });
    expect(
      one.lines.map(({ is, item, description, quantity, price, amount }) => [
        is,
        item,
        description,
        quantity,
        price,
        amount,
      ]),
    ).toEqual([
      ['item', 'Server backup', 'Two servers', 2.5, 40, 100_000],
      ['subtotal', 'Bundle', null, 1, null, 10_000],
      ['item', 'Laptop', null, 1, 10, 10_000],
      ['discount', null, null, null, null, -10_000],
      ['text', null, 'Paid by card', null, null, null],
      ['subtotal', null, null, null, null, 100_000],
    ]);
  });

  test('BILL-4: customers stand for companies, also those below them; only what one sees is told, in the list, alone, as a file and as a PDF', async () => {
    const bureau = await aReadBureau();
    const { ada, office } = bureau;
    const cal = await office.as('cal', ['admin'], [1]);
    const dru = await office.as('dru', ['admin'], [2]);
    expect([await ids(bureau, '', cal), await ids(bureau, '', dru)]).toEqual([[], []]);
    const customers = (await ada<CustomerOut[]>('GET', CUSTOMERS)).body.data;
    expect(
      customers.map(({ id, health, suggested, invoices }) => [id, health, suggested, invoices]),
    ).toEqual([
      ['1', 'not mapped', 1, 2],
      ['2', 'not mapped', null, 2],
      ['9', 'not mapped', null, 1],
      ['3', 'not mapped', null, 1],
      ['4', 'not mapped', null, 0],
    ]);
    const put = (pairs: readonly object[]): ReturnType<typeof ada<CustomerOut[]>> =>
      ada<CustomerOut[]>('PUT', CUSTOMERS, { pairs });
    const mapped = (
      await put([
        { customer: '1', company: 1 },
        { customer: '2', company: 2 },
      ])
    ).body.data;
    expect(
      mapped.map(({ id, company, companyName, by, health }) => [
        id,
        company,
        companyName,
        by,
        health,
      ]),
    ).toEqual([
      ['9', null, null, null, 'not mapped'],
      ['1', 1, 'Calloway Freight', null, 'ok'],
      ['2', 2, 'Drummond & Pike', null, 'ok'],
      ['3', 2, 'Drummond & Pike', 'Drummond and Pike Ltd', 'ok'],
      ['4', null, null, null, 'not mapped'],
    ]);
    expect([
      await ids(bureau, '', cal),
      await ids(bureau, '', dru),
      await ids(bureau, '?company=2'),
      await ids(bureau, '?company=1', dru),
    ]).toEqual([['11', '12'], ['15', '14', '13'], ['15', '14', '13'], []]);
    expect((await bureau.list('', cal)).sums).toEqual([
      { currency: 'USD', count: 2, total: 300_300, balance: 260_250, overdue: 200_200 },
    ]);
    for (const [id, status] of [
      ['12', 200],
      ['13', 404],
      ['16', 404],
      ['999', 404],
      ['abc', 404],
    ] as const) {
      expect([
        (await cal('GET', `${INVOICES}/${id}`)).status,
        (await cal('GET', `${INVOICES}/${id}/pdf`)).status,
      ]).toEqual([status, status]);
    }
    expect((await csv(bureau, {}, cal)).slice(1).map(([number]) => number)).toEqual([
      '1011',
      '1012',
    ]);
    expect(await ids(bureau, '')).toHaveLength(6);
    // What is not there changes nothing of the rest.
    expect(
      (
        await put([
          { customer: '1', company: 2 },
          { customer: '2', company: 77 },
        ])
      ).status,
    ).toBe(404);
    expect(
      (
        await put([
          { customer: '1', company: 2 },
          { customer: '88', company: 2 },
        ])
      ).status,
    ).toBe(404);
    expect(await ids(bureau, '?company=1')).toEqual(['11', '12']);
    expect(
      (await cal('PUT', CUSTOMERS, { pairs: [{ customer: '1', company: null }] })).status,
    ).toBe(403);
    // Renamed there, and not in use any more.
    const [first, second] = bureau.books.customers;
    if (!first || !second) throw new Error('no customers');
    const touched = {
      MetaData: { LastUpdatedTime: new Date(ground.world.clock.now()).toISOString() },
    };
    Object.assign(first, { DisplayName: 'Calloway Group', ...touched });
    Object.assign(second, { Active: false, ...touched });
    ground.pass(16 * 60_000);
    await bureau.read();
    expect(
      (await ada<CustomerOut[]>('GET', CUSTOMERS)).body.data.map(({ id, health }) => [id, health]),
    ).toEqual([
      ['9', 'not mapped'],
      ['1', 'renamed'],
      ['2', 'inactive'],
      ['3', 'ok'],
      ['4', 'not mapped'],
    ]);
    expect(
      (
        await put([
          { customer: '1', company: 1 },
          { customer: '2', company: null },
        ])
      ).body.data
        .filter(({ company }) => company !== null)
        .map(({ id, health }) => [id, health]),
    ).toEqual([['1', 'ok']]);
    // Of a company that is gone, an invoice belongs to none.
    const [gone] = (
      await ada<{ _id: string; name: string }[]>('GET', 'companies')
    ).body.data.flatMap(({ _id: id, name }) => (name === 'Calloway Freight' ? [id] : []));
    expect((await ada('DELETE', `companies/${gone ?? ''}`)).status).toBe(200);
    expect((await bureau.list('?search=1012')).rows).toMatchObject([
      { company: null, companyName: null, customer: 'Calloway Group' },
    ]);
  });

  test('BILL-4: another provider sees nothing, and a portal that does not show invoices tells of none', async () => {
    const first = await aReadBureau();
    const other = await aBureau(ground, qb);
    expect([
      await ids(other, ''),
      (await other.ada('GET', `${INVOICES}/11`)).status,
      (await other.ada('GET', `${INVOICES}/11/pdf`)).status,
      (await other.ada<unknown[]>('GET', CUSTOMERS)).body.data,
      await csv(other),
    ]).toEqual([[], 404, 404, [], [expect.anything()]]);
    await show(ground, first.office.tenant, false);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/11'],
      ['GET', '/11/pdf'],
      ['POST', '-csv'],
    ] as const)
      expect(
        (await first.ada(method, `${INVOICES}${path}`, method === 'POST' ? {} : undefined)).status,
      ).toBe(403);
  });

  test('BILL-5: the PDF comes from QuickBooks through the server, and says why it does not', async () => {
    const bureau = await aReadBureau();
    const { ada } = bureau;
    const asked = qb.asked.length;
    const pdf = await ada('GET', `${INVOICES}/12/pdf`);
    expect([
      pdf.status,
      pdf.headers.get('content-type'),
      pdf.headers.get('content-disposition'),
      pdf.headers.get('cache-control'),
      pdf.text,
    ]).toEqual([
      200,
      'application/pdf',
      'attachment; filename="Invoice_1012.pdf"',
      'no-store',
      '%PDF-1.4 invoice 12',
    ]);
    expect(qb.asked.slice(asked).map(({ path }) => path)).toEqual([
      `/v3/company/${bureau.books.realm}/invoice/12/pdf?minorversion=75`,
    ]);
    expect((await ada('GET', `${INVOICES}/15/pdf`)).headers.get('content-disposition')).toBe(
      'attachment; filename="Invoice_-1-1.pdf"',
    );
    qb.faults.push({ status: 200, body: '<script>' });
    const said = async (): Promise<readonly unknown[]> => {
      const { status, body } = await ada('GET', `${INVOICES}/12/pdf`);
      return [status, body.message];
    };
    expect(await said()).toEqual([503, 'QuickBooks gave no PDF.']);
    qb.faults.push({ status: 429, body: '' });
    expect(await said()).toEqual([503, 'QuickBooks asked to wait: too many requests.']);
    bureau.books.invoices.splice(1, 1);
    expect(await said()).toEqual([409, 'QuickBooks does not have it.']);
    for (let i = 0; i < 30; i += 1) await said();
    expect(await said()).toEqual([429, MESSAGES.tooMany]);
  });

  test('BILL-3, BILL-5: the file has every invoice that matches, begins no formula, and what it comes to by currency is what the page says', async () => {
    const bureau = await aReadBureau();
    const file = await bureau.ada('POST', 'o365/quickbooks/invoices-csv', {});
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Invoices_2026-03-\d\d_\d{6}\.csv"$/,
    );
    expect((await csv(bureau)).slice(0, 3)).toEqual([
      ['Number', 'Date', 'Due', 'Status', 'Company', 'Customer', 'Currency', 'Total', 'Balance'],
      ['', day(-1), '2026-03-12', 'Open', '', 'Nobody knows', 'JPY', '7', '7'],
      [`'=1+1`, day(-2), '', 'Open', '', 'Warehouse', 'USD', '50', '50'],
    ]);
    expect((await csv(bureau, { state: 'overdue' })).slice(1).map(([number]) => number)).toEqual([
      '1012',
    ]);
    const amount = fc.integer({ min: 0, max: 99_999_999 });
    const one = fc.record({
      currency: fc.constantFrom('USD', 'EUR', 'JPY', 'KWD'),
      all: amount,
      paid: fc.nat(100),
      due: fc.integer({ min: -40, max: 40 }),
      voided: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { maxLength: 40 }), async (made) => {
        const next = await aBureau(ground, qb);
        next.books.invoices.push(
          ...made.map(({ currency, all, paid, due, voided }, i) =>
            invoice(i + 1, {
              CurrencyRef: { value: currency },
              DueDate: day(due),
              TotalAmt: voided ? 0 : all / 100,
              Balance: voided ? 0 : most(all, paid) / 100,
              ...(voided && { PrivateNote: 'Voided' }),
            }),
          ),
        );
        await next.connect();
        await next.read();
        // By hand, in whole cents.
        const known = new Map<string, bigint[]>();
        for (const { currency, all, paid, due, voided } of made) {
          const [count = 0n, total = 0n, balance = 0n, overdue = 0n] = known.get(currency) ?? [];
          const [whole, left] = voided ? [0, 0] : [all, most(all, paid)];
          known.set(currency, [
            count + 1n,
            total + BigInt(whole),
            balance + BigInt(left),
            overdue + (due < 0 ? BigInt(left) : 0n),
          ]);
        }
        const wanted = [...known]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([currency, [count, ...sums]]) => [
            currency,
            Number(count),
            ...sums.map((sum) => Number(sum) * 10),
          ]);
        expect(
          (await next.list()).sums.map(({ currency, count, total, balance, overdue }) => [
            currency,
            count,
            total,
            balance,
            overdue,
          ]),
        ).toEqual(wanted);
        const lines = (await csv(next)).slice(1);
        const summed = wanted
          .map(([currency]) => lines.filter((line) => line[6] === currency))
          .map((own) => [
            own[0]?.[6],
            own.length,
            ...[
              own.reduce((sum, line) => sum + cents(line[7]), 0n),
              own.reduce((sum, line) => sum + cents(line[8]), 0n),
              own.reduce((sum, line) => sum + (line[3] === 'Overdue' ? cents(line[8]) : 0n), 0n),
            ].map((sum) => Number(sum) * 10),
          ]);
        expect(summed).toEqual(wanted);
      }),
      { numRuns: 6 },
    );
  });
});
