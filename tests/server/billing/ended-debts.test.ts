import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { addInvoice, setBalance } from './debt-fixtures.ts';
import { aTill, makeRun, pay } from './stripe-fixtures.ts';
import { aShop, DAY, getRow, list, must, type Shop } from './subscription-fixtures.ts';

const START = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
const OPERATION = { companyId: 1 };

/** An administrator whose sign-in isn't older than the clock, which the test has moved. */
const later = ({ office }: Shop, name: string): Promise<Asker> =>
  office.as(name, ['super-admin', 'o365_admin']);

const listed = async (who: Asker, month = '') =>
  (await list(who, month)).rows.find(({ company }) => company === 1) ?? null;

/** The subscription of company 1 ended in March, and its invoice of 5.00 isn't paid. */
async function endOwing(shop: Shop): Promise<void> {
  await must(shop.owner, 'POST', 'o365/subscriptions/start/1', START);
  await addInvoice(shop, '2026-03-01');
  await shop.work();
  await must(shop.owner, 'POST', 'o365/subscriptions/cancel/1', {});
}

/** The hourly job two months later, when QuickBooks was read again. */
async function passMonths(shop: Shop, balance: number): Promise<void> {
  shop.ground.pass(61 * DAY);
  await setBalance(shop, balance);
  await shop.work();
}

