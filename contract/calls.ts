import { actingCalls } from './account/acting-calls.ts';
import { accountCalls } from './account/calls.ts';
import { emailCalls } from './account/email-calls.ts';
import { apiKeyCalls } from './account/key-calls.ts';
import { factorCalls } from './account/factor-calls.ts';
import { notificationCalls } from './account/notification-calls.ts';
import { oidcCalls } from './account/oidc-calls.ts';
import { preferenceCalls } from './account/preference-calls.ts';
import { profileCalls } from './account/profile-calls.ts';
import { recoveryCalls } from './account/recovery-calls.ts';
import { adminCalls } from './admin/admin-calls.ts';
import { brandEditCalls } from './brand/brand-edit-calls.ts';
import { brandCalls } from './brand/calls.ts';
import { settingsCalls } from './brand/settings-calls.ts';
import type { Call, CallOutput, ParsedInput, CallInput } from './call.ts';
import { supportCalls } from './desk/support-calls.ts';
import { ticketCalls } from './desk/ticket-calls.ts';
import { ticketingCalls } from './desk/ticketing-calls.ts';
import { ingestCalls } from './monitoring/ingest.ts';
import { monitoringCalls } from './monitoring/calls.ts';
import { collectorCalls } from './monitoring/collector-calls.ts';
import { deskCalls } from './monitoring/desk-calls.ts';
import { reportingCalls } from './monitoring/reporting-calls.ts';
import { hintCalls } from './monitoring/hint-calls.ts';
import { notifyCalls } from './monitoring/notify-calls.ts';
import { searchCalls } from './monitoring/search-calls.ts';
import { slaCalls } from './monitoring/sla-calls.ts';
import { invoiceCalls } from './billing/invoice-calls.ts';
import { licensingCalls } from './billing/licensing-calls.ts';
import { quickBooksCalls } from './billing/quickbooks-calls.ts';
import { ruleCalls } from './monitoring/rule-calls.ts';
import { companyCalls } from './people/company-calls.ts';
import { logCalls } from './people/log-calls.ts';
import { providerCalls } from './people/provider-calls.ts';
import { userCalls } from './people/user-calls.ts';
import { reportCalls } from './reports/report-calls.ts';
import { syncCalls } from './sync/calls.ts';

/** Every call of the API. Handlers, client, OpenAPI page and tests are all made from it. */
export const CALLS = {
  ...brandCalls,
  ...accountCalls,
  ...factorCalls,
  ...preferenceCalls,
  ...syncCalls,
  ...monitoringCalls,
  ...deskCalls,
  ...reportingCalls,
  ...ruleCalls,
  ...hintCalls,
  ...slaCalls,
  ...searchCalls,
  ...notifyCalls,
  ...licensingCalls,
  ...invoiceCalls,
  ...quickBooksCalls,
  ...ingestCalls,
  ...collectorCalls,
  ...recoveryCalls,
  ...profileCalls,
  ...emailCalls,
  ...apiKeyCalls,
  ...actingCalls,
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
} as const;

export type CallName = keyof typeof CALLS;
export type InputOf<N extends CallName> = CallInput<(typeof CALLS)[N]>;
export type ParsedInputOf<N extends CallName> = ParsedInput<(typeof CALLS)[N]>;
export type OutputOf<N extends CallName> = CallOutput<(typeof CALLS)[N]>;
/** Calls that a device may queue while it has no network (OUT-2). */
export type OfflineCall = {
  [N in CallName]: (typeof CALLS)[N] extends { readonly offline: string } ? N : never;
}[CallName];
/** As `(typeof CALLS)[N]`, for code that walks the table. */
export const callOf = (name: CallName): Call => CALLS[name];
