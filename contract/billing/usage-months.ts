import type { UserId } from '../ids.ts';
import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import type { EventOf } from '../events.ts';
import type { Rows, Touch } from '../fold.ts';
import type { RowOf } from '../row.ts';
import { getPerson } from '../runs/fold-rules.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { MILLS, type Mills } from './invoice.ts';
import { CURRENCIES, PriceSchema, SERVICE_LEVELS } from './service-levels.ts';

/**
 * The usage of a company in a month (BILL-12). Quantities are in hundredths: 1,250 are 12.5 users.
 */
export type Hundredths = number;

const id = v.pipe(v.string(), v.uuid());
const n = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const MAX_QUANTITY: Hundredths = 100_000_000;
export const QuantitySchema: v.GenericSchema<Hundredths> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(MAX_QUANTITY),
);
export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const quantities = { users: QuantitySchema, gigabytes: QuantitySchema };

/**
 * The average over the days of the month of users with a restore point, and of gigabytes.
 * `minimumUsers`: what the subscription bills at least, for the days that it covers.
 */
export const usageCounted = v.strictObject({
  type: v.literal('usage.counted@1'),
  data: v.strictObject({
    id,
    company: n,
    month: v.pipe(v.string(), v.regex(MONTH)),
    ...quantities,
    minimumUsers: QuantitySchema,
    level: v.picklist(SERVICE_LEVELS),
    currency: v.picklist(CURRENCIES),
    userMills: PriceSchema,
    gigabyteMills: PriceSchema,
  }),
});
/** Somebody replaced the counted quantities. */
export const usageUpdated = v.strictObject({
  type: v.literal('usage.updated@1'),
  data: v.strictObject({ id, ...quantities }),
});
export const usageAcknowledged = v.strictObject({
  type: v.literal('usage.acknowledged@1'),
  data: v.strictObject({ id }),
});
export const usageUnacknowledged = v.strictObject({
  type: v.literal('usage.unacknowledged@1'),
  data: v.strictObject({ id }),
});
/** The month was invoiced. `invoice`: the number of the invoice in QuickBooks. */
export const usageInvoiced = v.strictObject({
  type: v.literal('usage.invoiced@1'),
  data: v.strictObject({ id, invoice: v.pipe(v.string(), v.minLength(1), v.maxLength(64)) }),
});

const PersonAt = v.object({ by: storedIdSchema<UserId>(), at: v.number() });

export const UsageMonthRowSchema = v.object({
  ...usageCounted.entries.data.entries,
  countedAt: v.number(),
  changed: v.nullable(v.object({ ...quantities, ...PersonAt.entries })),
  ack: v.nullable(PersonAt),
  invoice: v.nullable(v.object({ id: v.string(), at: v.number() })),
});
export type UsageMonthRow = RowOf<typeof UsageMonthRowSchema>;

/** Folds events of usage. Any change clears the acknowledgment; an invoiced month stays. */
export function foldUsageMonths(rows: Rows, logged: LoggedAbout<'usageMonth'>): void {
  const { event, at } = logged;
  const row = rows.usageMonth?.get(event.data.id);
  const set = (next: UsageMonthRow): void => rows.usageMonth?.set(next.id, next);
  if (event.type === 'usage.counted@1') {
    if (!row) set({ ...event.data, countedAt: at, changed: null, ack: null, invoice: null });
    else if (row.invoice === null)
      set({
        ...row,
        ...event.data,
        countedAt: at,
        ack: isSameUsage(row, event.data) ? row.ack : null,
      });
    return;
  }
  if (!row || row.invoice !== null) return;
  const by = { by: getPerson(logged), at };
  switch (event.type) {
    case 'usage.updated@1':
      return set({
        ...row,
        changed: { users: event.data.users, gigabytes: event.data.gigabytes, ...by },
        ack: null,
      });
    case 'usage.acknowledged@1':
      return set({ ...row, ack: by });
    case 'usage.unacknowledged@1':
      return set({ ...row, ack: null });
    case 'usage.invoiced@1':
      return set({ ...row, invoice: { id: event.data.invoice, at } });
    default:
      return event satisfies never;
  }
}

export const touchesUsageMonths = ({ data }: EventOf<EventsAbout<'usageMonth'>>): Touch[] => [
  ['usageMonth', data.id],
];

type Counted = Omit<EventOf<'usage.counted@1'>['data'], 'id' | 'company' | 'month'>;

export const isSameUsage = (a: Counted, b: Counted): boolean =>
  a.users === b.users &&
  a.gigabytes === b.gigabytes &&
  a.minimumUsers === b.minimumUsers &&
  a.level === b.level &&
  a.currency === b.currency &&
  a.userMills === b.userMills &&
  a.gigabyteMills === b.gigabyteMills;

/** A line of what a month costs. */
export interface UsageLine {
  readonly kind: 'users' | 'gigabytes';
  readonly quantity: Hundredths;
  readonly priceMills: Mills;
  readonly amountMills: Mills;
}
export interface UsageAmount {
  readonly lines: readonly UsageLine[];
  readonly totalMills: Mills;
}

type Priced = Pick<UsageMonthRow, 'minimumUsers' | 'userMills' | 'gigabyteMills'>;

/**
 * Returns what quantities cost. Each line is rounded to whole cents once, half up, and the total is
 * the sum of the lines (BILL-15).
 */
export function getUsageAmount(
  { minimumUsers, userMills, gigabyteMills }: Priced,
  { users, gigabytes }: { readonly users: Hundredths; readonly gigabytes: Hundredths },
): UsageAmount {
  const lines = [
    getLine('users', Math.max(users, minimumUsers), userMills),
    ...(gigabyteMills > 0 ? [getLine('gigabytes', gigabytes, gigabyteMills)] : []),
  ];
  return { lines, totalMills: lines.reduce((sum, { amountMills }) => sum + amountMills, 0) };
}

const CENT_MILLS = MILLS / 100;
const getLine = (kind: UsageLine['kind'], quantity: Hundredths, priceMills: Mills): UsageLine => ({
  kind,
  quantity,
  priceMills,
  amountMills: roundToCents(BigInt(quantity) * BigInt(priceMills)),
});

/** `product`: hundredths times thousandths. */
const roundToCents = (product: bigint): Mills => {
  const unit = BigInt(100 * CENT_MILLS);
  return Number((product + unit / 2n) / unit) * CENT_MILLS;
};

/** What a month bills: the replaced quantities, if somebody replaced them. */
export const getBilledUsage = (row: UsageMonthRow): UsageAmount =>
  getUsageAmount(row, row.changed ?? row);
