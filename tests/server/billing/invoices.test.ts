import { beforeAll, expect, test } from 'vitest';
import type { CustomerOut } from '#contract/billing/quickbooks-calls.ts';
import type { InvoiceWhole } from '#contract/billing/invoice-calls.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { aBureau, CUSTOMERS, INVOICES, show } from './fixtures.ts';
import { invoice } from './fakes/quickbooks.ts';
import type { QuickBooksStandIn } from './fakes/quickbooks.ts';
import { aReadBureau, csv, day, ids, withQuickBooks } from './read-bureau.ts';

let fixture: Fixture;
let qb: QuickBooksStandIn;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    ({ ground: fixture, qb } = await withQuickBooks(open));
  });

  test('BILL-2, BILL-3: an invoice is open, overdue, paid or voided by its balance and due date; totals are by currency; states, days and words filter the list', async () => {
    const bureau = await aReadBureau(fixture, qb);
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

  test('BILL-2: one invoice shows its lines, tax and notes', async () => {
    const bureau = await aBureau(fixture, qb);
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
      one.lines.map(({ kind, item, description, quantity, price, amount }) => [
        kind,
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

  test("BILL-4: customers map to companies, including those below them; only the user's are shown, in the list, alone, as a file and as a PDF", async () => {
    const bureau = await aReadBureau(fixture, qb);
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
    const changes = {
      MetaData: { LastUpdatedTime: new Date(fixture.context.clock.now()).toISOString() },
    };
    Object.assign(first, { DisplayName: 'Calloway Group', ...changes });
    Object.assign(second, { Active: false, ...changes });
    fixture.pass(16 * 60_000);
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

  test('BILL-4: another provider sees nothing, and a portal that hides invoices shows none', async () => {
    const first = await aReadBureau(fixture, qb);
    const other = await aBureau(fixture, qb);
    expect([
      await ids(other, ''),
      (await other.ada('GET', `${INVOICES}/11`)).status,
      (await other.ada('GET', `${INVOICES}/11/pdf`)).status,
      (await other.ada<unknown[]>('GET', CUSTOMERS)).body.data,
      await csv(other),
    ]).toEqual([[], 404, 404, [], [expect.anything()]]);
    await show(fixture, first.office.tenant, false);
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
});
