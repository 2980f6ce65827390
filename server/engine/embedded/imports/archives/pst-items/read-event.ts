import { type DateTime, IANAZone } from 'luxon';
import type { PSTMessage } from 'pst-extractor';
import { findIanaZone } from '../../../formats/time-zone.ts';
import type { Attendee, Instance, OutlookEvent } from '../../../sources/outlook/entities.ts';
import {
  getEmbedded,
  readPstText,
  listAttachments,
  type PstMessageRef,
  readAttachedFiles,
  readRecipients,
  type Recipient,
} from '../pst-message.ts';
import { findEventZone } from './find-zone.ts';
import { type ItemProperties, type NameMap, readProperties } from './item-properties.ts';
import { readAppointmentSeries, type ReadSeries } from './read-recurrence.ts';
import {
  getImportance,
  getSensitivity,
  getStamps,
  type LeftOut,
  type ReadItem,
  toAttachment,
  toDate,
  toUtc,
} from './shared-fields.ts';

const BUSY = ['free', 'tentative', 'busy', 'oof', 'workingElsewhere'];
const RESPONSES = [
  'none',
  'organizer',
  'tentativelyAccepted',
  'accepted',
  'declined',
  'notResponded',
];
const IS_RECEIVED = 2;
const IS_CANCELED = 4;
/** In the flags of a recipient and of an attachment ([MS-OXOCAL] 2.2.4.10.1, 2.2.10.1.4). */
const IS_ORGANIZER = 2;
const IS_EXCEPTION = 2;
/** A reminder of what is none. */
const NO_REMINDER = 0x5ae9_80e1;

/** Returns an entry of a calendar as Graph would ([MS-OXOCAL]), without an id. */
export function readEvent(
  place: PstMessageRef,
  message: PSTMessage,
  names: NameMap,
): ReadItem<OutlookEvent> | 'too-large' {
  const properties = readProperties(message, names);
  const isException = (attachment: Parameters<typeof readProperties>[0]): boolean =>
    ((readProperties(attachment, names).int(0x7ffd) ?? 0) & IS_EXCEPTION) !== 0;
  const files = readAttachedFiles(place, message, 0, (attachment) => !isException(attachment));
  if (files === 'too-large') return files;
  const zone = findEventZone(properties);
  const recurrence = properties.bytes('recurrence');
  const isSeries = properties.flag('isRecurring') || recurrence !== null;
  const series = recurrence === null ? null : readAppointmentSeries(recurrence, zone);
  const single: Instance = {
    id: '',
    ...getFields(properties, message, zone, readRecipients(place.pst, message)),
    originalStartTimeZone: zone ?? undefined,
    hasAttachments: files.length > 0,
    type: series === null ? 'singleInstance' : 'seriesMaster',
  };
  const attachmentCount = [...listAttachments(place, message)].filter(
    (attachment) => !isException(attachment),
  ).length;
  const left: LeftOut[] = [
    ...(isSeries && series === null ? (['series'] as const) : []),
    ...(series !== null && zone === null && single.isAllDay !== true ? (['zone'] as const) : []),
    ...(files.length < attachmentCount ? (['attachments'] as const) : []),
  ];
  return {
    value: {
      ...single,
      iCalUId: getUid(properties) ?? undefined,
      attachments: files.map(({ file }) => toAttachment(file)),
      ...(series !== null && getSeries(single, series, zone, readBodies(place, message, names))),
    },
    left,
  };
}

function getFields(
  properties: ItemProperties,
  message: PSTMessage,
  zone: string | null,
  recipients: readonly Recipient[],
): Omit<Instance, 'id'> {
  const isAllDay = properties.flag('isAllDay');
  const state = properties.int('meetingState') ?? 0;
  const attendees = recipients.filter(({ flags }) => (flags & IS_ORGANIZER) === 0);
  const organizer = {
    name: properties.text(0x0042) || properties.text(0x0c1a),
    address: getAddress(
      properties.text(0x5d02) || properties.text(0x0065) || properties.text(0x0c1f),
    ),
  };
  const start = properties.time('start') ?? properties.time('commonStart') ?? properties.time(0x60);
  const end = properties.time('end') ?? properties.time('commonEnd') ?? properties.time(0x61);
  const response = RESPONSES[properties.int('response') ?? 0] ?? 'none';
  return {
    ...getStamps(properties),
    subject: readPstText(() => message.subject),
    body: getBody(message),
    ...(start !== null && { start: toTime(start, isAllDay, zone) }),
    ...(end !== null && { end: toTime(end, isAllDay, zone) }),
    isAllDay,
    isCancelled: (state & IS_CANCELED) !== 0,
    isOrganizer: (state & IS_RECEIVED) === 0,
    responseStatus: { response },
    location: { displayName: properties.text('location') },
    categories: [...properties.texts('categories')],
    importance: getImportance(properties),
    sensitivity: getSensitivity(properties),
    showAs: BUSY[properties.int('busyStatus') ?? 2] ?? 'busy',
    isReminderOn: properties.flag('isReminderSet'),
    reminderMinutesBeforeStart: getReminder(properties.int('reminderMinutes')),
    ...(attendees.length > 0 &&
      organizer.address !== '' && { organizer: { emailAddress: organizer } }),
    attendees: attendees.map(toAttendee),
  };
}

