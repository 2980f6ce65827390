import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { getItemMessage } from '#server/engine/embedded/pst/items/item-message.ts';
import { getMailMessage } from '#server/engine/embedded/pst/message.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import { stringProperty } from '#server/engine/embedded/pst/properties.ts';
import type { PlacedBytes } from '#server/engine/embedded/pst/space.ts';
import type { OutlookItem } from '#server/engine/embedded/sources/outlook/read-item.ts';
import { readInThread } from '#server/engine/embedded/imports/archive-thread-reader.ts';
import { toItem, toOutlookItem } from '#server/engine/embedded/imports/imported-item.ts';
import { systemClock } from '#server/platform/clock.ts';
import { CONTACT, HOLIDAY, SERIES, TASK, VISIT } from '../engine/pst/outlook-items.ts';
import { missing, run, UID } from '../engine/pst/readers.ts';

/** What a file says of a mail or a note, without its own text. */
const NO_MAIL = {
  subject: '',
  from: { name: 'Ann', address: 'ann@example.com' },
  sender: null,
  recipients: [],
  sentAt: Date.UTC(2020, 1, 2),
  headers: '',
  text: 'Text',
  html: null,
  messageId: null,
  inReplyTo: null,
  references: null,
  importance: 'normal' as const,
  attachments: [],
};
const STATE = {
  receivedAt: Date.UTC(2020, 1, 2),
  isRead: true,
  isDraft: false,
  isFlagged: true,
  isAnswered: true,
  importance: 'high' as const,
  categories: ['Blue', 'Größe'],
};

type Writer = ReturnType<typeof makePstWriter>;

/** Writes a file, and returns its path. */
function writeFile(fill: (writer: Writer) => void): string {
  const path = join(mkdtempSync(join(tmpdir(), 'daybook-pst-items-')), 'items.pst');
  const file = openSync(path, 'w');
  const write = (pieces: readonly PlacedBytes[]): void => {
    for (const { at, bytes } of pieces) writeSync(file, bytes, 0, bytes.length, at);
  };
  const writer = makePstWriter({ name: 'Ana Silva', uid: UID });
  fill(writer);
  write(writer.finish());
  closeSync(file);
  return path;
}

const readJson = (bytes: Uint8Array | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes ?? []).toString()) as Record<string, unknown>;

async function readAll(path: string) {
  const items = [];
  const mails = [];
  const others: string[] = [];
  for await (const entry of readInThread(
    { clock: systemClock },
    { path, stem: 'Archive', skippedEntries: 0, content: 'mail' },
    new AbortController().signal,
  )) {
    if (!('path' in entry)) continue;
    if (entry.kind === 'outlook') {
      const placed = toOutlookItem(entry.path, entry);
      items.push({
        ...placed,
        left: entry.left,
        roles: entry.parts.map(({ as }) => as),
        json: readJson(entry.parts.find(({ as }) => as === 'json')?.content),
      });
    } else if (entry.kind === 'mail')
      mails.push({ path: entry.path, entry, item: toItem(entry.path, entry, 0) });
    else others.push('reason' in entry ? entry.reason : entry.kind);
  }
  return { items, mails, others };
}

/** What is compared of two items: times as instants, and no property that is empty on both sides. */
const clean = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value === 'string') {
    const at = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(value).getTime() : NaN;
    return Number.isNaN(at) ? value.trim() : at;
  }
  if (typeof value !== 'object' || value === null) return value ?? '';
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one)]));
};

/** Returns of an item that was read what the written one has, and nothing else. */
function pick(read: unknown, written: unknown): unknown {
  if (Array.isArray(written) && Array.isArray(read))
    return read.map((one, n) => pick(one, written[n]));
  if (typeof written !== 'object' || written === null) return read;
  const from = (read ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(written).map(([name, one]) => [name, pick(from[name], one)]),
  );
}

const ITEMS: readonly OutlookItem[] = [
  { kind: 'event', value: VISIT },
  { kind: 'event', value: HOLIDAY },
  { kind: 'event', value: SERIES },
  { kind: 'contact', value: CONTACT },
  { kind: 'task', value: TASK },
];
const PLACES = { event: 'Calendar', contact: 'Contacts', task: 'Tasks' } as const;

