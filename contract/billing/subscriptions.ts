import * as v from 'valibot';
import type { EventOf } from '../events.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { UserId } from '../ids.ts';
import { getPerson } from '../runs/fold-rules.ts';
import type { Rows, Touch } from '../fold.ts';
import type { RowOf } from '../row.ts';
import type { EventsAbout, LoggedAbout } from '../tables.ts';
import { CURRENCIES, PriceSchema, SERVICE_LEVELS } from './service-levels.ts';

/** A company's subscription to Microsoft 365 backup, and how it changes (BILL-14). */
export const SUBSCRIPTION_STATUSES = [
  'active',
  'pending',
  'cancelled',
  'payment_failed',
  'disabled',
  'ended',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** What happens to a subscription; each has an event of the same name. */
export const SUBSCRIPTION_TRIGGERS = [
  'paid',
  'failed',
  'disabled',
  'forgiven',
  'cancelled',
  'rolledBack',
  'levelChanged',
  'updated',
  'trialChanged',
  'cardAttached',
  'ended',
] as const;
export type SubscriptionTrigger = (typeof SUBSCRIPTION_TRIGGERS)[number];

/**
 * The status after each trigger. What a status doesn't list has no effect on it. Canceling ends at
 * once what isn't paid for; a paid period runs on.
 */
export const SUBSCRIPTION_TRANSITIONS: Readonly<
  Record<SubscriptionStatus, Readonly<Partial<Record<SubscriptionTrigger, SubscriptionStatus>>>>
> = {
  pending: {
    paid: 'active',
    cancelled: 'ended',
    rolledBack: 'pending',
    levelChanged: 'pending',
    updated: 'pending',
    trialChanged: 'pending',
    cardAttached: 'pending',
    ended: 'ended',
  },
  active: {
    paid: 'active',
    failed: 'payment_failed',
    cancelled: 'cancelled',
    rolledBack: 'active',
    levelChanged: 'active',
    updated: 'active',
    trialChanged: 'active',
    cardAttached: 'active',
    ended: 'ended',
  },
  payment_failed: {
    paid: 'active',
    failed: 'payment_failed',
    disabled: 'disabled',
    forgiven: 'active',
    cancelled: 'ended',
    ended: 'ended',
  },
  disabled: {
    paid: 'active',
    failed: 'disabled',
    forgiven: 'active',
    cancelled: 'ended',
    ended: 'ended',
  },
  cancelled: { paid: 'cancelled', rolledBack: 'active', ended: 'ended' },
  // A debt stays open until it is paid or written off.
  ended: { paid: 'ended', failed: 'ended', forgiven: 'ended' },
};

export const getNextStatus = (
  status: SubscriptionStatus,
  trigger: SubscriptionTrigger,
): SubscriptionStatus | null => SUBSCRIPTION_TRANSITIONS[status][trigger] ?? null;

const id = v.pipe(v.string(), v.uuid());
const n = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const moment = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000));
const level = v.picklist(SERVICE_LEVELS);
const currency = v.picklist(CURRENCIES);

/**
 * `minimumUsers`: at least this many users are billed each month. `periodEndsAt`: until when it is
 * paid or renewed. `trialEndsAt`: nothing is billed before. `hasCard`: whether Stripe collects it.
 */
const terms = { level, userMills: PriceSchema, gigabyteMills: PriceSchema, minimumUsers: count };

export const subscriptionStarted = v.strictObject({
  type: v.literal('subscription.started@1'),
  data: v.strictObject({
    id,
    company: n,
    status: v.picklist(['pending', 'active']),
    currency,
    ...terms,
    periodEndsAt: moment,
    trialEndsAt: v.nullable(moment),
    hasCard: v.boolean(),
    /** Of a restored one, or a later one: what was due before isn't owed any more. */
    forgivenAt: v.optional(moment),
    /** Of a restored one: what is owed that neither Stripe nor QuickBooks may have an invoice of. */
    owedMills: v.optional(moment),
  }),
});
export const subscriptionPaid = v.strictObject({
  type: v.literal('subscription.paid@1'),
  data: v.strictObject({ id, periodEndsAt: moment }),
});
export const subscriptionFailed = v.strictObject({
  type: v.literal('subscription.failed@1'),
  data: v.strictObject({ id, graceEndsAt: moment, owedMills: moment }),
});
export const subscriptionDisabled = v.strictObject({
  type: v.literal('subscription.disabled@1'),
  data: v.strictObject({ id }),
});
/** What was owed no longer is. */
export const subscriptionForgiven = v.strictObject({
  type: v.literal('subscription.forgiven@1'),
  data: v.strictObject({ id, periodEndsAt: moment }),
});
export const subscriptionCancelled = v.strictObject({
  type: v.literal('subscription.cancelled@1'),
  data: v.strictObject({ id }),
});
export const subscriptionRolledBack = v.strictObject({
  type: v.literal('subscription.rolledBack@1'),
  data: v.strictObject({ id }),
});
export const subscriptionLevelChanged = v.strictObject({
  type: v.literal('subscription.levelChanged@1'),
  data: v.strictObject({
    id,
    level,
    userMills: PriceSchema,
    gigabyteMills: PriceSchema,
    /** The same as before if it is left out. */
    currency: v.optional(currency),
  }),
});
export const subscriptionUpdated = v.strictObject({
  type: v.literal('subscription.updated@1'),
  data: v.strictObject({ id, userMills: PriceSchema, minimumUsers: count }),
});
export const subscriptionTrialChanged = v.strictObject({
  type: v.literal('subscription.trialChanged@1'),
  data: v.strictObject({ id, trialEndsAt: v.nullable(moment) }),
});
/**
 * Stripe collects the subscription from now on. `owedMills`: what is owed of before. The card settles
 * nothing of it (BILL-13).
 */
