import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { payments } from '#server/features/billing/stripe/payments-job.ts';
import { usageDays } from '#server/features/billing/suite-usage/usage-days.ts';
import { makeAll } from '../backup/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { addObject } from '../backup/objects.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aTill, loseAnswer, makeRun, pay, type Till } from './stripe-fixtures.ts';
import { DAY, getRow, must } from './subscription-fixtures.ts';

const START = { level: 'advanced', minimumUsers: 4, trialEndsAt: null };
const collect = (till: Till) => payments(till.ground.context)(makeRun(till));
const subscribe = (who: Asker, companyId = 1): Promise<OutputOf<'subscribeByCard'>> =>
  must(who, 'POST', 'o365/checkout/subscribe', { companyId });
const running = ({ stripe }: Till) =>
  stripe.list('subscriptions').filter(({ status }) => status !== 'canceled');

/** What Stripe has charged by month; what it charges by prices of its own has none. */
function getCharged({ stripe }: Till, customer: unknown): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const invoice of stripe.list('invoices')) {
    const amount = Number(invoice['amount_paid']);
    if (invoice['customer'] !== customer || amount === 0) continue;
    const month = (invoice['metadata'] as { month?: string } | undefined)?.month ?? 'none';
    sums[month] = (sums[month] ?? 0) + amount;
  }
  return sums;
}

