import { factorHandlers } from './features/auth/factors.ts';
import { impersonationHandlers } from './features/auth/impersonation.ts';
import { apiKeyHandlers } from './features/auth/api-keys.ts';
import { emailHandlers } from './features/auth/email.ts';
import { loginTokenHandlers } from './features/auth/login-token.ts';
import { accountHandlers } from './features/auth/handlers.ts';
import { oidcHandlers } from './features/auth/oidc.ts';
import { pinHandlers } from './features/companies/pins.ts';
import { preferenceHandlers } from './features/auth/preferences.ts';
import { ownSessionHandlers } from './features/auth/own-sessions.ts';
import { passwordHandlers } from './features/auth/password-change.ts';
import { profileHandlers } from './features/auth/profile.ts';
import { recoveryHandlers } from './features/auth/recovery.ts';
import { recoveryLinkHandlers } from './features/auth/recovery-link.ts';
import { ssoHandlers } from './features/auth/sso.ts';
import { backupDashboardHandlers } from './features/backup/dashboard.ts';
import { directoryHandlers } from './features/backup/directory.ts';
import { importServerHandlers } from './features/backup/import-server.ts';
import { importHandlers } from './features/backup/imports.ts';
import { backupJobHandlers } from './features/backup/jobs.ts';
import { checkOrganizationHandlers } from './features/backup/check-organization.ts';
import { exclusionHandlers } from './features/backup/exclusions.ts';
import { legalHoldHandlers } from './features/backup/legal-holds.ts';
import { organizationHandlers } from './features/backup/organizations.ts';
import { serverRepositoryHandlers } from './features/backup/server-repositories.ts';
import { upkeepHandlers } from './features/backup/repository-upkeep.ts';
import { attachHandlers } from './features/backup/attach-repository.ts';
import { proxyHandlers } from './features/backup/proxies.ts';
import { backupRepositoryHandlers } from './features/backup/repositories.ts';
import { sessionHandlers } from './features/backup/sessions.ts';
import { brandHandlers } from './features/branding/handlers.ts';
import { settingsHandlers } from './features/branding/settings.ts';
import type { Handlers } from './platform/http/handler.ts';
import { collectorHandlers } from './features/connections/handlers.ts';
import { computerHandlers } from './features/computers/handlers.ts';
import { jobHandlers } from './features/daily-checks/job-handlers.ts';
import { viewHandlers } from './features/daily-checks/saved-views.ts';
import { evidenceHandlers } from './features/evidence/handlers.ts';
import { executionHandlers } from './features/daily-checks/executions.ts';
import { ingestHandlers } from './features/ingest/handlers.ts';
import { keyHandlers } from './features/ingest/ingest-keys.ts';
import { reportingHandlers } from './reporting-handlers.ts';
import { repositoryHandlers } from './features/repositories/handlers.ts';
import { hintHandlers } from './features/hints/handlers.ts';
import { notifyHandlers } from './features/notifications/handlers.ts';
import { webhookHandlers } from './features/notifications/webhook-handlers.ts';
import { searchHandlers } from './features/search/handlers.ts';
import { slaHandlers } from './features/sla/handlers.ts';
import { licensingHandlers } from './features/billing/handlers.ts';
import { suiteUsageHandlers } from './features/billing/suite-usage/handlers.ts';
import { allSubscriptionHandlers } from './features/billing/subscriptions/all-providers.ts';
import { subscriptionHandlers } from './features/billing/subscriptions/handlers.ts';
import { subscriptionChangeHandlers } from './features/billing/subscriptions/changes.ts';
import { billingSettingsHandlers } from './features/billing/subscriptions/settings.ts';
import { deletedCompanyHandlers } from './features/billing/subscriptions/deleted-companies.ts';
import { monthInvoiceHandlers } from './features/billing/month-invoice/handlers.ts';
import { signUpHandlers } from './features/billing/sign-up/handlers.ts';
import { checkoutHandlers } from './features/billing/stripe/checkout.ts';
import { stripeEventHandlers } from './features/billing/stripe/webhook.ts';
import { customerHandlers } from './features/billing/customer-handlers.ts';
import { invoiceHandlers } from './features/billing/invoice-handlers.ts';
import { onlinePaymentHandlers } from './features/billing/online-payment.ts';
import { quickBooksHandlers } from './features/billing/quickbooks-handlers.ts';
import { backgroundDownloadHandlers } from './features/restore/background/handlers.ts';
import { restoreContentHandlers } from './features/restore/content.ts';
import { downloadHandlers } from './features/restore/downloads/handlers.ts';
import { previewHandlers } from './features/restore/preview/handlers.ts';
import { restoreHandlers } from './features/restore/restores.ts';
import { filePreviewHandlers } from './features/restore/preview/files.ts';
import { postPreviewHandlers } from './features/restore/preview/posts.ts';
import { restoreTeamHandlers } from './features/restore/teams.ts';
import { restoreSearchHandlers } from './features/restore/search.ts';
import { restoreCompareHandlers } from './features/restore/compare/handlers.ts';
import { restoreVersionHandlers } from './features/restore/versions/handlers.ts';
import { restoreSessionHandlers } from './features/restore/sessions.ts';
import { operatorRedirectHandlers } from './features/auth/operator-redirect.ts';
import { operatorSignInHandlers } from './features/auth/operator-sign-in.ts';
import { operatorConsoleHandlers } from './features/restore/roles/console.ts';
import { restoreAuditHandlers } from './features/restore/audit/handlers.ts';
import { restoreRoleHandlers } from './features/restore/roles/handlers.ts';
import { restoreRightsHandlers } from './features/restore/rights.ts';
import { restoreApprovalHandlers } from './features/restore/oversight/approvals.ts';
import { restoreTaskHandlers } from './features/restore/tasks.ts';
import { ruleHandlers } from './features/rules/handlers.ts';
import { syncHandlers } from './platform/sync/handlers.ts';
import { adoptHandlers } from './features/tickets/adopt-ticket.ts';
import { remoteHandlers } from './features/tickets/remote-handlers.ts';
import { supportHandlers } from './features/support/handlers.ts';
import { ticketHandlers } from './features/tickets/handlers.ts';
import { ticketingHandlers } from './features/tickets/ticketing-handlers.ts';
import { adminHandlers } from './features/providers/admin-handlers.ts';
import { brandEditHandlers } from './features/branding/edit.ts';
import { companyHandlers } from './features/companies/handlers.ts';
import { invitationHandlers } from './features/users/invitations.ts';
import { notificationHandlers } from './features/notifications/notices.ts';
import { logHandlers } from './features/users/logs.ts';
import { providerHandlers } from './features/providers/handlers.ts';
import { userEndHandlers } from './features/users/delete-user.ts';
import { userKeyHandlers } from './features/users/user-api-keys.ts';
import { userListHandlers } from './features/users/user-list.ts';
import { userHandlers } from './features/users/users.ts';
import { reportHandlers } from './features/reports/handlers.ts';
import type { AppContext } from './platform/app-context.ts';