export const subscriptionCardAttached = v.strictObject({
  type: v.literal('subscription.cardAttached@1'),
  data: v.strictObject({ id, periodEndsAt: moment, owedMills: v.optional(moment) }),
});
export const subscriptionEnded = v.strictObject({
  type: v.literal('subscription.ended@1'),
  data: v.strictObject({ id }),
});

/** Operations that `rolledBack` undoes. */
export const UNDOABLE_OPERATIONS = ['cancel', 'change-level', 'update', 'update-trial'] as const;
export type UndoableOperation = (typeof UNDOABLE_OPERATIONS)[number];

/**
 * `owedMills`: what a failed payment left unpaid. `undo`: the last operation that can be undone, and
 * the terms before it.
 */
export const SubscriptionRowSchema = v.object({
  id: v.string(),
  company: v.number(),
  status: v.picklist(SUBSCRIPTION_STATUSES),
  currency,
  ...terms,
  hasCard: v.boolean(),
  startedAt: v.number(),
  periodEndsAt: v.number(),
  trialEndsAt: v.nullable(v.number()),
  owedMills: v.number(),
  graceEndsAt: v.nullable(v.number()),
  cancelledAt: v.nullable(v.number()),
  endedAt: v.nullable(v.number()),
  /** What was owed before the card or before it was restored, until it is paid or written off. */
  owedBeforeCardMills: v.optional(v.number()),
  /** What was due before isn't owed any more. */
  forgivenAt: v.optional(v.number()),
  undo: v.nullable(
    v.object({
      operation: v.picklist(UNDOABLE_OPERATIONS),
      at: v.number(),
      /** Unknown of operations before it was stored. */
      by: v.optional(storedIdSchema<UserId>()),
      ...terms,
      currency: v.optional(currency),
      trialEndsAt: v.nullable(v.number()),
    }),
  ),
});
export type SubscriptionRow = RowOf<typeof SubscriptionRowSchema>;

/** Non-payment stops backups after the grace period, never restores (BILL-13). */
export const stopsBackups = ({ status }: Pick<SubscriptionRow, 'status'>): boolean =>
  status === 'disabled' || status === 'ended' || status === 'pending';

type SubscriptionEvent = EventOf<EventsAbout<'subscription'>>;
type Change = Exclude<SubscriptionEvent, { type: 'subscription.started@1' }>;

/** Whether a payment failed, so that a card can be added, and settles nothing. */
export const isFailing = ({ status }: Pick<SubscriptionRow, 'status'>): boolean =>
  status === 'payment_failed' || status === 'disabled';

/** Whether a subscription has ended, and something of it is still owed. */
export const isOwedOfEnded = ({
  status,
  owedMills,
}: Pick<SubscriptionRow, 'status' | 'owedMills'>): boolean => status === 'ended' && owedMills > 0;

/** Folds events of subscriptions. One that the status doesn't allow changes nothing. */
export function foldSubscriptions(rows: Rows, logged: LoggedAbout<'subscription'>): void {
  const { event, at } = logged;
  if (event.type === 'subscription.started@1') {
    const { owedMills, ...started } = event.data;
    rows.subscription?.set(started.id, {
      ...started,
      ...(owedMills !== undefined && { owedBeforeCardMills: owedMills }),
      startedAt: at,
      owedMills: owedMills ?? 0,
      graceEndsAt: null,
      cancelledAt: null,
      endedAt: null,
      undo: null,
    });
    return;
  }
  const row = rows.subscription?.get(event.data.id);
  if (!row) return;
  const isOwing =
    event.type === 'subscription.cardAttached@1' && event.data.owedMills !== undefined;
  const status =
    isOwing && isFailing(row) ? row.status : getNextStatus(row.status, getTrigger(event));
  if (status === null) return;
  if (row.status === 'ended') {
    rows.subscription?.set(row.id, { ...row, ...getDebtChanges(row, event, at) });
    return;
  }
  const next = { ...row, status, ...getChanges(row, event, { at, by: getPerson(logged) }) };
  rows.subscription?.set(
    row.id,
    status === 'ended' ? { ...next, endedAt: at, graceEndsAt: null, undo: null } : next,
  );
}

