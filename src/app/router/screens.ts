import type { ComponentType } from 'react';
import type { PagePath } from '#contract/page-paths.ts';
import '../../ui/icon-more.ts'; // all screens except the first one use these icons

type Screen = () => Promise<ComponentType>;

/**
 * Loaders of all screens, for the route table: by path for pages with the sidebar, otherwise by
 * name. They are separate from the routes to keep them out of the first load.
 */
export const SCREENS = {
  step: async () => (await import('../../features/auth/sign-in/step-page.tsx')).StepPage,
  forgotPassword: async () =>
    (await import('../../features/auth/recovery/forgot-password.tsx')).ForgotPassword,
  forgotPasswordDb: async () =>
    (await import('../../features/auth/recovery/forgot-password-db.tsx')).ForgotPasswordDb,
  resetPasswordDb: async () =>
    (await import('../../features/auth/recovery/reset-password-db.tsx')).ResetPasswordDb,
  unlock: async () => (await import('../../features/auth/recovery/unlock.tsx')).Unlock,
  register: async () => (await import('../../features/auth/registration/register.tsx')).Register,
  confirmEmail: async () =>
    (await import('../../features/auth/registration/confirm-email.tsx')).ConfirmEmail,
  apps: async () => (await import('../../features/auth/single-sign-on/open-app.tsx')).Apps,
  frame: async () => (await import('../shell/shell.tsx')).Shell,
  restoreDownload: async () =>
    (await import('../../features/restore/downloads/details.tsx')).RestoreDownload,
  checkoutResult: async () =>
    (await import('../../features/billing/checkout/screen.tsx')).CheckoutResult,
  notFound: async () => (await import('../shell/not-found.tsx')).NotFound,
  jobWizard: async () => (await import('../../features/backup/jobs/wizard/screen.tsx')).JobWizard,
  restoreRoleWizard: async () =>
    (await import('../../features/restore/roles/wizard/screen.tsx')).RestoreRoleWizard,
  operatorSignIn: async () =>
    (await import('../../features/auth/operator-sign-in/sign-in.tsx')).OperatorSignIn,
  operatorConsole: async () =>
    (await import('../../features/restore/operator/console.tsx')).OperatorConsole,
  organizationWizard: async () =>
    (await import('../../features/backup/organizations/wizard/screen.tsx')).OrganizationWizard,
  renewCertificate: async () =>
    (await import('../../features/backup/organizations/certificate/screen.tsx')).RenewCertificate,
  wall: async () => (await import('../../features/dashboard/wallboard/screen.tsx')).WallboardScreen,
} as const satisfies Readonly<Record<string, Screen>>;
export type ScreenName = keyof typeof SCREENS;

/** Screens that several apps have. */
const SHARED = {
  profile: async () => (await import('../../features/auth/profile/profile.tsx')).ProfileScreen,
  changePassword: async () =>
    (await import('../../features/auth/security/change-password.tsx')).ChangePassword,
  resetPassword: async () =>
    (await import('../../features/auth/security/reset-password.tsx')).ResetPassword,
  securityQuestions: async () =>
    (await import('../../features/auth/security/security-questions.tsx')).SecurityQuestions,
  users: async () => (await import('../../features/users/screen.tsx')).Users,
  userLogs: async () => (await import('../../features/users/logs/screen.tsx')).UserLogs,
  invoices: async () => (await import('../../features/billing/invoices/screen.tsx')).Invoices,
  supportRequest: async () => (await import('../../features/support/request.tsx')).SupportRequest,
  supportLive: async () => (await import('../../features/support/live.tsx')).LiveSupport,
} as const satisfies Readonly<Record<string, Screen>>;

