import * as v from 'valibot';
import { call } from '../call.ts';
import { moment, PAGE, getPage, words } from '../paging.ts';
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
  runResultOut,
  spreadsheetOut,
  spreadsheetStatsOut,
  statsOut,
  trendOut,
} from './result-rows.ts';

const failures = ['bad-input'] as const;
const ranking = v.strictObject({ ...OF_JOBS, limit: LIMIT });
const ranked = v.array(rankedOut);
const mode = v.optional(v.picklist(CALENDAR_MODES));
/** Searched in the note of the problem. */
const note = words;

/**
 * Read access to results for API clients. The portal's own pages read from the device instead. Days
 * are the provider's own.
 */
export const reportingCalls = {
  listResults: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs',
    summary:
      'Lists the results of a period in pages, newest first by default. Without a period, those of the last two days.',
    input: v.strictObject({ ...TIME, note, filters: FILTERS, sort: SORT, ...RESULTS_PAGED }),
    output: getPage(runResultOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  listJobNames: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs-name',
    summary: 'Lists jobs by company and name, in pages.',
    input: v.strictObject({ filters: OF_JOBS.filters, ...RESULTS_PAGED }),
    output: getPage(jobNameOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  listDidNotRun: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/didnt-run',
    summary:
      'Lists jobs whose last result says that they did not run, newest first, with or without a period. With schedule state Disabled it lists disabled jobs.',
    input: v.strictObject({
      ...OF_JOBS,
      scheduleState: v.optional(v.literal('Disabled')),
      ...RESULTS_PAGED,
    }),
    output: getPage(didNotRunOut),
    gate: 'monitoring.daily-checks',
    failures,
  }),
  chartResults: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/history-chart',
    summary:
      'Counts results per operational day, or per hour for at most seven days. Without a period, the last seven days.',
    input: v.strictObject({ ...OF_JOBS, every: v.optional(v.picklist(['day', 'hour'])) }),
    output: chartOut,
    gate: 'monitoring.overview',
    failures,
  }),
  rankFailures: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/failures',
    summary: 'Ranks jobs by number of failures.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  rankDuration: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/duration',
    summary: 'Ranks jobs by the mean duration of their finished runs.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  rankTransferred: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/ranking/transferred',
    summary: 'Ranks jobs by bytes transferred.',
    input: ranking,
    output: ranked,
    gate: 'monitoring.rankings',
    failures,
  }),
  overviewStats: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/overview-stats',
    summary:
      'Returns the counts of a period and of the previous one. Without a period, the last seven days.',
    input: v.strictObject(OF_JOBS),
    output: statsOut,
    gate: 'monitoring.overview',
    failures,
  }),
  spreadsheetReport: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/spreadsheet-report',
    summary:
      'Returns a row for each job or company and a column for each day. Without a period, the last 30 days.',
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
    summary: 'Returns the totals of all cells of the spreadsheet report.',
    input: v.strictObject({ ...OF_JOBS, mode }),
    output: spreadsheetStatsOut,
    gate: 'monitoring.spreadsheet-report',
    failures,
  }),
  analytics: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/analytics',
    summary:
      'Returns failures and warnings by company, type and source, compared with the previous period. Without a period, the last 30 days.',
    input: v.strictObject(OF_JOBS),
    output: analyticsOut,
    gate: 'monitoring.trends',
    failures,
  }),
  chartFailures: call({
    method: 'GET',
    path: 'monitoring/reporting/jobs/analytics/charts/failures-warnings',
    summary:
      'Returns failures and warnings per day for a period and the previous one, with the ten worst companies, types or sources.',
    input: v.strictObject({ ...OF_JOBS, by: v.optional(v.picklist(ANALYTICS_BY)) }),
    output: failuresOut,
    gate: 'monitoring.trends',
    failures,
  }),
  repositoryTrends: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories/trend',
    summary: 'Lists the repositories with the day on which each will be full.',
    input: v.strictObject({ ...PAGE }),
    output: getPage(trendOut),
    gate: 'monitoring.repositories',
    failures: [],
  }),
  repositoryHistory: call({
    method: 'GET',
    path: 'monitoring/reporting/repositories/history',
    summary:
      'Returns the usage of repositories at the end of each day, by name. Without a period, the last 30 days.',
    input: v.strictObject({
      ...TIME,
      repositoryId: v.optional(v.pipe(v.string(), v.maxLength(300))),
      ...PAGE,
    }),
    output: getPage(historyOut),
    gate: 'monitoring.repositories',
    failures: ['bad-input', 'not-found'],
  }),
  exportResults: call({
    method: 'POST',
    path: 'monitoring/reporting/export',
    summary:
      'Exports results as a CSV file in the requested order. Typical ranges are those at the time of the export.',
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
