import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { getBilledUsage, type CountedUsage } from '#contract/billing/usage-months.ts';
import type { Event, Logged } from '#contract/events.ts';
import type { LoggedAbout } from '#contract/tables.ts';
import { getBilledDays } from '#server/features/billing/subscriptions/billed-terms.ts';
import { sumDays } from '#server/features/billing/subscriptions/count-usage.ts';
import { getCalendarMonth } from '#server/features/billing/subscriptions/month.ts';
import { addObject } from '../backup/objects.ts';
import { eachDatabase } from '../db/databases.ts';
import { aShop, addUsers, DAY, getRow, list, must, settings } from './subscription-fixtures.ts';

const ZONE = 'Europe/Berlin';
const HOUR = 3_600_000;
/** The month has a day of 23 hours. */
const MARCH = getCalendarMonth(2026, 3);
const BEGIN = DateTime.fromObject({ year: 2026, month: 2, day: 20 }, { zone: ZONE });
const HOURS = 60 * 24;

interface Agreed {
  readonly level: string;
  readonly price: number;
  readonly storage: number;
  readonly minimum: number;
  readonly trialEnd: number | null;
}
/** What somebody does in an hour, counted from the beginning. */
type Step = { readonly hour: number } & (
  | {
      readonly what: 'start';
      readonly price: number;
      readonly minimum: number;
      readonly trial: number;
    }
  | { readonly what: 'level'; readonly price: number; readonly storage: number }
  | { readonly what: 'update'; readonly price: number; readonly minimum: number }
  | { readonly what: 'trial'; readonly trial: number }
  | { readonly what: 'undo' | 'end' }
);

const price = fc.constantFrom(0, 1_500, 2_505, 4_000);
const minimum = fc.integer({ min: 0, max: 4 });
const hour = fc.integer({ min: 0, max: HOURS - 1 });
/** Hours that a trial still takes; 0 ends it. */
const trial = fc.constantFrom(0, 5, 100, 400);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ hour, what: fc.constant('start' as const), price, minimum, trial }),
  fc.record({ hour, what: fc.constant('level' as const), price, storage: fc.constantFrom(0, 100) }),
  fc.record({ hour, what: fc.constant('update' as const), price, minimum }),
  fc.record({ hour, what: fc.constant('trial' as const), trial }),
  fc.record({ hour, what: fc.constantFrom('undo' as const, 'end' as const) }),
);
const steps = fc
  .uniqueArray(step, { selector: (one) => one.hour, minLength: 1, maxLength: 14 })
  .map((all) => all.toSorted((a, b) => a.hour - b.hour));
const usage = fc.array(
  fc.record({
    used: fc.integer({ min: 0, max: 9 }),
    bytes: fc.integer({ min: 0, max: 90 }).map((count) => count * 1_000_000_000),
  }),
  { minLength: 31, maxLength: 31 },
);

