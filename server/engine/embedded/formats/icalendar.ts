import { DateTime } from 'luxon';
import type {
  Attendee,
  EmailAddress,
  Instance,
  OutlookEvent,
  OutlookTask,
  Recurrence,
  ZonedTime,
} from '../sources/outlook/entities.ts';
import { cleanAddress, escapeText, joinLines, quoteParameter } from './content-line.ts';
import { htmlToText } from './html-text.ts';
import { writeRule } from './recurrence-rule.ts';
import { findIanaZone, writeTimeZone } from './time-zone.ts';

const HEAD = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Daybook//Backup//EN'];

/** Returns an event, or a series with its exceptions, as an iCalendar file (RFC 5545). */
export function writeEventFile(event: OutlookEvent): Uint8Array<ArrayBuffer> {
  const zone = findZone(event);
  const start = readTime(event.start, zone);
  const lines = [...HEAD];
  if (zone !== 'UTC' && event.isAllDay !== true)
    lines.push(...writeTimeZone(zone, start?.year ?? FIRST_YEAR));
  lines.push(...writeEvent(event, event, zone));
  for (const exception of event.exceptionOccurrences ?? [])
    lines.push(...writeEvent(event, exception, zone));
  return joinLines([...lines, 'END:VCALENDAR']);
}
const FIRST_YEAR = 2000;

/** A series repeats in a zone of its own. Without a known zone, times are in UTC. */
export const findZone = ({ recurrence, originalStartTimeZone }: OutlookEvent): string =>
  findIanaZone(recurrence?.range.recurrenceTimeZone) ??
  findIanaZone(originalStartTimeZone) ??
  'UTC';

export function readTime(time: ZonedTime | null | undefined, zone: string): DateTime | null {
  if (!time) return null;
  const at = DateTime.fromISO(time.dateTime.replace(/(\.\d{3})\d+$/, '$1'), {
    zone: findIanaZone(time.timeZone) ?? 'UTC',
  });
  return at.isValid ? at.setZone(zone) : null;
}

/** `part`: the event itself, or one of its exceptions. */
function writeEvent(event: OutlookEvent, part: Instance, zone: string): string[] {
  const isException = part !== event;
  const isAllDay = part.isAllDay === true;
  const start = readTime(part.start, isAllDay ? 'UTC' : zone);
  const end = readTime(part.end, isAllDay ? 'UTC' : zone);
  const first = readTime(event.start, event.isAllDay === true ? 'UTC' : zone);
  const lines = ['BEGIN:VEVENT', `UID:${escapeText(event.iCalUId ?? event.id)}`];
  lines.push(`DTSTAMP:${stamp(part.lastModifiedDateTime ?? event.lastModifiedDateTime)}`);
  if (part.createdDateTime) lines.push(`CREATED:${stamp(part.createdDateTime)}`);
  if (part.lastModifiedDateTime) lines.push(`LAST-MODIFIED:${stamp(part.lastModifiedDateTime)}`);
  if (start) lines.push(dateProperty('DTSTART', start, zone, isAllDay));
  if (end) lines.push(dateProperty('DTEND', end, zone, isAllDay));
  if (isException && part.originalStart) {
    const original = DateTime.fromISO(part.originalStart, {
      zone: event.isAllDay === true ? 'UTC' : zone,
    });
    lines.push(dateProperty('RECURRENCE-ID', original, zone, event.isAllDay === true));
  }
  if (!isException && event.recurrence && first) {
    lines.push(`RRULE:${writeRule(event.recurrence, { first, isAllDay })}`);
    const dates = getCancelled(event, first);
    if (dates.length > 0)
      lines.push(...dates.map((day) => dateProperty('EXDATE', day, zone, isAllDay)));
  }
  lines.push(...textLines(part), ...peopleLines(part));
  if (part.isReminderOn === true)
    lines.push(
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      `DESCRIPTION:${escapeText(part.subject ?? '')}`,
      `TRIGGER:-PT${Math.max(0, Math.round(part.reminderMinutesBeforeStart ?? 0))}M`,
      'END:VALARM',
    );
  if (!isException)
    for (const file of event.attachments ?? [])
      if (file.contentBytes)
        lines.push(
          `ATTACH;ENCODING=BASE64;VALUE=BINARY;FMTTYPE=${quoteParameter(file.contentType ?? 'application/octet-stream')};X-FILENAME=${quoteParameter(file.name ?? 'attachment')}:${file.contentBytes}`,
        );
  return [...lines, 'END:VEVENT'];
}

