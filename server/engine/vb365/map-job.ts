import {
  BACKUP_TYPES,
  type BackupJobRow,
  JOB_ITEM_TYPES,
  type JobItem,
  type JobItemPart,
} from '#contract/backup/jobs.ts';
import {
  DAILY_TYPES,
  NO_SCHEDULE,
  PERIODICALLY_EVERY,
  type Schedule,
  type SchedulePolicy,
  WEEKDAYS,
} from '#contract/backup/schedule.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, storable } from '#contract/stored-text.ts';
import { offsetAt } from '#contract/time/day.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import { toName } from './organizations.ts';
import { getClock, getSighting, shiftTime } from './server-clock.ts';
import type { Vb365Job, Vb365JobItem } from './shapes.ts';

const WEEK_HOURS = 168;

/** Where and when the portal shows a job. */
export interface PortalTime {
  readonly timeZone: string;
  readonly now: Ms;
  /**
   * By how much the provider's clocks are ahead of the server's, where the job itself doesn't show it
   * now; null: unknown.
   */
  readonly clock: Ms | null;
}

/** The items of a job. Version 8 lists them for themselves. */
export interface JobItems {
  readonly selected: readonly Vb365JobItem[];
  readonly excluded: readonly Vb365JobItem[];
}

export type JobSettings = Pick<
  BackupJobRow,
  | 'name'
  | 'description'
  | 'isTeamsChatsEnabled'
  | 'backupType'
  | 'selectedItems'
  | 'excludedItems'
  | 'schedulePolicy'
>;

/** Returns the settings of a job for its row. */
export function toJobSettings(job: Vb365Job, items: JobItems, place: PortalTime): JobSettings {
  const selectedItems = toItems(items.selected);
  return {
    name: toName(job.name) ?? job.id,
    description: cutText(storable(job.description ?? '').trim(), LIMITS.noteChars).trim(),
    isTeamsChatsEnabled: selectedItems.some(({ parts }) => parts.includes('teamsChats')),
    backupType:
      BACKUP_TYPES.find((type) => type.toLowerCase() === job.backupType?.toLowerCase()) ??
      'EntireOrganization',
    selectedItems,
    excludedItems: toItems(items.excluded),
    schedulePolicy: toPolicy(job, place),
  };
}

export type ServerPolicy = NonNullable<Vb365Job['schedulePolicy']>;

/** Which of its two windows limits a job now; null: neither. */
export function getWindowField(policy: ServerPolicy): 'periodicallyWindow' | 'backupWindow' | null {
  if (policy.type === 'Periodically' && policy.periodicallyWindowEnabled === true)
    return 'periodicallyWindow';
  return policy.backupWindowEnabled === true ? 'backupWindow' : null;
}

export function toPolicy(
  job: Pick<Vb365Job, 'schedulePolicy' | 'nextRun'>,
  place: PortalTime,
): SchedulePolicy {
  const policy = job.schedulePolicy ?? {};
  const field = getWindowField(policy);
  const window = field === null ? null : policy[`${field}Settings`];
  return {
    schedule: toSchedule(job, place),
    backupWindow: window ? toWindow(window, place) : null,
    retryNumber: policy.retryEnabled === true ? between(policy.retryNumber, 0, 10) : 0,
    retryWaitInterval: between(policy.retryWaitInterval ?? 10, 1, 1_440),
  };
}

/** A daily time is one of the server's own clock. */
function toSchedule(
  job: Pick<Vb365Job, 'schedulePolicy' | 'nextRun'>,
  { timeZone, now, clock }: PortalTime,
): Schedule {
  const { type, scheduleEnabled, periodicallyEvery, dailyType, dailyTime } =
    job.schedulePolicy ?? {};
  const every = PERIODICALLY_EVERY.find((one) => one === periodicallyEvery);
  if (scheduleEnabled === false) return NO_SCHEDULE;
  if (type === 'Periodically' && every) return { type, periodicallyEvery: every };
  const time = /^(?:[01]\d|2[0-3]):[0-5]\d/.exec(dailyTime ?? '')?.[0];
  const days = DAILY_TYPES.find((one) => one === dailyType) ?? DAILY_TYPES[0];
  if (type !== 'Daily' || time === undefined) return NO_SCHEDULE;
  const sighting = getSighting(job, now);
  const shown = shiftTime(time, (sighting ? getClock(sighting, timeZone) : clock) ?? 0);
  return { type, dailyType: shiftDay(days, shown.days), dailyTime: shown.time };
}

