import * as v from 'valibot';
import { companyRef } from '../backup/suite-schema.ts';
import { call } from '../call.ts';
import { anyUserId, anyId } from '../paging.ts';
import {
  BillingSettingsSchema,
  CURRENCIES,
  LevelPricesSchema,
  PriceSchema,
  SERVICE_LEVELS,
} from './service-levels.ts';
import { SUBSCRIPTION_STATUSES, UNDOABLE_OPERATIONS } from './subscriptions.ts';
import { QuantitySchema } from './usage-months.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const orNull = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const fewDigits = (): string => schemaMessages.fewDigits;
const number = (min: number, max: number) =>
  v.pipe(
    v.union(
      [v.number(), v.pipe(v.string(), v.regex(/^\d{1,4}$/, fewDigits), v.transform(Number))],
      fewDigits,
    ),
    v.integer(),
    v.minValue(min),
    v.maxValue(max),
  );
/** Without them: the current month. */
export const MONTH_FIELDS = {
  month: v.optional(number(1, 12)),
  year: v.optional(number(2_000, 2_999)),
};

/** Amounts are in thousandths of the currency's unit, quantities in hundredths. */
export const usageLine = v.object({
  kind: v.picklist(['users', 'gigabytes']),
  quantity: v.number(),
  priceMills: v.number(),
  amountMills: v.number(),
});
const personAt = v.object({ name: v.string(), at: v.number() });

/**
 * `unauthorized`: Stripe refuses the provider's key, so the company owes nothing. `differs`: what the
 * invoice at Stripe has without tax, and in all.
 */
const collectionError = v.variant('kind', [
  v.object({ kind: v.literal('refused') }),
  v.object({ kind: v.literal('unauthorized') }),
  v.object({ kind: v.literal('differs'), netMills: v.number(), totalMills: v.number() }),
]);
export type CollectionError = v.InferOutput<typeof collectionError>;

/**
 * The usage of a month. `users`, `gigabytes`: as counted; `changed`: what somebody replaced them
 * with. `isOver`: the month has ended. `invoice`: its number in
 * QuickBooks, or at Stripe. `isByCard`: Stripe collects it. `isReleased`: its invoice was voided or
 * deleted, and it has no other one. `error`: why Stripe hasn't collected it;
 * absent in what devices stored before.
 */
const usageMonth = v.object({
  _id: v.string(),
  month: v.number(),
  year: v.number(),
  level: v.picklist(SERVICE_LEVELS),
  currency: v.picklist(CURRENCIES),
  users: v.number(),
  gigabytes: v.number(),
  changed: orNull(v.object({ users: v.number(), gigabytes: v.number(), ...personAt.entries })),
  ack: v.boolean(),
  acknowledged: orNull(personAt),
  lines: v.array(usageLine),
  totalMills: v.number(),
  invoice: orNull(v.string()),
  isByCard: v.boolean(),
  isReleased: v.boolean(),
  error: v.optional(orNull(collectionError)),
  isOver: v.boolean(),
  countedAt: v.number(),
});
export type UsageMonthOut = v.InferOutput<typeof usageMonth>;

const undoOut = v.object({
  operation: v.picklist(UNDOABLE_OPERATIONS),
  level: v.picklist(SERVICE_LEVELS),
});
const subscription = v.object({
  _id: v.string(),
  status: v.picklist(SUBSCRIPTION_STATUSES),
  level: v.picklist(SERVICE_LEVELS),
  currency: v.picklist(CURRENCIES),
  userMills: v.number(),
  gigabyteMills: v.number(),
  minimumUsers: v.number(),
  hasCard: v.boolean(),
  startedAt: v.number(),
  periodEndsAt: v.number(),
  trialEndsAt: orNull(v.number()),
  owedMills: v.number(),
  graceEndsAt: orNull(v.number()),
  cancelledAt: orNull(v.number()),
  endedAt: orNull(v.number()),
  undo: orNull(undoOut),
});
export type SubscriptionOut = v.InferOutput<typeof subscription>;

export const companySubscription = v.object({
  company: v.number(),
  companyId: v.string(),
  companyName: v.string(),
  /** The company was deleted; its months can still be billed. */
  isDeleted: v.boolean(),
  subscription: orNull(subscription),
  /** The month is over: the subscription is as it was at its end. */
  isPast: v.optional(v.boolean()),
  usage: orNull(usageMonth),
  /** The number of the oldest unpaid invoice of its months in QuickBooks. */
  unpaidInvoice: v.optional(orNull(v.string())),
});
export type CompanySubscription = v.InferOutput<typeof companySubscription>;

/**
 * `undoableUntil` null: it can't be undone. Amounts per month are those of the usage of a month that is
 * over, or, without `usageMonth`, of a whole month with the usage of today.
 */