/** The handler of every call in the contract. A missing one doesn't compile. */
export const allHandlers = (context: AppContext): Handlers => ({
  ...brandHandlers(context),
  ...settingsHandlers(context),
  ...oidcHandlers(context),
  ...ssoHandlers(context),
  ...accountHandlers(context),
  ...factorHandlers(context),
  ...preferenceHandlers(context),
  ...pinHandlers(context),
  ...syncHandlers(context),
  ...executionHandlers(context),
  ...viewHandlers(context),
  ...ruleHandlers(context),
  ...hintHandlers(context),
  ...slaHandlers(context),
  ...searchHandlers(context),
  ...notifyHandlers(context),
  ...webhookHandlers(context),
  ...licensingHandlers(context),
  ...suiteUsageHandlers(context),
  ...subscriptionHandlers(context),
  ...allSubscriptionHandlers(context),
  ...monthInvoiceHandlers(context),
  ...signUpHandlers(context),
  ...checkoutHandlers(context),
  ...stripeEventHandlers(context),
  ...subscriptionChangeHandlers(context),
  ...billingSettingsHandlers(context),
  ...deletedCompanyHandlers(context),
  ...invoiceHandlers(context),
  ...onlinePaymentHandlers(context),
  ...quickBooksHandlers(context),
  ...customerHandlers(context),
  ...jobHandlers(context),
  ...computerHandlers(context),
  ...repositoryHandlers(context),
  ...evidenceHandlers(context),
  ...reportingHandlers(context),
  ...keyHandlers(context),
  ...ingestHandlers(context),
  ...collectorHandlers(context),
  ...recoveryHandlers(context),
  ...recoveryLinkHandlers(context),
  ...profileHandlers(context),
  ...emailHandlers(context),
  ...apiKeyHandlers(context),
  ...passwordHandlers(context),
  ...ownSessionHandlers(context),
  ...impersonationHandlers(context),
  ...loginTokenHandlers(context),
  ...userListHandlers(context),
  ...userHandlers(context),
  ...userEndHandlers(context),
  ...userKeyHandlers(context),
  ...companyHandlers(context),
  ...providerHandlers(context),
  ...invitationHandlers(context),
  ...notificationHandlers(context),
  ...logHandlers(context),
  ...adminHandlers(context),
  ...reportHandlers(context),
  ...brandEditHandlers(context),
  ...ticketHandlers(context),
  ...adoptHandlers(context),
  ...ticketingHandlers(context),
  ...remoteHandlers(context),
  ...supportHandlers(context),
  ...checkOrganizationHandlers(context),
  ...organizationHandlers(context),
  ...legalHoldHandlers(context),
  ...exclusionHandlers(context),
  ...importServerHandlers(context),
  ...directoryHandlers(context),
  ...backupRepositoryHandlers(context),
  ...attachHandlers(context),
  ...serverRepositoryHandlers(context),
  ...upkeepHandlers(context),
  ...proxyHandlers(context),
  ...backupJobHandlers(context),
  ...importHandlers(context),
  ...backupDashboardHandlers(context),
  ...sessionHandlers(context),
  ...restoreSessionHandlers(context),
  ...restoreSearchHandlers(context),
  ...restoreVersionHandlers(context),
  ...restoreCompareHandlers(context),
  ...backgroundDownloadHandlers(context),
  ...restoreContentHandlers(context),
  ...previewHandlers(context),
  ...downloadHandlers(context),
  ...restoreHandlers(context),
  ...restoreTeamHandlers(context),
  ...postPreviewHandlers(context),
  ...filePreviewHandlers(context),
  ...restoreRightsHandlers(context),
  ...restoreRoleHandlers(context),
  ...restoreAuditHandlers(context),
  ...operatorSignInHandlers(context),
  ...operatorRedirectHandlers(context),
  ...operatorConsoleHandlers(context),
  ...restoreTaskHandlers(context),
  ...restoreApprovalHandlers(context),
});