/** Only single days can be others. */
export function shiftDay(
  day: (typeof DAILY_TYPES)[number],
  by: number,
): (typeof DAILY_TYPES)[number] {
  const weekday = WEEKDAYS.findIndex((one) => one === day);
  return weekday === -1
    ? day
    : (WEEKDAYS[(weekday + by + WEEKDAYS.length) % WEEKDAYS.length] ?? day);
}

/** Hours of a week from Sunday 00:00 on, in the provider's zone. Null: all of them, or none. */
function toWindow(
  {
    backupWindow,
    minuteOffset,
  }: NonNullable<NonNullable<Vb365Job['schedulePolicy']>['backupWindowSettings']>,
  { timeZone, now }: Omit<PortalTime, 'clock'>,
): string | null {
  if (backupWindow?.length !== WEEK_HOURS || !backupWindow.includes(true)) return null;
  const shift = getHourShift(minuteOffset ?? 0, { timeZone, now });
  const hours = backupWindow.map((_, hour) =>
    backupWindow[(hour - shift + 2 * WEEK_HOURS) % WEEK_HOURS] ? '1' : '0',
  );
  return hours.includes('0') ? hours.join('') : null;
}

/** By how many hours the provider's zone is ahead of the zone of a window. */
export const getHourShift = (
  minuteOffset: number,
  { timeZone, now }: Omit<PortalTime, 'clock'>,
): number => Math.round((offsetAt(now, timeZone) / MINUTE_MS - minuteOffset) / 60);

/** What a type of item calls the parts of it that are backed up. */
export const PARTS: Readonly<
  Record<JobItem['type'], Partial<Record<keyof Vb365JobItem, JobItemPart>>>
> = {
  User: {
    mailbox: 'mailbox',
    archiveMailbox: 'archiveMailbox',
    oneDrive: 'oneDrive',
    personalSite: 'personalSite',
  },
  Group: {
    members: 'members',
    memberMailbox: 'mailbox',
    memberArchiveMailbox: 'archiveMailbox',
    memberOnedrive: 'oneDrive',
    memberSite: 'personalSite',
    groupSite: 'sites',
  },
  Site: {},
  Team: { teamsChats: 'teamsChats' },
  PartialOrganization: {
    mailbox: 'mailbox',
    archiveMailbox: 'archiveMailbox',
    oneDrive: 'oneDrive',
    sites: 'sites',
    teams: 'teams',
    teamsChats: 'teamsChats',
  },
  PersonalSites: {},
};
/** Parts that a type of item always has. */
const ALWAYS: Partial<Record<JobItem['type'], readonly JobItemPart[]>> = {
  Site: ['subsites'],
  Team: ['teams'],
  PersonalSites: ['personalSite'],
};

const toItems = (items: readonly Vb365JobItem[]): JobItem[] =>
  items.slice(0, LIMITS.backupJobItems).flatMap((item) => toJobItem(item) ?? []);

/** Returns an item as a job's row has it; null if the portal knows no such type. */
export function toJobItem(item: Vb365JobItem): JobItem | null {
  const type = JOB_ITEM_TYPES.find((one) => one === item.type);
  if (!type) return null;
  const id = (item.user ?? item.group ?? item.team ?? item.site)?.id;
  const parts = Object.entries(PARTS[type]).flatMap(([flag, part]) =>
    item[flag as keyof Vb365JobItem] === true ? [part] : [],
  );
  return {
    type,
    id: cutText(storable(id ?? ''), LIMITS.nameChars) || null,
    parts: [...(ALWAYS[type] ?? []), ...parts],
  };
}

const between = (value: number | null | undefined, min: number, max: number): number =>
  Math.min(max, Math.max(min, Math.floor(value ?? min)));
