import ICAL from 'ical.js';
import { DateTime, IANAZone } from 'luxon';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeEventFile, writeTaskFile } from '#server/engine/embedded/formats/icalendar.ts';
import { writeContactFile } from '#server/engine/embedded/formats/vcard.ts';
import { findIanaZone, writeTimeZone } from '#server/engine/embedded/formats/time-zone.ts';
import {
  OutlookContact,
  OutlookEvent,
  OutlookTask,
} from '#server/engine/embedded/sources/outlook/entities.ts';
import * as v from 'valibot';

const utc = (dateTime: string) => ({ dateTime: `${dateTime}.0000000`, timeZone: 'UTC' });

const anEvent = (over: Readonly<Record<string, unknown>> = {}) =>
  v.parse(OutlookEvent, {
    id: 'AAkALgAA1',
    iCalUId: '040000008200E00074C5B7101A82E008',
    subject: 'Budget; review, part 1',
    body: { contentType: 'html', content: '<p>Bring <b>both</b> drawings &amp; tables</p>' },
    start: utc('2026-03-23T08:00:00'),
    end: utc('2026-03-23T08:30:00'),
    originalStartTimeZone: 'W. Europe Standard Time',
    location: { displayName: 'Übergabehalle' },
    categories: ['Project'],
    isReminderOn: true,
    reminderMinutesBeforeStart: 10,
    lastModifiedDateTime: '2026-03-01T10:00:00Z',
    type: 'singleInstance',
    ...over,
  });

/** Reads a file with an independent reader, which registers the zones that the file defines. */
function readCalendar(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString();
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  for (const zone of calendar.getAllSubcomponents('vtimezone'))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone));
  return calendar;
}
const readEvents = (bytes: Uint8Array) => {
  const all = readCalendar(bytes)
    .getAllSubcomponents('vevent')
    .map((part) => new ICAL.Event(part));
  const master = all.find((event) => !event.isRecurrenceException());
  if (master === undefined) throw new Error('no event');
  for (const one of all) if (one !== master) master.relateException(one);
  return master;
};
const iso = (time: ICAL.Time): string => time.toJSDate().toISOString().slice(0, 16);

function listOccurrences(event: ICAL.Event, count: number) {
  const found: { readonly start: string; readonly subject: string }[] = [];
  const each = event.iterator();
  for (let next = each.next(); next && found.length < count; next = each.next()) {
    const { startDate, item } = event.getOccurrenceDetails(next);
    found.push({ start: iso(startDate), subject: item.summary });
  }
  return found;
}

test('DL-20: an event is read by another program with its times, texts and people', () => {
  const event = readEvents(
    writeEventFile(
      anEvent({
        organizer: { emailAddress: { name: 'Ann "A" Lee', address: 'ann@example.com' } },
        attendees: [
          {
            emailAddress: { name: 'Bo, Li', address: 'bo@example.org' },
            type: 'optional',
            status: { response: 'accepted' },
          },
        ],
        attachments: [
          {
            name: 'Agenda; final.txt',
            contentType: 'text/plain',
            contentBytes: Buffer.from('one\ntwo').toString('base64'),
          },
        ],
      }),
    ),
  );
  expect(event.summary).toBe('Budget; review, part 1');
  expect(event.location).toBe('Übergabehalle');
  expect(event.description).toBe('Bring both drawings & tables');
  expect([iso(event.startDate), iso(event.endDate)]).toEqual([
    '2026-03-23T08:00',
    '2026-03-23T08:30',
  ]);
  expect(event.startDate.zone?.tzid).toBe('Europe/Berlin');
  const [attendee] = event.attendees;
  expect(attendee?.getFirstValue()).toBe('mailto:bo@example.org');
  expect(attendee?.getParameter('cn')).toBe('Bo, Li');
  expect(attendee?.getParameter('partstat')).toBe('ACCEPTED');
  expect(attendee?.getParameter('role')).toBe('OPT-PARTICIPANT');
  expect(event.organizer).toBe('mailto:ann@example.com');
  const file = event.component.getFirstProperty('attach')?.getFirstValue();
  const content = file instanceof ICAL.Binary ? file.value : '';
  expect(Buffer.from(content, 'base64').toString()).toBe('one\ntwo');
  expect(
    event.component.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger')?.toString(),
  ).toBe('-PT10M');
});