anyDatabase((kind, open) => {
  test(`BILL-22: a company that pays by invoice begins to pay by card, once, whatever tabs are open (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, office, ground: fixture } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await must(owner, 'POST', 'o365/subscriptions/start/2', { ...START, level: 'free' });
    const buyer = await office.as('buyer', ['o365_admin'], [1]);
    expect((await buyer('POST', 'o365/checkout/subscribe', { companyId: 2 })).status).toBe(404);
    const reader = await office.as('reader', ['operator']);
    expect((await reader('POST', 'o365/checkout/subscribe', { companyId: 1 })).status).toBe(403);
    const free = await owner('POST', 'o365/checkout/subscribe', { companyId: 2 });
    expect([free.status, free.text]).toEqual([409, expect.stringContaining('is free')]);
    // A lost answer and a second tab lead to the same page.
    loseAnswer(till);
    expect((await buyer('POST', 'o365/checkout/subscribe', {})).status).toBe(503);
    const { url } = await subscribe(buyer);
    expect((await subscribe(owner)).url).toBe(url);
    expect(stripe.list('sessions')).toHaveLength(1);
    // Another price needs another page, and the page before can't be paid any more.
    await must(owner, 'POST', 'o365/subscriptions/update/1', { userMills: 3_105, minimumUsers: 4 });
    const { url: next } = await subscribe(buyer);
    expect(next).not.toBe(url);
    expect(await pay(till, url ?? '')).toBe('');
    expect(stripe.list('sessions').at(-1)).toMatchObject({
      custom_text: { submit: { message: expect.stringMatching(/\$3\.105 .* 4 users/) } },
    });
    const back = await pay(till, next ?? '');
    const page = /\/subscriptions\/checkout\/(cs_\w+)\/success$/.exec(back)?.[1] ?? '';
    expect(await must(buyer, 'GET', `o365/checkout/${page}/success`)).toEqual({
      status: 'complete',
      mode: 'subscription',
      isLinked: true,
      isRefused: false,
    });
    expect((await getRow(owner)).subscription).toMatchObject({
      status: 'active',
      hasCard: true,
      userMills: 3_105,
      minimumUsers: 4,
    });
    const again = await buyer('POST', 'o365/checkout/subscribe', {});
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('by card already')]);
    for (const payload of stripe.events.toReversed()) expect(await stripe.send(payload)).toBe(200);
    expect(running(till)).toHaveLength(1);
    // Two pages that are paid anyway, such as from two servers: one subscription remains.
    await must(owner, 'POST', 'o365/subscriptions/change-level/2', { level: 'advanced' });
    const pages: string[] = [];
    let isFirst = true;
    fixture.context.payments.connectTo(async (request) => {
      if (isFirst && request.method === 'POST' && request.url.endsWith('/checkout/sessions')) {
        isFirst = false;
        pages.push((await subscribe(owner, 2)).url ?? '');
      }
      return stripe.fetch(request);
    });
    pages.push((await subscribe(owner, 2)).url ?? '');
    for (const one of pages) await pay(till, one);
    expect(running(till)).toHaveLength(2);
    expect((await getRow(owner, 2)).subscription).toMatchObject({ hasCard: true });
  });

  test(`BILL-22, BILL-13: a restored card subscription is paid again, and a lost event is made up for (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, owner, ground: fixture } = till;
    const trialEndsAt = fixture.context.clock.now() + 20 * DAY;
    await must(owner, 'POST', 'o365/subscriptions/start/1', { ...START, trialEndsAt });
    await pay(till, (await subscribe(owner)).url ?? '');
    expect(running(till)).toMatchObject([{ trial_end: Math.floor(trialEndsAt / 1_000) }]);
    await must(owner, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    await collect(till);
    expect(running(till)).toEqual([]);
    await must(owner, 'POST', 'o365/deleted-companies/1/restore', {});
    const status = async () => (await getRow(owner)).subscription?.status;
    expect(await status()).toBe('pending');
    // Events of the subscription that has ended say nothing about it.
    for (const payload of stripe.events) expect(await stripe.send(payload)).toBe(200);
    expect(await status()).toBe('pending');
    // Terms change without Stripe, which has nothing of it.
    await must(owner, 'POST', 'o365/subscriptions/change-level/1', { level: 'basic' });
    await must(owner, 'PUT', 'o365/billing/secrets/stripe-webhook', { value: 'whsec_other' });
    const back = await pay(till, (await subscribe(owner)).url ?? '');
    const page = /(cs_\w+)/.exec(back)?.[1] ?? '';
    const getResult = () => must(owner, 'GET', `o365/checkout/${page}/success`);
    expect([await status(), await getResult()]).toMatchObject(['pending', { isLinked: false }]);
    await collect(till);
    expect([await status(), await getResult()]).toMatchObject(['active', { isLinked: true }]);
    expect(running(till)).toHaveLength(1);
  });

  test(`BILL-22: a month is charged once, with what it bills, however many answers are lost (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture, office } = till;
    let { owner } = till;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await pay(till, (await subscribe(owner)).url ?? '');
    fixture.pass(31 * DAY);
    owner = await office.as('later', ['super-admin', 'o365_admin']);
    const march = '?month=3&year=2026';
    await till.work();
    const { _id: usage = '' } = (await getRow(owner, 1, march)).usage ?? {};
    await must(owner, 'PUT', `o365/subscriptions/billing/${usage}`, { users: 1_234, gigabytes: 0 });
    const change = (users: number) =>
      owner('PUT', `o365/subscriptions/billing/${usage}`, { users, gigabytes: 0 });
    // Three days to look at it; then it is closed.
    await collect(till);
    expect(stripe.list('invoices').filter(({ status }) => status === 'draft')).toEqual([]);
    fixture.pass(3 * DAY);
    owner = await office.as('much-later', ['super-admin', 'o365_admin']);
    for (let lost = 0; lost < 3; lost += 1) {
      loseAnswer(till);
      await collect(till);
      expect((await change(99)).status).toBe(409);
    }
    await collect(till);
    await collect(till);
    const row = await getRow(owner, 1, march);
    // 12.34 users, or the minimum of 4, at $4.00.
    expect(row.usage).toMatchObject({ totalMills: 49_360, ack: true, invoice: 'STAND-0002' });
    expect(row.usage?.acknowledged?.name).toBe('System');
    const customer = stripe.list('customers')[0]?.id ?? '';
    expect(getCharged(till, customer)).toEqual({ '2026-03': 4_936 });
    expect(stripe.list('invoices').at(-1)).toMatchObject({
      lines: { data: [{ amount: 4_936, description: 'Users in 2026-03: 12.34 at $4.00' }] },
    });
  });

  test(`BILL-22, BILL-13: all invoices that a card didn't pay are owed, and are paid or written off together (${kind})`, async () => {
    const till = await aTill(await open());
    const { stripe, ground: fixture, office } = till;
    await must(till.owner, 'POST', 'o365/subscriptions/start/1', START);
    await pay(till, (await subscribe(till.owner)).url ?? '');
    const customer = stripe.list('customers')[0]?.id ?? '';
    stripe.setDeclined(customer, true);
    let owner = till.owner;
    for (const days of [34, 30]) {
      fixture.pass(days * DAY);
      await till.work();
      await collect(till);
    }
    owner = await office.as('later', ['super-admin', 'o365_admin']);
    // 30 of 31 days of March and the whole of April, at least 4 users, at $4.00.
    const [march = 0, april = 0] = await Promise.all(
      [3, 4].map(
        async (month) =>
          (await getRow(owner, 1, `?month=${month}&year=2026`)).usage?.totalMills ?? 0,
      ),
    );
    expect([march % 10, april]).toEqual([0, 16_000]);
    expect((await getRow(owner)).subscription).toMatchObject({ owedMills: march + april });
    const openInvoices = stripe.list('invoices').filter(({ status }) => status === 'open');
    expect(openInvoices).toHaveLength(2);
    // Stripe tries again.
    stripe.setDeclined(customer, false);
    const retry = (id: string) =>
      stripe.fetch(
        new Request(`https://api.stripe.com/v1/invoices/${id}/pay`, {
          method: 'POST',
          headers: { authorization: 'Bearer sk_test_standin' },
        }),
      );
    await retry(openInvoices[0]?.id ?? '');
    const owed = await getRow(owner);
    expect(owed.subscription).toMatchObject({ owedMills: april });
    expect(['payment_failed', 'disabled']).toContain(owed.subscription?.status);
    await must(owner, 'POST', 'o365/subscriptions/forgive-company', { companyId: 1 });
    expect((await getRow(owner)).subscription).toMatchObject({ status: 'active', owedMills: 0 });
    expect(getCharged(till, customer)).toEqual({ '2026-03': march / 10 });
    await collect(till);
    expect((await getRow(owner)).subscription).toMatchObject({ status: 'active' });
  });

  test(`BILL-22: Stripe charges each month to the cent what a count by hand of its days says (${kind})`, async () => {
    const [seed = 0] = fc.sample(fc.integer({ min: 0, max: 1e9 }), 1);
    const { charged, expected } = await playHistories(await aTill(await open()), seed);
    expect(charged, `seed ${seed}`).toEqual(expected);
  }, 300_000);
});

