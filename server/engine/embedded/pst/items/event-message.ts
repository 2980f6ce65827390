import type { DateTime } from 'luxon';
import type { MailRecipient } from '../../mail/mail-content.ts';
import { findZone, getCancelled, readTime } from '../../formats/icalendar.ts';
import type { Instance, OutlookEvent } from '../../sources/outlook/entities.ts';
import {
  describeAttachment,
  getPersonProperties,
  getRecipientProperties,
} from '../mail-properties.ts';
import { getMailAttachment, type PstMessage } from '../message.ts';
import { NAMED } from '../named-properties.ts';
import { binary, boolean, int32, type Property, time } from '../properties.ts';
import { makeAppointmentRecurrence } from './appointment-recurrence.ts';
import { getRecurrenceType } from './recurrence-pattern.ts';
import { clean, getNamedText, getSharedProperties } from './shared-properties.ts';
import { makeZoneDefinition, makeZoneStruct } from './zone-rules.ts';

const BUSY: Readonly<Record<string, number>> = {
  free: 0,
  tentative: 1,
  busy: 2,
  oof: 3,
  workingElsewhere: 4,
};
const RESPONSES: Readonly<Record<string, number>> = {
  organizer: 1,
  tentativelyAccepted: 2,
  accepted: 3,
  declined: 4,
  notResponded: 5,
};
const IS_MEETING = 1;
const IS_RECEIVED = 2;
const IS_CANCELED = 4;

/** [MS-OXOCAL] */
export function getEventMessage(event: OutlookEvent): PstMessage {
  const zone = findZone(event);
  const exceptions = (event.exceptionOccurrences ?? []).flatMap((part) => {
    const times = getTimes(part, zone);
    const original = readLocal(part.originalStart, zone, event.isAllDay === true);
    return times && original ? [{ part, original, ...times }] : [];
  });
  const files = (event.attachments ?? []).flatMap(({ name, contentType, contentBytes, ...file }) =>
    contentBytes
      ? [
          {
            kind: 'file' as const,
            name: clean(name) || 'attachment',
            mediaType: clean(contentType),
            contentId: file.contentId ? clean(file.contentId) : null,
            isInline: file.isInline === true,
            bytes: Buffer.from(contentBytes, 'base64'),
          },
        ]
      : [],
  );
  const times = getTimes(event, zone);
  const series = event.recurrence ?? null;
  const seriesProperties =
    series === null || times === null
      ? [boolean(NAMED.isRecurring, false)]
      : [
          boolean(NAMED.isRecurring, true),
          int32(NAMED.recurrenceType, getRecurrenceType(series)),
          binary(
            NAMED.recurrence,
            makeAppointmentRecurrence(series, times, {
              exceptions,
              canceled: getCancelled(event, times.start),
            }),
          ),
          time(NAMED.seriesStart, times.start.startOf('day').toMillis()),
          binary(NAMED.zoneRules, makeZoneStruct(zone, times.start.year)),
          ...getNamedText('zoneName', zone),
          binary(NAMED.seriesZone, makeZoneDefinition(zone, times.start.year, true)),
        ];
  return {
    kind: 'event',
    properties: [
      ...getProperties(event, 'IPM.Appointment', zone, files.length > 0),
      ...seriesProperties,
      ...getObjectIds(event.iCalUId ?? event.id),
    ],
    recipients: getAttendees(event),
    attachments: [
      ...files.map(getMailAttachment),
      ...exceptions.map((exception, n) => makeException(exception, files.length + n, zone)),
    ],
  };
}

interface Times {
  readonly start: DateTime;
  readonly end: DateTime;
}
export interface EventException extends Times {
  readonly part: Instance;
  readonly original: DateTime;
}

/** A whole day begins at midnight in the zone of the event. */
function getTimes(part: Instance, zone: string): Times | null {
  const isAllDay = part.isAllDay === true;
  const read = (at: Instance['start']): DateTime | null =>
    isAllDay
      ? (readTime(at, 'UTC')?.setZone(zone, { keepLocalTime: true }) ?? null)
      : readTime(at, zone);
  const start = read(part.start);
  const end = read(part.end);
  return start && end ? { start, end } : null;
}

const readLocal = (
  stamp: string | null | undefined,
  zone: string,
  isAllDay: boolean,
): DateTime | null => {
  const at = stamp ? readTime({ dateTime: stamp, timeZone: 'UTC' }, isAllDay ? 'UTC' : zone) : null;
  return isAllDay ? (at?.setZone(zone, { keepLocalTime: true }) ?? null) : at;
};