test('DL-20: a series repeats in local time, without what was canceled and with what was moved', () => {
  const event = readEvents(
    writeEventFile(
      anEvent({
        type: 'seriesMaster',
        recurrence: {
          pattern: {
            type: 'weekly',
            interval: 1,
            daysOfWeek: ['monday'],
            firstDayOfWeek: 'monday',
          },
          range: {
            type: 'endDate',
            startDate: '2026-03-23',
            endDate: '2026-04-20',
            recurrenceTimeZone: 'W. Europe Standard Time',
          },
        },
        cancelledOccurrences: ['OID.AAkALgAA1.2026-04-06'],
        exceptionOccurrences: [
          {
            id: 'x',
            subject: 'Moved',
            originalStart: '2026-04-13T07:00:00Z',
            start: utc('2026-04-13T12:00:00'),
            end: utc('2026-04-13T12:30:00'),
          },
        ],
      }),
    ),
  );
  // The clocks change on March 29.
  expect(listOccurrences(event, 10)).toEqual([
    { start: '2026-03-23T08:00', subject: 'Budget; review, part 1' },
    { start: '2026-03-30T07:00', subject: 'Budget; review, part 1' },
    { start: '2026-04-13T12:00', subject: 'Moved' },
    { start: '2026-04-20T07:00', subject: 'Budget; review, part 1' },
  ]);
});

const SERIES = [
  {
    pattern: { type: 'daily', interval: 2 },
    starts: ['2026-03-23', '2026-03-25', '2026-03-27', '2026-03-29'],
  },
  {
    pattern: { type: 'absoluteMonthly', interval: 1, dayOfMonth: 23 },
    starts: ['2026-03-23', '2026-04-23', '2026-05-23', '2026-06-23'],
  },
  {
    pattern: { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'fourth' },
    starts: ['2026-03-23', '2026-04-27', '2026-05-25', '2026-06-22'],
  },
  {
    pattern: { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 23 },
    starts: ['2026-03-23', '2027-03-23', '2028-03-23', '2029-03-23'],
  },
  {
    pattern: {
      type: 'relativeYearly',
      interval: 1,
      month: 3,
      daysOfWeek: ['monday'],
      index: 'last',
    },
    starts: ['2026-03-30', '2027-03-29', '2028-03-27', '2029-03-26'],
  },
];

test.each(SERIES)(
  'DL-20: a series of type $pattern.type has the same dates',
  ({ pattern, starts }) => {
    const [first = ''] = starts;
    const event = readEvents(
      writeEventFile(
        anEvent({
          type: 'seriesMaster',
          isAllDay: true,
          start: utc(`${first}T00:00:00`),
          end: utc(`${DateTime.fromISO(first).plus({ days: 1 }).toISODate()}T00:00:00`),
          recurrence: {
            pattern,
            range: { type: 'numbered', startDate: first, numberOfOccurrences: 4 },
          },
        }),
      ),
    );
    const each = event.iterator();
    const found: string[] = [];
    for (let next = each.next(); next && found.length < 10; next = each.next())
      found.push(next.toString());
    expect(found).toEqual(starts);
  },
);

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Australia/Sydney',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'Africa/Casablanca',
])('DL-20: the zone %s has the offsets that it has on earth, for years', (name) => {
  const text = ['BEGIN:VCALENDAR', ...writeTimeZone(name, 2026), 'END:VCALENDAR'].join('\r\n');
  const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
  const part = component.getFirstSubcomponent('vtimezone');
  if (!part) throw new Error('no zone');
  const zone = new ICAL.Timezone(part);
  for (let day = 0; day < 8 * 365; day += 3) {
    const at = DateTime.fromISO('2026-01-01T12:00', { zone: name }).plus({ days: day });
    const time = ICAL.Time.fromDateTimeString(at.toFormat("yyyy-LL-dd'T'HH:mm:ss"));
    time.zone = zone;
    expect([at.toISODate(), zone.utcOffset(time) / 60]).toEqual([at.toISODate(), at.offset]);
  }
});

