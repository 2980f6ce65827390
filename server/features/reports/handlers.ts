import type { reportCalls } from '#contract/reports/calls.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { historyHandlers } from './history.ts';
import { settingHandlers } from './settings.ts';

export const reportHandlers = (context: AppContext): Pick<Handlers, keyof typeof reportCalls> => ({
  ...settingHandlers(context),
  ...historyHandlers(context),
});
