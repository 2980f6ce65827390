import { DateTime } from 'luxon';
import type { Recurrence } from '../../../sources/outlook/entities.ts';

// How something repeats, from the binary form of Outlook ([MS-OXOCAL] 2.2.1.44).

/** Local times: minutes that have no zone. */
interface ChangedOccurrence {
  readonly start: DateTime;
  readonly end: DateTime;
  readonly original: DateTime;
  /** Null: as in the series. */
  readonly subject: string | null;
  readonly location: string | null;
  readonly busyStatus: number | null;
  readonly isAllDay: boolean | null;
  readonly reminderMinutes: number | null;
  readonly isReminderOn: boolean | null;
}
export interface ReadSeries {
  readonly recurrence: Recurrence;
  /** Midnight of the dates on which an occurrence was canceled, or moved away. */
  readonly removed: readonly DateTime[];
  readonly changed: readonly ChangedOccurrence[];
}

/** Reads numbers one after another. Throws a `RangeError` behind the end. */
function makeCursor(bytes: Buffer) {
  let at = 0;
  const skip = (count: number): number => {
    const from = at;
    at += count;
    if (at > bytes.length) throw new RangeError('The value is too short.');
    return from;
  };
  return {
    short: () => bytes.readUInt16LE(skip(2)),
    long: () => bytes.readUInt32LE(skip(4)),
    bytes: (count: number) => bytes.subarray(skip(count), at),
    getLeft: () => bytes.length - at,
  };
}
type Cursor = ReturnType<typeof makeCursor>;

const EPOCH = DateTime.utc(1601, 1, 1);
const toLocal = (minutes: number): DateTime => EPOCH.plus({ minutes });
const DATE = 'yyyy-MM-dd';
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const POSITIONS = ['first', 'second', 'third', 'fourth', 'last'];
const toDays = (mask: number): string[] => DAYS.filter((_, n) => (mask & (1 << n)) !== 0);

const FREQUENCY = { daily: 0x200a, weekly: 0x200b, monthly: 0x200c, yearly: 0x200d } as const;
const PATTERN = { day: 0, week: 1, month: 2, monthNth: 3, monthEnd: 4 } as const;
const ENDS = { onDate: 0x2021, afterCount: 0x2022 } as const;
/** The calendar of the file's system, and the Gregorian one. */
const GREGORIAN: ReadonlySet<number> = new Set([0, 1]);
/** More exceptions than a series can have in its bytes are damage. */
const MIN_EXCEPTION_BYTES = 14;

/**
 * Reads the series of an event. `zone`: its name in the event; null: unknown. Null: it isn't one that
 * Microsoft 365 has, or it is damaged.
 */
export const readAppointmentSeries = (bytes: Buffer, zone: string | null): ReadSeries | null =>
  ifWhole(() => {
    const cursor = makeCursor(bytes);
    const pattern = readPattern(cursor, zone);
    if (pattern === null) return null;
    return { ...pattern, changed: readChanges(cursor) };
  });

/** Reads how a task repeats. Null: as above. */
export const readTaskRecurrence = (bytes: Buffer): Recurrence | null =>
  ifWhole(() => readPattern(makeCursor(bytes), null)?.recurrence ?? null);

function ifWhole<T>(read: () => T | null): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readPattern(cursor: Cursor, zone: string | null): Omit<ReadSeries, 'changed'> | null {
  cursor.bytes(4);
  const frequency = cursor.short();
  const kind = cursor.short();
  const calendar = cursor.short();
  cursor.long();
  const period = cursor.long();
  cursor.long();
  const specific = kind === PATTERN.day ? 0 : cursor.long();
  const position = kind === PATTERN.monthNth ? cursor.long() : 0;
  const endKind = cursor.long();
  const count = cursor.long();
  const firstDay = DAYS[cursor.long()] ?? 'sunday';
  const removed = readDates(cursor);
  readDates(cursor);
  const start = toLocal(cursor.long());
  const end = toLocal(cursor.long());
  const pattern = getPattern({ frequency, kind, period, specific, position }, start);
  if (pattern === null || !GREGORIAN.has(calendar)) return null;
  return {
    recurrence: {
      pattern: { ...pattern, firstDayOfWeek: firstDay },
      range: {
        ...getRange(endKind, count, end),
        startDate: start.toFormat(DATE),
        recurrenceTimeZone: zone ?? undefined,
      },
    },
    removed,
  };
}

function readDates(cursor: Cursor): readonly DateTime[] {
  const count = cursor.long();
  if (4 * count > cursor.getLeft()) throw new RangeError('There are fewer dates than named.');
  return Array.from({ length: count }, () => toLocal(cursor.long()));
}

function getRange(
  kind: number,
  count: number,
  end: DateTime,
): Pick<Recurrence['range'], 'type' | 'endDate' | 'numberOfOccurrences'> {
  if (kind === ENDS.onDate) return { type: 'endDate', endDate: end.toFormat(DATE) };
  if (kind === ENDS.afterCount && count > 0)
    return { type: 'numbered', numberOfOccurrences: count };
  return { type: 'noEnd' };
}

