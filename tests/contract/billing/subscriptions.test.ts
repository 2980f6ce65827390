import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getSubscriptionEffect } from '#contract/billing/subscription-changes.ts';
import {
  foldSubscriptions,
  getNextStatus,
  stopsBackups,
  SUBSCRIPTION_STATUSES,
  type SubscriptionRow,
} from '#contract/billing/subscriptions.ts';
import {
  foldUsageMonths,
  getBilledUsage,
  getUsageAmount,
  type UsageMonthRow,
} from '#contract/billing/usage-months.ts';
import type { Event, Logged } from '#contract/events.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const ID = '00000000-0000-4000-8000-000000000001';

const logged = (event: Event, at: number): Logged => ({
  event,
  at,
  company: 1,
  entity: 'subscription:x',
  seq: 1,
  actor: { kind: 'user', id: 'u1' },
  subject: null,
  commandId: null,
});

function table<R extends { readonly id: string }>() {
  const rows = new Map<number | string, R>();
  return {
    rows,
    get: (id: number | string) => rows.get(id),
    set: (id: number | string, row: R) => void rows.set(id, row),
  };
}

const STARTED: Event = {
  type: 'subscription.started@1',
  data: {
    id: ID,
    company: 1,
    status: 'active',
    currency: 'USD',
    level: 'basic',
    userMills: 2_500,
    gigabyteMills: 0,
    minimumUsers: 0,
    periodEndsAt: START + 30 * DAY,
    trialEndsAt: null,
    hasCard: true,
  },
};

function play(events: readonly Event[]): SubscriptionRow {
  const subscription = table<SubscriptionRow>();
  for (const [n, event] of [STARTED, ...events].entries())
    foldSubscriptions({ subscription }, logged(event, START + n * DAY) as never);
  const row = subscription.rows.get(ID);
  if (!row) throw new Error('no row');
  return row;
}

const CHANGES: readonly Event[] = [
  { type: 'subscription.paid@1', data: { id: ID, periodEndsAt: START + 60 * DAY } },
  { type: 'subscription.failed@1', data: { id: ID, graceEndsAt: START + 14 * DAY, owedMills: 90 } },
  { type: 'subscription.disabled@1', data: { id: ID } },
  { type: 'subscription.forgiven@1', data: { id: ID, periodEndsAt: START + 60 * DAY } },
  { type: 'subscription.cancelled@1', data: { id: ID } },
  { type: 'subscription.rolledBack@1', data: { id: ID } },
  {
    type: 'subscription.levelChanged@1',
    data: { id: ID, level: 'advanced', userMills: 4_000, gigabyteMills: 0 },
  },
  { type: 'subscription.updated@1', data: { id: ID, userMills: 2_000, minimumUsers: 5 } },
  { type: 'subscription.trialChanged@1', data: { id: ID, trialEndsAt: START + 10 * DAY } },
  { type: 'subscription.ended@1', data: { id: ID } },
  { type: 'subscription.cardAttached@1', data: { id: ID, periodEndsAt: START + 60 * DAY } },
];

test('BILL-14: events in any order lead to a status, and what a status does not allow changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...CHANGES), { maxLength: 12 }), (events) => {
      const row = play(events);
      expect(SUBSCRIPTION_STATUSES).toContain(row.status);
      // Of one that has ended, only what is owed changes.
      const settled = { owedMills: 0, forgivenAt: expect.any(Number) };
      if (row.status === 'ended')
        expect(play([...events, ...CHANGES])).toEqual({ ...row, ...settled });
      // Money is owed only where a payment failed, and grace runs only there.
      const isUnpaid = row.status === 'payment_failed' || row.status === 'disabled';
      if (isUnpaid) expect(row.owedMills).toBe(90);
      else expect(row.status === 'ended' ? [0, 90] : [0]).toContain(row.owedMills);
      expect(row.graceEndsAt !== null).toBe(isUnpaid);
    }),
  );
});

