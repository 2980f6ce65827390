import type { BackupJobRow, FileVersions } from '#contract/backup/jobs.ts';
import type { DAILY_TYPES, MONTHLY_NUMBERS, Schedule } from '#contract/backup/schedule.ts';
import type { RunState } from '#contract/runs/query.ts';
import { formatTime } from '#src/ui/format.ts';
import type { StateLabel } from '../state-label.ts';
import { backupJobMessages as t } from './messages.en.ts';

export type EndedSession = BackupJobRow['recent'][number];
export type BackupJobState = EndedSession['result'] | 'running' | 'never';

/** Returns the state of the session in progress, or of the last one. */
export const jobState = ({
  running,
  recent,
}: Pick<BackupJobRow, 'running' | 'recent'>): BackupJobState =>
  running === null ? (recent[0]?.result ?? 'never') : 'running';

export const stateLabel = (state: BackupJobState): StateLabel => ({
  get label() {
    return {
      running: t.running,
      success: t.success,
      warning: t.warning,
      failed: t.failed,
      cancelled: t.cancelled,
      never: t.neverRan,
    }[state];
  },
  ...MARKS[state],
});

const MARKS = {
  running: { icon: 'running', text: 'text-running' },
  success: { icon: 'success', text: 'text-success' },
  warning: { icon: 'warning', text: 'text-warning' },
  failed: { icon: 'failed', text: 'text-failed font-semibold' },
  cancelled: { icon: 'close', text: 'text-ink-2' },
  never: { icon: 'missed', text: 'text-ink-2' },
} as const;

/** The bars of a job's last sessions, oldest first, the one in progress last. */
export const getStripMarks = (
  { running, recent }: Pick<BackupJobRow, 'running' | 'recent'>,
  count: number,
): readonly (RunState | null)[] => {
  const bars: (RunState | null)[] = [
    ...recent.map(({ result }) => BARS[result]).toReversed(),
    ...(running === null ? [] : ['Running' as const]),
  ].slice(-count);
  return [...Array.from({ length: count - bars.length }, () => null), ...bars];
};
const BARS: Readonly<Record<EndedSession['result'], RunState | null>> = {
  success: 'Success',
  warning: 'Warning',
  failed: 'Failed',
  cancelled: null,
};

/** Returns how many earlier versions of files a job backs up, in words. */
export function fileVersionsLabel(versions: FileVersions): string {
  if (versions === 'none') return t.versionsNone;
  return versions === 'all' ? t.versionsAll : t.versionsLast({ count: versions });
}

/**
 * Returns a schedule in words. `chainedName`: the name of the job that a chained one follows; null if
 * that one was deleted.
 */
export function scheduleLabel(schedule: Schedule, chainedName: string | null): string {
  switch (schedule.type) {
    case 'Daily':
      return t.daily({ days: daysLabel(schedule.dailyType), time: timeLabel(schedule.dailyTime) });
    case 'Monthly':
      return t.monthly({
        number: numberLabel(schedule.monthlyNumber),
        day: schedule.monthlyDay === 'Day' ? t.day : daysLabel(schedule.monthlyDay),
        time: timeLabel(schedule.monthlyTime),
      });
    case 'Periodically':
      return periodLabel(schedule.periodicallyEvery);
    case 'Continuously':
      return t.continuous;
    case 'Chained':
      return chainedName === null ? t.chainedUnknown : t.chained({ job: chainedName });
    case 'Disabled':
      return t.manual;
  }
}

/** `22:00` as other times are shown: `10:00 PM`. */
const timeLabel = (time: string): string => formatTime(Date.parse(`1970-01-01T${time}Z`), 'UTC');

/** `Minutes15` or `Hours4`, in words. */
export function periodLabel(every: string): string {
  const count = Number(every.replace(/\D/g, ''));
  return /Hours/.test(every) ? t.hours({ count }) : t.minutes({ count });
}

export const daysLabel = (days: (typeof DAILY_TYPES)[number]): string =>
  ({
    Everyday: t.everyday,
    Workdays: t.workdays,
    Weekends: t.weekends,
    Sunday: t.sunday,
    Monday: t.monday,
    Tuesday: t.tuesday,
    Wednesday: t.wednesday,
    Thursday: t.thursday,
    Friday: t.friday,
    Saturday: t.saturday,
  })[days];

export const numberLabel = (number: (typeof MONTHLY_NUMBERS)[number]): string =>
  ({ First: t.first, Second: t.second, Third: t.third, Fourth: t.fourth, Last: t.last })[number];