/** What was agreed, as this test books it. */
interface Agreed {
  readonly level: 'basic' | 'advanced';
  readonly price: number;
  readonly minimum: number;
  /** The first day that is billed. */
  readonly billedFrom: string;
}
interface History {
  readonly n: number;
  agreed: Agreed | null;
  before: Agreed | null;
  hasCard: boolean;
  isDeleted: boolean;
  /** By date: users and terms. */
  readonly days: Map<string, { readonly users: number; readonly agreed: Agreed }>;
  /** The first day of each user. */
  readonly joined: readonly number[];
  readonly cardDays: Set<string>;
}

const PRICES = { basic: 2_500, advanced: 4_000 };
const getDate = (at: number): string => new Date(at).toISOString().slice(0, 10);

type Charges = readonly Readonly<Record<string, number>>[];

/** Returns what Stripe charged each company by month, and what this test expects. */
async function playHistories(
  till: Till,
  seed: number,
): Promise<{ readonly charged: Charges; readonly expected: Charges }> {
  const { ground: fixture, office, stripe } = till;
  const { clock } = fixture.context;
  let state = seed;
  const draw = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const began = clock.now();
  const histories: History[] = [];
  let { owner } = till;
  for (const n of [1, 2]) {
    till.recording.directory = fixture.context.chance.uuid();
    const made = n === 1 ? till.made : await makeAll(owner, n, `Tenant ${n}`);
    const joined = Array.from({ length: 3 + draw(5) }, () => draw(60));
    await fixture.context.store.tenant(office.tenant, async (tx) => {
      for (const [index, day] of joined.entries())
        await addObject(tx, made, {
          n: n * 100 + index,
          kind: 'mailbox',
          user: `u${n}-${index}`,
          bytes: 10,
          points: Array.from({ length: 12 }, (_, turn) => began + (day + turn * 10) * DAY),
        });
    });
    histories.push({
      n,
      agreed: null,
      before: null,
      hasCard: false,
      isDeleted: false,
      days: new Map(),
      joined,
      cardDays: new Set(),
    });
  }
  for (let day = 0; day < 68; day += 1) {
    owner = await office.as(`owner${day}`, ['super-admin', 'o365_admin']);
    for (const one of histories) await step(till, owner, one, { day, draw });
    const date = getDate(clock.now());
    for (const one of histories) {
      if (one.agreed === null) continue;
      if (one.hasCard) one.cardDays.add(date);
      if (date >= one.agreed.billedFrom)
        one.days.set(date, {
          users: one.joined.filter((first) => first <= day).length,
          agreed: one.agreed,
        });
      if (one.isDeleted) one.agreed = null;
    }
    fixture.pass(DAY);
    await stripe.renew();
    await usageDays(fixture.context)(makeRun(till));
    await till.work();
    await collect(till);
  }
  const customers = await fixture.context.store.tenant(office.tenant, ({ sql }) =>
    sql.selectFrom('stripe_customer').selectAll().execute(),
  );
  return {
    charged: histories.map(({ n }) =>
      getCharged(till, customers.find(({ company_n: company }) => company === n)?.customer_id),
    ),
    expected: histories.map((one) =>
      Object.fromEntries(
        ['2026-03', '2026-04'].flatMap((month) => {
          const cents = countByHand(one, month);
          const last = [...one.days.keys()].filter((date) => date.startsWith(month)).at(-1);
          return cents > 0 && last !== undefined && one.cardDays.has(last) ? [[month, cents]] : [];
        }),
      ),
    ),
  };
}

