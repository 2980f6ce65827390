import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { subscriptions } from '#server/features/billing/subscriptions/subscriptions-job.ts';
import { eachDatabase } from '../db/databases.ts';
import { json } from '../outbound/listen.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aReadBureau, withQuickBooks } from './read-bureau.ts';
import { DAY, findUser, getRow, must, settings } from './subscription-fixtures.ts';

const ITEM = '7';

eachDatabase((kind, open) => {
  test(`BILL-13: an unpaid invoice of a month is paid online on Intuit's page, which ends the debt, and only by its company (${kind})`, async () => {
    const { ground: fixture, qb } = await withQuickBooks(open);
    const bureau = await aReadBureau(fixture, qb);
    const { office, books } = bureau;
    const { clock } = fixture.context;
    books.items.push({ Id: ITEM, Name: 'Microsoft 365 backup', Type: 'Service' });
    const owner = await office.as('owner', ['super-admin', 'admin']);
    await must(owner, 'PUT', 'o365/billing/settings', settings());
    await must(owner, 'PUT', 'o365/quickbooks/customers', {
      pairs: [{ customer: '1', company: 1 }],
    });
    for (const company of [1, 2])
      await must(owner, 'POST', `o365/subscriptions/start/${company}`, {
        level: 'basic',
        minimumUsers: 4,
        trialEndsAt: null,
      });
    const work = (): Promise<unknown> =>
      subscriptions(fixture.context)({
        tenant: office.tenant,
        payload: null,
        now: clock.now(),
        signal: new AbortController().signal,
      });
    await work();
    fixture.pass(31 * DAY);
    const later = await office.as('later', ['super-admin', 'admin']);
    const { _id: usage = '' } = (await getRow(later, 1, '?month=3&year=2026')).usage ?? {};
    await must(later, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
    await must(later, 'POST', `o365/quickbooks/month-invoice/${usage}`, { userItem: ITEM });
    const made = books.invoices.at(-1) ?? {};
    const number = String(made['DocNumber']);
    /** What happens to the invoice in QuickBooks, until Daybook has read it. */
    const change = async (fields: object): Promise<void> => {
      Object.assign(made, fields, {
        MetaData: { LastUpdatedTime: new Date(clock.now()).toISOString() },
      });
      fixture.pass(16 * 60_000);
      await bureau.read();
      await work();
    };
    await change({ DueDate: new Date(clock.now() - DAY).toISOString().slice(0, 10) });

    const customer = await office.as('customer', ['o365_admin'], [1]);
    const payOnline = async (who = customer, body: object = { companyId: 1 }) => {
      const { status, text } = await who('POST', 'o365/checkout/invoice', body);
      return [status, (JSON.parse(text) as { data?: object; message?: string }).data ?? text];
    };
    const read = async (who: Asker, name: string) => {
      const id = await findUser({ office, ground: fixture }, name);
      const { rows } = await must<OutputOf<'getSubscription'>>(
        who,
        'GET',
        `o365/subscriptions/${id}`,
      );
      return rows.map(({ subscription, unpaidInvoice }) => [subscription?.status, unpaidInvoice]);
    };
    expect(await read(customer, 'customer')).toEqual([['payment_failed', number]]);
    // Online payment isn't on for the invoice.
    expect(await payOnline()).toEqual([200, { url: null }]);
    Object.assign(made, {
      AllowOnlineCreditCardPayment: true,
      BillEmail: { Address: 'accounts@calloway.example' },
    });
    const url = `https://connect.intuit.com/t/scs-v1-${String(made['Id'])}`;
    expect(await payOnline()).toEqual([200, { url }]);
    expect(await payOnline(customer, {})).toEqual([200, { url }]);
    const provider = await office.as('provider', ['super-admin', 'admin']);
    expect(await payOnline(provider)).toEqual([200, { url }]);
    // Nobody is led to another site.
    for (const link of [
      'https://intuit.com.evil.example/t/1',
      'https://evilintuit.com/t/1',
      'http://connect.intuit.com/t/1',
      'javascript:alert(1)',
      'no address',
    ]) {
      qb.errors.push({
        when: ({ path }) => path.includes('invoiceLink'),
        ...json({ Invoice: { ...made, InvoiceLink: link } }),
      });
      expect([link, await payOnline()]).toEqual([link, [200, { url: null }]]);
    }
    // Nor does anybody reach another company's invoice.
    const other = await office.as('other', ['o365_admin'], [2]);
    expect((await payOnline(other))[0]).toBe(404);
    expect(await payOnline(other, {})).toEqual([
      409,
      expect.stringContaining('This company has no unpaid invoice.'),
    ]);
    expect(await read(other, 'other')).toEqual([['active', null]]);
    const reader = await office.as('reader', ['read-only'], [1]);
    expect((await payOnline(reader))[0]).toBe(403);

    // Intuit enters the payment in the books.
    await change({ Balance: 0 });
    const payer = await office.as('payer', ['o365_admin'], [1]);
    expect(await read(payer, 'payer')).toEqual([['active', null]]);
    expect((await payOnline(payer))[0]).toBe(409);
    await qb.stop();
  });
});
