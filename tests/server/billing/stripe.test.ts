import { expect, test } from 'vitest';
import { Stripe } from 'stripe';
import type { OutputOf } from '#contract/calls.ts';
import { makeStripeStandIn, type StripeStandIn } from '#server/demo/stripe/stand-in.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { unseal } from '#server/platform/crypto/vault.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeAll } from '../backup/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { ask, login } from '../http/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import {
  addUsers,
  aShop,
  DAY,
  getRow,
  must,
  settings,
  type Shop,
} from './subscription-fixtures.ts';

const SECRET = 'whsec_standin';
const PASSWORD = 'correct horse battery staple';
const HOOK = '/api/v1/o365/billing/stripe';

/** A provider whose Stripe is a stand-in, and whose visitors can sign up. */
interface Till extends Shop {
  readonly stripe: StripeStandIn;
  /** A visitor who is not signed in. */
  readonly visitor: Asker;
  lastLink(): Promise<string>;
}

async function aTill(store: Store, more: object = {}): Promise<Till> {
  const plain = settings() as { levels: { level: string }[] };
  const shop = await aShop(store, {
    isSignUpOpen: true,
    levels: plain.levels.map((level) => ({
      ...level,
      ...(level.level === 'basic' && { stripePrice: 'price_basic', stripeMeter: 'users' }),
      ...(level.level === 'advanced' && { stripePrice: 'price_advanced' }),
    })),
    ...more,
  });
  const { ground: fixture, office, owner } = shop;
  const { world } = fixture;
  await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'sk_test_standin' });
  await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: SECRET });
  const stripe = makeStripeStandIn({
    clock: world.clock,
    chance: world.chance,
    base: '/demo/stripe',
    webhookSecret: SECRET,
    deliver: async (payload, signature) => (await hook(shop, payload, signature)).status,
  });
  world.payments.connectTo(stripe.fetch);
  return {
    ...shop,
    stripe,
    visitor: (method, path, body, headers = {}) =>
      ask(office.app, `/api/v1/${path}`, {
        method,
        host: office.host,
        headers,
        ...(body === undefined ? {} : { body }),
      }),
    lastLink: () => readLink(shop),
  };
}

const hook = ({ office }: Shop, payload: string, signature: string): Promise<Response> =>
  Promise.resolve(
    office.app.request(HOOK, {
      method: 'POST',
      headers: {
        'host': office.host,
        'content-type': 'application/json',
        'stripe-signature': signature,
      },
      body: payload,
    }),
  );

/** The link in the newest email that is waiting to be sent. */
async function readLink({ ground: fixture, office }: Shop): Promise<string> {
  const { world } = fixture;
  const texts = await readMails(world, office.tenant);
  return /register\/(s-[\w-]{43})/.exec(texts.at(-1) ?? '')?.[1] ?? '';
}

async function readMails(
  world: Shop['ground']['world'],
  tenant: string,
): Promise<readonly string[]> {
  return world.store.tenant(tenant, async (tx) => {
    const rows = await tx.sql
      .selectFrom('outgoing')
      .select(['id', 'sealed'])
      .where('tenant_id', '=', tenant)
      .orderBy('made_at')
      .execute();
    const texts: string[] = [];
    for (const { id, sealed } of rows)
      texts.push(await unseal(tx, world, { table: 'outgoing', column: 'sealed', row: id }, sealed));
    return texts;
  });
}

const REGISTRATION = {
  email: 'zoe@calla.example.com',
  name: 'Zoe Calla',
  company: 'Calla Design',
  level: 'basic',
  password: PASSWORD,
};

async function signUp(till: Till, more: object = {}): Promise<string> {
  await must(till.visitor, 'POST', 'o365/provisioning', { ...REGISTRATION, ...more });
  return till.lastLink();
}

/** Pays on the hosted page and returns where it leads. */
async function pay(till: Till, url: string, card = 'good'): Promise<string> {
  const answer = await till.stripe.pages.request(url.replace('/demo/stripe', ''), {
    method: 'POST',
    body: `card=${card}`,
  });
  return answer.headers.get('location') ?? '';
}

/** Stripe acts on the next write, but its answer is lost, or another one comes. */
function loseAnswer({ ground: fixture, stripe }: Till, getOther?: () => Response): void {
  let isNext = true;
  fixture.world.payments.connectTo(async (request) => {
    const isLost = isNext && request.method === 'POST';
    const answer = await stripe.fetch(request);
    if (!isLost) return answer;
    isNext = false;
    if (getOther === undefined) throw new TypeError('fetch failed');
    return getOther();
  });
}

async function subscribe(till: Till, more: object = {}): Promise<string> {
  const hash = await signUp(till, more);
  await must(till.visitor, 'POST', 'o365/provisioning/verify-email', { hash });
  const { url } = await must<OutputOf<'startCheckout'>>(
    till.visitor,
    'POST',
    'o365/provisioning/checkout-session',
    { hash },
  );
  await pay(till, url ?? '');
  return hash;
}

