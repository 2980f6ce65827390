import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PSTFile, type PSTFolder, type PSTMessage, type PSTTask } from 'pst-extractor';
import type { PSTAppointment } from 'pst-extractor/dist/PSTAppointment.class.js';
import type { PSTContact } from 'pst-extractor/dist/PSTContact.class.js';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { OutlookItem } from '#server/engine/embedded/sources/outlook/read-item.ts';
import { getItemMessage } from '#server/engine/embedded/pst/items/item-message.ts';
import { makeItemReader } from '#server/engine/embedded/pst/items/item-reader.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import type { PlacedBytes } from '#server/engine/embedded/pst/space.ts';
import { systemClock } from '#server/platform/clock.ts';
import { checkPstFile } from './check-file.ts';
import { CONTACT, HOLIDAY, PIXEL, SERIES, TASK, VISIT } from './outlook-items.ts';
import { missing, TOP, UID } from './readers.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'daybook-pst-items-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'items.pst');

const ITEMS: readonly (readonly [readonly string[], OutlookItem])[] = [
  [['Calendars', 'Calendar'], { kind: 'event', value: VISIT }],
  [['Calendars', 'Calendar'], { kind: 'event', value: HOLIDAY }],
  [['Calendars', 'Calendar'], { kind: 'event', value: SERIES }],
  [['Contacts', 'Contacts'], { kind: 'contact', value: CONTACT }],
  [['Tasks', 'Tasks'], { kind: 'task', value: TASK }],
];

beforeAll(() => {
  const file = openSync(path, 'w');
  const write = (pieces: readonly PlacedBytes[]): void => {
    for (const { at, bytes } of pieces) writeSync(file, bytes, 0, bytes.length, at);
  };
  const writer = makePstWriter({ name: 'Ana Silva', uid: UID });
  for (const [where, item] of ITEMS) writer.addItem(where, getItemMessage(item));
  write(writer.takeWritten());
  write(writer.finish());
  closeSync(file);
});

/** The folders and items that `pst-extractor` finds. */
function extract(): Map<string, { kind: string; items: PSTMessage[] }> {
  const found = new Map<string, { kind: string; items: PSTMessage[] }>();
  const visit = (at: PSTFolder, name: string): void => {
    const items: PSTMessage[] = [];
    for (let n = 0; n < at.contentCount; n += 1) items.push(at.getNextChild() as PSTMessage);
    if (items.length > 0) found.set(name, { kind: at.containerClass, items });
    if (at.hasSubfolders)
      for (const child of at.getSubFolders()) visit(child, `${name}/${child.displayName}`);
  };
  const top = new PSTFile(path)
    .getRootFolder()
    .getSubFolders()
    .find(({ displayName }) => displayName === TOP);
  if (top === undefined) throw new Error('The file has no top folder.');
  visit(top, '');
  return found;
}

test('DL-23: each block and page of a PST file with events, contacts and tasks is as specified', () => {
  expect(checkPstFile(readFileSync(path))).toEqual([]);
});

test('DL-23: another program reads events with times, people, reminders and files', () => {
  const calendar = extract().get('/Calendars/Calendar');
  expect(calendar?.kind).toBe('IPF.Appointment');
  const [visit, holiday] = (calendar?.items ?? []) as PSTAppointment[];
  if (visit === undefined || holiday === undefined) throw new Error('Events are missing.');
  expect(visit.messageClass).toBe('IPM.Appointment');
  expect(visit.subject).toBe('Übergabe 田中');
  expect(visit.bodyHTML).toBe('<p>Bring <b>both</b></p>');
  expect(visit.body.trim()).toBe('Bring both');
  expect(visit.location).toBe('Halle 3');
  expect(visit.startTime?.toISOString()).toBe('2026-03-23T08:00:00.000Z');
  expect(visit.endTime?.toISOString()).toBe('2026-03-23T09:30:00.000Z');
  expect(visit.duration).toBe(90);
  // [MS-OXOCAL] 2.2.1.2: out of office. 2.2.1.10: a meeting. 2.2.1.11: its organizer.
  expect([visit.busyStatus, visit.meetingStatus, visit.responseStatus]).toEqual([3, 1, 1]);
  expect([visit.importance, visit.sensitivity, visit.isRecurring]).toEqual([2, 2, false]);
  expect(visit.sentRepresentingEmailAddress).toBe('ann@example.com');
  const people = [0, 1].map((n) => visit.getRecipient(n));
  expect(people.map((one) => [one?.displayName, one?.emailAddress, one?.recipientType])).toEqual([
    ['Bo', 'bo@example.org', 1],
    ['Cora', 'cora@example.net', 2],
  ]);
  const file = visit.getAttachment(0);
  expect(file.longFilename).toBe('Plan größe.bin');
  const bytes = Buffer.alloc(file.filesize);
  file.fileInputStream?.readCompletely(bytes);
  expect(bytes.toString('base64')).toBe(PIXEL);
  // A whole day begins at midnight in the zone of the event: 22:00 UTC in summer.
  expect(holiday.subType).toBe(true);
  expect(holiday.startTime?.toISOString()).toBe('2026-08-02T22:00:00.000Z');
  expect(holiday.endTime?.toISOString()).toBe('2026-08-04T22:00:00.000Z');
});

