import type { EmailAddress, OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';

// Items as Graph takes them in JSON: without what it sets itself, and without attendees.

type Json = Readonly<Record<string, unknown>>;

const EVENT_FIELDS = [
  'subject',
  'isAllDay',
  'location',
  'locations',
  'recurrence',
  'categories',
  'importance',
  'sensitivity',
  'showAs',
  'isReminderOn',
  'reminderMinutesBeforeStart',
] as const;
const CONTACT_FIELDS = [
  'assistantName',
  'birthday',
  'businessAddress',
  'businessHomePage',
  'businessPhones',
  'categories',
  'children',
  'companyName',
  'department',
  'displayName',
  'emailAddresses',
  'fileAs',
  'generation',
  'givenName',
  'homeAddress',
  'homePhones',
  'imAddresses',
  'initials',
  'jobTitle',
  'manager',
  'middleName',
  'mobilePhone',
  'nickName',
  'officeLocation',
  'otherAddress',
  'personalNotes',
  'profession',
  'spouseName',
  'surname',
  'title',
  'yomiCompanyName',
  'yomiGivenName',
  'yomiSurname',
] as const;
const TASK_FIELDS = [
  'body',
  'categories',
  'completedDateTime',
  'dueDateTime',
  'importance',
  'isReminderOn',
  'recurrence',
  'reminderDateTime',
  'startDateTime',
  'status',
  'title',
] as const;

const pick = (item: Json, fields: readonly string[]): Json =>
  Object.fromEntries(
    fields.flatMap((name) => (item[name] == null ? [] : [[name, item[name]] as const])),
  );

/**
 * Graph invites the attendees of an event that is created, so a restored one has none: its text names
 * them.
 */
export const newEvent = (event: OutlookEvent): Json => ({
  ...pick(event, EVENT_FIELDS),
  start: event.start,
  end: event.end,
  body: withPeople(event),
});

/** What of an exception differs from its series. */
export const newException = (part: Json): Json =>
  pick(part, [
    'subject',
    'start',
    'end',
    'location',
    'showAs',
    'isReminderOn',
    'reminderMinutesBeforeStart',
  ]);

export const newContact = (contact: OutlookContact): Json => pick(contact, CONTACT_FIELDS);

export const newTask = (task: OutlookTask): Json => ({
  ...pick(task, TASK_FIELDS),
  linkedResources: (task.linkedResources ?? []).map((resource) =>
    pick(resource, ['applicationName', 'displayName', 'externalId', 'webUrl']),
  ),
});

function withPeople({ body, attendees, organizer, isOrganizer }: OutlookEvent): Json {
  const { contentType, content } = body ?? {};
  const people = (attendees ?? []).map(({ emailAddress }) => format(emailAddress));
  const notes = [
    ...(people.length === 0 ? [] : [t.attendeesNoted({ people: people.join(', ') })]),
    ...(people.length === 0 || isOrganizer === true
      ? []
      : [t.organizerNoted({ person: format(organizer?.emailAddress) })]),
  ];
  const isHtml = contentType?.toLowerCase() === 'html';
  if (notes.length === 0) return { contentType: isHtml ? 'html' : 'text', content: content ?? '' };
  if (!isHtml)
    return { contentType: 'text', content: [content ?? '', '', ...notes].join('\n').trim() };
  const shown = notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('');
  const html = content ?? '';
  const end = html.search(/<\/body\s*>/i);
  return {
    contentType: 'html',
    content: end < 0 ? `${html}${shown}` : `${html.slice(0, end)}${shown}${html.slice(end)}`,
  };
}

const format = (person: EmailAddress | null | undefined): string =>
  person?.name && person.address
    ? `${person.name} <${person.address}>`
    : (person?.address ?? person?.name ?? '');

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeHtml = (plain: string): string => plain.replace(/[&<>]/g, (sign) => SIGNS[sign] ?? '');
