import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import type { Extras } from '#server/demo/stripe/stand-in-invoices.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import { user } from '../http/fixtures.ts';
import { loadMails } from '../notifications/fixtures.ts';
import { loseAnswer, aTill, makeRun, pay, type Till } from './stripe-fixtures.ts';
import { DAY, getRow, HOUR, must } from './subscription-fixtures.ts';

const START = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
const MARCH = '?month=3&year=2026';
const NO_EXTRAS: Extras = { tax: null, discountCents: 0 };
/** 30 of 31 days of at least 4 users: 3.87, at $4.00. */
const MARCH_MILLS = 15_480;
const MARCH_CENTS = MARCH_MILLS / 10;
const collect = (till: Till) => payments(till.ground.context)(makeRun(till));

/** A company that pays by card, on the day on which its first month is due. */
async function aDueMonth(store: Store): Promise<Till> {
  const till = await aTill(store);
  const { office, ground: fixture, owner } = till;
  await user(fixture, office.tenant, {
    username: 'sue',
    email: 'sue@example.com',
    roles: ['super-admin'],
    companies: null,
  });
  await must(owner, 'POST', 'o365/subscriptions/start/1', START);
  const { url } = await must<OutputOf<'subscribeByCard'>>(
    owner,
    'POST',
    'o365/checkout/subscribe',
    { companyId: 1 },
  );
  await pay(till, url ?? '');
  fixture.pass(34 * DAY);
  await till.work();
  const later = await office.as('later', ['super-admin', 'o365_admin']);
  return { ...till, owner: later };
}
/** Hours pass in these tests, after which a session has expired. */
const signIn = ({ office, ground: fixture }: Till) =>
  office.as(`u${fixture.context.chance.uuid().slice(0, 8)}`, ['super-admin', 'o365_admin']);
const getUsage = async (till: Till) => {
  const { usage } = await getRow(await signIn(till), 1, MARCH);
  if (usage === null) throw new Error('no usage');
  return usage;
};
const listOwn = ({ stripe }: Till) =>
  stripe.list('invoices').filter(({ metadata }) => (metadata as { month?: string })?.month);
const countMails = async ({ ground: fixture, office }: Till): Promise<number> =>
  (await loadMails(fixture, office)).filter(
    ({ to, subject }) => to === 'sue@example.com' && subject.startsWith('Not collected'),
  ).length;

