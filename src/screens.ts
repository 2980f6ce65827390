import type { ComponentType } from 'react';
import './ui/icon-more.ts'; // every screen but the first has the icons

/**
 * Where each screen is, for the route table. In a file of its own: the first page names none of them. A screen comes in when it is opened.
 */
export const SCREENS = {
  step: async () => (await import('./areas/account/step-page.tsx')).StepPage,
  forgotPassword: async () => (await import('./areas/account/forgot-password.tsx')).ForgotPassword,
  forgotPasswordDb: async () => (await import('./areas/account/forgot-password-db.tsx')).ForgotPasswordDb,
  resetPasswordDb: async () => (await import('./areas/account/reset-password-db.tsx')).ResetPasswordDb,
  unlock: async () => (await import('./areas/account/unlock.tsx')).Unlock,
  register: async () => (await import('./areas/account/register.tsx')).Register,
  profile: async () => (await import('./areas/account/own/profile.tsx')).Profile,
  security: async () => (await import('./areas/account/own/security.tsx')).Security,
  changePassword: async () => (await import('./areas/account/own/change-password.tsx')).ChangePassword,
  resetPassword: async () => (await import('./areas/account/own/reset-password.tsx')).ResetPassword,
  securityQuestions: async () => (await import('./areas/account/own/security-questions.tsx')).SecurityQuestions,
  frame: async () => (await import('./frame/frame.tsx')).Frame,
  forbidden: async () => (await import('./frame/forbidden.tsx')).Forbidden,
  notFound: async () => (await import('./frame/not-found.tsx')).NotFound,
  dashboard: async () => (await import('./areas/monitoring/dashboard/screen.tsx')).Dashboard,
  calendar: async () => (await import('./areas/monitoring/calendar/screen.tsx')).Calendar,
  dailyChecks: async () => (await import('./areas/monitoring/daily-checks/screen.tsx')).DailyChecks,
  disabledJobs: async () => (await import('./areas/monitoring/other-lists/disabled-jobs.tsx')).DisabledJobs,
  computers: async () => (await import('./areas/monitoring/other-lists/computers.tsx')).Computers,
  rules: async () => (await import('./areas/monitoring/rules/screen.tsx')).Rules,
  evidence: async () => (await import('./areas/monitoring/evidence/evidence.tsx')).EvidenceScreen,
  sources: async () => (await import('./areas/monitoring/sources.tsx')).Sources,
  users: async () => (await import('./areas/people/users/screen.tsx')).Users,
  userLogs: async () => (await import('./areas/people/logs/screen.tsx')).UserLogs,
  companies: async () => (await import('./areas/people/companies/screen.tsx')).Companies,
  adminDashboard: async () => (await import('./areas/admin/dashboard/screen.tsx')).AdminDashboard,
  adminEvents: async () => (await import('./areas/admin/events/screen.tsx')).AdminEvents,
  adminProviders: async () => (await import('./areas/admin/providers/screen.tsx')).AdminProviders,
  adminNotices: async () => (await import('./areas/admin/notices/screen.tsx')).AdminNotices,
  branding: async () => (await import('./areas/brand/look/screen.tsx')).BrandingScreen,
  providerSettings: async () => (await import('./areas/brand/settings/screen.tsx')).ProviderSettingsScreen,
  wall: async () => (await import('./areas/monitoring/wall/screen.tsx')).Wall,
} as const satisfies Readonly<Record<string, () => Promise<ComponentType>>>;

export type ScreenName = keyof typeof SCREENS;