test('DL-23: another program reads a series with what was moved and canceled', () => {
  const series = extract().get('/Calendars/Calendar')?.items[2] as PSTAppointment;
  expect(series.isRecurring).toBe(true);
  const structure = series.recurrenceStructure;
  if (structure === null) throw new Error('The series has no pattern.');
  // Read by hand as [MS-OXOCAL] 2.2.1.44 lays it out: every second week, on Monday, six times.
  expect([4, 6].map((at) => structure.readUInt16LE(at))).toEqual([0x200b, 1]);
  expect([14, 22, 26, 30, 34].map((at) => structure.readUInt32LE(at))).toEqual([
    2, 0x02, 0x2022, 6, 0,
  ]);
  const day = (at: number) =>
    new Date(Date.UTC(1601, 0, 1) + structure.readUInt32LE(at) * 60_000).toISOString().slice(0, 16);
  expect(structure.readUInt32LE(38)).toBe(2);
  expect([day(42), day(46)]).toEqual(['2026-03-23T00:00', '2026-04-06T00:00']);
  expect(structure.readUInt32LE(50)).toBe(1);
  expect(day(54)).toBe('2026-04-07T00:00');
  // The sixth Monday is ten weeks after the first.
  expect([day(58), day(62)]).toEqual(['2026-03-09T00:00', '2026-05-18T00:00']);
  // 09:00 to 09:30 in Berlin.
  expect([structure.readUInt32LE(74), structure.readUInt32LE(78)]).toEqual([540, 570]);
  expect(structure.readUInt16LE(82)).toBe(1);
  expect([day(84), day(88), day(92)]).toEqual([
    '2026-04-07T14:00',
    '2026-04-07T14:30',
    '2026-04-06T09:00',
  ]);
  // [MS-OXOCAL] 2.2.1.39: one hour east, and one more in summer, from the last Sundays.
  const zone = series.timezone;
  expect([zone?.readInt32LE(0), zone?.readInt32LE(8)]).toEqual([-60, -60]);
  const dates = (at: number) => [2, 4, 6, 8].map((n) => zone?.readUInt16LE(at + n));
  expect([dates(14), dates(32)]).toEqual([
    [10, 0, 5, 3],
    [3, 0, 5, 2],
  ]);
});