/** `OID.<series>.<date>`: the local dates of canceled occurrences. */
export const getCancelled = ({ cancelledOccurrences }: OutlookEvent, first: DateTime): DateTime[] =>
  (cancelledOccurrences ?? []).flatMap((name) => {
    const [, year, month, day] = /\.(\d{4})-(\d\d)-(\d\d)$/.exec(name) ?? [];
    return year === undefined
      ? []
      : [first.set({ year: Number(year), month: Number(month), day: Number(day) })];
  });

function textLines(part: Instance): string[] {
  const { contentType, content } = part.body ?? {};
  const isHtml = contentType?.toLowerCase() === 'html';
  const plain = isHtml ? htmlToText(content ?? '') : (content ?? '');
  const lines = [`SUMMARY:${escapeText(part.subject ?? '')}`];
  if (plain.trim() !== '') lines.push(`DESCRIPTION:${escapeText(plain)}`);
  if (isHtml && content) lines.push(`X-ALT-DESC;FMTTYPE=text/html:${escapeText(content)}`);
  const place = part.location?.displayName;
  if (place) lines.push(`LOCATION:${escapeText(place)}`);
  lines.push(...categoryLines(part.categories));
  lines.push(`PRIORITY:${PRIORITIES[part.importance ?? ''] ?? 5}`);
  lines.push(`CLASS:${CLASSES[part.sensitivity ?? ''] ?? 'PUBLIC'}`);
  lines.push(`TRANSP:${part.showAs === 'free' ? 'TRANSPARENT' : 'OPAQUE'}`);
  lines.push(`X-MICROSOFT-CDO-BUSYSTATUS:${BUSY[part.showAs ?? ''] ?? 'BUSY'}`);
  const status =
    part.isCancelled === true
      ? 'CANCELLED'
      : part.showAs === 'tentative'
        ? 'TENTATIVE'
        : 'CONFIRMED';
  return [...lines, `STATUS:${status}`];
}
const PRIORITIES: Readonly<Record<string, number>> = { high: 1, normal: 5, low: 9 };
const CLASSES: Readonly<Record<string, string>> = {
  private: 'PRIVATE',
  personal: 'PRIVATE',
  confidential: 'CONFIDENTIAL',
};
const BUSY: Readonly<Record<string, string>> = {
  free: 'FREE',
  tentative: 'TENTATIVE',
  oof: 'OOF',
  workingElsewhere: 'WORKINGELSEWHERE',
};

const categoryLines = (categories: readonly string[] | null | undefined): string[] =>
  categories?.length ? [`CATEGORIES:${categories.map(escapeText).join(',')}`] : [];

function peopleLines({ organizer, attendees }: Instance): string[] {
  const lines: string[] = [];
  const chair = organizer?.emailAddress;
  // RFC 5545 has no organizer without attendees.
  if (chair?.address && attendees?.length)
    lines.push(`ORGANIZER${name(chair)}:mailto:${cleanAddress(chair.address)}`);
  for (const person of attendees ?? [])
    if (person.emailAddress?.address)
      lines.push(
        `ATTENDEE${name(person.emailAddress)}${role(person)}:mailto:${cleanAddress(person.emailAddress.address)}`,
      );
  return lines;
}

const name = ({ name: text, address }: EmailAddress): string =>
  `;CN=${quoteParameter(text || address || '')}`;