const getReminder = (minutes: number | null): number =>
  minutes === null || minutes < 0 || minutes === NO_REMINDER ? 0 : minutes;

function getBody(message: PSTMessage) {
  const html = readPstText(() => message.bodyHTML);
  return html === ''
    ? { contentType: 'text', content: readPstText(() => message.body) }
    : { contentType: 'html', content: html };
}

/** A whole day begins at midnight of its zone, which Graph writes as midnight of UTC. */
function toTime(at: number, isAllDay: boolean, zone: string | null) {
  if (!isAllDay) return toUtc(at);
  const offset = getOffset(at, zone);
  return toUtc(offset === null ? toDate(at) : at + offset);
}

/** Null: the zone is unknown, or the time isn't midnight there. */
function getOffset(at: number, zone: string | null): number | null {
  const known = findIanaZone(zone);
  if (known === null) return null;
  const offset = IANAZone.create(known).offset(at) * 60_000;
  return (at + offset) % 86_400_000 === 0 ? offset : null;
}

const ATTENDEE_TYPES: Readonly<Record<number, string>> = { 2: 'optional', 3: 'resource' };
const toAttendee = ({ kind, name, address, response }: Recipient): Attendee => ({
  type: ATTENDEE_TYPES[kind] ?? 'required',
  status: { response: RESPONSES[response] ?? 'none' },
  emailAddress: { name, address: getAddress(address) },
});

/** Addresses of Exchange are paths in its directory, which say nothing elsewhere. */
const getAddress = (address: string): string => (address.startsWith('/') ? '' : address);

const OUTLOOK_ID = '040000008200e00074c5b7101a82e008';
const WRAPPED_AT = 40;
const WRAP = 'vCal-Uid';

/** [MS-OXOCAL] 2.2.1.27: ids of other programs are wrapped. */
function getUid(properties: ItemProperties): string | null {
  const id = properties.bytes('seriesObjectId') ?? properties.bytes('objectId');
  if (id === null || id.length === 0) return null;
  const isWrapped =
    id.toString('hex', 0, 16) === OUTLOOK_ID &&
    id.toString('latin1', WRAPPED_AT, WRAPPED_AT + WRAP.length) === WRAP;
  if (!isWrapped) return id.toString('hex').toUpperCase();
  const text = id.subarray(WRAPPED_AT + WRAP.length + 4).toString();
  return text.split('\0', 1)[0] ?? null;
}

/** The texts of changed occurrences, by the minute at which they were planned. */
function readBodies(
  place: PstMessageRef,
  message: PSTMessage,
  names: NameMap,
): ReadonlyMap<number, Instance['body']> {
  const bodies = new Map<number, Instance['body']>();
  for (const attachment of listAttachments(place, message)) {
    if (((readProperties(attachment, names).int(0x7ffd) ?? 0) & IS_EXCEPTION) === 0) continue;
    const part = getEmbedded(place, attachment);
    const original = part && readProperties(part, names).time('originalStart');
    const body = part && getBody(part);
    if (original !== null && body !== null && body.content !== '') bodies.set(original, body);
  }
  return bodies;
}

function getSeries(
  event: Instance,
  { recurrence, removed, changed }: ReadSeries,
  zone: string | null,
  bodies: ReadonlyMap<number, Instance['body']>,
): Pick<OutlookEvent, 'recurrence' | 'exceptionOccurrences' | 'cancelledOccurrences'> {
  const moved = new Set(changed.map(({ original }) => original.toISODate()));
  const toInstant = (local: DateTime): number =>
    local.setZone(findIanaZone(zone) ?? 'UTC', { keepLocalTime: true }).toMillis();
  return {
    recurrence,
    cancelledOccurrences: removed
      .map((day) => day.toISODate() ?? '')
      .filter((day) => !moved.has(day))
      .map((day) => `OID..${day}`),
    exceptionOccurrences: changed.map((change) => {
      const isAllDay = change.isAllDay ?? event.isAllDay === true;
      const toAt = (local: DateTime) =>
        toUtc(isAllDay ? local.startOf('day').toMillis() : toInstant(local));
      const body = bodies.get(toInstant(change.original));
      return {
        ...event,
        id: `.${change.original.toISODate()}`,
        type: 'exception',
        hasAttachments: false,
        isAllDay,
        originalStart: new Date(
          event.isAllDay === true
            ? change.original.startOf('day').toMillis()
            : toInstant(change.original),
        ).toISOString(),
        start: toAt(change.start),
        end: toAt(change.end),
        ...(body !== undefined && { body }),
        ...(change.subject !== null && { subject: change.subject }),
        ...(change.location !== null && { location: { displayName: change.location } }),
        ...(change.busyStatus !== null && { showAs: BUSY[change.busyStatus] ?? 'busy' }),
        ...(change.isReminderOn !== null && { isReminderOn: change.isReminderOn }),
        ...(change.reminderMinutes !== null && {
          reminderMinutesBeforeStart: getReminder(change.reminderMinutes),
        }),
      };
    }),
  };
}
