import type { Ability } from '#contract/abilities.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { addDays, dayAt, isDay, momentAt } from '#src/features/shared/date-range/dates.ts';
import { apiKeyMessages as t } from './messages.en.ts';

/** Names and explanations of abilities. Abilities that no call requires have none. */
const WORDS: Partial<Readonly<Record<Ability, readonly [word: string, says: string]>>> = {
  'monitoring.daily-checks': [t.readResults, t.readResultsDetail],
  'monitoring.job-actions': [t.actOnResults, t.actOnResultsDetail],
  'monitoring.dashboard': [t.sourceStatus, t.sourceStatusDetail],
  'monitoring.overview': [t.overview, t.overviewDetail],
  'monitoring.rankings': [t.rankings, t.rankingsDetail],
  'monitoring.trends': [t.trends, t.trendsDetail],
  'monitoring.spreadsheet-report': [t.spreadsheetReport, t.spreadsheetReportDetail],
  'monitoring.repositories': [t.repositories, t.repositoriesDetail],
  'monitoring.tickets': [t.readTickets, t.readTicketsDetail],
  'monitoring.rules': [t.rules, t.rulesDetail],
  'monitoring.hints': [t.hints, t.hintsDetail],
  'monitoring.reporting': [t.sla, t.slaDetail],
  'monitoring.report-settings': [t.scheduledReports, t.scheduledReportsDetail],
  'monitoring.licensing': [t.licensing, t.licensingDetail],
  'monitoring.licensing-export': [t.licensingExport, t.licensingExportDetail],
  'monitoring.invoices': [t.invoices, t.invoicesDetail],
  'common.companies': [t.companies, t.companiesDetail],
  'monitoring.users': [t.readUsers, t.readUsersDetail],
  'monitoring.userLogs': [t.userLog, t.userLogDetail],
  'monitoring.sources': [t.sources, t.sourcesDetail],
  'o365.dashboard': [t.suiteDashboard, t.suiteDashboardDetail],
  'o365.organizations': [t.suiteOrganizations, t.suiteOrganizationsDetail],
  'o365.jobs': [t.suiteJobs, t.suiteJobsDetail],
  'o365.repositories': [t.suiteRepositories, t.suiteRepositoriesDetail],
  'o365.licensing': [t.suiteLicensing, t.suiteLicensingDetail],
  'o365.consumption': [t.suiteUsers, t.suiteUsersDetail],
  'o365.consumption-export': [t.suiteExport, t.suiteExportDetail],
  'o365.subscriptions': [t.suiteSubscriptions, t.suiteSubscriptionsDetail],
  'o365.subscriptions-export': [t.suiteBillingExport, t.suiteBillingExportDetail],
  'o365.restorePortal': [t.suiteRestore, t.suiteRestoreDetail],
  'o365.restoreOutlook': [t.suiteRestoreOutlook, t.suiteRestoreOutlookDetail],
  'o365.restoreOnedrive': [t.suiteRestoreOneDrive, t.suiteRestoreOneDriveDetail],
  'o365.restoreSharepoint': [t.suiteRestoreSharePoint, t.suiteRestoreSharePointDetail],
  'o365.restoreTeams': [t.suiteRestoreTeams, t.suiteRestoreTeamsDetail],
  'admin.dashboard': [t.administration, t.administrationDetail],
};

export const getWord = (ability: Ability): string => WORDS[ability]?.[0] ?? ability;
/** Sorts abilities, the most common first. */
export const inOrder = (abilities: readonly Ability[]): readonly Ability[] => {
  const order = Object.keys(WORDS);
  return abilities.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
};
export const describeAbility = (ability: Ability): string =>
  `${WORDS[ability]?.[1] ?? ''} (${ability})`.trim();

/** How long a key is valid: a number of days, or until the end of a chosen day. */
export const LASTS = [
  { value: '30', label: t.days({ count: 30 }) },
  { value: '90', label: t.days({ count: 90 }) },
  { value: '365', label: t.oneYear },
  { value: 'own', label: t.customDay },
] as const;
export type Lasts = (typeof LASTS)[number]['value'];

/** Returns the expiry, or null if the day is missing or not allowed. */
export function getExpiry(lasts: Lasts, day: string, now: Ms, zone: string): Ms | null {
  const last = addDays(dayAt(now, { zone, hour: 0 }), LIMITS.apiKeyDays);
  if (lasts !== 'own')
    return momentAt(addDays(dayAt(now, { zone, hour: 0 }), Number(lasts) + 1), 0, zone) - 1;
  if (!isDay(day) || day > last) return null;
  const until = momentAt(addDays(day, 1), 0, zone) - 1;
  return until > now ? until : null;
}