test('DL-20: the lines of a zone are made once for all events of a year', () => {
  expect(writeTimeZone('Europe/Oslo', 2026)).toBe(writeTimeZone('Europe/Oslo', 2026));
  expect(writeTimeZone('Europe/Oslo', 2026)).not.toEqual(writeTimeZone('Europe/Oslo', 2025));
  expect(writeTimeZone('Europe/Oslo', 2026)).not.toEqual(writeTimeZone('Europe/Riga', 2026));
});

test('DL-20: the name of a zone is checked once, whether it is known or not', () => {
  const checks = vi.spyOn(IANAZone, 'isValidZone');
  onTestFinished(() => checks.mockRestore());
  const zones = { 'Asia/Kathmandu': 'Asia/Kathmandu', 'Customized Time Zone 7': null };
  for (const [name, zone] of Object.entries(zones))
    expect([findIanaZone(name), findIanaZone(name)]).toEqual([zone, zone]);
  expect(checks).toHaveBeenCalledTimes(2);
});

test('DL-20: a task is read by another program with its checklist, dates and state', () => {
  const task = v.parse(OutlookTask, {
    id: 'AAMk1',
    title: 'Order plates',
    status: 'completed',
    importance: 'high',
    body: { contentType: 'text', content: 'Two offers' },
    dueDateTime: utc('2026-04-01T00:00:00'),
    completedDateTime: utc('2026-03-30T09:00:00'),
    checklistItems: [
      { displayName: 'Ask', isChecked: true },
      { displayName: 'Order', isChecked: false },
    ],
    linkedResources: [{ webUrl: 'https://planner.example.com/orders' }],
  });
  const [todo] = readCalendar(writeTaskFile(task)).getAllSubcomponents('vtodo');
  expect(todo?.getFirstPropertyValue('summary')).toBe('Order plates');
  expect(todo?.getFirstPropertyValue('description')).toBe('Two offers\n[x] Ask\n[ ] Order');
  expect(todo?.getFirstPropertyValue('due')?.toString()).toBe('2026-04-01');
  expect(todo?.getFirstPropertyValue('status')).toBe('COMPLETED');
  expect(todo?.getFirstPropertyValue('completed')?.toString()).toBe('2026-03-30T09:00:00Z');
  expect(todo?.getFirstPropertyValue('attach')).toBe('https://planner.example.com/orders');
});

test('DL-21: a contact is read by another program with its names, numbers, addresses and photo', () => {
  const photo = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
  const contact = v.parse(OutlookContact, {
    id: 'AAk1',
    displayName: 'Ragnhild Åsen; Nord',
    givenName: 'Ragnhild',
    surname: 'Åsen, Nord',
    companyName: 'Nordsteel',
    department: 'Plates; sheets',
    jobTitle: 'Purchasing',
    emailAddresses: [{ address: 'ragnhild.asen@nordsteel.example.net' }],
    businessPhones: ['+47 555 1234'],
    mobilePhone: '+47 555 9999',
    businessAddress: { street: 'Quay 1\nHall 2', city: 'Bergen', postalCode: '5003' },
    birthday: '1979-04-12T11:59:00Z',
    personalNotes: 'Line one\nLine two',
    photo: { contentType: 'image/png', contentBytes: photo },
  });
  const text = Buffer.from(writeContactFile(contact)).toString();
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const card = new ICAL.Component(ICAL.parse(text) as unknown[]);
  const value = (name: string): unknown => card.getFirstPropertyValue(name);
  expect(value('version')).toBe('3.0');
  expect(value('fn')).toBe('Ragnhild Åsen; Nord');
  expect(value('n')).toEqual(['Åsen, Nord', 'Ragnhild', '', '', '']);
  expect(value('org')).toEqual(['Nordsteel', 'Plates; sheets']);
  expect(value('email')).toBe('ragnhild.asen@nordsteel.example.net');
  expect(card.getAllProperties('tel').map((tel) => tel.getFirstValue())).toEqual([
    '+47 555 1234',
    '+47 555 9999',
  ]);
  expect(value('adr')).toEqual(['', '', 'Quay 1\nHall 2', 'Bergen', '', '5003', '']);
  expect(String(value('bday'))).toBe('1979-04-12');
  expect(value('note')).toBe('Line one\nLine two');
  expect(
    String(
      value('photo') instanceof ICAL.Binary
        ? (value('photo') as ICAL.Binary).value
        : value('photo'),
    ),
  ).toContain(photo);
});
