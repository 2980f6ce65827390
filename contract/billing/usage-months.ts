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
import { schemaMessages } from '../schemas.messages.en.ts';

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

const counted = {
  ...quantities,
  minimumUsers: QuantitySchema,
  level: v.picklist(SERVICE_LEVELS),
  userMills: PriceSchema,
  gigabyteMills: PriceSchema,
};

/**
 * The average over the days of the month of users with a restore point, and of gigabytes.
 * `minimumUsers`: what the subscription bills at least, for the days that it covers. `parts`: the
 * days of each terms, if they changed in the month; then level and prices are the last ones, and the
 * quantities are the sums (BILL-15).
 */
export const usageCounted = v.strictObject({
  type: v.literal('usage.counted@1'),
  data: v.strictObject({
    id,
    company: n,
    month: v.pipe(
      v.string(),
      v.regex(MONTH, () => schemaMessages.month),
    ),
    currency: v.picklist(CURRENCIES),
    ...counted,
    parts: v.optional(
      v.pipe(
        v.array(
          v.strictObject({
            ...counted,
            days: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(31)),
          }),
        ),
        v.minLength(2),
        v.maxLength(31),
      ),
    ),
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
/** The month was invoiced. `invoice`: the number of the invoice in QuickBooks or at Stripe. */
export const usageInvoiced = v.strictObject({
  type: v.literal('usage.invoiced@1'),
  data: v.strictObject({ id, invoice: v.pipe(v.string(), v.minLength(1), v.maxLength(64)) }),
});

/** The invoice of the month was voided or deleted, so that it can be invoiced again. */
export const usageReleased = v.strictObject({
  type: v.literal('usage.released@1'),
  data: v.strictObject({ id }),
});

const PersonAt = v.object({ by: storedIdSchema<UserId>(), at: v.number() });

export const UsageMonthRowSchema = v.object({
  ...usageCounted.entries.data.entries,
  countedAt: v.number(),
  changed: v.nullable(v.object({ ...quantities, ...PersonAt.entries })),
  ack: v.nullable(PersonAt),
  invoice: v.nullable(v.object({ id: v.string(), at: v.number() })),
  /** How many of its invoices were voided or deleted. */
  releases: v.optional(v.number()),
});
export type UsageMonthRow = RowOf<typeof UsageMonthRowSchema>;

/** Whether the invoice of a month was voided or deleted, and it has no other one yet. */
export const isReleased = ({ invoice, releases }: Pick<UsageMonthRow, 'invoice' | 'releases'>) =>
  invoice === null && (releases ?? 0) > 0;

/** Folds events of usage. Any change clears the acknowledgment; an invoiced month stays. */
export function foldUsageMonths(rows: Rows, logged: LoggedAbout<'usageMonth'>): void {
  const { event, at } = logged;
  const row = rows.usageMonth?.get(event.data.id);
  const set = (next: UsageMonthRow): void => rows.usageMonth?.set(next.id, next);
  if (event.type === 'usage.counted@1') {
    if (!row) set({ ...event.data, countedAt: at, changed: null, ack: null, invoice: null });
    else if (row.invoice === null) {
      const { changed, ack, invoice, releases } = row;
      const isSame = isSameUsage(row, event.data);
      set({
        ...event.data,
        countedAt: at,
        changed,
        ack: isSame ? ack : null,
        invoice,
        ...(releases !== undefined && { releases }),
      });
    }
    return;
  }
  if (event.type === 'usage.released@1') {
    if (row && row.invoice !== null)
      set({ ...row, invoice: null, releases: (row.releases ?? 0) + 1 });
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

export type CountedUsage = Omit<EventOf<'usage.counted@1'>['data'], 'id' | 'company' | 'month'>;
type StoredCount = Pick<UsageMonthRow, keyof CountedUsage>;
type Part = NonNullable<StoredCount['parts']>[number];

export const isSameUsage = (a: StoredCount, b: StoredCount): boolean =>
  a.users === b.users &&
  a.gigabytes === b.gigabytes &&
  a.minimumUsers === b.minimumUsers &&
  a.level === b.level &&
  a.currency === b.currency &&
  a.userMills === b.userMills &&
  a.gigabyteMills === b.gigabyteMills &&
  areSameParts(a.parts ?? [], b.parts ?? []);

const areSameParts = (a: readonly Part[], b: readonly Part[]): boolean =>
  a.length === b.length &&
  a.every((part, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      Object.keys(part).every((key) => part[key as keyof Part] === other[key as keyof Part])
    );
  });

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

type Priced = Pick<Part, 'minimumUsers' | 'userMills' | 'gigabyteMills'>;
interface Quantities {
  readonly users: Hundredths;
  readonly gigabytes: Hundredths;
}

/**
 * Returns what quantities cost. Each line is rounded to whole cents once, half up, and the total is
 * the sum of the lines (BILL-15).
 */
export const getUsageAmount = (
  { minimumUsers, userMills, gigabyteMills }: Priced,
  { users, gigabytes }: Quantities,
): UsageAmount => getAmount([{ minimumUsers, userMills, gigabyteMills, users, gigabytes }]);

/** Each part bills at least its own minimum. Quantities of the same price are one line. */
function getAmount(parts: readonly (Priced & Quantities)[]): UsageAmount {
  const lines = new Map<string, UsageLine>();
  const add = (kind: UsageLine['kind'], quantity: Hundredths, priceMills: Mills): void => {
    const key = `${kind} ${priceMills}`;
    const before = lines.get(key)?.quantity ?? 0;
    lines.set(key, getLine(kind, before + quantity, priceMills));
  };
  for (const { users, minimumUsers, userMills } of parts)
    add('users', Math.max(users, minimumUsers), userMills);
  for (const { gigabytes, gigabyteMills } of parts)
    if (gigabyteMills > 0) add('gigabytes', gigabytes, gigabyteMills);
  const all = [...lines.values()];
  return { lines: all, totalMills: all.reduce((sum, { amountMills }) => sum + amountMills, 0) };
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

/**
 * What a month bills: the replaced quantities, if somebody replaced them. If the terms changed in the
 * month, replaced quantities are shared out as the counted ones were, or else by days.
 */
export function getBilledUsage(row: UsageMonthRow): UsageAmount {
  const { parts, changed } = row;
  if (parts === undefined) return getUsageAmount(row, changed ?? row);
  if (changed === null) return getAmount(parts);
  const days = parts.map((part) => part.days);
  const share = (kind: keyof Quantities): readonly Hundredths[] => {
    const weights = parts.map((part) => part[kind]);
    return shareOut(changed[kind], row[kind] === 0 ? days : weights);
  };
  const users = share('users');
  const gigabytes = share('gigabytes');
  return getAmount(
    parts.map((part, index) => ({
      ...part,
      users: users[index] ?? 0,
      gigabytes: gigabytes[index] ?? 0,
    })),
  );
}

/** Splits a whole in proportion to weights, so that the shares sum up to it. */
function shareOut(whole: Hundredths, weights: readonly number[]): readonly Hundredths[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let weight = 0;
  let given = 0;
  return weights.map((one) => {
    weight += one;
    const until = Number((BigInt(whole) * BigInt(weight)) / BigInt(all));
    const share = until - given;
    given = until;
    return share;
  });
}

/** The billed quantity of a kind, over all of its lines; undefined if there is no such line. */
export function getBilledQuantity(
  lines: readonly Pick<UsageLine, 'kind' | 'quantity'>[],
  kind: UsageLine['kind'],
): Hundredths | undefined {
  const own = lines.filter((line) => line.kind === kind);
  return own.length === 0 ? undefined : own.reduce((sum, { quantity }) => sum + quantity, 0);
}