eachDatabase((kind, open) => {
  test(`BILL-19, G36: a new customer registers, verifies, passes the reCAPTCHA, pays and signs in (${kind})`, async () => {
    const till = await aTill(await open(), { recaptcha: { isOn: true, siteKey: 'site' } });
    const { visitor, owner, office } = till;
    await must(owner, 'PUT', 'o365/billing/secrets/recaptcha', { value: 'captcha-secret' });
    const options = await must<OutputOf<'getSignUpOptions'>>(
      visitor,
      'GET',
      'o365/provisioning/options',
    );
    // ACH and licenseStorage are for super-admins; a level without a price at Stripe can't be paid.
    expect(options.levels.map(({ level }) => level)).toEqual(['free', 'basic', 'advanced']);
    const hash = await signUp(till);
    const step = async (path: string, body: object): Promise<string> =>
      (await must<OutputOf<'verifySignUp'>>(visitor, 'POST', `o365/provisioning/${path}`, body))
        .step;
    expect((await visitor('POST', 'o365/provisioning/checkout-session', { hash })).status).toBe(
      409,
    );
    expect(await step('verify-email', { hash })).toBe('captcha');
    const robot = await visitor('POST', 'o365/provisioning/validate-recaptcha', {
      hash,
      response: 'robot',
    });
    expect(robot.status).toBe(409);
    expect(await step('validate-recaptcha', { hash, response: 'human' })).toBe('checkout');
    const { url } = await must<OutputOf<'startCheckout'>>(
      visitor,
      'POST',
      'o365/provisioning/checkout-session',
      { hash },
    );
    expect(await step('verify-email', { hash })).toBe('paying');
    expect(await pay(till, url ?? '', 'declined')).toContain('declined=1');
    expect(await step('verify-email', { hash })).toBe('paying');
    expect(await pay(till, url ?? '')).toContain(`/o365/register/${hash}?checkout=success`);
    expect(await step('verify-email', { hash })).toBe('ready');
    const row = (
      await must<OutputOf<'listSubscriptions'>>(owner, 'GET', 'o365/subscriptions')
    ).rows.find(({ companyName }) => companyName === 'Calla Design');
    expect(row?.subscription).toMatchObject({ status: 'active', level: 'basic', hasCard: true });
    const { token } = (await login(office.app, office.host, REGISTRATION.email, PASSWORD)).body
      .data;
    const own = await ask<OutputOf<'listSubscriptions'>>(office.app, '/api/v1/companies', {
      method: 'GET',
      host: office.host,
      token,
    });
    expect([own.status, own.text.includes('Drummond')]).toEqual([403, false]);
    // A known address gets the same response, another email, and no second account.
    expect(await visitor('POST', 'o365/provisioning', REGISTRATION)).toMatchObject({ status: 200 });
    expect(
      await visitor('POST', 'o365/provisioning/resend-verify-email', {
        email: 'nobody@example.com',
      }),
    ).toMatchObject({ status: 200 });
    expect((await readMails(till.ground.world, office.tenant)).at(-1)).toContain(
      'already have an account',
    );
  });

  test(`BILL-19: a sign-up goes on by a new link, and an abandoned one expires (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, ground: fixture } = till;
    const first = await signUp(till, { level: 'free' });
    await must(visitor, 'POST', 'o365/provisioning/resend-verify-email', {
      email: REGISTRATION.email,
    });
    const second = await till.lastLink();
    const verify = (hash: string) => visitor('POST', 'o365/provisioning/verify-email', { hash });
    expect([(await verify(first)).status, (await verify(second)).status]).toEqual([404, 200]);
    fixture.pass(8 * DAY);
    expect((await verify(second)).status).toBe(404);
    const third = await signUp(till, { level: 'free' });
    await verify(third);
    // A free level needs no payment.
    expect(
      await must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash: third }),
    ).toEqual({ url: null });
    expect((await verify(third)).text).toContain('"step":"ready"');
  });

  test(`BILL-19: a payment page that is open is opened again, and a paid one needs no event (${kind})`, async () => {
    const till = await aTill(await open());
    const { visitor, owner, stripe, office, ground: fixture } = till;
    let hash = await signUp(till);
    await must(visitor, 'POST', 'o365/provisioning/verify-email', { hash });
    const checkOut = (): Promise<OutputOf<'startCheckout'>> =>
      must(visitor, 'POST', 'o365/provisioning/checkout-session', { hash });
    const before = await checkOut();
    expect(await checkOut()).toEqual(before);
    expect(stripe.count('checkout')).toBe(1);
    // A new link ends the page that would lead back to the link before.
    await must(visitor, 'POST', 'o365/provisioning/resend-verify-email', {
      email: REGISTRATION.email,
    });
    hash = await till.lastLink();
    const { url } = await checkOut();
    expect(url).not.toBe(before.url);
    expect(await pay(till, before.url ?? '')).toBe('');
    expect(stripe.list('subscriptions')).toEqual([]);
    // The event doesn't arrive.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_other' });
    await pay(till, url ?? '');
    const getStep = async (): Promise<string> =>
      (
        await must<OutputOf<'verifySignUp'>>(visitor, 'POST', 'o365/provisioning/verify-email', {
          hash,
        })
      ).step;
    expect(await getStep()).toBe('paying');
    expect(await checkOut()).toEqual({ url: null });
    expect(await getStep()).toBe('ready');
    // It comes later, and makes no second account.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: SECRET });
    for (const payload of stripe.events) expect(await stripe.send(payload)).toBe(200);
    const rows = await fixture.world.store.tenant(office.tenant, (tx) => tx.all('subscription'));
    expect(rows.map(({ status, hasCard }) => [status, hasCard])).toEqual([['active', true]]);
  });

  test(`BILL-10, G54, G68: Stripe's events act once, in any order, and only with a fresh signature (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture } = till;
    await subscribe(till);
    const company = 3;
    const status = async (): Promise<string | undefined> => {
      const rows = await fixture.world.store.tenant(till.office.tenant, (tx) =>
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
    const head = await fixture.world.store.tenant(till.office.tenant, (tx) => tx.head());
    // Everything again, backwards and twice: the state of the object counts, and nothing changes.
    for (const payload of stripe.events.toReversed().flatMap((event) => [event, event]))
      expect(await stripe.send(payload)).toBe(200);
    expect(await status()).toBe('cancelled');
    expect(await fixture.world.store.tenant(till.office.tenant, (tx) => tx.head())).toEqual(head);
    const users = await fixture.world.store.tenant(till.office.tenant, (tx) => tx.all('company'));
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
        timestamp: Math.floor(fixture.world.clock.now() / 1_000) - 301,
      }),
    );
    expect(old.status).toBe(400);
  });

  test(`BILL-11, BILL-20: operations are done at Stripe first, once, and no card is stored here (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture, office } = till;
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
    expect(JSON.stringify(at('items'))).toContain('price_advanced');
    expect((await getRow(owner, 3)).subscription?.level).toBe('advanced');
    const buyer = await office.as('buyer', ['o365_admin'], [3]);
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
    const back = await pay(till, url);
    const checkout = new URL(back, 'http://x').searchParams.get('session') ?? '';
    expect(await must(buyer, 'GET', `o365/checkout/${checkout}/success`)).toEqual({
      status: 'complete',
      mode: 'setup',
    });
    expect(JSON.stringify(stripe.list('customers'))).toContain('"default_payment_method":"pm_');
    const stranger = await office.as('stranger', ['o365_admin'], [1]);
    expect((await stranger('GET', `o365/checkout/${checkout}/success`)).status).toBe(404);
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 3 });
    // A key that Stripe refuses leaves the subscription to the next attempt.
    await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'revoked' });
    await payments(fixture.world)(makeRun(till));
    expect(at('status')).toBe('active');
    await must(owner, 'PUT', 'o365/billing/secrets/stripe', { value: 'sk_test_standin' });
    await payments(fixture.world)(makeRun(till));
    expect(at('status')).toBe('canceled');
  });

  test(`BILL-20: a metered level tells Stripe each day's users once (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture, office } = till;
    await subscribe(till);
    await subscribe(till, { email: 'dan@dahlia.example.com', company: 'Dahlia Foods' });
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 4 });
    till.recording.directory = fixture.world.chance.uuid();
    const made = await makeAll(await office.as('maker3', ['o365_admin']), 3, 'Calla');
    const now = fixture.world.clock.now();
    await addUsers({ ...till, made }, [{ user: 'ada', points: [now] }]);
    fixture.pass(3 * DAY);
    await usageDays(fixture.world)(makeRun(till));
    // A day that Stripe refuses is sent later, and other companies don't wait for it.
    fixture.world.payments.connectTo(async (request) =>
      request.url.endsWith('/meter_events')
        ? Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 })
        : stripe.fetch(request),
    );
    await payments(fixture.world)(makeRun(till));
    expect(stripe.list('subscriptions').map(({ status }) => status)).toEqual([
      'active',
      'canceled',
    ]);
    fixture.world.payments.connectTo(stripe.fetch);
    await payments(fixture.world)(makeRun(till));
    await payments(fixture.world)(makeRun(till));
    const sent = stripe.list('meter_events').map(({ payload }) => payload);
    expect(sent).toEqual(
      [1, 1, 1].map((value) => ({
        stripe_customer_id: stripe.list('customers')[0]?.id,
        value: String(value),
      })),
    );
    expect(stripe.count('billing')).toBe(3);
  });
});

const makeRun = ({ office, ground: fixture }: Till) => ({
  tenant: office.tenant,
  payload: null,
  now: fixture.world.clock.now(),
  signal: new AbortController().signal,
});
