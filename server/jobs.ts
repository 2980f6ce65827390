import type { Ms } from '#contract/ids.ts';
import {
  backupSchedule,
  backupSession,
  cleanUp,
  deleteExpiredDownloads,
  endAbandonedImports,
  endRights,
  findRepositoryAccess,
  findStoredRepository,
  forgetLongRemoved,
  repositoryAttachment,
  repositoryDeletion,
  repositoryVerification,
  restoreTask,
  runImport,
  scheduleCleanUps,
  scheduleDeletions,
  scheduleServers,
  scheduleVerifications,
  vb365Restore,
  vb365Server,
} from './engine/public/jobs.ts';
import { directoryAccounts } from './features/auth/directory/deprovision.ts';
import { finishRemoval } from './features/backup/finish-removal.ts';
import { backupRuns } from './features/backup/backup-runs.ts';
import { warnOfCertificates } from './features/backup/certificate-warnings.ts';
import { organizationCheck } from './features/backup/organization-access.ts';
import { deleteDueRepositories } from './features/backup/repositories.ts';
import { invoices } from './features/billing/read-invoices.ts';
import { licenseMonths } from './features/billing/store-months.ts';
import { deleteExpiredSignUps } from './features/billing/sign-up/store-sign-up.ts';
import { payments } from './features/billing/stripe/payments-job.ts';
import { subscriptions } from './features/billing/subscriptions/subscriptions-job.ts';
import { usageDays } from './features/billing/suite-usage/usage-days.ts';
import { connection, scheduleConnections } from './features/connections/connection-job.ts';
import { missedRuns } from './features/ingest/missed-runs-job.ts';
import {
  deleteOldDeliveries,
  notifications,
  pushNotifications,
  webhooks,
} from './features/notifications/jobs.ts';
import { deleteOldNotices } from './features/notifications/old-notices.ts';
import { deleteExpiredReports, reports } from './features/reports/reports-job.ts';
import {
  backgroundDownload,
  deleteExpiredBackgroundDownloads,
} from './features/restore/background/job.ts';
import { deleteOldAudit } from './features/restore/audit/retention.ts';
import { deleteExpiredLinks } from './features/restore/links.ts';
import { restoreApproval } from './features/restore/oversight/approvals.ts';
import { slaAlarms } from './features/sla/alarms-job.ts';
import { ticketResults, tickets } from './features/tickets/ticket-jobs.ts';
import type { AppContext } from './platform/app-context.ts';
import type { TenantTx } from './platform/db/store.ts';
import { logArchive } from './platform/events/archive/archive-job.ts';
import { checkEachNight } from './platform/events/check-each-night.ts';
import { deleteOldCommands } from './platform/http/old-commands.ts';
import type { JobHandlers } from './platform/jobs/job-types.ts';
import { upkeep } from './platform/jobs/upkeep.ts';
import { mail, tidyOutgoing } from './platform/mail/sender.ts';
import { deleteOldLogs } from './platform/queries/old-logs.ts';
import { dayTotals } from './platform/queries/sum-days.ts';

/** The handler of every type of background job. */
export const allJobs = (context: AppContext): JobHandlers => ({
  'background-download': backgroundDownload(context),
  'backup-runs': backupRuns(context),
  'backup-schedule': backupSchedule(context),
  'backup-session': backupSession(context, context.embeddedEngine.sessions),
  'connection': connection(context),
  'day-totals': dayTotals(context),
  'directory-accounts': directoryAccounts(context),
  'import': runImport(context, context.embeddedEngine.sessions),
  'invoices': invoices(context),
  'license-months': licenseMonths(context),
  'log-archive': logArchive(context),
  'log-check': checkEachNight(context),
  'mail': mail(context),
  'missed-runs': missedRuns(context),
  'notifications': notifications(context),
  'organization-check': organizationCheck(context),
  'payments': payments(context),
  'push': pushNotifications(context),
  'reports': reports(context),
  'repository-attachment': repositoryAttachment(context, (tenant, repository) =>
    findRepositoryAccess(context, tenant, repository),
  ),
  'repository-clean-up': cleanUp(context, (tenant, repository) =>
    findStoredRepository(context, tenant, repository),
  ),
  'repository-deletion': repositoryDeletion(context),
  'repository-verification': repositoryVerification(context, context.embeddedEngine.sessions),
  'restore-approval': restoreApproval(context),
  'restore-rights': endRights(context, context.embeddedEngine.restores),
  'restore-task': restoreTask(context, context.embeddedEngine.restores),
  'sla-alarms': slaAlarms(context),
  'subscriptions': subscriptions(context),
  'ticket-results': ticketResults(context),
  'tickets': tickets(context),
  'upkeep': upkeep(context, [
    ...UPKEEP,
    deleteExpiredBackgroundDownloads(context),
    warnOfCertificates(context),
    endAbandonedImports(context),
    deleteOldLogs(context),
  ]),
  'usage-days': usageDays(context),
  'vb365-restore': vb365Restore(context, context.vb365Engine.servers),
  'vb365-server': vb365Server(context, context.vb365Engine.servers, finishRemoval),
  'webhooks': webhooks(context),
});

/** What is done for each provider once an hour. */
const UPKEEP: readonly ((tx: TenantTx, now: Ms) => Promise<void>)[] = [
  tidyOutgoing,
  deleteOldDeliveries,
  deleteOldNotices,
  deleteOldCommands,
  deleteExpiredReports,
  deleteExpiredLinks,
  deleteOldAudit,
  deleteExpiredSignUps,
  deleteExpiredDownloads,
  scheduleConnections,
  deleteDueRepositories,
  scheduleCleanUps,
  scheduleDeletions,
  scheduleVerifications,
  scheduleServers,
  forgetLongRemoved,
];