const role = ({ type, status }: Attendee): string => {
  const state = STATES[status?.response ?? ''] ?? 'NEEDS-ACTION';
  if (type === 'resource') return `;CUTYPE=RESOURCE;ROLE=NON-PARTICIPANT;PARTSTAT=${state}`;
  return `;ROLE=${type === 'optional' ? 'OPT' : 'REQ'}-PARTICIPANT;PARTSTAT=${state}`;
};
const STATES: Readonly<Record<string, string>> = {
  organizer: 'ACCEPTED',
  accepted: 'ACCEPTED',
  tentativelyAccepted: 'TENTATIVE',
  declined: 'DECLINED',
};

function dateProperty(property: string, at: DateTime, zone: string, isAllDay: boolean): string {
  if (isAllDay) return `${property};VALUE=DATE:${at.toFormat('yyyyLLdd')}`;
  return zone === 'UTC'
    ? `${property}:${at.toFormat("yyyyLLdd'T'HHmmss'Z'")}`
    : `${property};TZID=${zone}:${at.toFormat("yyyyLLdd'T'HHmmss")}`;
}

const stamp = (text: string | null | undefined): string => {
  const at = DateTime.fromISO(text ?? '', { zone: 'UTC' });
  return (at.isValid ? at : DateTime.fromMillis(0, { zone: 'UTC' })).toFormat(
    "yyyyLLdd'T'HHmmss'Z'",
  );
};

/** Returns a task as an iCalendar file. Its checklist follows the text. */
export function writeTaskFile(task: OutlookTask): Uint8Array<ArrayBuffer> {
  const description = getTaskText(task);
  const day = (property: string, time: ZonedTime | null | undefined): string[] => {
    const at = readTime(time, findIanaZone(time?.timeZone) ?? 'UTC');
    return at ? [`${property};VALUE=DATE:${at.toFormat('yyyyLLdd')}`] : [];
  };
  const done = readTime(task.completedDateTime, 'UTC');
  const first = readTime(task.dueDateTime ?? task.startDateTime, 'UTC');
  return joinLines([
    ...HEAD,
    'BEGIN:VTODO',
    `UID:${escapeText(task.id)}`,
    `DTSTAMP:${stamp(task.lastModifiedDateTime)}`,
    ...(task.createdDateTime ? [`CREATED:${stamp(task.createdDateTime)}`] : []),
    `SUMMARY:${escapeText(task.title ?? '')}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...day('DTSTART', task.startDateTime),
    ...day('DUE', task.dueDateTime),
    ...(done ? [`COMPLETED:${done.toFormat("yyyyLLdd'T'HHmmss'Z'")}`] : []),
    `STATUS:${TASK_STATES[task.status ?? ''] ?? 'NEEDS-ACTION'}`,
    `PRIORITY:${PRIORITIES[task.importance ?? ''] ?? 5}`,
    ...categoryLines(task.categories),
    ...getRule(task.recurrence, first),
    ...(task.linkedResources ?? []).flatMap(({ webUrl }) =>
      webUrl ? [`ATTACH:${cleanAddress(webUrl)}`] : [],
    ),
    'END:VTODO',
    'END:VCALENDAR',
  ]);
}
/** Returns the text of a task, followed by its checklist. */
export function getTaskText({ body, checklistItems }: OutlookTask): string {
  const { contentType, content } = body ?? {};
  const plain = contentType?.toLowerCase() === 'html' ? htmlToText(content ?? '') : (content ?? '');
  const checklist = (checklistItems ?? []).map(
    ({ isChecked, displayName }) => `[${isChecked === true ? 'x' : ' '}] ${displayName ?? ''}`,
  );
  return [plain.trim(), ...checklist].filter((line) => line !== '').join('\n');
}
const TASK_STATES: Readonly<Record<string, string>> = {
  inProgress: 'IN-PROCESS',
  completed: 'COMPLETED',
};

const getRule = (recurrence: Recurrence | null | undefined, first: DateTime | null): string[] =>
  recurrence && first ? [`RRULE:${writeRule(recurrence, { first, isAllDay: true })}`] : [];