test('DL-23: another program reads a contact with its names, numbers, addresses and photo', () => {
  const contacts = extract().get('/Contacts/Contacts');
  expect(contacts?.kind).toBe('IPF.Contact');
  const contact = contacts?.items[0] as PSTContact;
  expect(contact.messageClass).toBe('IPM.Contact');
  expect(contact).toMatchObject({
    displayName: 'Dora Özdemir',
    displayNamePrefix: 'Dr.',
    givenName: 'Dora',
    middleName: 'M.',
    surname: 'Özdemir',
    generation: 'Jr.',
    nickname: 'Do',
    companyName: 'Copperline',
    departmentName: 'Yard',
    title: 'Engineer',
    fileUnder: 'Özdemir, Dora',
    email1EmailAddress: 'dora@example.com',
    email1DisplayName: 'Dora',
    email1AddressType: 'SMTP',
    email2EmailAddress: 'dora@example.org',
    instantMessagingAddress: 'sip:dora@example.com',
    businessTelephoneNumber: '+49 30 1',
    business2TelephoneNumber: '+49 30 2',
    homeTelephoneNumber: '+49 30 3',
    mobileTelephoneNumber: '+49 170 4',
    workAddressStreet: 'Kai 1',
    workAddressCity: 'Kiel',
    workAddressState: 'SH',
    workAddressPostalCode: '24103',
    workAddressCountry: 'Germany',
    homeAddressStreet: 'Weg 2',
    homeAddressCity: 'Bonn',
    otherAddressCity: 'Ulm',
    businessHomePage: 'https://example.com/dora',
    body: 'Speaks Turkish',
    initials: 'D.M.Ö.',
    profession: 'Surveyor',
    officeLocation: 'Kiel 2.14',
    managerName: 'Emre Aksoy',
    assistant: 'Finn Holt',
    spouseName: 'Gül',
  });
  expect(contact.birthday?.toISOString().slice(0, 10)).toBe('1985-07-14');
  const photo = contact.getAttachment(0);
  const bytes = Buffer.alloc(photo.filesize);
  photo.fileInputStream?.readCompletely(bytes);
  expect([photo.longFilename, bytes.toString('base64')]).toEqual(['ContactPicture.png', PIXEL]);
});

test('DL-23: another program reads a task with its dates, state and series', () => {
  const tasks = extract().get('/Tasks/Tasks');
  expect(tasks?.kind).toBe('IPF.Task');
  const task = tasks?.items[0] as PSTTask;
  expect(task.messageClass).toBe('IPM.Task');
  expect(task.subject).toBe('Order cables');
  expect(task.body).toBe('Two sizes\n[x] Thin\n[ ] Thick\nShop: https://example.com/cables');
  expect([task.taskStatus, task.percentComplete, task.isTaskComplete]).toEqual([2, 1, true]);
  // [MS-OXOTASK] 2.2.2.2.9: midnight in Berlin, in UTC.
  expect(task.taskDateCompleted?.toISOString()).toBe('2026-05-02T22:00:00.000Z');
  expect(task.importance).toBe(0);
  expect(task.isTaskRecurring).toBe(true);
  expect(task.taskRecurrencePattern?.toJSON()).toMatchObject({
    recurFrequency: 'Monthly',
    patternType: 'Month',
    patternTypeSpecific: 4,
    period: 1,
    endType: 'NeverEnd',
  });
});

test('G67: items of any JSON are read or refused, and those that are read can be written', async () => {
  const reader = makeItemReader({ clock: systemClock });
  const seeds = ITEMS.map(([, { value }]) => JSON.stringify(value));
  const cut = fc.record({
    at: fc.nat(3_000),
    length: fc.nat(40),
    text: fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('"', '{', '9e99', '-1', 'null', '"0000-00-00"', '\\u0000', '"9999-99-99"'),
    ),
  });
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(cut, { minLength: 1, maxLength: 3 }),
      async (seed, cuts) => {
        const json = cuts.reduce(
          (all, { at, length, text }) =>
            all.slice(0, at % all.length) + text + all.slice((at % all.length) + length),
          seed,
        );
        const result = await reader.read(new Uint8Array(Buffer.from(json)));
        if (result.kind !== 'read') return;
        read += 1;
        const writer = makePstWriter({ name: 'Ana Silva', uid: UID });
        writer.addItem(['Items'], result.value);
        writer.finish();
      },
    ),
    { numRuns: 500 * PROOF },
  );
  expect(read).toBeGreaterThan(10);
});

test('G67: a series of odd dates and numbers ends', async () => {
  const reader = makeItemReader({ clock: systemClock });
  const forever = { type: 'numbered', startDate: '2026-01-01', numberOfOccurrences: 1e9 };
  for (const [changes, range] of [
    [{ interval: 1e300 }, forever],
    [{ interval: -1 }, { type: 'endDate', startDate: '0001-01-01', endDate: '9999-12-31' }],
    [{ interval: 0.4 }, { type: 'endDate', startDate: 'x', endDate: 'y' }],
    [{ type: 'relativeMonthly', daysOfWeek: ['day'], index: 'last' }, forever],
    [{ type: 'relativeYearly', daysOfWeek: [], month: 99 }, forever],
    [{ type: 'absoluteYearly', dayOfMonth: -5, month: 13 }, forever],
  ] as const) {
    const recurrence = { pattern: { type: 'daily', interval: 1, ...changes }, range };
    const json = JSON.stringify({ ...SERIES, recurrence });
    const result = await reader.read(new Uint8Array(Buffer.from(json)));
    expect(result.kind).toBe('read');
  }
});

