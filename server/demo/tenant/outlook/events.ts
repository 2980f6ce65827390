import type { DateTime } from 'luxon';
import * as v from 'valibot';
import { badRequest } from '../graph-error.ts';
import { attachmentId, digest, isoTime } from '../ids.ts';
import type { GraphEntity } from '../odata.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import { Recurrence, listDates, startOn } from './recurrence.ts';
import { type OutlookItem, type Props, outlookItemEntity, readItemProps } from './store.ts';
import { readZoned, toUtc } from './zones.ts';

const text = v.string();
const time = v.object({ dateTime: text, timeZone: text });
const Person = v.object({ emailAddress: v.looseObject({ address: v.optional(text) }) });
const Location = v.looseObject({ displayName: v.optional(text, '') });
export const EventAttachment = v.looseObject({
  'name': text,
  'contentType': v.optional(v.nullable(text), null),
  'isInline': v.optional(v.boolean(), false),
  'contentId': v.optional(v.nullable(text), null),
  'contentBytes': text,
  '@odata.type': v.literal('#microsoft.graph.fileAttachment'),
});
const attendee = v.looseObject({
  emailAddress: v.looseObject({ address: text }),
  type: v.optional(v.picklist(['required', 'optional', 'resource']), 'required'),
});

/** What a client may set of an event. */
const EventInput = v.strictObject({
  '@odata.type': v.optional(text),
  'subject': v.optional(text),
  'body': v.optional(
    v.object({ contentType: v.picklist(['text', 'html', 'HTML']), content: text }),
  ),
  'start': v.optional(time),
  'end': v.optional(time),
  'isAllDay': v.optional(v.boolean()),
  'location': v.optional(Location),
  'locations': v.optional(v.array(Location)),
  'recurrence': v.optional(v.nullable(Recurrence)),
  'attendees': v.optional(v.array(attendee)),
  'categories': v.optional(v.array(text)),
  'importance': v.optional(v.picklist(['low', 'normal', 'high'])),
  'sensitivity': v.optional(v.picklist(['normal', 'personal', 'private', 'confidential'])),
  'showAs': v.optional(
    v.picklist(['free', 'tentative', 'busy', 'oof', 'workingElsewhere', 'unknown']),
  ),
  'isReminderOn': v.optional(v.boolean()),
  'reminderMinutesBeforeStart': v.optional(v.number()),
  'responseRequested': v.optional(v.boolean()),
  'allowNewTimeProposals': v.optional(v.boolean()),
  'transactionId': v.optional(text),
  'attachments': v.optional(v.array(EventAttachment)),
});
const Stored = v.looseObject({
  ...EventInput.entries,
  start: time,
  end: time,
  organizer: v.optional(v.nullable(Person)),
  exceptions: v.optional(v.array(v.object({ date: text, props: v.looseObject({}) })), []),
  cancelled: v.optional(v.array(text), []),
});
export type StoredCalendarEvent = v.InferOutput<typeof Stored>;

export const readEvent = (item: OutlookItem): StoredCalendarEvent =>
  v.parse(Stored, readItemProps(item));

/** @throws GraphError 400 */
export function readEventInput(json: unknown): v.InferOutput<typeof EventInput> {
  const read = v.safeParse(EventInput, json);
  if (!read.success) {
    const [issue] = read.issues;
    throw badRequest(`${issue.path?.map(({ key }) => String(key)).join('.')}: ${issue.message}`);
  }
  for (const at of [read.output.start, read.output.end]) if (at) readZoned(at);
  return read.output;
}

const getAddress = (person: Person): string => person.mail ?? person.upn;
export const asRecipient = (person: Person) => ({
  emailAddress: { name: person.name, address: getAddress(person) },
});

/** A new event with all that Outlook sets itself. @throws GraphError 400 */
export function newEvent(
  tenant: Tenant,
  owner: Person,
  input: v.InferOutput<typeof EventInput>,
): Props {
  if (!input.start || !input.end)
    throw badRequest('The start and end of the event must be specified.');
  const n = tenant.store.seq();
  return {
    ...input,
    iCalUId: `040000008200E00074C5B7101A82E008${digest(tenant.seed, 'uid', n).toString('hex').toUpperCase().slice(0, 48)}`,
    organizer: asRecipient(owner),
  };
}

export const isOrganizer = (event: StoredCalendarEvent, owner: Person): boolean =>
  event.organizer?.emailAddress.address?.toLowerCase() === getAddress(owner).toLowerCase();

const NO_LOCATION = { displayName: '' };