const effect = v.object({
  usageMonth: orNull(v.object({ month: v.number(), year: v.number() })),
  status: v.picklist(SUBSCRIPTION_STATUSES),
  currency: v.picklist(CURRENCIES),
  monthlyBeforeMills: v.number(),
  monthlyAfterMills: v.number(),
  currencyAfter: v.picklist(CURRENCIES),
  forgivenMills: v.number(),
  effectiveAt: v.number(),
  undoableUntil: orNull(v.number()),
});

const minimumUsers = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000));
const trialEndsAt = orNull(v.pipe(v.number(), v.safeInteger(), v.minValue(0)));
const level = v.picklist(SERVICE_LEVELS);
const companyId = companyRef;
const GATE = 'o365.subscriptions' as const;
/** A subscriber with access to the service level changes their own company's subscription, too. */
const OWN = 'signed-in' as const;
const CHANGE = [
  'bad-input',
  'forbidden',
  'not-found',
  'conflict',
  'busy',
  'reauth_required',
] as const;
const changed = v.object({ subscription });
const ACKNOWLEDGMENT = {
  input: v.strictObject({ usageId: anyId }),
  output: v.object({ usage: usageMonth }),
  gate: GATE,
  failures: ['not-found', 'conflict'],
} as const;

export const subscriptionCalls = {
  listSubscriptions: call({
    method: 'GET',
    path: 'o365/subscriptions',
    summary:
      'Lists the companies with a Microsoft 365 subscription or usage in a month, with their usage of that month and the totals per currency. Of a month that is over, the subscriptions are as they were at its end.',
    input: v.strictObject(MONTH_FIELDS),
    output: v.object({
      month: v.number(),
      year: v.number(),
      rows: v.array(companySubscription),
      count: v.number(),
      totals: v.array(v.object({ currency: v.picklist(CURRENCIES), totalMills: v.number() })),
      without: v.array(v.object({ companyId: v.string(), companyName: v.string() })),
    }),
    gate: GATE,
    failures: ['bad-input'],
  }),
  getSubscription: call({
    method: 'GET',
    path: 'o365/subscriptions/{userId}',
    summary:
      "Returns the subscriptions of the companies that are listed for a user, with the usage of the current month. Other users' subscriptions, and those of users who see all companies, need access to all subscriptions.",
    input: v.strictObject({ userId: anyUserId }),
    output: v.object({ rows: v.array(companySubscription), count: v.number() }),
    gate: OWN,
    failures: ['forbidden', 'not-found'],
  }),
  updateUsage: call({
    method: 'PUT',
    path: 'o365/subscriptions/billing/{usageId}',
    summary:
      'Replaces the quantities that a month bills, in hundredths. The counted ones stay visible, and the month must be acknowledged again.',
    input: v.strictObject({ usageId: anyId, users: QuantitySchema, gigabytes: QuantitySchema }),
    output: v.object({ usage: usageMonth }),
    gate: GATE,
    failures: ['bad-input', 'not-found', 'conflict'],
  }),
  ackUsage: call({
    method: 'POST',
    path: 'o365/subscriptions/billing/{usageId}/ack',
    summary: 'Acknowledges the usage of a month.',
    ...ACKNOWLEDGMENT,
  }),
  unackUsage: call({
    method: 'POST',
    path: 'o365/subscriptions/billing/{usageId}/unack',
    summary: 'Withdraws the acknowledgment of a month.',
    ...ACKNOWLEDGMENT,
  }),
  refreshUsage: call({
    method: 'POST',
    path: 'o365/subscriptions/refresh',
    summary: 'Counts the usage of the current month again.',
    input: v.strictObject({}),
    output: v.object({ counted: v.number() }),
    gate: GATE,
    failures: [],
  }),
  previewSubscription: call({
    method: 'POST',
    path: 'o365/subscriptions/preview/{companyId}',
    summary:
      'Returns what an operation would do to the amount per month, and from when. It changes nothing.',
    input: v.strictObject({
      companyId,
      operation: v.picklist([...UNDOABLE_OPERATIONS, 'rollback', 'forgive', 'delete']),
      level: v.optional(level),
      userMills: v.optional(PriceSchema),
      minimumUsers: v.optional(minimumUsers),
      trialEndsAt: v.optional(trialEndsAt),
    }),
    output: effect,
    gate: OWN,
    failures: ['bad-input', 'forbidden', 'not-found', 'conflict'],
  }),
  startSubscription: call({
    method: 'POST',
    path: 'o365/subscriptions/start/{companyId}',
    summary: 'Starts the subscription of a company that pays by invoice.',
    input: v.strictObject({ companyId, level, minimumUsers, trialEndsAt }),
    output: changed,
    gate: GATE,
    failures: CHANGE,
  }),
  cancelSubscription: call({
    method: 'POST',
    path: 'o365/subscriptions/cancel/{companyId}',
    summary:
      'Cancels a subscription at the end of its paid period; immediately if nothing is paid.',
    input: v.strictObject({ companyId }),
    output: changed,
    gate: OWN,
    failures: CHANGE,
  }),
  updateSubscription: call({
    method: 'POST',
    path: 'o365/subscriptions/update/{companyId}',
    summary: 'Changes the price per user and the minimum number of users.',
    input: v.strictObject({ companyId, userMills: PriceSchema, minimumUsers }),
    output: changed,
    gate: GATE,
    failures: CHANGE,
  }),
  updateTrial: call({
    method: 'POST',
    path: 'o365/subscriptions/update-trial/{companyId}',
    summary: 'Changes the end of the trial, before which nothing is billed; null ends it.',
    input: v.strictObject({ companyId, trialEndsAt }),
    output: changed,
    gate: GATE,
    failures: CHANGE,
  }),
  changeServiceLevel: call({
    method: 'POST',
    path: 'o365/subscriptions/change-level/{companyId}',
    summary: 'Changes the service level, from now on.',
    input: v.strictObject({ companyId, level }),
    output: changed,
    gate: OWN,
    failures: CHANGE,
  }),
  rollbackSubscription: call({
    method: 'POST',
    path: 'o365/subscriptions/rollback/{companyId}',
    summary: 'Undoes the last cancellation or change of a subscription.',
    input: v.strictObject({ companyId }),
    output: changed,
    gate: OWN,
    failures: CHANGE,
  }),
  writeOffCompanyDebt: call({
    method: 'POST',
    path: 'o365/subscriptions/forgive-company',
    summary: 'Writes off what a company owes and activates its subscription.',
    input: v.strictObject({ companyId }),
    output: changed,
    gate: GATE,
    failures: CHANGE,
  }),
  deleteSubscriber: call({
    method: 'POST',
    path: 'o365/subscriptions/delete-company',
    summary:
      'Ends the subscription of a company and deletes the company. It can be restored for 30 days.',
    input: v.strictObject({ companyId }),
    output: v.object({ restorableUntil: v.number() }),
    gate: GATE,
    failures: CHANGE,
  }),
  exportSubscriptions: call({
    method: 'POST',
    path: 'o365/subscriptions/export',
    summary: 'Exports the subscriptions and the usage of a month as a CSV file.',
    input: v.strictObject({ format: v.optional(v.literal('csv')), ...MONTH_FIELDS }),
    output: 'bytes',
    gate: 'o365.subscriptions-export',
    failures: ['bad-input'],
  }),
  listServiceLevels: call({
    method: 'GET',
    path: 'o365/service-levels',
    summary: 'Lists the service levels that the caller can choose, with their prices.',
    input: v.strictObject({}),
    output: v.object({
      currency: v.picklist(CURRENCIES),
      levels: v.array(v.pick(LevelPricesSchema, ['level', 'userMills', 'gigabyteMills'])),
    }),
    gate: OWN,
    failures: [],
  }),
  getBillingSettings: call({
    method: 'GET',
    path: 'o365/billing/settings',
    summary: 'Returns prices, trial and grace period of Microsoft 365 backup.',
    input: v.strictObject({}),
    output: BillingSettingsSchema,
    gate: GATE,
    failures: [],
  }),
  setBillingSettings: call({
    method: 'PUT',
    path: 'o365/billing/settings',
    summary:
      'Sets prices, trial and grace period. Subscriptions keep their prices until their level changes.',
    input: BillingSettingsSchema,
    output: BillingSettingsSchema,
    gate: GATE,
    failures: ['bad-input', 'forbidden', 'reauth_required'],
  }),
  listDeletedCompanies: call({
    method: 'GET',
    path: 'o365/deleted-companies',
    summary: 'Lists the companies that were deleted and can still be restored, newest first.',
    input: v.strictObject({}),
    output: v.object({
      rows: v.array(
        v.object({
          _id: v.string(),
          n: v.number(),
          name: v.string(),
          deletedAt: v.number(),
          restorableUntil: v.number(),
        }),
      ),
      count: v.number(),
    }),
    gate: GATE,
    failures: [],
  }),
  restoreDeletedCompany: call({
    method: 'POST',
    path: 'o365/deleted-companies/{companyId}/restore',
    summary:
      'Restores a deleted company with its data, its users and its subscription as it was before.',
    input: v.strictObject({ companyId }),
    output: v.object({}),
    gate: GATE,
    failures: CHANGE,
  }),
} as const;