eachDatabase((kind, open) => {
  test(`BILL-13, BILL-17: what is owed of an ended subscription stays listed until it is paid (${kind})`, async () => {
    const shop = await aShop(await open());
    await endOwing(shop);
    const ended = (await getRow(shop.owner)).subscription;
    expect(ended).toMatchObject({ status: 'ended', owedMills: 5_000, graceEndsAt: null });
    await passMonths(shop, 5_000);
    const owner = await later(shop, 'later');
    const owing = { ...ended, undo: null };
    // In the month of today, in the one between, and in the one in which it ended.
    for (const month of ['', '?month=4&year=2026', '?month=3&year=2026'])
      expect(await listed(owner, month)).toMatchObject({ subscription: owing });
    // Nothing is known of a month to come.
    expect(await listed(owner, '?month=6&year=2026')).toBeNull();
    const all = await must<OutputOf<'listAllSubscriptions'>>(owner, 'GET', 'admin/subscriptions');
    expect(all.rows).toMatchObject([{ companyName: 'Calloway Freight', payment: 'unpaid' }]);
    expect(all.totals).toEqual([{ currency: 'USD', totalMills: 0, owedMills: 5_000 }]);
    const file = await owner('POST', 'o365/subscriptions/export', { format: 'csv' });
    expect(file.text).toContain('Calloway Freight,2026-05,ended');
    // Another one isn't started beside it, and a part that is paid is no longer owed.
    const another = await owner('POST', 'o365/subscriptions/start/1', START);
    expect([another.status, another.text]).toEqual([409, expect.stringContaining('still owes')]);
    await setBalance(shop, 2_000);
    await shop.work();
    expect(await listed(owner)).toMatchObject({ subscription: { ...owing, owedMills: 2_000 } });
    await setBalance(shop, 0);
    await shop.work();
    expect(await listed(owner)).toBeNull();
    expect(await listed(owner, '?month=4&year=2026')).toMatchObject({ subscription: owing });
    expect((await list(owner)).rows).toEqual([]);
    // It is owed again if the payment is taken back.
    await setBalance(shop, 5_000);
    await shop.work();
    expect(await listed(owner)).toMatchObject({ subscription: owing });
  });

  test(`BILL-13, BILL-14: what is owed of an ended subscription can be forgiven, for good (${kind})`, async () => {
    const shop = await aShop(await open());
    await endOwing(shop);
    const { usage, unpaidInvoice } = await getRow(shop.owner);
    expect(unpaidInvoice).toBe('1001');
    // On the day of the end: what the month bills stays.
    const path = 'o365/subscriptions/preview/1';
    expect(await must(shop.owner, 'POST', path, { operation: 'forgive' })).toMatchObject({
      status: 'ended',
      forgivenMills: 5_000,
      monthlyBeforeMills: 0,
      monthlyAfterMills: 0,
      undoableUntil: null,
    });
    const forgive = 'o365/subscriptions/forgive-company';
    expect(await must(shop.owner, 'POST', forgive, OPERATION)).toMatchObject({
      subscription: { status: 'ended', owedMills: 0 },
    });
    await shop.work();
    expect((await getRow(shop.owner)).usage).toMatchObject({
      totalMills: usage?.totalMills,
      users: usage?.users,
    });
    // There is nothing more to forgive.
    expect((await shop.owner('POST', forgive, OPERATION)).status).toBe(409);
    await passMonths(shop, 5_000);
    const owner = await later(shop, 'later');
    expect(await listed(owner)).toBeNull();
    // QuickBooks still has the invoice. A new subscription doesn't owe it.
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await shop.work();
    // Nor is it offered to be paid online.
    expect(await getRow(owner)).toMatchObject({
      subscription: { status: 'active', owedMills: 0 },
      unpaidInvoice: null,
    });
  });

  test(`BILL-13: what a deleted company owes can be forgiven, and isn't owed after it is restored (${kind})`, async () => {
    const shop = await aShop(await open());
    await must(shop.owner, 'POST', 'o365/subscriptions/start/1', START);
    await addInvoice(shop, '2026-03-01');
    await shop.work();
    await must(shop.owner, 'POST', 'o365/subscriptions/delete-company', OPERATION);
    shop.ground.pass(29 * DAY);
    await setBalance(shop, 5_000);
    await shop.work();
    const owner = await later(shop, 'later');
    const row = await listed(owner, '?month=3&year=2026');
    expect(row).toMatchObject({ isDeleted: true, subscription: { owedMills: 5_000 } });
    const forgive = 'o365/subscriptions/forgive-company';
    const other = await shop.office.as('other', ['super-admin', 'o365_admin'], [2]);
    expect((await other('POST', forgive, OPERATION)).status).toBe(404);
    await must(owner, 'POST', forgive, OPERATION);
    await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
    await shop.work();
    expect((await getRow(owner)).subscription).toMatchObject({ status: 'active', owedMills: 0 });
  });

  test(`BILL-13, BILL-22: what Stripe didn't collect of an ended subscription is owed until Stripe has it or it is forgiven (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture } = till;
    const collect = () => payments(fixture.context)(makeRun(till));
    await must(till.owner, 'POST', 'o365/subscriptions/start/1', START);
    const page = await must<OutputOf<'subscribeByCard'>>(
      till.owner,
      'POST',
      'o365/checkout/subscribe',
      OPERATION,
    );
    await pay(till, page.url ?? '');
    const customer = stripe.list('customers')[0]?.id ?? '';
    stripe.setDeclined(customer, true);
    await must(till.owner, 'POST', 'o365/subscriptions/delete-company', OPERATION);
    await collect();
    // The last month is collected after the end, which fails.
    fixture.pass(34 * DAY);
    await till.work();
    await collect();
    const owner = await later(till, 'later');
    const [march] = (await list(owner, '?month=3&year=2026')).rows;
    const owed = march?.usage?.totalMills ?? 0;
    expect(owed).toBeGreaterThan(0);
    expect(await listed(owner)).toMatchObject({
      isDeleted: true,
      subscription: { status: 'ended', owedMills: owed },
    });
    // Stripe tries again.
    stripe.setDeclined(customer, false);
    const [unpaid] = stripe.list('invoices').filter(({ status }) => status === 'open');
    const retry = new Request(`https://api.stripe.com/v1/invoices/${unpaid?.id}/pay`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_standin' },
    });
    await stripe.fetch(retry);
    expect(await listed(owner)).toBeNull();
  });
});
