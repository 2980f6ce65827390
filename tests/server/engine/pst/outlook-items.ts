import type {
  OutlookContact,
  OutlookEvent,
  OutlookTask,
} from '#server/engine/embedded/sources/outlook/entities.ts';

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const BERLIN = 'W. Europe Standard Time';
const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });

export const VISIT: OutlookEvent = {
  id: 'visit',
  iCalUId: '040000008200E00074C5B7101A82E0080000000010203040',
  subject: 'Übergabe 田中',
  body: { contentType: 'html', content: '<p>Bring <b>both</b></p>' },
  start: utc('2026-03-23T08:00:00.0000000'),
  end: utc('2026-03-23T09:30:00.0000000'),
  originalStartTimeZone: BERLIN,
  location: { displayName: 'Halle 3' },
  categories: ['Blue', 'Größe'],
  importance: 'high',
  sensitivity: 'private',
  showAs: 'oof',
  isReminderOn: true,
  reminderMinutesBeforeStart: 20,
  isOrganizer: true,
  organizer: { emailAddress: { name: 'Ann Calloway', address: 'ann@example.com' } },
  attendees: [
    {
      type: 'required',
      status: { response: 'accepted' },
      emailAddress: { name: 'Bo', address: 'bo@example.org' },
    },
    {
      type: 'optional',
      status: { response: 'declined' },
      emailAddress: { name: 'Cora', address: 'cora@example.net' },
    },
  ],
  attachments: [
    { name: 'Plan größe.bin', contentType: 'application/octet-stream', contentBytes: PIXEL },
  ],
  createdDateTime: '2026-03-01T10:00:00Z',
  lastModifiedDateTime: '2026-03-02T11:00:00Z',
};
export const HOLIDAY: OutlookEvent = {
  id: 'holiday',
  subject: 'Holiday',
  start: utc('2026-08-03T00:00:00.0000000'),
  end: utc('2026-08-05T00:00:00.0000000'),
  originalStartTimeZone: BERLIN,
  isAllDay: true,
  showAs: 'free',
};
/** Every second Monday, six times, across the change of clocks; one moved, one canceled. */
export const SERIES: OutlookEvent = {
  id: 'series',
  iCalUId: 'series@example.com',
  subject: 'Monday meeting',
  start: utc('2026-03-09T08:00:00.0000000'),
  end: utc('2026-03-09T08:30:00.0000000'),
  originalStartTimeZone: BERLIN,
  recurrence: {
    pattern: { type: 'weekly', interval: 2, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
    range: {
      type: 'numbered',
      startDate: '2026-03-09',
      numberOfOccurrences: 6,
      recurrenceTimeZone: BERLIN,
    },
  },
  exceptionOccurrences: [
    {
      id: 'moved',
      subject: 'Monday meeting (moved)',
      originalStart: '2026-04-06T07:00:00Z',
      start: utc('2026-04-07T12:00:00.0000000'),
      end: utc('2026-04-07T12:30:00.0000000'),
      location: { displayName: 'Küche' },
    },
  ],
  cancelledOccurrences: ['OID.series.2026-03-23'],
};
export const CONTACT: OutlookContact = {
  id: 'contact',
  displayName: 'Dora Özdemir',
  fileAs: 'Özdemir, Dora',
  title: 'Dr.',
  givenName: 'Dora',
  middleName: 'M.',
  surname: 'Özdemir',
  generation: 'Jr.',
  nickName: 'Do',
  companyName: 'Copperline',
  department: 'Yard',
  jobTitle: 'Engineer',
  emailAddresses: [
    { name: 'Dora', address: 'dora@example.com' },
    { name: '', address: 'dora@example.org' },
  ],
  imAddresses: ['sip:dora@example.com'],
  businessPhones: ['+49 30 1', '+49 30 2'],
  homePhones: ['+49 30 3'],
  mobilePhone: '+49 170 4',
  businessAddress: {
    street: 'Kai 1',
    city: 'Kiel',
    state: 'SH',
    postalCode: '24103',
    countryOrRegion: 'Germany',
  },
  homeAddress: { street: 'Weg 2', city: 'Bonn' },
  otherAddress: { city: 'Ulm', countryOrRegion: 'Germany' },
  businessHomePage: 'https://example.com/dora',
  birthday: '1985-07-14T11:59:00Z',
  personalNotes: 'Speaks Turkish',
  initials: 'D.M.Ö.',
  profession: 'Surveyor',
  officeLocation: 'Kiel 2.14',
  manager: 'Emre Aksoy',
  assistantName: 'Finn Holt',
  spouseName: 'Gül',
  children: ['Hana', 'Ilkay'],
  yomiGivenName: 'ドーラ',
  categories: ['VIP'],
  photo: { contentType: 'image/png', contentBytes: PIXEL },
};
export const TASK: OutlookTask = {
  id: 'task',
  title: 'Order cables',
  body: { contentType: 'text', content: 'Two sizes' },
  status: 'completed',
  importance: 'low',
  startDateTime: { dateTime: '2026-05-01T00:00:00.0000000', timeZone: BERLIN },
  dueDateTime: { dateTime: '2026-05-04T00:00:00.0000000', timeZone: BERLIN },
  completedDateTime: { dateTime: '2026-05-03T00:00:00.0000000', timeZone: BERLIN },
  isReminderOn: true,
  reminderDateTime: { dateTime: '2026-05-03T08:00:00.0000000', timeZone: BERLIN },
  linkedResources: [{ displayName: 'Shop', webUrl: 'https://example.com/cables' }],
  checklistItems: [{ displayName: 'Thin', isChecked: true }, { displayName: 'Thick' }],
  recurrence: {
    pattern: { type: 'absoluteMonthly', interval: 1, dayOfMonth: 4 },
    range: { type: 'noEnd', startDate: '2026-05-04' },
  },
};