export const PAGE_SCREENS: Readonly<Record<PagePath, Screen>> = {
  '/monitoring/dashboard': async () =>
    (await import('../../features/dashboard/screen.tsx')).Dashboard,
  '/monitoring/calendar-report': async () =>
    (await import('../../features/calendar/screen.tsx')).Calendar,
  '/monitoring/daily-checks': async () =>
    (await import('../../features/daily-checks/screen.tsx')).DailyChecks,
  '/monitoring/daily-checks/disabled-jobs': async () =>
    (await import('../../features/daily-checks/disabled-jobs.tsx')).DisabledJobs,
  '/monitoring/daily-checks/computers': async () =>
    (await import('../../features/computers/unprotected.tsx')).Computers,
  '/monitoring/rules': async () => (await import('../../features/rules/screen.tsx')).Rules,
  '/monitoring/hints': async () => (await import('../../features/hints/screen.tsx')).Hints,
  '/monitoring/tickets': async () => (await import('../../features/tickets/screen.tsx')).Tickets,
  '/monitoring/webhooks': async () =>
    (await import('../../features/notifications/webhooks/screen.tsx')).Webhooks,
  '/monitoring/ticketing': async () =>
    (await import('../../features/tickets/ticketing/screen.tsx')).TicketingScreen,
  '/monitoring/users': SHARED.users,
  '/monitoring/companies': async () =>
    (await import('../../features/companies/screen.tsx')).Companies,
  '/monitoring/users-logs': SHARED.userLogs,
  '/monitoring/licensing': async () =>
    (await import('../../features/billing/licensing/screen.tsx')).Licensing,
  '/monitoring/invoices': SHARED.invoices,
  '/monitoring/invoices/quickbooks': async () =>
    (await import('../../features/billing/quickbooks/screen.tsx')).QuickBooks,
  '/monitoring/billing': async () => (await import('../../features/billing/billing.tsx')).Billing,
  '/monitoring/sla': async () => (await import('../../features/sla/screen.tsx')).Sla,
  '/monitoring/report-settings': async () =>
    (await import('../../features/reports/screen.tsx')).ReportSettings,
  '/monitoring/evidence': async () =>
    (await import('../../features/evidence/screen.tsx')).EvidenceScreen,
  '/monitoring/repositories': async () =>
    (await import('../../features/repositories/screen.tsx')).Repositories,
  '/monitoring/computers': async () =>
    (await import('../../features/computers/screen.tsx')).DiscoveredComputers,
  '/monitoring/rankings': async () =>
    (await import('../../features/analytics/rankings/screen.tsx')).Rankings,
  '/monitoring/spreadsheet': async () =>
    (await import('../../features/analytics/spreadsheet/screen.tsx')).Spreadsheet,
  '/monitoring/analytics/trends': async () =>
    (await import('../../features/analytics/trends/screen.tsx')).TrendsScreen,
  '/monitoring/sources': async () => (await import('../../features/ingest/sources.tsx')).Sources,
  '/monitoring/connections': async () =>
    (await import('../../features/connections/screen.tsx')).Connections,
  '/monitoring/support/request': SHARED.supportRequest,
  '/monitoring/support/live': SHARED.supportLive,
  '/monitoring/downloads': async () =>
    (await import('../../features/support/downloads.tsx')).Downloads,
  '/monitoring/profile': SHARED.profile,
  '/monitoring/subscriptions': async () =>
    (await import('../../features/billing/own-usage.tsx')).Subscriptions,
  '/monitoring/notifications': async () =>
    (await import('../../features/notifications/preferences/screen.tsx')).NotificationsPage,
  '/monitoring/security': async () =>
    (await import('../../features/auth/security/security.tsx')).Security,
  '/monitoring/api-keys': async () =>
    (await import('../../features/auth/api-keys/screen.tsx')).ApiKeysScreen,
  '/monitoring/api': async () => (await import('../../features/auth/api-docs/screen.tsx')).Api,
  '/monitoring/change-password': SHARED.changePassword,
  '/monitoring/reset-password': SHARED.resetPassword,
  '/monitoring/security-questions': SHARED.securityQuestions,
  '/monitoring/forbidden': async () => (await import('../shell/forbidden.tsx')).Forbidden,
  '/o365/dashboard': async () =>
    (await import('../../features/backup/dashboard/screen.tsx')).BackupDashboard,
  '/o365/organizations': async () =>
    (await import('../../features/backup/organizations/screen.tsx')).Organizations,
  '/o365/jobs': async () => (await import('../../features/backup/jobs/screen.tsx')).BackupJobs,
  '/o365/repositories': async () =>
    (await import('../../features/backup/repositories/screen.tsx')).BackupRepositories,
  '/o365/users': SHARED.users,
  '/o365/users-logs': SHARED.userLogs,
  '/o365/licensing': async () =>
    (await import('../../features/billing/suite-usage/licensing-screen.tsx')).SuiteLicensing,
  '/o365/license-consumption': async () =>
    (await import('../../features/billing/suite-usage/users-screen.tsx')).LicensedUsers,
  '/o365/restore/outlook': async () =>
    (await import('../../features/restore/screen.tsx')).OutlookRestore,
  '/o365/restore/onedrive': async () =>
    (await import('../../features/restore/screen.tsx')).OneDriveRestore,
  '/o365/restore/downloads': async () =>
    (await import('../../features/restore/downloads/screen.tsx')).RestoreDownloads,
  '/o365/restore/sharepoint': async () =>
    (await import('../../features/restore/screen.tsx')).SharePointRestore,
  '/o365/restore/teams': async () =>
    (await import('../../features/restore/screen.tsx')).TeamsRestore,
  '/o365/restore/audit': async () =>
    (await import('../../features/restore/audit/screen.tsx')).RestoreAudit,
  '/o365/restore-operator-roles': async () =>
    (await import('../../features/restore/roles/screen.tsx')).RestoreRoles,
  '/o365/billing': async () =>
    (await import('../../features/billing/subscriptions/screen.tsx')).SuiteBilling,
  '/o365/service-level': async () =>
    (await import('../../features/billing/subscriptions/own.tsx')).ServiceLevels,
  '/o365/subscriptions': async () =>
    (await import('../../features/billing/subscriptions/own.tsx')).SuiteSubscriptions,
  '/o365/invoices': SHARED.invoices,
  '/o365/profile': SHARED.profile,
  '/o365/change-password': SHARED.changePassword,
  '/o365/reset-password': SHARED.resetPassword,
  '/o365/security-questions': SHARED.securityQuestions,
  '/o365/support/request': SHARED.supportRequest,
  '/o365/support/live': SHARED.supportLive,
  '/o365/forbidden': async () => (await import('../shell/forbidden.tsx')).Forbidden,
  '/admin/dashboard': async () =>
    (await import('../../features/providers/dashboard/screen.tsx')).AdminDashboard,
  '/admin/events': async () =>
    (await import('../../features/providers/audit/screen.tsx')).AdminEvents,
  '/admin/providers': async () =>
    (await import('../../features/providers/screen.tsx')).AdminProviders,
  '/admin/branding': async () =>
    (await import('../../features/branding/editor/screen.tsx')).BrandingScreen,
  '/admin/subscriptions': async () =>
    (await import('../../features/billing/all-subscriptions/screen.tsx')).AllSubscriptions,
  '/admin/billing': async () =>
    (await import('../../features/billing/settings/screen.tsx')).BillingSettingsPage,
  '/admin/settings': async () =>
    (await import('../../features/branding/settings/screen.tsx')).ProviderSettingsScreen,
  '/admin/notices': async () =>
    (await import('../../features/notifications/notices/screen.tsx')).AdminNotices,
  '/admin/profile': SHARED.profile,
  '/admin/change-password': SHARED.changePassword,
  '/admin/reset-password': SHARED.resetPassword,
  '/admin/security-questions': SHARED.securityQuestions,
  '/admin/forbidden': async () => (await import('../shell/forbidden.tsx')).Forbidden,
};
