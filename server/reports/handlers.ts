import type { reportCalls } from '#contract/reports/report-calls.ts';
import type { Handlers } from '#server/http/handler.ts';
import type { AppContext } from '#server/world.ts';
import { historyHandlers } from './history.ts';
import { settingHandlers } from './settings.ts';

export const reportHandlers = (world: AppContext): Pick<Handlers, keyof typeof reportCalls> => ({
  ...settingHandlers(world),
  ...historyHandlers(world),
});
