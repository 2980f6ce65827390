import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { type DayN, getDay } from '#contract/time/day.ts';
import { getToday } from '#server/platform/queries/licensed-users.ts';
import { bad } from '#server/platform/queries/query.ts';

/** Days of a report, both included. No day is after today. */
export interface ReportRange {
  readonly first: DayN;
  readonly last: DayN;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Returns the days of two moments in the provider's time zone; without them, the last 30 days. */
export function getReportRange(
  { from, to }: { readonly from?: Ms | undefined; readonly to?: Ms | undefined },
  timeZone: string,
  now: Ms,
): Result<ReportRange> {
  const today = getToday(now, timeZone);
  const end = to === undefined ? today : getDay(to, timeZone, 0);
  const first = from === undefined ? end - DEFAULT_DAYS + 1 : getDay(from, timeZone, 0);
  if (end < first) return failed(bad('to', MESSAGES.evidenceEmpty));
  if (end - first >= MAX_DAYS) return failed(bad('from', MESSAGES.evidenceTooLong));
  const last = Math.min(end, today);
  return last < first ? failed(bad('from', MESSAGES.startInFuture)) : ok({ first, last });
}
