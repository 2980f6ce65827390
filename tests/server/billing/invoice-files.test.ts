import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { aBureau, INVOICES } from './fixtures.ts';
import { invoice } from './fakes/quickbooks.ts';
import type { QuickBooksStandIn } from './fakes/quickbooks.ts';
import { aReadBureau, csv, day, withQuickBooks } from './read-bureau.ts';

let fixture: Fixture;
let qb: QuickBooksStandIn;

/** What is left to pay. */
const max = (cents: number, paid: number): number => Math.floor((cents * (100 - paid)) / 100);
function cents(text: string | undefined): bigint {
  const [whole = '0', part = ''] = (text ?? '').split('.');
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'));
}

anyDatabase((_name, open) => {
  beforeAll(async () => {
    ({ ground: fixture, qb } = await withQuickBooks(open));
  });

  test('BILL-5: the PDF comes from QuickBooks through the server, or a message says why not', async () => {
    const bureau = await aReadBureau(fixture, qb);
    const { ada } = bureau;
    const request = qb.asked.length;
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
    expect(qb.asked.slice(request).map(({ path }) => path)).toEqual([
      `/v3/company/${bureau.books.realm}/invoice/12/pdf?minorversion=75`,
    ]);
    expect((await ada('GET', `${INVOICES}/15/pdf`)).headers.get('content-disposition')).toBe(
      'attachment; filename="Invoice_-1-1.pdf"',
    );
    qb.errors.push({ status: 200, body: '<script>' });
    const said = async (): Promise<readonly unknown[]> => {
      const { status, body } = await ada('GET', `${INVOICES}/12/pdf`);
      return [status, body.message];
    };
    expect(await said()).toEqual([503, 'QuickBooks sent no PDF.']);
    qb.errors.push({ status: 429, body: '' });
    expect(await said()).toEqual([503, 'QuickBooks received too many requests. Try again later.']);
    bureau.books.invoices.splice(1, 1);
    expect(await said()).toEqual([409, "QuickBooks doesn't have this item."]);
    for (let i = 0; i < 30; i += 1) await said();
    expect(await said()).toEqual([429, MESSAGES.tooMany]);
  });

  test("BILL-3, BILL-5: the file has every matching invoice and no formulas, and its totals by currency equal the page's", async () => {
    const bureau = await aReadBureau(fixture, qb);
    const file = await bureau.ada('POST', 'o365/quickbooks/invoices-csv', {});
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="Invoices-2026-03-\d\d_\d{6}\.csv"$/,
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
        const next = await aBureau(fixture, qb);
        next.books.invoices.push(
          ...made.map(({ currency, all, paid, due, voided }, i) =>
            invoice(i + 1, {
              CurrencyRef: { value: currency },
              DueDate: day(due),
              TotalAmt: voided ? 0 : all / 100,
              Balance: voided ? 0 : max(all, paid) / 100,
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
          const [whole, left] = voided ? [0, 0] : [all, max(all, paid)];
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
