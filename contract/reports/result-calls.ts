import * as v from 'valibot';
import { call } from '../call.ts';
import { moment, PAGE, pageOf, words } from '../paging.ts';
import { CALENDAR_MODES } from '../calendar/calendar.ts';
import { EXPORT_COLUMNS, SERVER_COLUMNS } from '../runs/csv.ts';
import {
  FILTERS,
  LIMIT,
  OF_JOBS,
  resultFilters,
  RESULTS_PAGED,
  SORT,
  TIME,
} from '../runs/result-filters.ts';
import {
  ANALYTICS_BY,
  analyticsOut,
  chartOut,
  didNotRunOut,
  failuresOut,
  historyOut,
  jobNameOut,
  rankedOut,
  resultOut,
  spreadsheetOut,
  spreadsheetStatsOut,
  statsOut,
  trendOut,
} from './result-rows.ts';

const failures = ['bad-input'] as const;
const ranking = v.strictObject({ ...OF_JOBS, limit: LIMIT });
const ranked = v.array(rankedOut);
const mode = v.optional(v.picklist(CALENDAR_MODES));
/** Words in the note of the problem. */
const note = words;

/**
 * What is read of results by other callers of the API. Screens of the portal ask the device. Days
 * are the provider's own.
 */
export const reportingCalls = {
  listResults: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs',
    summary:
      'Results of a time in pages, newest first unless asked otherwise; without a time those of the last two days.',
    input: v.strictObject({ ...TIME, note, filters: FILTERS, sort: SORT, ...RESULTS_PAGED }),
    output: pageOf(resultOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  listJobNames: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs-name',
    summary: 'Jobs by company and name, in pages.',
    input: v.strictObject({ filters: OF_JOBS.filters, ...RESULTS_PAGED }),
    output: pageOf(jobNameOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  listDidNotRun: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/didnt-run',
    summary:
      'Jobs whose last word is that they did not run, the newest first, of a time or of any; with the schedule state Disabled, jobs that are switched off.',
    input: v.strictObject({
      ...OF_JOBS,
      scheduleState: v.optional(v.literal('Disabled')),
      ...RESULTS_PAGED,
    }),
    output: pageOf(didNotRunOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  chartResults: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/history-chart',
    summary:
      'Results by operational day, or by hour for at most seven days; without a time of the last seven days.',
    input: v.strictObject({ ...OF_JOBS, every: v.optional(v.picklist(['day', 'hour'])) }),
    output: chartOut,
    gate: 'monitoring.overview',
    failures,
  }),
  rankFailures: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/failures',
    summary: 'Jobs that failed most often.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  rankDuration: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/duration',
    summary: 'Jobs that take longest, by the mean of their finished runs.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  rankTransferred: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/transferred',
    summary: 'Jobs that transferred most.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  overviewStats: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/overview-stats',
    summary: 'Counts of a time, without one of the last seven days, beside the equal time before.',
    input: v.strictObject(OF_JOBS),
    output: statsOut,
    gate: 'monitoring.overview',
    failures,
  }),
  spreadsheetReport: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/spreadsheet-report',
    summary:
      'A row for each job or company and a column for each day; without a time the last 30 days.',
    input: v.strictObject({
      ...OF_JOBS,
      mode,
      by: v.optional(v.picklist(['job', 'company'])),
      ...PAGE,
    }),
    output: spreadsheetOut,
    gate: 'monitoring.spreadsheet-report',
    failures,
  }),
  spreadsheetStats: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/spreadsheet-report/stats',
    summary: 'What all cells of that report come to.',
    input: v.strictObject({ ...OF_JOBS, mode }),
    output: spreadsheetStatsOut,
    gate: 'monitoring.spreadsheet-report',
    failures,
  }),
  analytics: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/analytics',
    summary:
      'Failures and warnings by company, type and source beside the equal time before; without a time of the last 30 days.',
    input: v.strictObject(OF_JOBS),
    output: analyticsOut,
    gate: 'monitoring.trends',
    failures,
  }),
  chartFailures: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/analytics/charts/failures-warnings',
    summary:
      'Failures and warnings by day, and those of the equal time before; the ten worst companies, types or sources beside them.',
    input: v.strictObject({ ...OF_JOBS, by: v.optional(v.picklist(ANALYTICS_BY)) }),
    output: failuresOut,
    gate: 'monitoring.trends',
    failures,
  }),
  repositoryTrends: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories/trend',
    summary: 'Repositories with the day on which each will be full.',
    input: v.strictObject({ ...PAGE }),
    output: pageOf(trendOut),
    gate: 'monitoring.repositories',
    failures: [],
  }),
  repositoryHistory: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories/history',
    summary:
      'What repositories held at the end of each day, by name; without a time of the last 30 days.',
    input: v.strictObject({
      ...TIME,
      repositoryId: v.optional(v.pipe(v.string(), v.maxLength(300))),
      ...PAGE,
    }),
    output: pageOf(historyOut),
    gate: 'monitoring.repositories',
    failures: ['bad-input', 'not-found'],
  }),
  exportResults: call({
    method: 'POST',
    path: 'monitoring/reporting/export',
    summary:
      'Results as a CSV file, in the order asked for. What is usual for a job is told as of now.',
    input: v.strictObject({
      source: v.literal('JOBS'),
      csv: v.optional(v.literal(true)),
      from: v.optional(moment),
      to: v.optional(moment),
      note,
      filters: v.optional(resultFilters),
      sort: SORT,
      columns: v.optional(
        v.pipe(
          v.array(v.picklist([...EXPORT_COLUMNS, ...SERVER_COLUMNS])),
          v.minLength(1),
          v.maxLength(EXPORT_COLUMNS.length + SERVER_COLUMNS.length),
        ),
      ),
    }),
    output: 'stream',
    media: 'text/csv',
    gate: 'monitoring.daily-checks',
    failures,
  }),
} as const;
