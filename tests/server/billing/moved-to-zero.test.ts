import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import { aTill, loseAnswer, makeRun, pay, type Till } from './stripe-fixtures.ts';
import { DAY, getRow, must } from './subscription-fixtures.ts';

const START = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
const collect = (till: Till) => payments(till.ground.context)(makeRun(till));
const subscribe = async (till: Till, companyId: number): Promise<void> => {
  const { url } = await must<OutputOf<'subscribeByCard'>>(
    till.owner,
    'POST',
    'o365/checkout/subscribe',
    { companyId },
  );
  await pay(till, url ?? '');
};

interface Item {
  readonly price: { readonly id: string; readonly unit_amount: number };
  readonly quantity?: number;
}
const getItem = ({ stripe }: Till, at: number): Item | undefined =>
  (stripe.list('subscriptions')[at]?.['items'] as { data: Item[] } | undefined)?.data[0];

/** Two companies that pay by card as former versions had it: Stripe charges a price of its own. */
async function aFormerTill(store: Store, afterDays = 0): Promise<Till> {
  const fresh = await aTill(store);
  fresh.ground.pass(afterDays * DAY);
  const owner =
    afterDays === 0
      ? fresh.owner
      : await fresh.office.as('beginner', ['super-admin', 'o365_admin']);
  const till = { ...fresh, owner };
  const { stripe, office, ground: fixture } = till;
  await must(owner, 'POST', 'o365/subscriptions/start/1', START);
  await must(owner, 'POST', 'o365/subscriptions/start/2', { ...START, level: 'basic' });
  await subscribe(till, 1);
  await subscribe(till, 2);
  for (const [at, [price, quantity]] of (
    [
      ['price_advanced', 4],
      ['price_basic', null],
    ] as const
  ).entries()) {
    const row = stripe.list('subscriptions')[at];
    const item = getItem(till, at);
    const [published] = stripe.list('prices').filter(({ id }) => id === price);
    const { quantity: _, ...rest } = item ?? {};
    await stripe.change(
      row?.id ?? '',
      {
        items: {
          object: 'list',
          data: [{ ...rest, price: published, ...(quantity !== null && { quantity }) }],
        },
      },
      'customer.subscription.updated',
    );
  }
  await fixture.context.store.tenant(office.tenant, ({ sql }) =>
    sql
      .updateTable('stripe_customer')
      .set({ collected_from: null })
      .where('tenant_id', '=', office.tenant)
      .execute(),
  );
  return till;
}

const listOwn = ({ stripe }: Till) =>
  stripe
    .list('invoices')
    .flatMap(({ metadata, customer, amount_paid: paid }) =>
      (metadata as { month?: string } | undefined)?.month === undefined
        ? []
        : [
            [
              stripe.list('customers').findIndex(({ id }) => id === customer) + 1,
              (metadata as { month: string }).month,
              paid,
            ],
          ],
    );

/** Companies have no order of their own. */
const byFirst = ([one]: readonly unknown[], [other]: readonly unknown[]): number =>
  String(one).localeCompare(String(other), 'en');

const byMonth = (one: readonly unknown[], other: readonly unknown[]): number =>
  `${String(one[0])} ${String(one[1])}`.localeCompare(
    `${String(other[0])} ${String(other[1])}`,
    'en',
  );

/** The days of a stay at Stripe's own price, by hand: 30 days each, from the first one on. */
const PERIOD_DAYS = 30;