/** An event, or the master of a series. */
export function eventEntity(
  tenant: Tenant,
  item: OutlookItem,
  owner: Person,
  hasStableIds: boolean,
): GraphEntity {
  const event = readEvent(item);
  const { isReminderOn = true, reminderMinutesBeforeStart = 15, attachments = [] } = event;
  const preview = event.body?.content.replaceAll(/<[^>]*>/g, '').slice(0, 255) ?? '';
  const base = outlookItemEntity(tenant, item, hasStableIds);
  return {
    ...base,
    categories: event.categories ?? [],
    transactionId: event.transactionId ?? null,
    originalStartTimeZone: event.start.timeZone,
    originalEndTimeZone: event.end.timeZone,
    iCalUId: event['iCalUId'],
    reminderMinutesBeforeStart,
    isReminderOn,
    hasAttachments: attachments.some(({ isInline }) => !isInline),
    subject: event.subject ?? '',
    bodyPreview: preview,
    importance: event.importance ?? 'normal',
    sensitivity: event.sensitivity ?? 'normal',
    isAllDay: event.isAllDay ?? false,
    isCancelled: false,
    isOrganizer: isOrganizer(event, owner),
    responseRequested: event.responseRequested ?? true,
    seriesMasterId: null,
    showAs: event.showAs ?? 'busy',
    type: event.recurrence ? 'seriesMaster' : 'singleInstance',
    webLink: `https://outlook.office365.com/owa/?itemid=${encodeURIComponent(item.id)}&exvsurl=1&path=/calendar/item`,
    onlineMeetingUrl: null,
    isOnlineMeeting: false,
    onlineMeetingProvider: 'unknown',
    allowNewTimeProposals: event.allowNewTimeProposals ?? true,
    originalStart: null,
    responseStatus: {
      response: isOrganizer(event, owner) ? 'organizer' : 'notResponded',
      time: '0001-01-01T00:00:00Z',
    },
    body: {
      contentType: event.body?.contentType.toLowerCase() ?? 'html',
      content: event.body?.content ?? '',
    },
    start: toUtc(event.start),
    end: toUtc(event.end),
    location: event.location ?? NO_LOCATION,
    locations: event.locations ?? (event.location ? [event.location] : []),
    recurrence: event.recurrence ?? null,
    attendees: (event.attendees ?? []).map((one) => ({
      status: { response: 'none', time: '0001-01-01T00:00:00Z' },
      ...one,
    })),
    organizer: event.organizer ?? asRecipient(owner),
    onlineMeeting: null,
    cancelledOccurrences: event.cancelled.map((day) => occurrenceName(base['id'], day)),
  };
}

const occurrenceName = (master: unknown, day: string): string => `OID.${String(master)}.${day}`;

/** An occurrence has an id of its own, from which its series and date can be read. */
export const occurrenceId = (master: OutlookItem, day: string): string => `${master.id}.${day}`;
export function readOccurrenceId(id: string): { readonly master: string; day: string } | null {
  const match = /^(.+)\.(\d{4}-\d\d-\d\d)$/.exec(id);
  return match ? { master: match[1] ?? '', day: match[2] ?? '' } : null;
}

/** The occurrences and exceptions of a series in a view of it. */
export function listInstances(
  tenant: Tenant,
  item: OutlookItem,
  owner: Person,
  view: { readonly from: DateTime; readonly to: DateTime },
): GraphEntity[] {
  const event = readEvent(item);
  if (!event.recurrence) return [];
  const until = view.to.plus({ days: 1 }).toISODate() ?? '';
  return listDates(event.recurrence, until)
    .filter((day) => !event.cancelled.includes(day))
    .map((day) => instanceEntity(tenant, item, owner, day))
    .filter((entity) => {
      const start = readZoned(v.parse(time, entity['start']));
      return start < view.to && readZoned(v.parse(time, entity['end'])) >= view.from;
    });
}

const iso = (at: DateTime): string => `${at.toUTC().toFormat("yyyy-LL-dd'T'HH:mm:ss")}.0000000`;

export function instanceEntity(
  tenant: Tenant,
  item: OutlookItem,
  owner: Person,
  day: string,
): GraphEntity {
  const event = readEvent(item);
  const zone = event.recurrence?.range.recurrenceTimeZone || event.start.timeZone;
  const first = readZoned(event.start);
  const start = startOn(first, zone, day);
  const end = start.plus(readZoned(event.end).diff(first));
  const exception = event.exceptions.find(({ date }) => date === day);
  const own: Props = exception?.props ?? {};
  return {
    ...eventEntity(tenant, item, owner, true),
    ...own,
    id: occurrenceId(item, day),
    start: own['start']
      ? toUtc(v.parse(time, own['start']))
      : { dateTime: iso(start), timeZone: 'UTC' },
    end: own['end'] ? toUtc(v.parse(time, own['end'])) : { dateTime: iso(end), timeZone: 'UTC' },
    originalStart: isoTime(start.toMillis()),
    seriesMasterId: item.stable_id,
    type: exception ? 'exception' : 'occurrence',
    recurrence: null,
    cancelledOccurrences: [],
  };
}

export const attachmentEntities = (tenant: Tenant, item: OutlookItem): GraphEntity[] =>
  (readEvent(item).attachments ?? []).map((file, at) => ({
    '@odata.type': '#microsoft.graph.fileAttachment',
    'id': attachmentId(tenant, item.n * 1000 + at),
    'lastModifiedDateTime': isoTime(item.changed_at),
    'name': file.name,
    'contentType': file.contentType ?? 'application/octet-stream',
    'size': Buffer.from(file.contentBytes, 'base64').length,
    'isInline': file.isInline,
    'contentId': file.contentId,
    'contentLocation': null,
    'contentBytes': file.contentBytes,
  }));
