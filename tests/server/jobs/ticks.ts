/**
 * Background jobs for tests of the work that they do. `tick` makes the jobs of the test's providers
 * due and runs them, and what they schedule at once. When jobs become due in the product is proved in
 * `runner.test.ts` and `due-times.test.ts`.
 */
import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { directoryAccounts } from '#server/features/auth/directory/deprovision.ts';
import { invoices } from '#server/features/billing/read-invoices.ts';
import { licenseMonths } from '#server/features/billing/store-months.ts';
import { connection } from '#server/features/connections/connection-job.ts';
import { missedRuns } from '#server/features/ingest/missed-runs-job.ts';
import {
  deleteOldDeliveries,
  notifications,
  pushNotifications,
  webhooks,
} from '#server/features/notifications/jobs.ts';
import { deleteExpiredReports, reports } from '#server/features/reports/reports-job.ts';
import { slaAlarms } from '#server/features/sla/alarms-job.ts';
import { ticketResults, tickets } from '#server/features/tickets/ticket-jobs.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { JobHandlers } from '#server/platform/jobs/job-types.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { upkeep } from '#server/platform/jobs/upkeep.ts';
import { mail, tidyOutgoing } from '#server/platform/mail/sender.ts';

export interface Ticks {
  tick(now?: Ms): Promise<void>;
  stop(): Promise<void>;
}

type Start = (context: AppContext) => Ticks;

/** `force` false: runs only what is due by its own time. */
export function getTicks(context: AppContext, handlers: Partial<JobHandlers>, force = true): Ticks {
  const runner = makeJobRunner(context, handlers);
  const types = `{${Object.keys(handlers).join(',')}}`;
  return {
    async tick(now) {
      const tenants = `{${(await context.store.tenants()).join(',')}}`;
      await context.store.system((db) =>
        sql`update background_job set due_at = case when tenant_id = any(${tenants}::uuid[]) then ${force ? sql`${now ?? context.clock.now()}::bigint` : sql`due_at`} end
          where type = any(${types}::text[]) and lease_owner is null`.execute(db),
      );
      await runner.tick(now);
    },
    stop: () => runner.stop(),
  };
}

export const missedRunTicks: Start = (context) =>
  getTicks(context, { 'missed-runs': missedRuns(context) });
export const slaTicks: Start = (context) => getTicks(context, { 'sla-alarms': slaAlarms(context) });
export const notificationTicks: Start = (context) =>
  getTicks(context, {
    notifications: notifications(context),
    webhooks: webhooks(context),
    push: pushNotifications(context),
    upkeep: upkeep(context, [deleteOldDeliveries]),
  });
export const licenseTicks: Start = (context) =>
  getTicks(context, { 'license-months': licenseMonths(context) });
export const invoiceTicks: Start = (context) => getTicks(context, { invoices: invoices(context) });
export const reportTicks: Start = (context) =>
  getTicks(context, { reports: reports(context), upkeep: upkeep(context, [deleteExpiredReports]) });
export const ticketTicks: Start = (context) =>
  getTicks(context, { 'ticket-results': ticketResults(context), 'tickets': tickets(context) });
export const mailTicks: Start = (context) =>
  getTicks(context, { mail: mail(context), upkeep: upkeep(context, [tidyOutgoing]) });
export const connectionTicks = (context: AppContext, timeoutMs?: Ms): Ticks =>
  getTicks(context, { connection: connection(context, timeoutMs) });
export const directoryTicks = (
  context: AppContext,
  from?: Parameters<typeof directoryAccounts>[1],
): Ticks => getTicks(context, { 'directory-accounts': directoryAccounts(context, from) }, false);