function getPattern(
  rule: {
    readonly frequency: number;
    readonly kind: number;
    readonly period: number;
    readonly specific: number;
    readonly position: number;
  },
  start: DateTime,
): Recurrence['pattern'] | null {
  const { frequency, kind, period, specific, position } = rule;
  // Every weekday is stored as days, with the days of a week.
  if (kind === PATTERN.week) {
    const daysOfWeek = toDays(specific);
    const interval = frequency === FREQUENCY.daily ? 1 : period;
    return daysOfWeek.length === 0 || interval < 1
      ? null
      : { type: 'weekly', interval, daysOfWeek };
  }
  if (frequency === FREQUENCY.daily) {
    const interval = Math.round(period / 1_440);
    return interval < 1 ? null : { type: 'daily', interval };
  }
  if (frequency !== FREQUENCY.monthly && frequency !== FREQUENCY.yearly) return null;
  const isYearly = frequency === FREQUENCY.yearly;
  const interval = isYearly ? Math.round(period / 12) : period;
  const when = isYearly ? { month: start.month } : {};
  if (interval < 1) return null;
  if (kind === PATTERN.month || kind === PATTERN.monthEnd) {
    const dayOfMonth = kind === PATTERN.monthEnd ? 31 : specific;
    if (dayOfMonth < 1 || dayOfMonth > 31) return null;
    return {
      type: isYearly ? 'absoluteYearly' : 'absoluteMonthly',
      interval,
      dayOfMonth,
      ...when,
    };
  }
  const index = POSITIONS[position - 1];
  const daysOfWeek = toDays(specific);
  if (kind !== PATTERN.monthNth || index === undefined || daysOfWeek.length === 0) return null;
  return {
    type: isYearly ? 'relativeYearly' : 'relativeMonthly',
    interval,
    daysOfWeek,
    index,
    ...when,
  };
}

const HAS = {
  subject: 0x01,
  meetingState: 0x02,
  reminderMinutes: 0x04,
  reminder: 0x08,
  location: 0x10,
  busyStatus: 0x20,
  attachments: 0x40,
  isAllDay: 0x80,
  color: 0x100,
} as const;
/** From this version on, each exception says what of it is highlighted. */
const HIGHLIGHT_VERSION = 0x3009;

/** [MS-OXOCAL] 2.2.1.44.5 */
function readChanges(cursor: Cursor): readonly ChangedOccurrence[] {
  cursor.long();
  const version = cursor.long();
  cursor.bytes(8);
  const count = cursor.short();
  if (count * MIN_EXCEPTION_BYTES > cursor.getLeft()) throw new RangeError('Too many exceptions.');
  const changes = Array.from({ length: count }, () => readChange(cursor));
  // Without the second part, letters of one byte are all that there is.
  const wide = ifWhole(() => readWideTexts(cursor, version, changes));
  return changes.map(({ flags: _flags, ...change }, n) => ({ ...change, ...wide?.[n] }));
}

type FlaggedChange = ChangedOccurrence & { readonly flags: number };

function readChange(cursor: Cursor): FlaggedChange {
  const [start, end, original] = [cursor.long(), cursor.long(), cursor.long()].map(toLocal);
  const flags = cursor.short();
  const readIf = <T>(flag: number, read: () => T): T | null =>
    (flags & flag) === 0 ? null : read();
  const readText = (): string => {
    cursor.short();
    return cursor.bytes(cursor.short()).toString('latin1');
  };
  const subject = readIf(HAS.subject, readText);
  readIf(HAS.meetingState, cursor.long);
  const reminderMinutes = readIf(HAS.reminderMinutes, cursor.long);
  const reminder = readIf(HAS.reminder, cursor.long);
  const location = readIf(HAS.location, readText);
  const busyStatus = readIf(HAS.busyStatus, cursor.long);
  readIf(HAS.attachments, cursor.long);
  const allDay = readIf(HAS.isAllDay, cursor.long);
  readIf(HAS.color, cursor.long);
  if (!start || !end || !original) throw new RangeError('An exception has no times.');
  return {
    flags,
    start,
    end,
    original,
    subject,
    location,
    busyStatus,
    isAllDay: allDay === null ? null : allDay !== 0,
    reminderMinutes,
    isReminderOn: reminder === null ? null : reminder !== 0,
  };
}

function readWideTexts(
  cursor: Cursor,
  version: number,
  changes: readonly FlaggedChange[],
): readonly Partial<Pick<ChangedOccurrence, 'subject' | 'location'>>[] {
  const skipBlock = (): void => void cursor.bytes(cursor.long());
  const readText = (): string => cursor.bytes(2 * cursor.short()).toString('utf16le');
  skipBlock();
  return changes.map(({ flags }) => {
    if (version >= HIGHLIGHT_VERSION) skipBlock();
    skipBlock();
    if ((flags & (HAS.subject | HAS.location)) === 0) return {};
    cursor.bytes(12);
    const subject = (flags & HAS.subject) === 0 ? {} : { subject: readText() };
    const location = (flags & HAS.location) === 0 ? {} : { location: readText() };
    skipBlock();
    return { ...subject, ...location };
  });
}