anyDatabase((kind, open) => {
  test.each([
    [1, 3],
    [9, 10],
    [20, 25],
    [29, 14],
  ])(
    `BILL-22: after a move, no day is charged twice and none never: begun %i days after 2 March, moved %i days later (${kind})`,
    async (begun, moved) => {
      const till = await aFormerTill(await open(), begun);
      const { ground: fixture, stripe } = till;
      fixture.pass(moved * DAY);
      await till.work();
      await collect(till);
      // Time passes until May is over and collected; Stripe renews its periods at zero.
      for (let days = 0; days < 110; days += 10) {
        fixture.pass(10 * DAY);
        await till.work();
        await stripe.renew();
        await collect(till);
      }
      const start = Date.UTC(2026, 2, 2) / DAY + begun;
      const expected: unknown[][] = [];
      for (const [company, dayMills, from] of [
        // Four users: the licensed price was charged ahead for a period, the metered one for none yet.
        [1, 16_000, start + PERIOD_DAYS],
        [2, 10_000, start],
      ] as const)
        for (const [month, first, length] of [
          ['2026-03', Date.UTC(2026, 2, 1) / DAY, 31],
          ['2026-04', Date.UTC(2026, 3, 1) / DAY, 30],
          ['2026-05', Date.UTC(2026, 4, 1) / DAY, 31],
        ] as const) {
          let days = 0;
          for (let day = first; day < first + length; day += 1) if (day >= from) days += 1;
          const hundredths = Math.round((400 * days) / length);
          if (days > 0)
            expected.push([company, month, Math.round((hundredths * dayMills) / 4_000)]);
        }
      expect(
        listOwn(till)
          .filter(([, month]) => String(month) <= '2026-05')
          .toSorted(byMonth),
      ).toEqual(expected);
    },
  );

  test(`BILL-20, BILL-22: subscriptions that Stripe charged by its own prices get a price of zero once, and their days are collected that it hasn't charged (${kind})`, async () => {
    const till = await aFormerTill(await open());
    const { stripe, ground: fixture, office } = till;
    expect([0, 1].map((at) => getItem(till, at)?.price.unit_amount)).toEqual([400, 250]);
    // The answer of the first write is lost: it acts once.
    loseAnswer(till);
    await collect(till);
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect([0, 1].map((at) => getItem(till, at)?.price.unit_amount)).toEqual([0, 0]);
    // A metered item stays metered: it has no quantity.
    expect([0, 1].map((at) => getItem(till, at)?.quantity)).toEqual([1, undefined]);
    const prices = stripe.list('prices').length;
    const from = await fixture.context.store.tenant(office.tenant, ({ sql }) =>
      sql.selectFrom('stripe_customer').select('collected_from').execute(),
    );
    // Both began on 2 March. One was charged ahead for 30 days, the other one for nothing yet.
    expect(new Set(from.map((row) => row.collected_from))).toEqual(
      new Set(['2026-03-02', '2026-04-01']),
    );
    expect(from).toHaveLength(2);
    for (const days of [34, 30]) {
      fixture.pass(days * DAY);
      await till.work();
      await collect(till);
    }
    expect(stripe.list('prices')).toHaveLength(prices);
    // At least 4 users at $4.00 and at $2.50, of the second in 30 of the 31 days of March, too.
    expect(listOwn(till).toSorted(byMonth)).toEqual([
      [1, '2026-04', 1_600],
      [2, '2026-03', 968],
      [2, '2026-04', 1_000],
    ]);
  });

  test(`BILL-20: a subscription that Stripe refuses to change stays as it is, is tried again, and stops no other (${kind})`, async () => {
    const till = await aFormerTill(await open());
    const { stripe, ground: fixture } = till;
    const first = stripe.list('subscriptions')[0]?.id ?? '';
    fixture.context.payments.connectTo(async (request) =>
      request.method === 'POST' && request.url.endsWith(`/subscriptions/${first}`)
        ? Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 })
        : stripe.fetch(request),
    );
    const getPrices = () => [0, 1].map((at) => getItem(till, at)?.price.unit_amount);
    await collect(till);
    expect(getPrices()).toEqual([400, 0]);
    fixture.context.payments.connectTo(stripe.fetch);
    await collect(till);
    expect(getPrices()).toEqual([0, 0]);
  });

  test(`BILL-9, BILL-22: after the provider changed its currency, each company is billed and charged in its own, to the cent (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture, owner, office } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await subscribe(till, 1);
    await must(owner, 'PUT', 'o365/billing/settings', {
      ...(await must<object>(owner, 'GET', 'o365/billing/settings')),
      currency: 'EUR',
    });
    await must(owner, 'POST', 'o365/subscriptions/start/2', START);
    await subscribe(till, 2);
    // What is paid by card keeps its currency.
    const refused = await owner('POST', 'o365/subscriptions/change-level/1', { level: 'basic' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('currency')]);
    fixture.pass(34 * DAY);
    await till.work();
    await collect(till);
    const later = await office.as('later', ['super-admin', 'o365_admin']);
    const march = '?month=3&year=2026';
    const rows = await Promise.all([1, 2].map((company) => getRow(later, company, march)));
    // 30 of 31 days of 4 users are 3.87, at 4.00 of each currency.
    expect(
      rows.map(({ usage, companyId, company }) => [
        company,
        companyId.length > 0,
        usage?.currency,
        usage?.totalMills,
      ]),
    ).toEqual([
      [1, true, 'USD', 15_480],
      [2, true, 'EUR', 15_480],
    ]);
    expect(
      stripe
        .list('invoices')
        .filter(({ amount_paid: paid }) => paid !== 0)
        .map(({ currency, amount_paid: paid }) => [currency, paid])
        .toSorted(byFirst),
    ).toEqual([
      ['eur', 1_548],
      ['usd', 1_548],
    ]);
  });
});
