import { isDeepStrictEqual } from 'node:util';
import type { Schedule, SchedulePolicy } from '#contract/backup/schedule.ts';
import type { ServerJobSettings } from '#contract/engine/server-jobs.ts';
import { LIMITS } from '#contract/limits.ts';
import { offsetAt } from '#contract/time/day.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import * as v from 'valibot';
import {
  getHourShift,
  getWindowField,
  PARTS,
  type PortalTime,
  type ServerPolicy,
  shiftDay,
  toJobItem,
  toPolicy,
} from './map-job.ts';
import { JobItemShape, JobShape } from './shapes.ts';
import { shiftTime } from './server-clock.ts';

// The settings of a job for its server. A change replaces the whole job there, so what the portal
// doesn't know or doesn't change is sent back as it was read.

/** A row with all its fields, as the server gives it. */
export type RawRow = Readonly<Record<string, unknown>>;

/** `shown`: the schedule that the portal showed before the change. */
interface ChangePlace extends PortalTime {
  readonly shown: Schedule | null;
}

/** Fields that only the server sets. */
const READ_ONLY = new Set([
  'id',
  'organizationId',
  'lastRun',
  'nextRun',
  'lastBackup',
  'lastStatus',
  'eTag',
  '_links',
]);
const WEEK_HOURS = 168;

/** Returns the body for a new job, without its items. */
export const writeNewJob = (
  { name, description, backupType, schedulePolicy }: ServerJobSettings,
  place: PortalTime,
): RawRow => ({
  name,
  description,
  backupType,
  schedulePolicy: writePolicy(null, schedulePolicy, { ...place, shown: null }),
  isEnabled: true,
  runNow: false,
});

/**
 * Returns the body that changes a job, without its items and repository. `before`: its settings as
 * they were read from `raw`.
 */
export function writeChangedJob(
  raw: RawRow,
  before: Pick<ServerJobSettings, 'name' | 'description' | 'backupType'>,
  { name, description, backupType, schedulePolicy }: ServerJobSettings,
  place: ChangePlace,
): RawRow {
  return {
    ...getSettings(raw),
    ...(name !== before.name && { name }),
    ...(description !== before.description && { description }),
    ...(backupType !== before.backupType && { backupType }),
    schedulePolicy: writePolicy(raw, schedulePolicy, place),
  };
}

/** Returns what a job has, without the fields that only the server sets. */
export const getSettings = (raw: RawRow): RawRow =>
  Object.fromEntries(Object.entries(raw).filter(([field]) => !READ_ONLY.has(field)));

function writePolicy(raw: RawRow | null, wanted: SchedulePolicy, place: ChangePlace): RawRow {
  const job = raw === null ? null : v.parse(JobShape, raw);
  const own = (raw?.['schedulePolicy'] ?? {}) as RawRow;
  const before = job === null ? null : toPolicy(job, place);
  const timed =
    before !== null &&
    [before.schedule, place.shown].some((one) => isDeepStrictEqual(one, wanted.schedule))
      ? own
      : { ...own, ...writeSchedule(wanted.schedule, place) };
  const opened = writeWindow(timed, wanted.backupWindow, place);
  if (wanted.retryNumber === 0)
    return before?.retryNumber === 0 ? opened : { ...opened, retryEnabled: false };
  return {
    ...opened,
    ...(wanted.retryNumber !== before?.retryNumber && {
      retryEnabled: true,
      retryNumber: wanted.retryNumber,
    }),
    ...(wanted.retryWaitInterval !== before?.retryWaitInterval && {
      retryWaitInterval: wanted.retryWaitInterval,
    }),
  };
}

/** The schedules that a server has. The others are refused before. */
function writeSchedule(schedule: Schedule, { clock }: PortalTime): RawRow {
  switch (schedule.type) {
    case 'Daily': {
      const { type, dailyType, dailyTime } = schedule;
      const { time, days } = shiftTime(dailyTime, 0 - (clock ?? 0));
      return {
        type,
        scheduleEnabled: true,
        dailyType: shiftDay(dailyType, days),
        dailyTime: `${time}:00`,
      };
    }
    case 'Periodically':
      return {
        type: schedule.type,
        scheduleEnabled: true,
        periodicallyEvery: schedule.periodicallyEvery,
      };
    default:
      return { type: 'ManualOnly' };
  }
}

