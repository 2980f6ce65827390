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

type Start = (world: AppContext) => Ticks;

/** `force` false: runs only what is due by its own time. */
export function getTicks(world: AppContext, handlers: Partial<JobHandlers>, force = true): Ticks {
  const runner = makeJobRunner(world, handlers);
  const types = `{${Object.keys(handlers).join(',')}}`;
  return {
    async tick(now) {
      const tenants = `{${(await world.store.tenants()).join(',')}}`;
      await world.store.system((db) =>
        sql`update background_job set due_at = case when tenant_id = any(${tenants}::uuid[]) then ${force ? sql`${now ?? world.clock.now()}::bigint` : sql`due_at`} end
          where type = any(${types}::text[]) and lease_owner is null`.execute(db),
      );
      await runner.tick(now);
    },
    stop: () => runner.stop(),
  };
}

export const missedRunTicks: Start = (world) =>
  getTicks(world, { 'missed-runs': missedRuns(world) });
export const slaTicks: Start = (world) => getTicks(world, { 'sla-alarms': slaAlarms(world) });
export const notificationTicks: Start = (world) =>
  getTicks(world, {
    notifications: notifications(world),
    webhooks: webhooks(world),
    push: pushNotifications(world),
    upkeep: upkeep(world, [deleteOldDeliveries]),
  });
export const licenseTicks: Start = (world) =>
  getTicks(world, { 'license-months': licenseMonths(world) });
export const invoiceTicks: Start = (world) => getTicks(world, { invoices: invoices(world) });
export const reportTicks: Start = (world) =>
  getTicks(world, { reports: reports(world), upkeep: upkeep(world, [deleteExpiredReports]) });
export const ticketTicks: Start = (world) =>
  getTicks(world, { 'ticket-results': ticketResults(world), 'tickets': tickets(world) });
export const mailTicks: Start = (world) =>
  getTicks(world, { mail: mail(world), upkeep: upkeep(world, [tidyOutgoing]) });
export const connectionTicks = (world: AppContext, timeoutMs?: Ms): Ticks =>
  getTicks(world, { connection: connection(world, timeoutMs) });
export const directoryTicks = (
  world: AppContext,
  from?: Parameters<typeof directoryAccounts>[1],
): Ticks => getTicks(world, { 'directory-accounts': directoryAccounts(world, from) }, false);
