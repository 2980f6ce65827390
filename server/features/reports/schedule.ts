import { Cron } from 'croner';
import type { Ms } from '#contract/ids.ts';
import type { ReportSchedule } from '#contract/reports/setting.ts';

/**
 * Returns when a report is next due after a time. A local time that the clocks skip becomes the
 * first moment after the gap; of a repeated one the first counts. Null if there is none, for
 * example for a time zone that this runtime does not know.
 */
export function dueAfter(schedule: ReportSchedule, after: Ms): Ms | null {
  try {
    return (
      new Cron(getLine(schedule), { timezone: schedule.timeZone, paused: true })
        .nextRun(new Date(after))
        ?.getTime() ?? null
    );
  } catch {
    return null;
  }
}

function getLine(schedule: ReportSchedule): string {
  const [hour = 0, minute = 0] = schedule.at.split(':').map(Number);
  const time = `${minute} ${hour}`;
  switch (schedule.every) {
    case 'day':
      return `${time} * * *`;
    case 'week':
      return `${time} * * ${schedule.weekday % 7}`;
    case 'month':
      return `${time} ${schedule.day === 31 ? 'L' : schedule.day} * *`;
  }
}