anyDatabase((kind, open) => {
  test(`BILL-22: who acknowledged a month before its end can change it for three days after that (${kind})`, async () => {
    const till = await aTill(await open());
    const { owner, ground: fixture } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const { url } = await must<OutputOf<'subscribeByCard'>>(
      owner,
      'POST',
      'o365/checkout/subscribe',
      { companyId: 1 },
    );
    await pay(till, url ?? '');
    fixture.pass(29 * DAY);
    await till.work();
    const { _id: usage } = await getUsage(till);
    await must(await signIn(till), 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
    fixture.pass(DAY);
    await till.work();
    // The last day has changed nothing, so that it is still acknowledged.
    expect(await getUsage(till)).toMatchObject({ ack: true, isOver: true });
    await collect(till);
    expect(listOwn(till)).toEqual([]);
    fixture.pass(3 * DAY);
    await collect(till);
    expect(listOwn(till)).toMatchObject([{ status: 'paid', amount_paid: MARCH_CENTS }]);
  });

  test(`BILL-22: a tax that Stripe adds, or that is in the amount, doesn't keep a month from being collected (${kind})`, async () => {
    for (const [behavior, paid] of [
      // A tenth of $15.48 is $1.548.
      ['exclusive', MARCH_CENTS + 155],
      ['inclusive', MARCH_CENTS],
    ] as const) {
      const till = await aDueMonth(await open());
      till.stripe.setExtras({ tax: { percent: 10, behavior }, discountCents: 0 });
      await collect(till);
      expect(listOwn(till)).toMatchObject([{ status: 'paid', amount_paid: paid }]);
      expect(await getUsage(till)).toMatchObject({
        totalMills: MARCH_MILLS,
        invoice: 'STAND-0002',
        error: null,
      });
      expect(await countMails(till)).toBe(0);
    }
  });

  test(`BILL-22: an invoice whose amount differs is never charged: the month says so, one email is sent, and a corrected draft is charged (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    // A discount, and a tax that makes up for it: the sum is the month's, and our lines are not.
    for (const extras of [
      { tax: null, discountCents: 500 },
      { tax: { percent: 10, behavior: 'exclusive' }, discountCents: 141 },
    ] as const) {
      stripe.setExtras(extras);
      for (let hour = 0; hour < 3; hour += 1) {
        await collect(till);
        fixture.pass(HOUR);
      }
      expect(listOwn(till)).toMatchObject([{ status: 'draft', amount_paid: 0 }]);
    }
    expect(listOwn(till)).toMatchObject([{ total: MARCH_CENTS }]);
    expect(await getUsage(till)).toMatchObject({
      invoice: null,
      error: { kind: 'differs', netMills: MARCH_MILLS - 1_410, totalMills: MARCH_MILLS },
    });
    expect(await countMails(till)).toBe(1);
    const mail = (await loadMails(fixture, till.office)).find(({ to }) => to === 'sue@example.com');
    expect(mail?.subject).toBe('Not collected: Calloway Freight, 2026-03');
    for (const words of ['It costs $15.48.', '$10.48 without tax', '/o365/billing?month=2026-03'])
      expect(mail?.text).toContain(words);
    stripe.setExtras(NO_EXTRAS);
    await collect(till);
    expect(listOwn(till)).toMatchObject([{ status: 'paid', amount_paid: MARCH_CENTS }]);
    expect(await getUsage(till)).toMatchObject({ invoice: 'STAND-0002', error: null });
  });

  test(`BILL-22: a deleted draft is made again, and what Stripe refuses is shown and emailed once (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    stripe.setExtras({ tax: null, discountCents: 500 });
    await collect(till);
    const [draft] = listOwn(till);
    await stripe.fetch(
      new Request(`https://api.stripe.com/v1/invoices/${draft?.id}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer sk_test_standin' },
      }),
    );
    fixture.context.payments.connectTo(async (request) =>
      request.method === 'POST' && request.url.endsWith('/invoices')
        ? Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 })
        : stripe.fetch(request),
    );
    await collect(till);
    await collect(till);
    expect(await getUsage(till)).toMatchObject({ invoice: null, error: { kind: 'refused' } });
    expect(await countMails(till)).toBe(1);
    // As nothing was made at Stripe, the month can be changed.
    const { _id: id } = await getUsage(till);
    const change = async (users: number): Promise<number> =>
      (
        await (
          await signIn(till)
        )('PUT', `o365/subscriptions/billing/${id}`, {
          users,
          gigabytes: 0,
        })
      ).status;
    expect(await change(900)).toBe(200);
    // A change while a draft is being made: the draft isn't charged.
    await collect(till);
    let isFirst = true;
    fixture.context.payments.connectTo(async (request) => {
      const answer = await stripe.fetch(request);
      if (isFirst && request.method === 'POST' && request.url.endsWith('/invoices')) {
        isFirst = false;
        expect(await change(200)).toBe(200);
      }
      return answer;
    });
    await collect(till);
    expect(listOwn(till)).toMatchObject([{ status: 'draft', total: 0 }]);
    stripe.setExtras(NO_EXTRAS);
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(listOwn(till)).toMatchObject([
      { status: 'draft', total: 0 },
      { status: 'paid', amount_paid: MARCH_CENTS },
    ]);
    expect(await getUsage(till)).toMatchObject({ error: null });
  });

  test(`BILL-13, BILL-22: a month that Stripe refuses is owed, stops backups after the grace period, and delays no other month (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    const getSubscription = async () => (await getRow(await signIn(till))).subscription;
    fixture.context.payments.connectTo(async (request) =>
      request.method === 'POST' &&
      request.url.endsWith('/invoices') &&
      (await request.clone().text()).includes('2026-03')
        ? Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 })
        : stripe.fetch(request),
    );
    await collect(till);
    const owing = { status: 'payment_failed', owedMills: MARCH_MILLS };
    const first = await getSubscription();
    expect(first).toMatchObject(owing);
    fixture.pass(HOUR);
    await collect(till);
    expect(await getSubscription()).toMatchObject({ ...owing, graceEndsAt: first?.graceEndsAt });
    fixture.pass((first?.graceEndsAt ?? 0) - fixture.context.clock.now());
    await till.work();
    expect((await getSubscription())?.status).toBe('disabled');
    // April is collected, although March isn't. That settles nothing of March.
    fixture.pass(31 * DAY);
    await till.work();
    await collect(till);
    expect(listOwn(till).map(({ status, metadata }) => [status, metadata])).toEqual([
      ['paid', expect.objectContaining({ month: '2026-04' })],
    ]);
    expect(await getSubscription()).toMatchObject({ status: 'disabled', owedMills: MARCH_MILLS });
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(listOwn(till)).toHaveLength(2);
    expect(await getSubscription()).toMatchObject({ status: 'active', owedMills: 0 });
  });

  test(`BILL-13, BILL-22: a secret key that Stripe refuses makes nobody owe anything, and settles nothing (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    const getSubscription = async () => (await getRow(await signIn(till))).subscription;
    const refuse = (status: number, type: string): void =>
      fixture.context.payments.connectTo(async (request) =>
        request.method === 'POST' && request.url.endsWith('/invoices')
          ? Response.json({ error: { type } }, { status })
          : stripe.fetch(request),
      );
    // docs.stripe.com/api/errors: 401 for no valid key, 403 for one without the permission.
    for (const status of [401, 403]) {
      refuse(status, 'invalid_request_error');
      await collect(till);
      expect(await getUsage(till)).toMatchObject({ error: { kind: 'unauthorized' } });
    }
    expect(await countMails(till)).toBe(1);
    expect(await getSubscription()).toMatchObject({ status: 'active', owedMills: 0 });
    refuse(400, 'invalid_request_error');
    await collect(till);
    const owing = { status: 'payment_failed', owedMills: MARCH_MILLS };
    expect(await getSubscription()).toMatchObject(owing);
    expect(await countMails(till)).toBe(2);
    refuse(401, 'invalid_request_error');
    await collect(till);
    expect(await getSubscription()).toMatchObject(owing);
    expect(await getUsage(till)).toMatchObject({ error: { kind: 'refused' } });
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(listOwn(till)).toMatchObject([{ status: 'paid', amount_paid: MARCH_CENTS }]);
  });

  test(`BILL-13, BILL-22: a debt of a month that Stripe refused is written off for good (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    stripe.setExtras({ tax: null, discountCents: 500 });
    await collect(till);
    const owner = await signIn(till);
    expect((await getRow(owner)).subscription).toMatchObject({ owedMills: MARCH_MILLS });
    await must(owner, 'POST', 'o365/subscriptions/forgive-company', { companyId: 1 });
    stripe.setExtras(NO_EXTRAS);
    for (let hours = 0; hours < 8; hours += 1) {
      fixture.pass(HOUR);
      await collect(till);
    }
    expect(listOwn(till)).toMatchObject([{ status: 'draft', amount_paid: 0 }]);
    const { subscription, usage } = await getRow(await signIn(till), 1, MARCH);
    expect(subscription).toMatchObject({ status: 'active', owedMills: 0 });
    expect(usage).toMatchObject({ error: null });
  });

  test(`BILL-16: a month whose invoice was voided at Stripe is open again, and is collected once more when somebody acknowledges it (${kind})`, async () => {
    for (const isEventLost of [false, true]) {
      const till = await aDueMonth(await open());
      const { stripe, ground: fixture } = till;
      const customer = stripe.list('customers')[0]?.id ?? '';
      stripe.setDeclined(customer, true);
      await collect(till);
      const [declined] = listOwn(till);
      expect(await getUsage(till)).toMatchObject({ invoice: 'STAND-0002', isReleased: false });
      if (isEventLost)
        await must(till.owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_x' });
      await stripe.fetch(
        new Request(`https://api.stripe.com/v1/invoices/${declined?.id}/void`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk_test_standin' },
        }),
      );
      stripe.setDeclined(customer, false);
      fixture.pass(6 * HOUR);
      if (isEventLost) await collect(till);
      for (const payload of stripe.events.toReversed()) await stripe.send(payload);
      await collect(till);
      expect(await getUsage(till)).toMatchObject({
        invoice: null,
        ack: false,
        isReleased: true,
        isByCard: true,
      });
      expect(listOwn(till)).toHaveLength(1);
      const owner = await signIn(till);
      const { _id: usage } = await getUsage(till);
      await must(owner, 'POST', `o365/subscriptions/billing/${usage}/ack`, {});
      await collect(till);
      await collect(till);
      expect(listOwn(till).map(({ status, amount_paid }) => [status, amount_paid])).toEqual([
        ['void', 0],
        ['paid', MARCH_CENTS],
      ]);
      expect(await getUsage(till)).toMatchObject({ invoice: 'STAND-0003', isReleased: false });
    }
  });

  test(`BILL-13, BILL-16: what was written off is void at Stripe and isn't billed again, whichever answer is lost (${kind})`, async () => {
    const till = await aDueMonth(await open());
    const { stripe, ground: fixture } = till;
    stripe.setDeclined(stripe.list('customers')[0]?.id ?? '', true);
    await collect(till);
    const body = { companyId: 1 };
    loseAnswer(till);
    expect((await till.owner('POST', 'o365/subscriptions/forgive-company', body)).status).toBe(503);
    fixture.context.payments.connectTo(stripe.fetch);
    await must(till.owner, 'POST', 'o365/subscriptions/forgive-company', body);
    expect((await getRow(till.owner)).subscription).toMatchObject({
      status: 'active',
      owedMills: 0,
    });
    fixture.pass(7 * HOUR);
    await collect(till);
    await collect(till);
    expect(listOwn(till)).toMatchObject([{ status: 'void' }]);
    expect(await getUsage(till)).toMatchObject({ invoice: 'STAND-0002', isReleased: false });
  });
});
