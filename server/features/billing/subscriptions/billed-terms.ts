import { sql } from 'kysely';
import { foldSubscriptions, type SubscriptionRow } from '#contract/billing/subscriptions.ts';
import { listStoredTypes } from '#contract/former-events.ts';
import type { CompanyN } from '#contract/ids.ts';
import { TABLES, type EventsAbout, type LoggedAbout } from '#contract/tables.ts';
import type { UsageMonthRow } from '#contract/billing/usage-months.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import { parseMonth } from './month.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toLogged } from '#server/platform/events/transaction.ts';

/** What a day of a subscription costs. */
export type BilledTerms = Pick<
  SubscriptionRow,
  'level' | 'currency' | 'userMills' | 'gigabyteMills' | 'minimumUsers'
>;
/** The days of each company that are billed, with the terms of each. */
export type BilledDays = ReadonlyMap<CompanyN, ReadonlyMap<DayN, BilledTerms>>;

/** Both days are included. */
interface Days {
  readonly first: DayN;
  readonly last: DayN;
}
type Change = LoggedAbout<'subscription'>;

/** A subscription after the last change of a day. */
interface State {
  readonly day: DayN;
  readonly row: SubscriptionRow;
}

/**
 * Returns the days of a range that are billed, from the history of subscriptions (BILL-15). A day has
 * the terms that applied at its end, or when the subscription ended on it. Days of a trial, days on
 * which the first payment is awaited, and days after a cancelled period are not billed. `changes`: in their order.
 */
export const getBilledDays = (
  changes: readonly Change[],
  days: Days,
  timeZone: string,
): BilledDays =>
  mapBilledDays(
    changes,
    days,
    timeZone,
    ({ level, currency, userMills, gigabyteMills, minimumUsers }) => ({
      level,
      currency,
      userMills,
      gigabyteMills,
      minimumUsers,
    }),
  );

/** Returns what `read` takes from the subscription that each day is billed by. */
function mapBilledDays<T>(
  changes: readonly Change[],
  days: Days,
  timeZone: string,
  read: (row: SubscriptionRow) => T,
): ReadonlyMap<CompanyN, ReadonlyMap<DayN, T>> {
  const billed = new Map<CompanyN, Map<DayN, T>>();
  // What started last bills the day on which it replaced an ended one.
  for (const states of listStates(changes, timeZone).values()) {
    const company = states[0]?.row.company ?? 0;
    const own = billed.get(company) ?? new Map<DayN, T>();
    billed.set(company, own);
    for (let day = days.first; day <= days.last; day += 1) {
      const row = findState(states, day, timeZone);
      if (row === null) continue;
      const { trialEndsAt } = row;
      if (trialEndsAt !== null && day < getDay(trialEndsAt, timeZone, 0)) own.delete(day);
      else own.set(day, read(row));
    }
  }
  return billed;
}

/** The states of each subscription, in the order in which the subscriptions started. */
function listStates(
  changes: readonly Change[],
  timeZone: string,
): ReadonlyMap<string, readonly State[]> {
  const rows = new Map<string | number, SubscriptionRow>();
  const table = {
    get: (key: string | number) => rows.get(key),
    set: (key: string | number, row: SubscriptionRow) => void rows.set(key, row),
  };
  const states = new Map<string, State[]>();
  for (const change of changes) {
    const { id } = change.event.data;
    const before = rows.get(id);
    foldSubscriptions({ subscription: table }, change);
    const row = rows.get(id);
    if (row === undefined || row === before) continue;
    states.set(id, [...(states.get(id) ?? []), { day: getDay(change.at, timeZone, 0), row }]);
  }
  return states;
}

/** The subscription as it was on a day; null if it did not run on it. */
function findState(states: readonly State[], day: DayN, timeZone: string): SubscriptionRow | null {
  const last = states.findLastIndex((state) => state.day <= day);
  const state = states[last];
  if (state === undefined) return null;
  const isEnded = state.row.status === 'ended';
  // What is owed can change after the end.
  const end = isEnded ? states.findIndex((one) => one.row.status === 'ended') : -1;
  if (isEnded && (states[end]?.day ?? day) < day) return null;
  const row = isEnded ? states[end - 1]?.row : state.row;
  if (row === undefined || row.status === 'pending' || row.status === 'ended') return null;
  // The clock ends a cancelled one some time after its period.
  return row.status === 'cancelled' && day > getDay(row.periodEndsAt - 1, timeZone, 0) ? null : row;
}

const TYPES = listStoredTypes(
  Object.keys(TABLES.subscription.events) as EventsAbout<'subscription'>[],
);

/** Returns the days of all companies in a range that are billed. */
export const loadBilledDays = async (
  tx: TenantTx,
  days: Days,
  timeZone: string,
): Promise<BilledDays> => getBilledDays(await loadChanges(tx), days, timeZone);

/** Returns the subscriptions as they were at the end of a day, without those that started later. */
export const loadSubscriptionsAt = async (
  tx: TenantTx,
  day: DayN,
  timeZone: string,
): Promise<readonly SubscriptionRow[]> =>
  [...listStates(await loadChanges(tx), timeZone).values()].flatMap(
    (states) => states.findLast((state) => state.day <= day)?.row ?? [],
  );

/** Whether Stripe collects the month of a company. */
export type CardMonths = (month: Pick<UsageMonthRow, 'company' | 'month'>) => boolean;

/**
 * Returns which months Stripe collects: those whose last billed day is paid by card. A month has one
 * amount, which is collected in one way, even if the card was added in it (BILL-16).
 */
export async function loadCardMonths(tx: TenantTx, timeZone: string): Promise<CardMonths> {
  const changes = Map.groupBy(await loadChanges(tx), ({ company }) => company);
  return ({ company, month }) => {
    const days = mapBilledDays(
      changes.get(company) ?? [],
      parseMonth(month),
      timeZone,
      ({ hasCard }) => hasCard,
    ).get(company);
    return [...(days ?? [])].sort(([one], [other]) => one - other).at(-1)?.[1] ?? false;
  };
}

async function loadChanges({ sql: db, tenant }: TenantTx): Promise<readonly Change[]> {
  const changes = await db
    .selectFrom('event')
    .select(['seq', 'type', 'at', 'actor', 'subject', 'company', 'entity', 'command_id', 'data'])
    .where('tenant_id', '=', tenant)
    .where('type', 'in', TYPES)
    .where(sql<boolean>`entity not like 'run:%'`)
    .orderBy('seq')
    .execute();
  return changes.map((row) => toLogged(row) as Change);
}
