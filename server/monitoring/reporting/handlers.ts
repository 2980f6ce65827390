import type { Handlers } from '#server/http/handler.ts';
import type { AppContext } from '#server/world.ts';
import type { reportingCalls } from '#contract/monitoring/reporting-calls.ts';
import { analyticsHandlers } from './analytics.ts';
import { exportHandlers } from './export.ts';
import { listHandlers } from './lists.ts';
import { overviewHandlers } from './overview.ts';
import { repositoryReportHandlers } from './repositories.ts';
import { spreadsheetHandlers } from './spreadsheet.ts';

/** What is read of results by other callers of the API. */
export const reportingHandlers = (
  world: AppContext,
): Pick<Handlers, keyof typeof reportingCalls> => ({
  ...listHandlers(world),
  ...overviewHandlers(world),
  ...spreadsheetHandlers(world),
  ...analyticsHandlers(world),
  ...repositoryReportHandlers(world),
  ...exportHandlers(world),
});
