import { impersonationCalls } from './auth/impersonation-calls.ts';
import { accountCalls } from './auth/calls.ts';
import { emailCalls } from './auth/email-calls.ts';
import { apiKeyCalls } from './auth/api-key-calls.ts';
import { factorCalls } from './auth/factor-calls.ts';
import { notificationCalls } from './notifications/notice-calls.ts';
import { oidcCalls } from './auth/oidc-calls.ts';
import { pinCalls } from './companies/pins.ts';
import { preferenceCalls } from './auth/preference-calls.ts';
import { profileCalls } from './auth/profile-calls.ts';
import { recoveryCalls } from './auth/recovery-calls.ts';
import { backupCalls } from './backup/calls.ts';
import { adminCalls } from './providers/admin-calls.ts';
import { brandEditCalls } from './branding/edit-calls.ts';
import { brandCalls } from './branding/calls.ts';
import { settingsCalls } from './branding/settings-calls.ts';
import type { Call, CallOutput, ParsedInput, CallInput } from './call.ts';
import { supportCalls } from './support/calls.ts';
import { ticketCalls } from './tickets/calls.ts';
import { ticketingCalls } from './tickets/ticketing-calls.ts';
import { ingestCalls } from './ingest/calls.ts';
import { monitoringCalls } from './runs/calls.ts';
import { collectorCalls } from './connections/calls.ts';
import { dailyCheckCalls } from './daily-checks/operator-calls.ts';
import { reportingCalls } from './reports/result-calls.ts';
import { hintCalls } from './hints/calls.ts';
import { notifyCalls } from './notifications/calls.ts';
import { searchCalls } from './search/calls.ts';
import { slaCalls } from './sla/calls.ts';
import { invoiceCalls } from './billing/invoice-calls.ts';
import { licensingCalls } from './billing/licensing-calls.ts';
import { suiteUsageCalls } from './billing/suite-usage-calls.ts';
import { allSubscriptionCalls } from './billing/all-subscription-calls.ts';
import { subscriptionCalls } from './billing/subscription-calls.ts';
import { monthInvoiceCalls } from './billing/month-invoice-calls.ts';
import { signUpCalls } from './billing/sign-up-calls.ts';
import { quickBooksCalls } from './billing/quickbooks-calls.ts';
import { ruleCalls } from './rules/calls.ts';
import { companyCalls } from './companies/calls.ts';
import { logCalls } from './users/log-calls.ts';
import { providerCalls } from './providers/calls.ts';
import { userCalls } from './users/calls.ts';
import { reportCalls } from './reports/calls.ts';
import { restoreCalls } from './restore/calls.ts';
import { syncCalls } from './sync/calls.ts';

/**
 * Named part by part: the compiler can't write the type of so many calls into a declaration.
 */
type Calls = typeof brandCalls &
  typeof accountCalls &
  typeof factorCalls &
  typeof preferenceCalls &
  typeof pinCalls &
  typeof syncCalls &
  typeof monitoringCalls &
  typeof dailyCheckCalls &
  typeof reportingCalls &
  typeof ruleCalls &
  typeof hintCalls &
  typeof slaCalls &
  typeof searchCalls &
  typeof notifyCalls &
  typeof licensingCalls &
  typeof suiteUsageCalls &
  typeof subscriptionCalls &
  typeof allSubscriptionCalls &
  typeof monthInvoiceCalls &
  typeof signUpCalls &
  typeof invoiceCalls &
  typeof quickBooksCalls &
  typeof ingestCalls &
  typeof collectorCalls &
  typeof recoveryCalls &
  typeof profileCalls &
  typeof emailCalls &
  typeof apiKeyCalls &
  typeof impersonationCalls &
  typeof oidcCalls &
  typeof userCalls &
  typeof logCalls &
  typeof companyCalls &
  typeof providerCalls &
  typeof notificationCalls &
  typeof brandEditCalls &
  typeof settingsCalls &
  typeof adminCalls &
  typeof reportCalls &
  typeof ticketCalls &
  typeof ticketingCalls &
  typeof supportCalls &
  typeof backupCalls &
  typeof restoreCalls;

/** Every call of the API. Handlers, client, OpenAPI document and tests are all derived from it. */
export const CALLS: Calls = {
  ...brandCalls,
  ...accountCalls,
  ...factorCalls,
  ...preferenceCalls,
  ...pinCalls,
  ...syncCalls,
  ...monitoringCalls,
  ...dailyCheckCalls,
  ...reportingCalls,
  ...ruleCalls,
  ...hintCalls,
  ...slaCalls,
  ...searchCalls,
  ...notifyCalls,
  ...licensingCalls,
  ...suiteUsageCalls,
  ...subscriptionCalls,
  ...allSubscriptionCalls,
  ...monthInvoiceCalls,
  ...signUpCalls,
  ...invoiceCalls,
  ...quickBooksCalls,
  ...ingestCalls,
  ...collectorCalls,
  ...recoveryCalls,
  ...profileCalls,
  ...emailCalls,
  ...apiKeyCalls,
  ...impersonationCalls,
  ...oidcCalls,
  ...userCalls,
  ...logCalls,
  ...companyCalls,
  ...providerCalls,
  ...notificationCalls,
  ...brandEditCalls,
  ...settingsCalls,
  ...adminCalls,
  ...reportCalls,
  ...ticketCalls,
  ...ticketingCalls,
  ...supportCalls,
  ...backupCalls,
  ...restoreCalls,
};

export type CallName = keyof typeof CALLS;
export type InputOf<N extends CallName> = CallInput<(typeof CALLS)[N]>;
export type ParsedInputOf<N extends CallName> = ParsedInput<(typeof CALLS)[N]>;
export type OutputOf<N extends CallName> = CallOutput<(typeof CALLS)[N]>;
/** Calls that a device may queue while it is offline (OUT-2). */
export type OfflineCall = {
  [N in CallName]: (typeof CALLS)[N] extends { readonly offline: string } ? N : never;
}[CallName];
/** Same as `(typeof CALLS)[N]`, for code that iterates over the table. */
export const getCall = (name: CallName): Call => CALLS[name];
