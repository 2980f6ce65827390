import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { anyDatabase } from '../db/databases.ts';
import { addInvoice, append, setBalance } from './debt-fixtures.ts';
import { aTill, makeRun, pay, type Till } from './stripe-fixtures.ts';
import { DAY, getRow, HOUR, must } from './subscription-fixtures.ts';

const START = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
const collect = (till: Till) => payments(till.ground.context)(makeRun(till));
const openPage = async ({ owner }: Till, companyId = 1): Promise<string> =>
  (await must<OutputOf<'subscribeByCard'>>(owner, 'POST', 'o365/checkout/subscribe', { companyId }))
    .url ?? '';
const getResult = async ({ owner }: Till, back: string): Promise<unknown> =>
  must(owner, 'GET', `o365/checkout/${/(cs_\w+)/.exec(back)?.[1] ?? ''}/success`);
const getSubscription = ({ ground: fixture, office }: Till) =>
  fixture.context.store.tenant(
    office.tenant,
    async (tx) => (await tx.all('subscription')).find(({ company }) => company === 1),
    { readOnly: true },
  );
const listStatuses = ({ stripe }: Till) => stripe.list('subscriptions').map((one) => one['status']);
const listDefaultCards = ({ stripe }: Till) =>
  stripe
    .list('customers')
    .map(
      (one) =>
        (one['invoice_settings'] as { default_payment_method?: string } | undefined)
          ?.default_payment_method,
    );

/** What the hourly job does when invoices of a company are overdue, and when its grace period ends. */
async function suspend(till: Till, steps: readonly ('failed' | 'disabled')[]): Promise<void> {
  const row = await getSubscription(till);
  if (row === undefined) throw new Error('no subscription');
  const graceEndsAt = till.ground.context.clock.now() + DAY;
  await append(
    till,
    steps.map((step) => ({
      company: row.company,
      entity: `subscription:${row.id}`,
      event:
        step === 'failed'
          ? { type: 'subscription.failed@1', data: { id: row.id, graceEndsAt, owedMills: 99_000 } }
          : { type: 'subscription.disabled@1', data: { id: row.id } },
    })),
  );
}