const at = (count: number): number => BEGIN.toMillis() + count * HOUR;
const getId = (count: number): string =>
  `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;

const log = (event: Event, when: number, seq: number): Logged => ({
  event,
  at: when,
  seq,
  company: 1,
  entity: 'subscription:x',
  actor: { kind: 'clock' },
  subject: null,
  commandId: null,
});

/** The events of the steps, as the log has them. Steps without a running subscription have none. */
function toEvents(all: readonly Step[]): LoggedAbout<'subscription'>[] {
  let count = 0;
  let isRunning = false;
  return all.flatMap((one, seq) => {
    if (one.what === 'start' ? isRunning : !isRunning) return [];
    if (one.what === 'start') count += 1;
    isRunning = one.what !== 'end';
    const event = toEvent(one, getId(count));
    return [log(event, at(one.hour), seq) as LoggedAbout<'subscription'>];
  });
}

function toEvent(one: Step, id: string): Event {
  const getTrialEnd = (length: number): number | null =>
    length === 0 ? null : at(one.hour + length);
  switch (one.what) {
    case 'start':
      return {
        type: 'subscription.started@1',
        data: {
          id,
          company: 1,
          status: 'active',
          currency: 'USD',
          level: 'basic',
          userMills: one.price,
          gigabyteMills: 0,
          minimumUsers: one.minimum,
          periodEndsAt: at(HOURS),
          trialEndsAt: getTrialEnd(one.trial),
          hasCard: false,
        },
      };
    case 'level':
      return {
        type: 'subscription.levelChanged@1',
        data: { id, level: 'advanced', userMills: one.price, gigabyteMills: one.storage },
      };
    case 'update':
      return {
        type: 'subscription.updated@1',
        data: { id, userMills: one.price, minimumUsers: one.minimum },
      };
    case 'trial':
      return {
        type: 'subscription.trialChanged@1',
        data: { id, trialEndsAt: getTrialEnd(one.trial) },
      };
    case 'undo':
      return { type: 'subscription.rolledBack@1', data: { id } };
    case 'end':
      return { type: 'subscription.ended@1', data: { id } };
    default:
      return one satisfies never;
  }
}

const DATES = Array.from({ length: HOURS + 1 }, (_, count) =>
  DateTime.fromMillis(at(count), { zone: ZONE }).toFormat('yyyy-MM-dd'),
);

/** Walks through the hours, and writes down what each day of March costs. */
function bookDays(all: readonly Step[]): ReadonlyMap<number, Agreed> {
  const days = new Map<number, Agreed>();
  let now: Agreed | null = null;
  let before: Agreed | null = null;
  let today = '';
  let last: Agreed | null = null;
  const close = (): void => {
    if (last !== null && today.startsWith('2026-03')) {
      const [year = 0, month = 0, day = 0] = today.split('-').map(Number);
      const next = DateTime.fromObject({ year, month, day }, { zone: ZONE }).plus({ days: 1 });
      if (last.trialEnd === null || at(last.trialEnd) < next.toMillis()) days.set(day, last);
    }
    last = now;
  };
  for (let count = 0; count <= HOURS; count += 1) {
    const date = DATES[count] ?? '';
    if (date !== today) {
      close();
      today = date;
    }
    const one = all.find((step) => step.hour === count);
    if (one !== undefined) [now, before] = take(one, now, before);
    // A day on which it ended still has the terms of before.
    if (now !== null) last = now;
  }
  close();
  return days;
}

function take(
  one: Step,
  now: Agreed | null,
  before: Agreed | null,
): [Agreed | null, Agreed | null] {
  const getTrialEnd = (length: number): number | null => (length === 0 ? null : one.hour + length);
  if (one.what === 'start')
    return now === null
      ? [
          {
            level: 'basic',
            price: one.price,
            storage: 0,
            minimum: one.minimum,
            trialEnd: getTrialEnd(one.trial),
          },
          null,
        ]
      : [now, before];
  if (now === null) return [now, before];
  switch (one.what) {
    case 'level':
      return [{ ...now, level: 'advanced', price: one.price, storage: one.storage }, now];
    case 'update':
      return [{ ...now, price: one.price, minimum: one.minimum }, now];
    case 'trial':
      return [{ ...now, trialEnd: getTrialEnd(one.trial) }, now];
    case 'undo':
      return [before ?? now, null];
    case 'end':
      return [null, null];
    default:
      return one satisfies never;
  }
}

type Days = readonly { readonly day: number; readonly used: number; readonly bytes: number }[];
const toDays = (days: readonly Omit<Days[number], 'day'>[]): Days =>
  days.map((one, index) => ({ ...one, day: MARCH.first + index }));

function countMarch(
  events: readonly LoggedAbout<'subscription'>[],
  days: Days,
): CountedUsage | null {
  const billed = getBilledDays(events, MARCH, ZONE).get(1) ?? new Map();
  return sumDays(billed, days, 31);
}

const toRow = (counted: CountedUsage, changed: { users: number; gigabytes: number } | null) => ({
  id: getId(0),
  company: 1,
  month: MARCH.text,
  ...counted,
  countedAt: 0,
  changed: changed && { ...changed, by: 'u1', at: 0 },
  ack: null,
  invoice: null,
});

test('BILL-15: each day is billed at the terms of that day, whatever happens before and after', () => {
  fc.assert(
    fc.property(steps, usage, (all, used) => {
      const book = bookDays(all);
      const counted = countMarch(toEvents(all), toDays(used));
      if (counted === null) {
        expect(book.size).toBe(0);
        return;
      }
      // Hundredths of users by price; each agreement has its own minimum.
      const lines = new Map<string, number>();
      const add = (kind: string, mills: number, quantity: number): void =>
        void lines.set(`${kind} ${mills}`, (lines.get(`${kind} ${mills}`) ?? 0) + quantity);
      const agreements = Map.groupBy(book, ([, agreed]) =>
        [agreed.level, agreed.price, agreed.storage, agreed.minimum].join(' '),
      );
      for (const same of agreements.values()) {
        const agreed = same[0]?.[1];
        if (agreed === undefined) throw new Error('no days');
        let users = 0;
        let gigabytes = 0;
        for (const [day] of same) {
          users += used[day - 1]?.used ?? 0;
          gigabytes += (used[day - 1]?.bytes ?? 0) / 1_000_000_000;
        }
        const minimumHundredths = Math.round((agreed.minimum * same.length * 100) / 31);
        add('users', agreed.price, Math.max(Math.round((users * 100) / 31), minimumHundredths));
        if (agreed.storage > 0)
          add('gigabytes', agreed.storage, Math.round((gigabytes * 100) / 31));
      }
      const cents = [...lines].map(([key, quantity]) => {
        const exact = quantity * Number(key.split(' ')[1]);
        return Math.floor(exact / 1_000) + (exact % 1_000 >= 500 ? 1 : 0);
      });
      const billed = getBilledUsage(toRow(counted, null));
      expect(billed.totalMills).toBe(cents.reduce((sum, one) => sum + one, 0) * 10);
    }),
    { numRuns: 300 },
  );
});

test('BILL-15: what happens after a month changes nothing of it', () => {
  fc.assert(
    fc.property(steps, usage, (all, used) => {
      const events = toEvents(all);
      const end = DateTime.fromObject({ year: 2026, month: 4, day: 1 }, { zone: ZONE }).toMillis();
      const until = events.filter((one) => one.at < end);
      expect(countMarch(events, toDays(used))).toEqual(countMarch(until, toDays(used)));
    }),
    { numRuns: 300 },
  );
});

test('BILL-15: replaced quantities of a month with two prices are shared out without a remainder', () => {
  const quantity = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(steps, usage, quantity, quantity, (all, used, users, gigabytes) => {
      const counted = countMarch(toEvents(all), toDays(used));
      if (counted === null) return;
      // Without minimums, all that was entered is billed.
      const plain = {
        ...counted,
        minimumUsers: 0,
        ...(counted.parts && {
          parts: counted.parts.map((part) => ({ ...part, minimumUsers: 0 })),
        }),
      };
      const { lines } = getBilledUsage(toRow(plain, { users, gigabytes }));
      const sum = lines.reduce(
        (whole, line) => whole + (line.kind === 'users' ? line.quantity : 0),
        0,
      );
      expect(sum).toBe(users);
    }),
  );
});

const START = { level: 'basic', minimumUsers: 0, trialEndsAt: null };
const IN_MARCH = '?month=3&year=2026';

eachDatabase((kind, open) => {
  /** A company with two users in March, on April 2. */
  const aMarch = async () => {
    const shop = await aShop(await open());
    const { ground: fixture, office } = shop;
    await must(shop.owner, 'POST', 'o365/subscriptions/start/1', START);
    const now = fixture.context.clock.now();
    await addUsers(shop, [
      { user: 'ada', points: [now] },
      { user: 'ben', points: [now + 10 * DAY] },
    ]);
    fixture.pass(31 * DAY);
    await shop.work();
    const owner = await office.as('biller', ['super-admin', 'o365_admin']);
    const { _id: usageId = '' } = (await getRow(owner, 1, IN_MARCH)).usage ?? {};
    return { ...shop, owner, usageId, began: now };
  };

  test(`BILL-15: level, price and trial of April leave March as it was acknowledged (${kind})`, async () => {
    const { owner, office, usageId, work, ground: fixture } = await aMarch();
    await must(owner, 'POST', `o365/subscriptions/billing/${usageId}/ack`, {});
    const before = (await getRow(owner, 1, IN_MARCH)).usage;
    expect(before).toMatchObject({ totalMills: 4_030, ack: true });
    const buyer = await office.as('buyer', ['o365_admin'], [1]);
    await must(buyer, 'POST', 'o365/subscriptions/change-level/1', { level: 'free' });
    await must(owner, 'POST', 'o365/subscriptions/update/1', {
      userMills: 9_000,
      minimumUsers: 50,
    });
    const trialEndsAt = fixture.context.clock.now() + 10 * DAY;
    await must(owner, 'POST', 'o365/subscriptions/update-trial/1', { trialEndsAt });
    fixture.pass(60_000);
    await work();
    expect((await getRow(owner, 1, IN_MARCH)).usage).toEqual(before);
    // April 1 was a day of the old terms, and April 2 is one of the trial.
    expect((await getRow(owner)).usage).toMatchObject({
      level: 'basic',
      lines: [{ kind: 'users', quantity: 7, priceMills: 2_500 }],
    });
  });

  test(`BILL-12, BILL-15: late sessions of March count at March's terms until it is acknowledged (${kind})`, async () => {
    const { owner, usageId, work, began, ground: fixture, office, made } = await aMarch();
    await must(owner, 'POST', 'o365/subscriptions/change-level/1', { level: 'advanced' });
    const late = (user: string, n: number): Promise<void> =>
      fixture.context.store.tenant(office.tenant, (tx) =>
        addObject(tx, made, { n, kind: 'mailbox', user, bytes: 10, points: [began] }),
      );
    await late('cleo', 3);
    fixture.pass(60_000);
    await work();
    // Cleo was there on 30 of 31 days: 80 days in all, at the price of March.
    expect((await getRow(owner, 1, IN_MARCH)).usage).toMatchObject({
      users: 258,
      level: 'basic',
      totalMills: 6_450,
    });
    await must(owner, 'POST', `o365/subscriptions/billing/${usageId}/ack`, {});
    await late('dan', 4);
    fixture.pass(60_000);
    await work();
    expect((await getRow(owner, 1, IN_MARCH)).usage).toMatchObject({ users: 258, ack: true });
    await must(owner, 'POST', `o365/subscriptions/billing/${usageId}/unack`, {});
    await work();
    expect((await getRow(owner, 1, IN_MARCH)).usage).toMatchObject({ users: 355, ack: false });
  });

  test(`BILL-15, BILL-17: a month with two prices has a line of each on the page and in the file (${kind})`, async () => {
    const shop = await aShop(await open());
    const { ground: fixture, owner } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await addUsers(shop, [{ user: 'ada', points: [fixture.context.clock.now()] }]);
    // March 2 to 11 are 10 days of the basic level, March 12 to 31 are 20 of the advanced one.
    fixture.pass(10 * DAY);
    const biller = await shop.office.as('biller', ['super-admin', 'o365_admin']);
    await must(biller, 'POST', 'o365/subscriptions/change-level/1', { level: 'advanced' });
    fixture.pass(21 * DAY);
    await shop.work();
    const later = await shop.office.as('later', ['super-admin', 'o365_admin']);
    const { usage } = await getRow(later, 1, IN_MARCH);
    expect(usage).toMatchObject({
      level: 'advanced',
      users: 97,
      lines: [
        { quantity: 32, priceMills: 2_500, amountMills: 800 },
        { quantity: 65, priceMills: 4_000, amountMills: 2_600 },
      ],
      totalMills: 3_400,
    });
    const file = await later('POST', 'o365/subscriptions/export', { month: 3, year: 2026 });
    expect(file.text).toContain(',0.97,0,0.97,,2.5; 4,,3.4,USD,');
  });

  test(`BILL-15: a month bills each subscription that a company had in it (${kind})`, async () => {
    const shop = await aShop(await open());
    const { ground: fixture, owner } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    const now = fixture.context.clock.now();
    await addUsers(shop, [{ user: 'ada', points: [now, now + 20 * DAY, now + 40 * DAY] }]);
    await must(owner, 'POST', 'o365/subscriptions/cancel/1', {});
    fixture.pass(31 * DAY);
    await shop.work();
    const biller = await shop.office.as('biller', ['super-admin', 'o365_admin']);
    const march = (await getRow(biller, 1, IN_MARCH)).usage;
    // 30 of 31 days.
    expect(march).toMatchObject({ users: 97, totalMills: 2_430 });
    expect((await getRow(biller)).subscription?.status).toBe('ended');
    await must(biller, 'POST', 'o365/subscriptions/start/1', { ...START, level: 'advanced' });
    fixture.pass(60_000);
    await shop.work();
    expect((await getRow(biller, 1, IN_MARCH)).usage).toEqual(march);
    // The cancelled one ended with March, although the clock came later.
    fixture.pass(5 * DAY);
    await shop.work();
    const later = await shop.office.as('later', ['super-admin', 'o365_admin']);
    expect((await getRow(later)).usage?.lines.map(({ priceMills }) => priceMills)).toEqual([4_000]);
    await must(later, 'POST', 'o365/subscriptions/delete-company', { companyId: 1 });
    fixture.pass(2 * DAY);
    await shop.work();
    const restorer = await shop.office.as('restorer', ['super-admin', 'o365_admin']);
    await must(restorer, 'POST', 'o365/deleted-companies/1/restore', {});
    await shop.work();
    expect((await getRow(restorer, 1, IN_MARCH)).usage).toEqual(march);
  });

  test(`BILL-3: a month isn't billed in two currencies (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture } = shop;
    await must(owner, 'POST', 'o365/subscriptions/start/1', START);
    await fixture.context.store.tenant(shop.office.tenant, async (tx) => {
      for (const { id } of await tx.all('subscription'))
        await tx.append(
          [
            {
              company: 1,
              entity: `subscription:${id}`,
              event: { type: 'subscription.ended@1', data: { id } },
            },
          ],
          {
            actor: { kind: 'clock' },
            subject: null,
            commandId: null,
            at: fixture.context.clock.now(),
          },
        );
    });
    await must(owner, 'PUT', 'o365/billing/settings', settings({ currency: 'EUR' }));
    const refused = await owner('POST', 'o365/subscriptions/start/1', START);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('billed in another currency'),
    ]);
    fixture.pass(31 * DAY);
    const later = await shop.office.as('later', ['super-admin', 'o365_admin']);
    await must(later, 'POST', 'o365/subscriptions/start/1', START);
    expect((await list(later)).rows[0]?.subscription?.currency).toBe('EUR');
  });
});
