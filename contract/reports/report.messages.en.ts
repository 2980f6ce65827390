import { defineMessages } from '../i18n/messages.ts';

/** Texts of reports: their templates, columns, figures and notices. */
export const reportTexts = defineMessages('report-texts', {
  calendarBasic: 'Calendar, basic',
  calendarBasicDetail: 'Every job with a mark for each day, for a quick look.',
  calendarFull: 'Calendar, full',
  calendarFullDetail:
    'Every job by company with its computer, source, type, a mark for each day, and totals.',
  calendarSummary: 'Calendar, summary',
  calendarSummaryDetail:
    'One line per company with the worst job state of each day, and totals of all its jobs.',
  companyFull: 'Calendar of a company, full',
  companyFullDetail:
    "A company's jobs with a mark for each day, and the cause and handling of every bad result.",
  companySummary: 'Calendar of a company, summary',
  companySummaryDetail: 'One company with one line per day: results by state and transferred data.',
  details: 'Results in detail',
  detailsDetail:
    'All results of the period, newest first, with duration, size, cause, review, and ticket.',
  licensesStorage: 'Licenses and storage',
  licensesStorageDetail:
    'One line per company: jobs by kind, protected computers, transferred data, and stored data.',
  customersDetails: 'Several customers, details',
  customersDetailsDetail:
    'Up to 30 companies with one line per job: its results and its last good backup.',
  customersSummary: 'Several customers, summary',
  customersSummaryDetail:
    'Up to 30 companies side by side: results, success compared with the previous period, and open problems.',
  subProviders: 'Sub-providers, summary',
  subProvidersDetail:
    'One line per sub-provider with the worst job state of each day, and totals of its jobs.',

  company: 'Company',
  companies: 'Companies',
  provider: 'Provider',
  job: 'Job',
  jobs: 'Jobs',
  computer: 'Computer',
  computers: 'Computers',
  source: 'Source',
  type: 'Type',
  day: 'Day',
  days: 'Days',
  started: 'Started',
  state: 'State',
  duration: 'Duration',
  transferred: 'Transferred',
  cause: 'Cause',
  review: 'Review',
  ticket: 'Ticket',
  goodDays: 'Good days',
  warningDays: 'Days with warnings',
  failedDays: 'Days with failures',
  missedDays: 'Days without a run',
  results: 'Results',
  success: 'Success',
  warnings: 'Warnings',
  failed: 'Failed',
  missed: 'Did not run',
  anomalies: 'Anomalies',
  successRate: 'Success rate',
  lastGood: 'Last good',
  before: 'Before',
  openNow: 'Open now',
  disabled: 'Disabled',
  servers: 'Servers',
  agents: 'Agents',
  cloudVms: 'Cloud VMs',
  microsoft365: 'Microsoft 365',
  fileShares: 'File shares',
  repositories: 'Repositories',
  stored: 'Stored',
  capacity: 'Capacity',

  allJobs: 'All jobs',
  allDays: 'All days',
  allCompanies: 'All companies',
  allProviders: 'All providers',
  jobsAndDays: 'Jobs and days',
  badResults: 'Bad results',
  noJobs: 'These companies have no jobs.',
  noCompanies: 'No companies to report on.',
  noBadResults: 'No failures, missed runs, or warnings.',
  noDays: 'No days in this period.',
  noResults: 'No results in this period.',
  noProviders: 'No sub-providers.',
  cut: 'The newest {shown, number} of {count, number} results. To see all, select fewer companies or a shorter period.',
});

/** The states of results and of days. */
export const STATE_WORDS = defineMessages('report-states', {
  Failed: 'Failed',
  Error: 'Error',
  Missed: 'Did not run',
  Anomaly: 'Anomaly',
  Warning: 'Warning',
  Running: 'Running',
  Success: 'Success',
  off: 'Disabled',
});
export const REPORT_REVIEWS = defineMessages('report-reviews', {
  pending: 'To check',
  snoozed: 'Snoozed',
  cleared: 'Cleared',
  none: '',
});