test('BILL-14: an undone operation leaves the terms as they were before it', () => {
  const rollback = CHANGES[5] as Event;
  for (const event of [CHANGES[4], CHANGES[6], CHANGES[7], CHANGES[8]] as Event[])
    expect({ ...play([event, rollback]) }).toEqual(play([]));
  // Only the last one is undone.
  const row = play([CHANGES[6] as Event, CHANGES[7] as Event, rollback]);
  expect([row.level, row.userMills, row.minimumUsers, row.undo]).toEqual([
    'advanced',
    4_000,
    0,
    null,
  ]);
});

test('BILL-14: a preview shows the status that the event sets', () => {
  const operations = [
    ['cancel', CHANGES[4]],
    ['rollback', CHANGES[5]],
    ['forgive', CHANGES[3]],
    ['update-trial', CHANGES[8]],
  ] as const;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...CHANGES), { maxLength: 8 }), (events) => {
      const row = play(events);
      for (const [operation, event] of operations) {
        const effect = getSubscriptionEffect(
          row,
          operation === 'update-trial'
            ? { operation, trialEndsAt: START + 10 * DAY }
            : { operation },
          { users: 1_000, gigabytes: 0 },
          START,
        );
        const after = play([...events, event as Event]);
        if (effect === null) expect([row.status, row.undo]).toEqual([after.status, after.undo]);
        else expect(effect.status).toBe(after.status);
      }
    }),
  );
});

test('BILL-14: to undo a cancellation is its opposite: nothing per month, and the price again from the end of the period', () => {
  const usage = { users: 1_000, gigabytes: 0 };
  const now = START + DAY;
  const cancel = getSubscriptionEffect(play([]), { operation: 'cancel' }, usage, now);
  const cancelled = play([CHANGES[4] as Event]);
  const undo = getSubscriptionEffect(cancelled, { operation: 'rollback' }, usage, now + DAY);
  expect(cancel).toMatchObject({ monthlyBeforeMills: 25_000, monthlyAfterMills: 0 });
  expect(undo).toMatchObject({
    status: 'active',
    monthlyBeforeMills: 0,
    monthlyAfterMills: 25_000,
    effectiveAt: cancel?.effectiveAt,
  });
});

test('BILL-14: a preview names the amount per month before and after, the date, and until when it can be undone', () => {
  const row = play([]);
  const usage = { users: 1_000, gigabytes: 0 };
  const now = START + DAY;
  expect(getSubscriptionEffect(row, { operation: 'cancel' }, usage, now)).toEqual({
    status: 'cancelled',
    monthlyBeforeMills: 25_000,
    monthlyAfterMills: 0,
    currencyAfter: 'USD',
    forgivenMills: 0,
    effectiveAt: START + 30 * DAY,
    undoableUntil: START + 30 * DAY,
  });
  expect(
    getSubscriptionEffect(
      row,
      { operation: 'update', userMills: 2_000, minimumUsers: 20 },
      usage,
      now,
    ),
  ).toMatchObject({ monthlyBeforeMills: 25_000, monthlyAfterMills: 40_000, effectiveAt: now });
  const failed = play([CHANGES[1] as Event]);
  expect(getSubscriptionEffect(failed, { operation: 'forgive' }, usage, now)).toMatchObject({
    status: 'active',
    forgivenMills: 90,
    undoableUntil: null,
  });
  expect(getSubscriptionEffect(failed, { operation: 'cancel' }, usage, now)).toMatchObject({
    status: 'ended',
    effectiveAt: now,
    undoableUntil: null,
  });
});

test('BILL-13, BILL-14: of an ended subscription, what is owed can be forgiven once, and nothing else changes', () => {
  const usage = { users: 1_000, gigabytes: 0 };
  const [paid, failure, , forgiveness, , , , , , end] = CHANGES as readonly [Event, ...Event[]];
  const owing = [failure, end] as Event[];
  const row = play(owing);
  expect(getSubscriptionEffect(row, { operation: 'forgive' }, usage, START)).toMatchObject({
    status: 'ended',
    forgivenMills: 90,
    monthlyBeforeMills: 0,
    monthlyAfterMills: 0,
  });
  for (const settlement of [paid, forgiveness] as Event[]) {
    const settled = play([...owing, settlement]);
    expect(settled).toMatchObject({ status: 'ended', owedMills: 0, endedAt: row.endedAt });
    expect(settled.periodEndsAt).toBe(row.periodEndsAt);
    expect(getSubscriptionEffect(settled, { operation: 'forgive' }, usage, START)).toBeNull();
  }
});