function getProperties(
  part: Instance,
  messageClass: string,
  zone: string,
  hasAttachments: boolean,
): Property[] {
  const times = getTimes(part, zone);
  const organizer = part.organizer?.emailAddress;
  const isMeeting = (part.attendees ?? []).length > 0;
  const response = isMeeting
    ? (RESPONSES[part.responseStatus?.response ?? ''] ?? (part.isOrganizer === false ? 5 : 1))
    : 0;
  const minutes = Math.max(0, Math.round(part.reminderMinutesBeforeStart ?? 0));
  return [
    ...getSharedProperties({
      messageClass,
      title: part.subject ?? '',
      text: part.body,
      categories: part.categories,
      importance: part.importance,
      sensitivity: part.sensitivity,
      createdAt: part.createdDateTime,
      changedAt: part.lastModifiedDateTime,
      hasAttachments,
    }),
    ...(organizer?.address
      ? [
          ...getPersonProperties(toPerson(organizer), [0x0042, 0x0064, 0x0065]),
          ...getPersonProperties(toPerson(organizer), [0x0c1a, 0x0c1e, 0x0c1f]),
        ]
      : []),
    int32(NAMED.busyStatus, BUSY[part.showAs ?? ''] ?? 2),
    ...getNamedText('location', part.location?.displayName),
    boolean(NAMED.isAllDay, part.isAllDay === true),
    int32(
      NAMED.meetingState,
      (isMeeting ? IS_MEETING : 0) |
        (isMeeting && part.isOrganizer === false ? IS_RECEIVED : 0) |
        (part.isCancelled === true ? IS_CANCELED : 0),
    ),
    int32(NAMED.response, response),
    boolean(NAMED.isReminderSet, part.isReminderOn === true),
    int32(NAMED.reminderMinutes, minutes),
    ...(times === null ? [] : getTimeProperties(times, zone, minutes)),
  ];
}

function getTimeProperties({ start, end }: Times, zone: string, minutes: number): Property[] {
  const [from, to] = [start.toMillis(), end.toMillis()];
  const definition = makeZoneDefinition(zone, start.year, false);
  return [
    time(0x0060, from),
    time(0x0061, to),
    time(NAMED.start, from),
    time(NAMED.end, to),
    time(NAMED.commonStart, from),
    time(NAMED.commonEnd, to),
    int32(NAMED.durationMinutes, Math.round((to - from) / 60_000)),
    time(NAMED.reminderAt, from),
    time(NAMED.reminderSignalAt, from - minutes * 60_000),
    binary(NAMED.startZone, definition),
    binary(NAMED.endZone, definition),
  ];
}

/** Required, optional, and rooms and devices: [MS-OXOCAL] 2.2.4.10.7. */
const ATTENDEE_KINDS: Readonly<Record<string, MailRecipient['kind']>> = {
  optional: 'cc',
  resource: 'bcc',
};

const getAttendees = ({ attendees }: Instance): Property[][] =>
  (attendees ?? []).flatMap(({ emailAddress, type, status }) =>
    emailAddress?.address
      ? [
          [
            ...getRecipientProperties({
              kind: ATTENDEE_KINDS[type ?? ''] ?? 'to',
              ...toPerson(emailAddress),
            }),
            int32(0x5ffd, IS_SENDABLE),
            int32(0x5fff, RESPONSES[status?.response ?? ''] ?? 0),
          ],
        ]
      : [],
  );
const IS_SENDABLE = 1;

const toPerson = ({
  name,
  address,
}: {
  readonly name?: string | null | undefined;
  readonly address?: string | null | undefined;
}) => ({ name: clean(name), address: clean(address) });

/** An occurrence that was moved or changed is a message of its own ([MS-OXOCAL] 2.2.10). */
function makeException(
  { part, original, start, end }: EventException,
  n: number,
  zone: string,
): PstMessage['attachments'][number] {
  const message: PstMessage = {
    kind: 'event',
    properties: [
      ...getProperties(part, EXCEPTION_CLASS, zone, false),
      time(NAMED.originalStart, original.toMillis()),
    ],
    recipients: getAttendees(part),
    attachments: [],
  };
  const name = clean(part.subject) || 'exception';
  const about = describeAttachment(
    { kind: 'message', name, mediaType: '', contentId: null, isInline: true, size: 0 },
    n,
  );
  return {
    about: [
      ...about,
      time(0x7ffb, toLocal(start)),
      time(0x7ffc, toLocal(end)),
      int32(0x7ffd, IS_EXCEPTION),
    ],
    content: { kind: 'message', message, size: 0 },
  };
}
const EXCEPTION_CLASS = 'IPM.OLE.CLASS.{00061055-0000-0000-C000-000000000046}';
const IS_EXCEPTION = 2;

/** These two times have no zone. */
const toLocal = (at: DateTime): number => at.setZone('UTC', { keepLocalTime: true }).toMillis();

const OBJECT_ID_CLASS = '040000008200e00074c5b7101a82e008';

/** [MS-OXOCAL] 2.2.1.27: ids of Outlook are as they were, others are wrapped. */
function getObjectIds(uid: string): Property[] {
  const isOutlook = new RegExp(`^${OBJECT_ID_CLASS}(?:[0-9a-f]{2})+$`, 'i').test(uid);
  const id = isOutlook ? Buffer.from(uid, 'hex') : wrapUid(clean(uid));
  return [binary(NAMED.objectId, id), binary(NAMED.seriesObjectId, id)];
}

function wrapUid(uid: string): Buffer {
  const data = Buffer.concat([
    Buffer.from('vCal-Uid'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from(`${uid}\0`),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length, 0);
  // Neither the date of an occurrence nor a creation time.
  return Buffer.concat([Buffer.from(OBJECT_ID_CLASS, 'hex'), Buffer.alloc(20), size, data]);
}