anyDatabase((kind, open) => {
  test.each([
    ['payment_failed', ['failed']],
    ['disabled', ['failed', 'disabled']],
  ] as const)(
    `BILL-13, BILL-22: a card that is added after payments failed settles nothing while the status is %s (${kind})`,
    async (status, steps) => {
      const till = await aTill(await open());
      const { stripe, owner } = till;
      await must(owner, 'POST', 'o365/subscriptions/start/1', START);
      const url = await openPage(till);
      await suspend(till, steps);
      const before = await getSubscription(till);
      const owing = { status, owedMills: 99_000, graceEndsAt: before?.graceEndsAt };
      expect(before).toMatchObject({ ...owing, hasCard: false });
      // The same page is offered now.
      expect(await openPage(till)).toBe(url);
      const back = await pay(till, url);
      const check = async (): Promise<void> => {
        expect(await getSubscription(till)).toMatchObject({ ...owing, hasCard: true });
        expect(listStatuses(till)).toEqual(['active']);
        expect(await getResult(till, back)).toMatchObject({ isLinked: true, isRefused: false });
      };
      await check();
      for (const payload of stripe.events.toReversed())
        expect(await stripe.send(payload)).toBe(200);
      for (let hours = 0; hours < 8; hours += 1) {
        till.ground.pass(HOUR);
        await collect(till);
      }
      expect(await getSubscription(till)).toMatchObject({ ...owing, hasCard: true });
      expect(stripe.list('invoices').filter(({ total }) => total !== 0)).toEqual([]);
      const later = await till.office.as('later', ['super-admin', 'o365_admin']);
      await must(later, 'POST', 'o365/subscriptions/forgive-company', { companyId: 1 });
      await collect(till);
      expect(await getSubscription(till)).toMatchObject({
        status: 'active',
        owedMills: 0,
        hasCard: true,
      });
    },
  );

  test(`BILL-13, BILL-22: a suspended company that adds a card owes what QuickBooks says, until it is paid there (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await addInvoice(till, '2026-03-01');
    await till.work();
    await suspend(till, ['disabled']);
    expect(await getSubscription(till)).toMatchObject({ status: 'disabled', owedMills: 5_000 });
    await pay(till, await openPage(till));
    await collect(till);
    const owing = { status: 'disabled', owedMills: 5_000, hasCard: true };
    expect(await getSubscription(till)).toMatchObject(owing);
    await setBalance(till, 0);
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({ ...owing, status: 'active', owedMills: 0 });
  });

  test(`BILL-13: a subscription that ended at Stripe before it was linked is never linked (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const url = await openPage(till);
    const { id = '' } = (await getSubscription(till)) ?? {};
    const change = (type: 'subscription.cancelled@1' | 'subscription.rolledBack@1') =>
      append(till, [{ company: 1, entity: `subscription:${id}`, event: { type, data: { id } } }]);
    await change('subscription.cancelled@1');
    // It is ended at Stripe, and the answer is lost. It runs again when it is tried again.
    fixture.context.payments.connectTo(async (request) => {
      const answer = await stripe.fetch(request);
      if (request.method === 'DELETE') throw new TypeError('fetch failed');
      return answer;
    });
    await pay(till, url);
    fixture.context.payments.connectTo(stripe.fetch);
    await change('subscription.rolledBack@1');
    await collect(till);
    await collect(till);
    expect(listStatuses(till)).toEqual(['canceled']);
    expect(await getSubscription(till)).toMatchObject({ status: 'active', hasCard: false });
  });

  test(`BILL-13, BILL-22: what is overdue in QuickBooks is owed by who pays by card, until it is paid there (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner, ground: fixture } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const url = await openPage(till);
    await addInvoice(till, '2026-03-01');
    // The card is attached before the hourly job has seen that the invoice is overdue.
    await pay(till, url);
    const owing = { status: 'payment_failed', owedMills: 5_000, hasCard: true };
    const first = await getSubscription(till);
    expect(first).toMatchObject(owing);
    fixture.pass(HOUR);
    await till.work();
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({
      ...owing,
      graceEndsAt: first?.graceEndsAt,
    });
    await setBalance(till, 2_000);
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({
      ...owing,
      owedMills: 2_000,
      graceEndsAt: first?.graceEndsAt,
    });
    // What was read long ago settles nothing.
    await setBalance(till, 2_000, fixture.context.clock.now() - 3 * DAY);
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({ ...owing, owedMills: 2_000 });
    await setBalance(till, 0);
    await collect(till);
    const paid = { status: 'active', owedMills: 0, graceEndsAt: null, hasCard: true };
    expect(await getSubscription(till)).toMatchObject(paid);
    // What was read long ago stops nothing. Read again, it is owed within an hour.
    await setBalance(till, 3_000, fixture.context.clock.now() - 3 * DAY);
    await collect(till);
    expect(await getSubscription(till)).toMatchObject(paid);
    await setBalance(till, 3_000);
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({ ...owing, owedMills: 3_000 });
  });

  test(`BILL-13: what was written off is not owed again after the company was deleted and restored (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await addInvoice(till, '2026-03-01');
    await till.work();
    expect(await getSubscription(till)).toMatchObject({
      status: 'payment_failed',
      owedMills: 5_000,
    });
    await must(owner, 'POST', 'o365/subscriptions/forgive-company', { companyId: 1 });
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
    await till.work();
    expect(await getSubscription(till)).toMatchObject({ status: 'active', owedMills: 0 });
  });

  test(`BILL-13, BILL-22: what was owed before a card was added is owed after the company was deleted and restored, until it is written off (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await suspend(till, ['failed']);
    await pay(till, await openPage(till));
    const owing = { status: 'payment_failed', owedMills: 99_000, hasCard: true };
    expect(await getSubscription(till)).toMatchObject(owing);
    const deleteAndRestore = async (): Promise<void> => {
      await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
      await collect(till);
      await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
      await collect(till);
      expect(await getSubscription(till)).toMatchObject({ status: 'pending', owedMills: 99_000 });
    };
    // Also if it is deleted again before a card is added.
    await deleteAndRestore();
    await deleteAndRestore();
    expect((await getRow(owner)).subscription).toMatchObject({ owedMills: 99_000 });
    await pay(till, await openPage(till));
    const attached = await getSubscription(till);
    expect(attached).toMatchObject(owing);
    expect(attached?.graceEndsAt).toBeGreaterThan(till.ground.context.clock.now());
    for (let hours = 0; hours < 8; hours += 1) {
      till.ground.pass(HOUR);
      await collect(till);
    }
    expect(await getSubscription(till)).toMatchObject({
      ...owing,
      graceEndsAt: attached?.graceEndsAt,
    });
    const later = await till.office.as('later', ['super-admin', 'o365_admin']);
    await must(later, 'POST', 'o365/subscriptions/forgive-company', { companyId: 1 });
    await collect(till);
    expect(await getSubscription(till)).toMatchObject({ status: 'active', owedMills: 0 });
  });

  test(`BILL-13, BILL-22: what was paid in QuickBooks while a company was deleted is not owed after it was restored, even without QuickBooks (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner, ground: fixture, office } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await addInvoice(till, '2026-03-01');
    await till.work();
    await pay(till, await openPage(till));
    expect(await getSubscription(till)).toMatchObject({ owedMills: 5_000, hasCard: true });
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    await collect(till);
    await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
    await setBalance(till, 0);
    await pay(till, await openPage(till));
    const paid = { status: 'active', owedMills: 0, hasCard: true };
    expect(await getSubscription(till)).toMatchObject(paid);
    await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      await sql.deleteFrom('invoice').where('tenant_id', '=', tenant).execute();
      await sql.deleteFrom('quickbooks').where('tenant_id', '=', tenant).execute();
    });
    for (let hours = 0; hours < 8; hours += 1) {
      fixture.pass(HOUR);
      await collect(till);
    }
    expect(await getSubscription(till)).toMatchObject(paid);
  });

  test(`BILL-10, BILL-22: what a page leads to is finished later if Stripe can't be reached in between (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await must(owner, 'POST', 'o365/subscriptions/start/2', START);
    const fail = (isFailing: (request: Request) => boolean): void =>
      fixture.context.payments.connectTo((request) => {
        if (isFailing(request)) throw new TypeError('fetch failed');
        return stripe.fetch(request);
      });
    fail(({ method, url }) => method === 'POST' && /\/customers\/\w+$/.test(url));
    const back = await pay(till, await openPage(till));
    expect(listDefaultCards(till)).toEqual([undefined]);
    expect(await getResult(till, back)).toMatchObject({ isLinked: false, isRefused: false });
    // Stripe's event doesn't come again: the hourly job finishes it.
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(listDefaultCards(till)).toEqual([expect.stringMatching(/^pm_/)]);
    expect(await getResult(till, back)).toMatchObject({ isLinked: true, isRefused: false });
    // Once it is done, a late event doesn't bring back the card of then.
    const [customer] = stripe.list('customers');
    const written = stripe.count('customers');
    for (const payload of stripe.events) expect(await stripe.send(payload)).toBe(200);
    expect([stripe.count('customers'), stripe.list('customers')[0]]).toEqual([written, customer]);

    // A second page of another tab: ending its subscription fails first.
    const pages: string[] = [];
    let isFirst = true;
    fixture.context.payments.connectTo(async (request) => {
      if (isFirst && request.method === 'POST' && request.url.endsWith('/checkout/sessions')) {
        isFirst = false;
        const terms = { userMills: 3_105, minimumUsers: 4 };
        await must(owner, 'POST', 'o365/subscriptions/update/2', terms);
        pages.push(await openPage(till, 2));
      }
      return stripe.fetch(request);
    });
    pages.push(await openPage(till, 2));
    fail(({ method }) => method === 'DELETE');
    for (const page of pages) await pay(till, page);
    expect(listStatuses(till)).toEqual(['active', 'active', 'active']);
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(listStatuses(till)).toEqual(['active', 'active', 'canceled']);
  });
});