test('BILL-13: a failed payment stops backups only when the grace period is over', () => {
  const stopped = SUBSCRIPTION_STATUSES.filter((status) => stopsBackups({ status }));
  expect(stopped.toSorted()).toEqual(['disabled', 'ended', 'pending']);
  const failed = play([CHANGES[1] as Event, CHANGES[1] as Event]);
  expect([failed.status, stopsBackups(failed)]).toEqual(['payment_failed', false]);
  expect(getNextStatus('payment_failed', 'disabled')).toBe('disabled');
});

/** Counts cents with whole numbers, as a person with a pencil would. */
function countCents(hundredths: number, mills: number): number {
  const exact = hundredths * mills; // in 1/100,000 of the unit
  const cents = Math.floor(exact / 1_000);
  return exact - cents * 1_000 >= 500 ? cents + 1 : cents;
}

test('BILL-15: a line is rounded to cents once, half up, and the total is the sum of the lines', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (users, gigabytes, minimumUsers, userMills, gigabyteMills) => {
        const { totalMills } = getUsageAmount(
          { minimumUsers, userMills, gigabyteMills },
          { users, gigabytes },
        );
        const cents =
          countCents(Math.max(users, minimumUsers), userMills) +
          countCents(gigabytes, gigabyteMills);
        expect(totalMills).toBe(cents * 10);
      },
    ),
  );
});

const counted = (users: number): Event => ({
  type: 'usage.counted@1',
  data: {
    id: ID,
    company: 1,
    month: '2026-11',
    users,
    gigabytes: 0,
    minimumUsers: 0,
    level: 'basic',
    currency: 'USD',
    userMills: 2_500,
    gigabyteMills: 0,
  },
});

function count(events: readonly Event[]): UsageMonthRow {
  const usageMonth = table<UsageMonthRow>();
  for (const [n, event] of events.entries())
    foldUsageMonths({ usageMonth }, logged(event, START + n) as never);
  const row = usageMonth.rows.get(ID);
  if (!row) throw new Error('no row');
  return row;
}

test('BILL-12: a change of usage clears the acknowledgment and leaves the counted value', () => {
  const ack: Event = { type: 'usage.acknowledged@1', data: { id: ID } };
  const update: Event = { type: 'usage.updated@1', data: { id: ID, users: 900, gigabytes: 0 } };
  expect(count([counted(1_000), ack]).ack).toEqual({ by: 'u1', at: START + 1 });
  // The same count again is no change.
  expect(count([counted(1_000), ack, counted(1_000)]).ack).not.toBeNull();
  expect(count([counted(1_000), ack, counted(1_100)]).ack).toBeNull();
  const changed = count([counted(1_000), ack, update]);
  expect([changed.users, changed.changed?.users, changed.changed?.by, changed.ack]).toEqual([
    1_000,
    900,
    'u1',
    null,
  ]);
  expect(getBilledUsage(changed).totalMills).toBe(22_500);
  expect(
    count([counted(1_000), ack, { type: 'usage.unacknowledged@1', data: { id: ID } }]).ack,
  ).toBe(null);
});

test('BILL-16: an invoiced month no longer changes', () => {
  const invoiced: Event = { type: 'usage.invoiced@1', data: { id: ID, invoice: '1042' } };
  const row = count([counted(1_000), invoiced]);
  expect(
    count([
      counted(1_000),
      invoiced,
      counted(9_000),
      { type: 'usage.updated@1', data: { id: ID, users: 1, gigabytes: 1 } },
      { ...invoiced, data: { id: ID, invoice: '2' } },
    ]),
  ).toEqual(row);
});
