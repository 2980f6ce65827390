import { expect, test } from 'vitest';
import { Stripe } from 'stripe';
import type { OutputOf } from '#contract/calls.ts';
import { makeStripeStandIn } from '#server/demo/stripe/stand-in.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { makeAll } from '../backup/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import {
  aTill,
  collectCards,
  hook,
  loseAnswer,
  makeRun,
  pay,
  SECRET,
  subscribe,
} from './stripe-fixtures.ts';
import { addUsers, DAY, getRow, must } from './subscription-fixtures.ts';

test('BILL-11: the stand-in of Stripe refuses what its published API does not have', async () => {
  const stand = makeStripeStandIn({
    clock: { now: () => 0 },
    chance: { uuid: () => '00000000-0000-4000-8000-000000000000' },
    base: '/demo/stripe',
    webhookSecret: SECRET,
    deliver: async () => 200,
  });
  const send = async (path: string, body: Record<string, string>) => {
    const answer = await stand.fetch(
      new Request(`https://api.stripe.com/v1/${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk_test_standin' },
        body: new URLSearchParams(body).toString(),
      }),
    );
    const { error } = (await answer.json()) as { error?: { code?: string; param?: string } };
    return [answer.status, error?.code, error?.param];
  };
  // Usage records and `plan` are gone; the names of today are docs.stripe.com's.
  expect(await send('customers', { 'email': 'a@example.com', 'metadata[company]': '3' })).toEqual([
    200,
    undefined,
    undefined,
  ]);
  for (const [path, name] of [
    ['customers', 'card'],
    ['checkout/sessions', 'line_items[0][plan]'],
    ['checkout/sessions', 'mode[0]'],
    ['subscriptions/sub_1', 'items[0][price][id]'],
    ['prices', 'unit_amount_mills'],
  ] as const)
    expect(await send(path, { [name]: 'x' })).toEqual([400, 'parameter_unknown', name]);
  // Stripe names the parameter of an unknown value, without a code.
  const price = { 'currency': 'usd', 'recurring[interval]': 'month' };
  for (const [path, name, value, more] of [
    ['checkout/sessions', 'mode', 'card', {}],
    ['invoices', 'collection_method', 'automatic', {}],
    ['invoices', 'pending_invoice_items_behavior', 'none', {}],
    ['subscriptions/sub_1', 'proration_behavior', 'no', {}],
    ['prices', 'recurring[interval]', 'monthly', price],
    ['prices', 'recurring[usage_type]', 'meter', price],
  ] as const)
    expect(await send(path, { ...more, [name]: value })).toEqual([400, undefined, name]);
  expect(await send('prices', price)).toEqual([200, undefined, undefined]);
  expect(await send('billing/meter_events', { event_name: 'users' })).toEqual([
    400,
    'parameter_missing',
    'payload',
  ]);
});

const utcParts = (at: number): [number, number, number] => {
  const [year = 0, month = 0, day = 0] = new Date(at)
    .toISOString()
    .slice(0, 10)
    .split('-')
    .map(Number);
  return [year, month - 1, day];
};

eachDatabase((kind, open) => {
  test(`BILL-10, G54, G68: Stripe's events act once, in any order, and only with a fresh signature (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture } = till;
    await subscribe(till);
    const company = 3;
    const status = async (): Promise<string | undefined> => {
      const rows = await fixture.context.store.tenant(till.office.tenant, (tx) =>
        tx.all('subscription'),
      );
      return rows.find((row) => row.company === company)?.status;
    };
    const [subscription] = stripe.list('subscriptions');
    const id = subscription?.id ?? '';
    expect(await status()).toBe('active');
    const invoice = String(subscription?.['latest_invoice']);
    expect(invoice).toMatch(/^in_/);
    await stripe.change(id, { status: 'past_due' }, 'customer.subscription.updated');
    expect(await status()).toBe('payment_failed');
    await stripe.change(id, { status: 'active' }, 'customer.subscription.updated');
    expect(await status()).toBe('active');
    await stripe.change(id, { cancel_at_period_end: true }, 'customer.subscription.updated');
    expect(await status()).toBe('cancelled');
    const head = await fixture.context.store.tenant(till.office.tenant, (tx) => tx.head());
    // Everything again, backwards and twice: the state of the object counts, and nothing changes.
    for (const payload of stripe.events.toReversed().flatMap((event) => [event, event]))
      expect(await stripe.send(payload)).toBe(200);
    expect(await status()).toBe('cancelled');
    expect(await fixture.context.store.tenant(till.office.tenant, (tx) => tx.head())).toEqual(head);
    const users = await fixture.context.store.tenant(till.office.tenant, (tx) => tx.all('company'));
    expect(users).toHaveLength(3);
    const [payload = ''] = stripe.events;
    for (const signature of ['', 't=1,v1=00', 'v1=00'])
      expect((await hook(till, payload, signature)).status).toBe(400);
    fixture.pass(301_000);
    const old = await hook(
      till,
      payload,
      Stripe.webhooks.generateTestHeaderString({
        payload,
        secret: SECRET,
        timestamp: Math.floor(fixture.context.clock.now() / 1_000) - 301,
      }),
    );
    expect(old.status).toBe(400);
  });

  test(`BILL-10, G54: an older read that ends later changes nothing, and a change whose event was lost is read within hours (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture } = till;
    await subscribe(till);
    const status = () =>
      fixture.context.store.tenant(
        till.office.tenant,
        async (tx) => (await tx.all('subscription')).find(({ company }) => company === 3)?.status,
      );
    const id = stripe.list('subscriptions')[0]?.id ?? '';
    const read = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let isFirst = true;
    fixture.context.payments.connectTo(async (request) => {
      const answer = await stripe.fetch(request);
      if (isFirst) {
        isFirst = false;
        read.resolve();
        await release.promise;
      }
      return answer;
    });
    const slow = stripe.change(id, { status: 'past_due' }, 'customer.subscription.updated');
    await read.promise;
    await stripe.change(id, { status: 'active' }, 'customer.subscription.updated');
    release.resolve();
    await slow;
    expect(await status()).toBe('active');
    // The address of the events is wrong for a while: none arrives.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_other' });
    await stripe.change(id, { status: 'past_due' }, 'customer.subscription.updated');
    await payments(fixture.context)(makeRun(till));
    expect(await status()).toBe('active');
    fixture.pass(6 * 3_600_000);
    await payments(fixture.context)(makeRun(till));
    expect(await status()).toBe('payment_failed');
  });

  test(`BILL-10, BILL-19: a checkout whose payment is not confirmed yet waits for it (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture } = till;
    // As Stripe answers for a debit: the session is complete, its subscription isn't.
    fixture.context.payments.connectTo(async (request) => {
      const answer = await stripe.fetch(request);
      return new Response(
        (await answer.text()).replaceAll('"status":"active"', '"status":"incomplete"'),
        answer,
      );
    });
    await subscribe(till);
    expect((await getRow(owner, 3)).subscription?.status).toBe('pending');
    fixture.context.payments.connectTo(stripe.fetch);
    const id = stripe.list('subscriptions')[0]?.id ?? '';
    await stripe.change(id, { status: 'active' }, 'customer.subscription.updated');
    expect((await getRow(owner, 3)).subscription?.status).toBe('active');
  });

  test(`BILL-11, BILL-20: an undo brings back at Stripe what was agreed, and what has ended there ends here (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture, office } = till;
    let { owner } = till;
    await subscribe(till, { level: 'advanced' });
    const at = () => stripe.list('subscriptions')[0];
    const getItem = () =>
      (
        at()?.['items'] as
          | { data: { price: Record<string, unknown>; quantity: number }[] }
          | undefined
      )?.data[0];
    await must(owner, 'POST', 'o365/subscriptions/update/3', { userMills: 3_000, minimumUsers: 7 });
    await must(owner, 'POST', 'o365/subscriptions/change-level/3', { level: 'basic' });
    await must(owner, 'POST', 'o365/subscriptions/rollback/3', {});
    expect((await getRow(owner, 3)).subscription).toMatchObject({
      level: 'advanced',
      userMills: 3_000,
      minimumUsers: 7,
    });
    expect(getItem()).toMatchObject({
      quantity: 1,
      price: { unit_amount: 0, product: 'prod_price_advanced' },
    });
    // A trial that was over when it was changed: Stripe refuses a moment that has passed.
    const now = fixture.context.clock.now();
    await must(owner, 'POST', 'o365/subscriptions/update-trial/3', {
      trialEndsAt: now + 86_400_000,
    });
    fixture.pass(2 * 86_400_000);
    owner = await office.as('later', ['super-admin']);
    await must(owner, 'POST', 'o365/subscriptions/update-trial/3', {
      trialEndsAt: now + 9 * 86_400_000,
    });
    const ends: unknown[] = [];
    fixture.context.payments.connectTo(async (request) => {
      if (request.method === 'POST')
        ends.push(new URLSearchParams(await request.clone().text()).get('trial_end'));
      return stripe.fetch(request);
    });
    await must(owner, 'POST', 'o365/subscriptions/rollback/3', {});
    expect(ends).toEqual(['now']);
    // Somebody has ended it at Stripe, which answers so to whoever ends it again.
    fixture.context.payments.connectTo(async (request) =>
      request.method === 'DELETE'
        ? Response.json(
            {
              error: { type: 'invalid_request_error', code: 'resource_missing', message: 'None.' },
            },
            { status: 404 },
          )
        : stripe.fetch(request),
    );
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 3 });
    const rows = await fixture.context.store.tenant(office.tenant, (tx) => tx.all('subscription'));
    expect(rows.find(({ company }) => company === 3)).toMatchObject({ status: 'ended' });
  });

  test(`BILL-11, BILL-20: operations are done at Stripe first, once, and no card is stored here (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture, office } = till;
    await collectCards(till);
    await subscribe(till);
    const [subscription] = stripe.list('subscriptions');
    const at = (name: string) => stripe.list('subscriptions')[0]?.[name];
    await must(owner, 'POST', 'o365/subscriptions/cancel/3', {});
    expect([subscription?.['cancel_at_period_end'], at('cancel_at_period_end')]).toEqual([
      false,
      true,
    ]);
    await must(owner, 'POST', 'o365/subscriptions/rollback/3', {});
    expect(at('cancel_at_period_end')).toBe(false);
    // The answer is lost after Stripe has acted: the repeat acts once.
    const writes = stripe.count('subscriptions');
    loseAnswer(till);
    const lost = await owner('POST', 'o365/subscriptions/change-level/3', { level: 'advanced' });
    expect(lost.status).toBe(503);
    await must(owner, 'POST', 'o365/subscriptions/change-level/3', { level: 'advanced' });
    expect(stripe.count('subscriptions')).toBe(writes + 1);
    // Stripe's own amount is zero: the months are collected with ours.
    const product = { unit_amount: 0, product: 'prod_price_advanced' };
    expect(at('items')).toMatchObject({ data: [{ quantity: 1, price: product }] });
    expect((await getRow(owner, 3)).subscription?.level).toBe('advanced');
    // The price and the minimum that are agreed are in the amount of the month alone.
    await must(owner, 'POST', 'o365/subscriptions/update/3', {
      userMills: 3_255,
      minimumUsers: 20,
    });
    await must(owner, 'POST', 'o365/subscriptions/rollback/3', {});
    expect(stripe.count('subscriptions')).toBe(writes + 1);
    const buyer = await office.as('buyer', ['o365_admin'], [3]);
    // A cancellation on Stripe's own page is undone by who pays.
    const id = stripe.list('subscriptions')[0]?.id ?? '';
    await stripe.change(id, { cancel_at_period_end: true }, 'customer.subscription.updated');
    expect((await getRow(owner, 3)).subscription?.status).toBe('cancelled');
    await must(buyer, 'POST', 'o365/subscriptions/rollback/3', {});
    expect([at('cancel_at_period_end'), (await getRow(owner, 3)).subscription?.status]).toEqual([
      false,
      'active',
    ]);
    // Stripe's pages, too: a lost answer, or one that the first request still works on, opens no second.
    for (const [page, kind] of [
      ['update', 'billing_portal'],
      ['ccCollection', 'checkout'],
    ] as const) {
      const opened = stripe.count(kind);
      loseAnswer(till);
      expect((await buyer('POST', `o365/checkout/${page}`, {})).status).toBe(503);
      loseAnswer(till, () => Response.json({ error: { type: 'api_error' } }, { status: 409 }));
      expect((await buyer('POST', `o365/checkout/${page}`, {})).status).toBe(503);
      await must(buyer, 'POST', `o365/checkout/${page}`, {});
      expect(stripe.count(kind)).toBe(opened + 1);
    }
    expect(await must(buyer, 'POST', 'o365/checkout/update', {})).toMatchObject({
      url: expect.stringContaining('/demo/stripe/portal/'),
    });
    const { url } = await must<OutputOf<'collectCard'>>(
      buyer,
      'POST',
      'o365/checkout/ccCollection',
      {},
    );
    // Who doesn't save a card returns to the page with the button.
    expect(stripe.list('sessions').at(-1)).toMatchObject({
      mode: 'setup',
      cancel_url: expect.stringMatching(/\/monitoring\/billing$/),
    });
    const back = await pay(till, url);
    const checkout = new URL(back, 'http://x').searchParams.get('session') ?? '';
    expect(await must(buyer, 'GET', `o365/checkout/${checkout}/success`)).toEqual({
      status: 'complete',
      mode: 'setup',
      isLinked: false,
      isRefused: false,
    });
    expect(JSON.stringify(stripe.list('customers'))).toContain('"default_payment_method":"pm_');
    const stranger = await office.as('stranger', ['o365_admin'], [1]);
    expect((await stranger('GET', `o365/checkout/${checkout}/success`)).status).toBe(404);
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 3 });
    // A key that Stripe refuses leaves the subscription to the next attempt.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'revoked' });
    await payments(fixture.context)(makeRun(till));
    expect(at('status')).toBe('active');
    await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'sk_test_standin' });
    await payments(fixture.context)(makeRun(till));
    expect(at('status')).toBe('canceled');
  });

  test(`BILL-20: a metered level tells Stripe each day's users once (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture, office } = till;
    await subscribe(till);
    await subscribe(till, { email: 'dan@dahlia.example.com', company: 'Dahlia Foods' });
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 4 });
    // A metered price stays metered, so that Stripe shows the usage; it has no amount.
    expect(stripe.list('prices').filter(({ id }) => id !== 'price_basic')).toMatchObject([
      { id: 'price_advanced' },
      {
        unit_amount: 0,
        product: 'prod_price_basic',
        recurring: { interval: 'month', usage_type: 'metered', meter: 'mtr_price_basic' },
      },
    ]);
    till.recording.directory = fixture.context.chance.uuid();
    const made = await makeAll(await office.as('maker3', ['o365_admin']), 3, 'Calla');
    const now = fixture.context.clock.now();
    await addUsers({ ...till, made }, [{ user: 'ada', points: [now] }]);
    fixture.pass(3 * DAY);
    await usageDays(fixture.context)(makeRun(till));
    // A day that Stripe refuses is sent later, and other companies don't wait for it.
    fixture.context.payments.connectTo(async (request) =>
      request.url.endsWith('/meter_events')
        ? Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 })
        : stripe.fetch(request),
    );
    await payments(fixture.context)(makeRun(till));
    expect(stripe.list('subscriptions').map(({ status }) => status)).toEqual([
      'active',
      'canceled',
    ]);
    fixture.context.payments.connectTo(stripe.fetch);
    await payments(fixture.context)(makeRun(till));
    await payments(fixture.context)(makeRun(till));
    const sent = stripe.list('meter_events').map(({ payload }) => payload);
    expect(sent).toEqual(
      [1, 1, 1].map((value) => ({
        stripe_customer_id: stripe.list('customers')[0]?.id,
        value: String(value),
      })),
    );
    // The last seconds of the three days that have passed, in the zone of the provider (UTC).
    const today = Date.UTC(...utcParts(fixture.context.clock.now()));
    expect(stripe.list('meter_events').map((event) => event['timestamp'])).toEqual(
      [2, 1, 0].map((days) => (today - days * DAY) / 1_000 - 1),
    );
    expect(stripe.count('billing')).toBe(3);
  });
});
