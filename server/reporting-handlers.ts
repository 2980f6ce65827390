import type { Handlers } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { reportingCalls } from '#contract/reports/result-calls.ts';
import { analyticsHandlers } from './features/analytics/handlers.ts';
import { exportHandlers } from './features/reports/results/export.ts';
import { listHandlers } from './features/reports/results/lists.ts';
import { overviewHandlers } from './features/dashboard/handlers.ts';
import { repositoryReportHandlers } from './features/repositories/repository-report.ts';
import { spreadsheetHandlers } from './features/analytics/spreadsheet.ts';

/** Handlers for API clients that read results. */
export const reportingHandlers = (
  context: AppContext,
): Pick<Handlers, keyof typeof reportingCalls> => ({
  ...listHandlers(context),
  ...overviewHandlers(context),
  ...spreadsheetHandlers(context),
  ...analyticsHandlers(context),
  ...repositoryReportHandlers(context),
  ...exportHandlers(context),
});
