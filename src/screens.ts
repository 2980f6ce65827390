import type { ComponentType } from 'react';
import type { PagePath } from '#contract/page-paths.ts';
import './ui/icon-more.ts'; // every screen but the first has the icons

type Screen = () => Promise<ComponentType>;

/**
 * Where each screen is, for the route table. In a file of its own: the first page names none of
 * them. A screen comes in when it is opened. By its address where it is a page beside the sidebar,
 * else by its name.
 */
export const SCREENS = {
  step: async () => (await import('./areas/account/step-page.tsx')).StepPage,
  forgotPassword: async () => (await import('./areas/account/forgot-password.tsx')).ForgotPassword,
  forgotPasswordDb: async () =>
    (await import('./areas/account/forgot-password-db.tsx')).ForgotPasswordDb,
  resetPasswordDb: async () =>
    (await import('./areas/account/reset-password-db.tsx')).ResetPasswordDb,
  unlock: async () => (await import('./areas/account/unlock.tsx')).Unlock,
  register: async () => (await import('./areas/account/register.tsx')).Register,
  confirmEmail: async () => (await import('./areas/account/confirm-email.tsx')).ConfirmEmail,
  apps: async () => (await import('./areas/account/apps.tsx')).Apps,
  frame: async () => (await import('./frame/frame.tsx')).Frame,
  notFound: async () => (await import('./frame/not-found.tsx')).NotFound,
  wall: async () => (await import('./areas/monitoring/wall/screen.tsx')).Wall,
} as const satisfies Readonly<Record<string, Screen>>;
export type ScreenName = keyof typeof SCREENS;

export const PAGE_SCREENS: Readonly<Record<PagePath, Screen>> = {
  '/monitoring/dashboard': async () =>
    (await import('./areas/monitoring/dashboard/screen.tsx')).Dashboard,
  '/monitoring/calendar-report': async () =>
    (await import('./areas/monitoring/calendar/screen.tsx')).Calendar,
  '/monitoring/daily-checks': async () =>
    (await import('./areas/monitoring/daily-checks/screen.tsx')).DailyChecks,
  '/monitoring/daily-checks/disabled-jobs': async () =>
    (await import('./areas/monitoring/other-lists/disabled-jobs.tsx')).DisabledJobs,
  '/monitoring/daily-checks/computers': async () =>
    (await import('./areas/monitoring/other-lists/computers.tsx')).Computers,
  '/monitoring/rules': async () => (await import('./areas/monitoring/rules/screen.tsx')).Rules,
  '/monitoring/hints': async () => (await import('./areas/monitoring/hints/screen.tsx')).Hints,
  '/monitoring/tickets': async () =>
    (await import('./areas/monitoring/tickets/screen.tsx')).Tickets,
  '/monitoring/webhooks': async () =>
    (await import('./areas/monitoring/webhooks/screen.tsx')).Webhooks,
  '/monitoring/ticketing': async () =>
    (await import('./areas/monitoring/ticketing/screen.tsx')).Ticketing,
  '/monitoring/users': async () => (await import('./areas/people/users/screen.tsx')).Users,
  '/monitoring/companies': async () =>
    (await import('./areas/people/companies/screen.tsx')).Companies,
  '/monitoring/users-logs': async () => (await import('./areas/people/logs/screen.tsx')).UserLogs,
  '/monitoring/licensing': async () =>
    (await import('./areas/billing/licensing/screen.tsx')).Licensing,
  '/monitoring/invoices': async () =>
    (await import('./areas/billing/invoices/screen.tsx')).Invoices,
  '/monitoring/invoices/quickbooks': async () =>
    (await import('./areas/billing/quickbooks/screen.tsx')).QuickBooks,
  '/monitoring/billing': async () => (await import('./areas/billing/billing.tsx')).Billing,
  '/monitoring/sla': async () => (await import('./areas/monitoring/sla/screen.tsx')).Sla,
  '/monitoring/report-settings': async () =>
    (await import('./areas/reports/screen.tsx')).ReportSettings,
  '/monitoring/evidence': async () =>
    (await import('./areas/monitoring/evidence/evidence.tsx')).EvidenceScreen,
  '/monitoring/repositories': async () =>
    (await import('./areas/monitoring/repositories/screen.tsx')).Repositories,
  '/monitoring/computers': async () =>
    (await import('./areas/monitoring/computers/screen.tsx')).DiscoveredComputers,
  '/monitoring/rankings': async () =>
    (await import('./areas/monitoring/rankings/screen.tsx')).Rankings,
  '/monitoring/spreadsheet': async () =>
    (await import('./areas/monitoring/spreadsheet/screen.tsx')).Spreadsheet,
  '/monitoring/analytics/trends': async () =>
    (await import('./areas/monitoring/trends/screen.tsx')).Trends,
  '/monitoring/sources': async () => (await import('./areas/monitoring/sources.tsx')).Sources,
  '/monitoring/connections': async () =>
    (await import('./areas/monitoring/connections/screen.tsx')).Connections,
  '/monitoring/support/request': async () =>
    (await import('./areas/desk/support/request.tsx')).SupportRequest,
  '/monitoring/support/live': async () =>
    (await import('./areas/desk/support/live.tsx')).LiveSupport,
  '/monitoring/downloads': async () =>
    (await import('./areas/desk/support/downloads.tsx')).Downloads,
  '/monitoring/profile': async () => (await import('./areas/account/own/profile.tsx')).Profile,
  '/monitoring/subscriptions': async () =>
    (await import('./areas/billing/subscriptions.tsx')).Subscriptions,
  '/monitoring/notifications': async () =>
    (await import('./areas/account/own/notifications.tsx')).NotificationsPage,
  '/monitoring/security': async () => (await import('./areas/account/own/security.tsx')).Security,
  '/monitoring/api-keys': async () => (await import('./areas/account/keys/screen.tsx')).ApiKeys,
  '/monitoring/api': async () => (await import('./areas/account/api/screen.tsx')).Api,
  '/monitoring/change-password': async () =>
    (await import('./areas/account/own/change-password.tsx')).ChangePassword,
  '/monitoring/reset-password': async () =>
    (await import('./areas/account/own/reset-password.tsx')).ResetPassword,
  '/monitoring/security-questions': async () =>
    (await import('./areas/account/own/security-questions.tsx')).SecurityQuestions,
  '/monitoring/forbidden': async () => (await import('./frame/forbidden.tsx')).Forbidden,
  '/o365/dashboard': async () => (await import('./areas/backup/overview.tsx')).Overview,
  '/o365/subscriptions': async () =>
    (await import('./areas/billing/subscriptions.tsx')).Subscriptions,
  '/o365/forbidden': async () => (await import('./frame/forbidden.tsx')).Forbidden,
  '/admin/dashboard': async () =>
    (await import('./areas/admin/dashboard/screen.tsx')).AdminDashboard,
  '/admin/events': async () => (await import('./areas/admin/events/screen.tsx')).AdminEvents,
  '/admin/providers': async () =>
    (await import('./areas/admin/providers/screen.tsx')).AdminProviders,
  '/admin/branding': async () => (await import('./areas/brand/look/screen.tsx')).BrandingScreen,
  '/admin/settings': async () =>
    (await import('./areas/brand/settings/screen.tsx')).ProviderSettingsScreen,
  '/admin/notices': async () => (await import('./areas/admin/notices/screen.tsx')).AdminNotices,
  '/admin/forbidden': async () => (await import('./frame/forbidden.tsx')).Forbidden,
};