test('IMP-11: events, contacts and tasks of a PST file are those that were written, in calendars, contacts and tasks', async () => {
  const path = writeFile((writer) => {
    for (const item of ITEMS) writer.addItem([PLACES[item.kind]], getItemMessage(item));
  });
  const { items, mails, others } = await readAll(path);
  expect([mails, others, items.map(({ left }) => left)]).toEqual([[], [], ITEMS.map(() => [])]);
  expect(items.map(({ item, folders, roles }) => [item.kind, ...roles, ...folders])).toEqual(
    ITEMS.map(({ kind }) => [
      kind,
      'json',
      kind === 'contact' ? 'vcf' : 'ics',
      ...{
        event: [
          { key: 'calendars', parent: null, name: 'Calendars', wellKnown: 'calendars' },
          expect.objectContaining({ parent: 'calendars', wellKnown: 'calendar' }) as unknown,
        ],
        contact: [
          { key: 'contacts', parent: null, name: 'Contacts', wellKnown: 'contacts' },
          expect.objectContaining({ parent: 'contacts', wellKnown: 'contacts' }) as unknown,
        ],
        task: [
          { key: 'tasks', parent: null, name: 'Tasks', wellKnown: 'tasks' },
          expect.objectContaining({ parent: 'tasks', wellKnown: 'defaultList' }) as unknown,
        ],
      }[kind],
    ]),
  );
  const berlin = { timeZone: 'UTC' };
  // A file names days of tasks without a zone, and has no place for checklists and links.
  const task = {
    ...TASK,
    body: {
      contentType: 'text',
      content: 'Two sizes\n[x] Thin\n[ ] Thick\nShop: https://example.com/cables',
    },
    startDateTime: { ...berlin, dateTime: '2026-05-01T00:00:00.0000000' },
    dueDateTime: { ...berlin, dateTime: '2026-05-04T00:00:00.0000000' },
    completedDateTime: { ...berlin, dateTime: '2026-05-03T00:00:00.0000000' },
    reminderDateTime: { ...berlin, dateTime: '2026-05-03T06:00:00.0000000' },
    linkedResources: undefined,
    checklistItems: undefined,
  };
  const contact = {
    ...CONTACT,
    emailAddresses: [
      { name: 'Dora', address: 'dora@example.com' },
      { name: 'dora@example.org', address: 'dora@example.org' },
    ],
  };
  const [first] = items;
  const id = (n: number): unknown => items[n]?.json['id'];
  const expected = [VISIT, HOLIDAY, SERIES, contact, task].map((value, n) => ({
    ...value,
    id: id(n),
    ...(value === SERIES && {
      exceptionOccurrences: SERIES.exceptionOccurrences?.map((one) => ({
        ...one,
        id: `${String(id(n))}.2026-04-06`,
      })),
      cancelledOccurrences: [`OID.${String(id(n))}.2026-03-23`],
    }),
  }));
  items.forEach(({ json }, n) =>
    expect(clean(pick(json, expected[n]))).toEqual(clean(expected[n])),
  );
  expect(first?.item).toMatchObject({
    title: VISIT.subject,
    at: Date.UTC(2026, 2, 23, 8),
    flags: { importance: 'high', categories: ['Blue', 'Größe'], attachments: 1 },
  });
  const again = await readAll(path);
  expect(again.items.map(({ item }) => item)).toEqual(items.map(({ item }) => item));
});

/** A message of another class than a mail. */
const withClass = (name: string, subject: string) => {
  const message = getMailMessage({ ...NO_MAIL, subject }, { ...STATE, isFlagged: false });
  return {
    ...message,
    properties: message.properties.map((one) =>
      one.id === 0x001a ? stringProperty(0x001a, name) : one,
    ),
  };
};

test('IMP-11: a mail of a PST file stays flagged, answered, important and in its categories, a note is a mail, and what has no place in Microsoft 365 is counted', async () => {
  const path = writeFile((writer) => {
    writer.addMail(['Inbox'], { ...NO_MAIL, subject: 'Marked' }, STATE);
    writer.addMail(
      ['Inbox'],
      { ...NO_MAIL, subject: 'Plain' },
      { ...STATE, isFlagged: false, isAnswered: false, importance: null, categories: [] },
    );
    writer.addItem(['Notes'], withClass('IPM.StickyNote', 'Remember'));
    writer.addItem(['Journal'], withClass('IPM.Activity', 'A call'));
    writer.addItem(['Contacts'], withClass('IPM.DistList', 'All'));
  });
  const { mails, others } = await readAll(path);
  expect(others).toEqual(['other-item', 'other-item']);
  expect(mails.map(({ path: at, item }) => [at, item.title])).toEqual([
    [['Inbox'], 'Marked'],
    [['Inbox'], 'Plain'],
    [['Notes'], 'Remember'],
  ]);
  expect(mails.map(({ item }) => item.flags).slice(0, 2)).toMatchObject([
    { flagged: true, answered: true, importance: 'high', categories: ['Blue', 'Größe'] },
    { read: true },
  ]);
  const plain = mails[1]?.item.flags ?? {};
  expect(['flagged', 'answered', 'importance', 'categories'].filter((one) => one in plain)).toEqual(
    [],
  );
});

