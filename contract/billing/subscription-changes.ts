import type { Ms } from '../ids.ts';
import type { Mills } from './invoice.ts';
import type { Currency, LevelPrices } from './service-levels.ts';
import {
  getNextStatus,
  isOwedOfEnded,
  type SubscriptionRow,
  type SubscriptionStatus,
} from './subscriptions.ts';
import { getUsageAmount, type Hundredths } from './usage-months.ts';

/** A deleted company can be restored for this long (BILL-13). */
export const RESTORABLE_MS: Ms = 30 * 86_400_000;

/** An operation on a subscription, with what it needs. */
export type SubscriptionOperation =
  | { readonly operation: 'cancel' | 'rollback' | 'forgive' | 'delete' }
  | {
      readonly operation: 'change-level';
      readonly prices: LevelPrices;
      readonly currency: Currency;
    }
  | { readonly operation: 'update'; readonly userMills: Mills; readonly minimumUsers: number }
  | { readonly operation: 'update-trial'; readonly trialEndsAt: Ms | null };

/**
 * What an operation does to money, and when. `monthlyBeforeMills`, `monthlyAfterMills`: of a month with
 * the given usage. `forgivenMills`: what is no longer owed. `undoableUntil`: null if it can't be undone.
 */
export interface SubscriptionEffect {
  readonly status: SubscriptionStatus;
  readonly monthlyBeforeMills: Mills;
  readonly monthlyAfterMills: Mills;
  readonly currencyAfter: Currency;
  readonly forgivenMills: Mills;
  readonly effectiveAt: Ms;
  readonly undoableUntil: Ms | null;
}

export interface LastUsage {
  readonly users: Hundredths;
  readonly gigabytes: Hundredths;
}

/** What each operation does to the status. */
export const OPERATION_TRIGGERS = {
  'cancel': 'cancelled',
  'rollback': 'rolledBack',
  'forgive': 'forgiven',
  'delete': 'ended',
  'change-level': 'levelChanged',
  'update': 'updated',
  'update-trial': 'trialChanged',
} as const;

/** Whether there is something to undo, or to write off of a subscription that has ended. */
export function hasSubject(
  operation: SubscriptionOperation['operation'],
  row: Pick<SubscriptionRow, 'status' | 'owedMills'> & { readonly undo: unknown },
): boolean {
  if (operation === 'rollback') return row.undo !== null;
  return operation !== 'forgive' || row.status !== 'ended' || isOwedOfEnded(row);
}

/**
 * Returns the effect of an operation (BILL-14), or null if the subscription doesn't allow it now: the
 * same rule that the event follows.
 */
export function getSubscriptionEffect(
  row: SubscriptionRow,
  change: SubscriptionOperation,
  usage: LastUsage,
  now: Ms,
): SubscriptionEffect | null {
  const status = getNextStatus(row.status, OPERATION_TRIGGERS[change.operation]);
  if (status === null && change.operation !== 'delete') return null;
  if (!hasSubject(change.operation, row)) return null;
  const before = row.status === 'ended' ? 0 : getMonthlyMills(row, usage);
  const plain: SubscriptionEffect = {
    status: status ?? row.status,
    monthlyBeforeMills: before,
    monthlyAfterMills: before,
    currencyAfter: row.currency,
    forgivenMills: 0,
    effectiveAt: now,
    undoableUntil: null,
  };
  switch (change.operation) {
    case 'cancel': {
      const isPaid = status === 'cancelled';
      return {
        ...plain,
        monthlyAfterMills: 0,
        effectiveAt: isPaid ? Math.max(now, row.periodEndsAt) : now,
        undoableUntil: isPaid ? Math.max(now, row.periodEndsAt) : null,
      };
    }
    case 'change-level':
      return {
        ...plain,
        monthlyAfterMills: getMonthlyMills({ ...row, ...change.prices }, usage),
        currencyAfter: change.currency,
        undoableUntil: Math.max(now, row.periodEndsAt),
      };
    case 'update':
      return {
        ...plain,
        monthlyAfterMills: getMonthlyMills({ ...row, ...change }, usage),
        undoableUntil: Math.max(now, row.periodEndsAt),
      };
    case 'update-trial':
      return {
        ...plain,
        effectiveAt: change.trialEndsAt ?? now,
        undoableUntil: Math.max(now, row.periodEndsAt),
      };
    case 'rollback':
      return {
        ...plain,
        // What was canceled would have ended with its period, and goes on from then.
        ...(row.status === 'cancelled' && {
          monthlyBeforeMills: 0,
          effectiveAt: Math.max(now, row.periodEndsAt),
        }),
        monthlyAfterMills: getMonthlyMills({ ...row, ...row.undo }, usage),
        currencyAfter: row.undo?.currency ?? row.currency,
      };
    case 'forgive':
      return { ...plain, forgivenMills: row.owedMills };
    case 'delete':
      return { ...plain, monthlyAfterMills: 0, undoableUntil: now + RESTORABLE_MS };
    default:
      return change satisfies never;
  }
}

const getMonthlyMills = (
  row: Pick<SubscriptionRow, 'minimumUsers' | 'userMills' | 'gigabyteMills'>,
  usage: LastUsage,
): Mills => getUsageAmount({ ...row, minimumUsers: row.minimumUsers * 100 }, usage).totalMills;