/** Does something at random, and books what was agreed from today on. */
async function step(
  till: Till,
  owner: Asker,
  one: History,
  { day, draw }: { readonly day: number; readonly draw: (below: number) => number },
): Promise<void> {
  const now = till.ground.context.clock.now();
  const to = `o365/subscriptions`;
  const did = async (path: string, body: object): Promise<boolean> =>
    (await owner('POST', `${to}/${path}`, body)).status === 200;
  const { agreed, n } = one;
  if (one.isDeleted) return;
  if (agreed === null) {
    if (draw(4) > 0 && day < 9) return;
    const trialDays = draw(2) * (3 + draw(9));
    await must(owner, 'POST', `${to}/start/${n}`, {
      level: 'advanced',
      minimumUsers: draw(6),
      trialEndsAt: trialDays === 0 ? null : now + trialDays * DAY,
    });
    const { minimumUsers = 0 } = (await getRow(owner, n)).subscription ?? {};
    one.agreed = {
      level: 'advanced',
      price: PRICES.advanced,
      minimum: minimumUsers,
      billedFrom: getDate(now + trialDays * DAY),
    };
    return;
  }
  if (!one.hasCard) {
    if (draw(9) > 0 && day < 20) return;
    await pay(till, (await subscribe(owner, n)).url ?? '');
    one.hasCard = true;
    one.before = null;
    return;
  }
  const level = agreed.level === 'basic' ? 'advanced' : 'basic';
  const next = (more: Partial<Agreed>): void => {
    one.before = agreed;
    one.agreed = { ...agreed, ...more };
  };
  switch (draw(40)) {
    case 0:
    case 1:
      if (await did(`change-level/${n}`, { level })) next({ level, price: PRICES[level] });
      return;
    case 2:
    case 3: {
      const terms = { userMills: 1_005 + draw(3_000), minimumUsers: draw(9) };
      if (await did(`update/${n}`, terms))
        next({ price: terms.userMills, minimum: terms.minimumUsers });
      return;
    }
    case 4: {
      const days = 3 + draw(9);
      if (await did(`update-trial/${n}`, { trialEndsAt: now + days * DAY }))
        next({ billedFrom: getDate(now + days * DAY) });
      return;
    }
    case 5:
    case 6:
      if (one.before !== null && (await did(`rollback/${n}`, {}))) {
        one.agreed = one.before;
        one.before = null;
      }
      return;
    case 7:
      if (draw(3) === 0 && (await did('delete-company', { companyId: n }))) one.isDeleted = true;
      return;
    default:
  }
}

/** Hundredths of an average, half up. */
const average = (sum: number, days: number): number => Math.floor((sum * 200 + days) / (2 * days));

/** What the days of a month cost together, in cents: by terms, then by price. */
function countByHand({ days }: History, month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const length = new Date(Date.UTC(year, number, 0)).getUTCDate();
  const own = [...days].filter(([date]) => date.startsWith(month)).map(([, one]) => one);
  const byTerms = Map.groupBy(own, ({ agreed: { level, price, minimum } }) =>
    [level, price, minimum].join(' '),
  );
  const byPrice = new Map<number, number>();
  for (const same of byTerms.values()) {
    const { price = 0, minimum = 0 } = same[0]?.agreed ?? {};
    const users = average(
      same.reduce((sum, one) => sum + one.users, 0),
      length,
    );
    const quantity = Math.max(users, average(minimum * same.length, length));
    byPrice.set(price, (byPrice.get(price) ?? 0) + quantity);
  }
  return [...byPrice].reduce(
    (sum, [price, quantity]) => sum + Math.floor((quantity * price + 500) / 1_000),
    0,
  );
}