/** What a program makes of the file: the texts of its files by their paths. */
function runReader(program: string, args: readonly string[], out: string): Map<string, string> {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return new Map(
    readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((name) => [name.slice(out.length + 1), readFileSync(name, 'utf8')]),
  );
}

/** The time of a property, which pffexport prints as its bytes; null: the item doesn't have it. */
function readFileTime(values: string, id: string): string | null {
  const bytes = new RegExp(
    `entry type:\\s+0x0000${id}\\nValue:\\n0x0+: ((?:[\\da-f]{2} ){8})`,
  ).exec(values)?.[1];
  if (bytes === undefined) return null;
  const ticks = Buffer.from(bytes.replaceAll(' ', ''), 'hex').readBigUInt64LE();
  return new Date(Number(ticks / 10_000n) + Date.UTC(1601, 0, 1)).toISOString();
}

test.skipIf(missing !== '')(
  `DL-23: readpst and pffexport read events, contacts and tasks${missing}`,
  () => {
    const out = mkdtempSync(join(folder, 'readpst-'));
    const files = runReader('readpst', ['-j', '0', '-D', '-r', '-q', '-8', '-o', out, path], out);
    const calendar = files.get('Ana Silva/Calendars/Calendar/calendar');
    for (const line of [
      'SUMMARY:Übergabe 田中',
      'DTSTART;VALUE=DATE-TIME:20260323T080000Z',
      'LOCATION:Halle 3',
      'TRIGGER:-PT20M',
      'RRULE:FREQ=WEEKLY;COUNT=6;INTERVAL=2;BYDAY=MO',
    ])
      expect(calendar).toContain(`${line}\n`);
    const cards = files.get('Ana Silva/Contacts/Contacts/contacts');
    for (const line of [
      'N:Özdemir;Dora;M.;Dr.;Jr.',
      'EMAIL:dora@example.org',
      'ADR;TYPE=work:;;Kai 1;Kiel;SH;24103;Germany',
      'TEL;TYPE=cell,voice:+49 170 4',
      'NOTE:Speaks Turkish',
    ])
      expect(cards).toContain(`${line}\n`);

    const target = join(folder, 'pff');
    const found = runReader('pffexport', ['-q', '-d', '-t', target, path], `${target}.export`);
    const at = (name: string): string | undefined => found.get(`${TOP}/${name}`);
    expect(at('Calendars/Calendar/Appointment00001/Recipients.txt')).toContain('bo@example.org');
    const series = 'Calendars/Calendar/Appointment00003';
    // The occurrence that was moved is an event in the event.
    expect(at(`${series}/Attachments/Attachment00001/Appointment00001/Appointment.txt`)).toMatch(
      /^Subject:\t+Monday meeting \(moved\)$/m,
    );
    expect(at('Contacts/Contacts/Contact00001/Contact.txt')).toMatch(
      /^Mobile phone number:\t+\+49 170 4$/m,
    );
    expect(at('Tasks/Tasks/Task00001/Task.txt')).toMatch(/^Subject:\t+Order cables$/m);
    const values = at('Tasks/Tasks/Task00001/ItemValues.txt') ?? '';
    const times = ['8502', '8560', '8104', '8105', '8516', '8517', '810f'].map((id) =>
      readFileTime(values, id),
    );
    expect(times).toEqual([
      // [MS-OXORMDR] 2.2.1.4 and 2.2.1.2: reminders are in UTC.
      '2026-05-03T06:00:00.000Z',
      '2026-05-03T06:00:00.000Z',
      // [MS-OXOTASK] 2.2.2.2.4 and 2.2.2.2.5: dates in the zone of the user …
      '2026-05-01T00:00:00.000Z',
      '2026-05-04T00:00:00.000Z',
      // … and 2.2.2.1.3 and 2.2.2.1.4: the same in UTC, and when it was done (2.2.2.2.9).
      '2026-04-30T22:00:00.000Z',
      '2026-05-03T22:00:00.000Z',
      '2026-05-02T22:00:00.000Z',
    ]);
  },
);
