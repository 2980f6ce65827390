import * as v from 'valibot';
import { call } from '../call.ts';
import { anyTenantId, getPage, PAGE, words } from '../paging.ts';
import { CURRENCIES } from './service-levels.ts';
import { companySubscription, MONTH_FIELDS } from './subscription-calls.ts';
import { SUBSCRIPTION_STATUSES } from './subscriptions.ts';

/** `amount` sorts within each currency. `next`: the next date. `-` reverses the order. */
export const ALL_SUBSCRIPTION_SORTS = [
  'provider',
  '-provider',
  'company',
  '-company',
  'status',
  '-status',
  'users',
  '-users',
  'amount',
  '-amount',
  'next',
  '-next',
] as const;

/**
 * The next automatic change, and when it happens. `trial-ends`: the first day that is billed; `stops`: the
 * grace period ends, and backups with it; `ended`: in the past.
 */
export const NEXT_STEPS = ['renews', 'trial-ends', 'stops', 'ends', 'ended'] as const;
/** `unpaid`: a payment failed; `trial` and `free`: nothing is due. */
export const PAYMENT_STATES = ['unpaid', 'trial', 'free', 'card', 'invoice'] as const;

/**
 * A company's subscription with its provider. `organizations`: names of its Microsoft 365
 * organizations. `own`: of the caller's own provider.
 */
const providerSubscription = v.object({
  ...companySubscription.entries,
  provider: v.object({ _id: v.string(), name: v.string(), own: v.boolean() }),
  organizations: v.array(v.string()),
  payment: v.nullable(v.picklist(PAYMENT_STATES)),
  next: v.nullable(v.object({ step: v.picklist(NEXT_STEPS), at: v.number() })),
});
export type ProviderSubscription = v.InferOutput<typeof providerSubscription>;

/** `none`: companies that have usage but no subscription. `search`: provider, company or organization. */
const QUERY_FIELDS = {
  ...MONTH_FIELDS,
  provider: v.optional(anyTenantId),
  status: v.optional(v.picklist([...SUBSCRIPTION_STATUSES, 'none'])),
  search: words,
  sort: v.optional(v.picklist(ALL_SUBSCRIPTION_SORTS)),
};
const FAILURES = ['bad-input', 'forbidden', 'not-found'] as const;

export const allSubscriptionCalls = {
  listAllSubscriptions: call({
    method: 'GET',
    path: 'admin/subscriptions',
    summary:
      "Lists the Microsoft 365 subscriptions of the caller's own provider and those below it, with their usage of a month and the totals of all matches per currency.",
    input: v.strictObject({ ...QUERY_FIELDS, ...PAGE }),
    output: v.object({
      ...getPage(providerSubscription).entries,
      month: v.number(),
      year: v.number(),
      totals: v.array(
        v.object({
          currency: v.picklist(CURRENCIES),
          totalMills: v.number(),
          owedMills: v.number(),
        }),
      ),
      providers: v.array(
        v.object({
          _id: v.string(),
          name: v.string(),
          own: v.boolean(),
          hosts: v.array(v.string()),
        }),
      ),
    }),
    gate: 'o365.subscriptions',
    failures: FAILURES,
  }),
  exportAllSubscriptions: call({
    method: 'GET',
    path: 'admin/subscriptions/export',
    summary: 'Exports all matching subscriptions as a CSV file.',
    input: v.strictObject(QUERY_FIELDS),
    output: 'bytes',
    gate: 'o365.subscriptions-export',
    failures: FAILURES,
  }),
} as const;