const SAMPLE = join(
  dirname(createRequire(import.meta.url).resolve('pst-extractor/package.json')),
  'example/testdata/pstextractortest@outlook.com.ost',
);

/** Subject, place, start and end of each appointment as `pffexport` prints them. */
function readAppointments(): string[][] {
  const out = join(mkdtempSync(join(tmpdir(), 'daybook-pff-')), 'out');
  run('pffexport', ['-q', '-t', out, SAMPLE]);
  return readdirSync(`${out}.export`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /Appointment\d+\/Appointment\.txt$/.test(name))
    .filter((name) => name.includes('IPM_SUBTREE'))
    .map((name) => {
      const lines = readFileSync(join(`${out}.export`, name), 'utf8');
      const get = (label: string): string =>
        new RegExp(`^${label}:\\t+(.*)$`, 'm').exec(lines)?.[1]?.trim() ?? '';
      const at = (label: string): string =>
        new Date(get(label).replace(/\.\d+ UTC$/, ' UTC')).toISOString();
      return [get('Subject'), get('Location'), at('Start time'), at('End time')];
    });
}

/** A whole day has no zone: in America, it begins on the same date of UTC. */
function toInstant(stamp: unknown, isAllDay: boolean): string {
  const { dateTime } = stamp as { dateTime: string };
  return isAllDay ? dateTime.slice(0, 10) : new Date(`${dateTime.slice(0, 19)}Z`).toISOString();
}
const sort = (rows: readonly string[][]): string[] => sortTexts(rows.map((row) => row.join('|')));
const sortTexts = (texts: readonly string[]): string[] =>
  texts.toSorted((a, b) => (a < b ? -1 : 1));

test.skipIf(missing !== '')(
  `IMP-11: a data file of Outlook has the appointments that pffexport finds in it${missing}`,
  async () => {
    const { items, others } = await readAll(SAMPLE);
    expect(others).toEqual([]);
    const wholeDays = new Set(
      items.flatMap(({ json }) => (json['isAllDay'] === true ? [String(json['subject'])] : [])),
    );
    const read = items.map(({ json }) => [
      String(json['subject']).trim(),
      (json['location'] as { displayName: string }).displayName.trim(),
      toInstant(json['start'], json['isAllDay'] === true),
      toInstant(json['end'], json['isAllDay'] === true),
    ]);
    const expected = readAppointments().map(([subject = '', place = '', ...times]) => [
      subject,
      place,
      ...times.map((at) => (wholeDays.has(subject) ? at.slice(0, 10) : at)),
    ]);
    expect(wholeDays.size).toBeLessThan(new Set(expected.map(([subject]) => subject)).size);
    expect(read.length).toBeGreaterThan(100);
    expect(sort(read)).toEqual(sort(expected));
    // Their authors wrote into the subjects how they repeat.
    const find = (subject: RegExp) =>
      items.find(({ json }) => subject.test(String(json['subject'])));
    expect(find(/^repeats every monday/)?.json['recurrence']).toMatchObject({
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'] },
      range: { startDate: '2021-08-09', recurrenceTimeZone: expect.any(String) as string },
    });
    expect(find(/^repeats for 3 days/)?.json['recurrence']).toMatchObject({
      pattern: { type: 'daily', interval: 1 },
      range: { startDate: '2021-08-10' },
    });
    expect(find(/^Occurs every August 13/)?.json['recurrence']).toMatchObject({
      pattern: { type: 'absoluteYearly', interval: 1, dayOfMonth: 13, month: 8 },
    });
    const files = find(/^meeting with attachments \(jpg, pdf, text\)/)?.json['attachments'];
    const names = (files as { name: string }[]).map(({ name }) => name.split('.').at(-1) ?? '');
    expect(sortTexts(names)).toEqual(['jpg', 'pdf', 'txt']);
  },
);