export const touchesSubscriptions = ({ data }: SubscriptionEvent): Touch[] => [
  ['subscription', data.id],
];

const getTrigger = ({ type }: Change): SubscriptionTrigger =>
  type.slice('subscription.'.length, -'@1'.length) as SubscriptionTrigger;

interface Author {
  readonly at: number;
  readonly by: UserId;
}

function getChanges(row: SubscriptionRow, event: Change, author: Author): Partial<SubscriptionRow> {
  switch (event.type) {
    case 'subscription.paid@1':
      return {
        periodEndsAt: event.data.periodEndsAt,
        owedMills: 0,
        graceEndsAt: null,
        ...settled(row),
        // A paid period runs on after a cancellation, which can still be undone.
        ...(row.status !== 'cancelled' && { undo: null }),
      };
    case 'subscription.failed@1':
      // Further failures don't extend the grace period.
      return {
        graceEndsAt: row.graceEndsAt ?? event.data.graceEndsAt,
        owedMills: event.data.owedMills,
        undo: null,
      };
    case 'subscription.forgiven@1':
      return {
        graceEndsAt: null,
        owedMills: 0,
        ...settled(row),
        periodEndsAt: event.data.periodEndsAt,
        forgivenAt: author.at,
      };
    case 'subscription.cancelled@1':
      return { cancelledAt: author.at, undo: getUndo(row, 'cancel', author) };
    case 'subscription.rolledBack@1':
      if (row.undo === null) return {};
      return {
        level: row.undo.level,
        currency: row.undo.currency ?? row.currency,
        userMills: row.undo.userMills,
        gigabyteMills: row.undo.gigabyteMills,
        minimumUsers: row.undo.minimumUsers,
        trialEndsAt: row.undo.trialEndsAt,
        cancelledAt: null,
        undo: null,
      };
    case 'subscription.levelChanged@1':
      return {
        level: event.data.level,
        currency: event.data.currency ?? row.currency,
        userMills: event.data.userMills,
        gigabyteMills: event.data.gigabyteMills,
        undo: getUndo(row, 'change-level', author),
      };
    case 'subscription.updated@1':
      return {
        userMills: event.data.userMills,
        minimumUsers: event.data.minimumUsers,
        undo: getUndo(row, 'update', author),
      };
    case 'subscription.trialChanged@1':
      return { trialEndsAt: event.data.trialEndsAt, undo: getUndo(row, 'update-trial', author) };
    case 'subscription.cardAttached@1':
      // What was done before can't be undone: Stripe doesn't know it.
      return {
        hasCard: true,
        periodEndsAt: event.data.periodEndsAt,
        undo: null,
        ...(event.data.owedMills !== undefined && { owedBeforeCardMills: event.data.owedMills }),
      };
    case 'subscription.disabled@1':
    case 'subscription.ended@1':
      return {};
    default:
      return event satisfies never;
  }
}

/** What changes of an ended subscription: only what is owed of it. */
function getDebtChanges(row: SubscriptionRow, event: Change, at: number): Partial<SubscriptionRow> {
  if (event.type === 'subscription.failed@1') return { owedMills: event.data.owedMills };
  return {
    owedMills: 0,
    ...settled(row),
    ...(event.type === 'subscription.forgiven@1' && { forgivenAt: at }),
  };
}

/** The first payment of a restored one settles nothing of before. */
const settled = ({ owedBeforeCardMills, status }: SubscriptionRow): Partial<SubscriptionRow> =>
  owedBeforeCardMills === undefined || status === 'pending' ? {} : { owedBeforeCardMills: 0 };

const getUndo = (
  {
    level: before,
    currency: money,
    userMills,
    gigabyteMills,
    minimumUsers,
    trialEndsAt,
  }: SubscriptionRow,
  operation: UndoableOperation,
  { at, by }: Author,
): SubscriptionRow['undo'] => ({
  operation,
  at,
  by,
  level: before,
  currency: money,
  userMills,
  gigabyteMills,
  minimumUsers,
  trialEndsAt,
});
