import type { JobSchedule } from '#contract/runs/rows.ts';
import { isTimeZone } from '#contract/time/day.ts';
import { isCron } from '../../platform/jobs/cron.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

/** Returns what is wrong with a declared schedule; null if it is valid. */
export function findScheduleError(schedule: JobSchedule): string | null {
  if (schedule.type === 'kind') return null;
  if (schedule.type === 'every') return schedule.everySec < 1 ? t.invalidInterval : null;
  if (!isTimeZone(schedule.tz)) return t.invalidZone;
  return isCron(schedule.cron, schedule.tz) ? null : t.invalidCron;
}