/** Whether a schedule can't be written: the server's clock has its time on other days than it names. */
export const isOnOtherDays = (schedule: Schedule, { clock }: PortalTime): boolean =>
  schedule.type === 'Daily' &&
  (schedule.dailyType === 'Workdays' || schedule.dailyType === 'Weekends') &&
  shiftTime(schedule.dailyTime, 0 - (clock ?? 0)).days !== 0;

function writeWindow(policy: RawRow, wanted: string | null, place: PortalTime): RawRow {
  const known: ServerPolicy = v.parse(JobShape.entries.schedulePolicy, policy) ?? {};
  if (toPolicy({ schedulePolicy: known, nextRun: null }, place).backupWindow === wanted)
    return policy;
  const used = getWindowField(known);
  if (wanted === null)
    return {
      ...policy,
      backupWindowEnabled: false,
      ...(used === 'periodicallyWindow' && { periodicallyWindowEnabled: false }),
    };
  const field = used ?? 'backupWindow';
  const minuteOffset =
    known[`${field}Settings`]?.minuteOffset ?? offsetAt(place.now, place.timeZone) / MINUTE_MS;
  const shift = getHourShift(minuteOffset, place);
  const backupWindow = Array.from(
    { length: WEEK_HOURS },
    (_, hour) => wanted[(hour + shift + WEEK_HOURS) % WEEK_HOURS] === '1',
  );
  return {
    ...policy,
    [`${field}Enabled`]: true,
    [`${field}Settings`]: {
      ...(policy[`${field}Settings`] as RawRow | null | undefined),
      backupWindow,
      minuteOffset,
    },
  };
}

type ShownItem = ServerJobSettings['selectedItems'][number];

/** An item of a job after a change: as it was, with other parts, or a new one. */
export type WrittenItem =
  | { readonly kind: 'row'; readonly row: RawRow }
  | { readonly kind: 'new'; readonly item: ShownItem; readonly flags: RawRow };

/**
 * Returns the items that a job gets. Items that the portal has no type for, and those behind the most
 * that it shows, stay.
 */
export function writeItems(rows: readonly RawRow[], wanted: readonly ShownItem[]): WrittenItem[] {
  const left = [...wanted];
  const written = rows.flatMap((row, n): WrittenItem[] => {
    const known = n < LIMITS.backupJobItems ? toJobItem(v.parse(JobItemShape, row)) : null;
    if (known === null) return [{ kind: 'row', row }];
    const isSame = (item: ShownItem): boolean => item.type === known.type && item.id === known.id;
    const exact = left.findIndex((item) => isSame(item) && hasSameParts(item, known));
    const at = exact === -1 ? left.findIndex(isSame) : exact;
    const [item] = at === -1 ? [] : left.splice(at, 1);
    if (item === undefined) return [];
    return [{ kind: 'row', row: { ...row, ...writeParts(item, known) } }];
  });
  return [
    ...written,
    ...left.map((item): WrittenItem => ({ kind: 'new', item, flags: writeParts(item, null) })),
  ];
}

/** Whether a job has these items already, so that writing them would change nothing. */
export function hasItems(rows: readonly RawRow[], wanted: readonly ShownItem[]): boolean {
  const written = writeItems(rows, wanted);
  return (
    written.length === rows.length &&
    written.every((one, n) => one.kind === 'row' && isDeepStrictEqual(one.row, rows[n]))
  );
}

const hasSameParts = (one: ShownItem, other: ShownItem): boolean =>
  isDeepStrictEqual(writeParts(one, null), writeParts(other, null));

/** The flags of the parts that differ; of all parts of a new item. */
const writeParts = ({ type, parts }: ShownItem, before: ShownItem | null): RawRow =>
  Object.fromEntries(
    Object.entries(PARTS[type]).flatMap(([flag, part]) => {
      const isOn = parts.includes(part);
      return before?.parts.includes(part) === isOn ? [] : [[flag, isOn]];
    }),
  );
