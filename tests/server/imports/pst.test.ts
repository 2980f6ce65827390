import { closeSync, mkdtempSync, openSync, readdirSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { MailContent } from '#server/engine/embedded/mail/mail-content.ts';
import { parseMime } from '#server/engine/embedded/mail/read-mime.ts';
import type { MailSummary } from '#server/engine/embedded/imports/archives/read-archive.ts';
import {
  readEntries,
  readInThread,
} from '#server/engine/embedded/imports/archive-thread-reader.ts';
import { getItemMessage } from '#server/engine/embedded/pst/items/item-message.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import { systemClock } from '#server/platform/clock.ts';
import {
  type FoundMail,
  hash,
  missing,
  readWithPffexport,
  readWithReadpst,
  UID,
  writeMailbox,
} from '../engine/pst/readers.ts';
import { CONTACT, SERIES, TASK } from '../engine/pst/outlook-items.ts';
import { PROOF } from '../engine/restic/fixtures.ts';
import type { MutatedTask } from './mutated-pst-thread.ts';

const SAMPLES = join(
  dirname(createRequire(import.meta.url).resolve('pst-extractor/package.json')),
  'example/testdata',
);
const FILES = ['enron.pst', 'pstextractortest@outlook.com.ost'];

interface ReadMail {
  readonly path: string;
  readonly mail: MailContent;
  readonly mime: Uint8Array;
  readonly summary: MailSummary;
}

/** Reads a file in the thread, as an import does. */
async function readAll(path: string, limits: { timeoutMs?: number; maxLost?: number } = {}) {
  const mails: ReadMail[] = [];
  const others: string[] = [];
  let end = '';
  for await (const entry of readInThread(
    { clock: systemClock },
    { path, stem: 'Archive', skippedEntries: 0, content: 'mail' },
    new AbortController().signal,
    limits,
  )) {
    if (!('path' in entry)) end = entry.kind;
    else if (entry.kind === 'mail')
      mails.push({
        path: entry.path.join('/'),
        mail: await parseMime(entry.mime),
        mime: entry.mime,
        summary: entry.summary,
      });
    else others.push('reason' in entry ? entry.reason : entry.kind);
  }
  return { mails, others, end };
}

const sortAll = <T>(values: readonly T[]): T[] =>
  values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Folders that a person sees, as an import names them. */
const getShownPath = (folder: string): string | null =>
  /(?:^|\/)(?:Top of Personal Folders|IPM_SUBTREE)(?:\/(.*))?$/.exec(folder)?.[1] ?? null;

const getFiles = (mail: MailContent): string[] =>
  mail.attachments
    // The text of a mail that has no other.
    .filter(({ name }) => name !== 'message.rtf')
    .flatMap((one) => (one.kind === 'file' ? [hash(one.bytes)] : []))
    .sort();

/** A sample is read once. */
const samples = new Map<string, ReturnType<typeof readAll>>();
function readSample(name: string): ReturnType<typeof readAll> {
  const read = samples.get(name) ?? readAll(join(SAMPLES, name));
  samples.set(name, read);
  return read;
}

for (const name of FILES)
  test.skipIf(missing !== '')(
    `IMP-5: ${name} has the mails, folders and attachments that pffexport finds in it${missing}`,
    async () => {
      const path = join(SAMPLES, name);
      const expected = readWithPffexport(path).flatMap((mail) => {
        const shown = getShownPath(mail.folder);
        return shown === null ? [] : [{ ...mail, shown }];
      });
      const { mails, others, end } = await readSample(name);
      expect(end).toBe('end');
      expect(new Set(others)).toEqual(new Set(name === 'enron.pst' ? [] : ['outlook']));
      for (const { mail, summary } of mails)
        expect([summary.title, summary.sentAt, summary.messageId, summary.attachments]).toEqual([
          mail.subject,
          mail.sentAt,
          mail.messageId,
          mail.attachments.filter(({ isInline }) => !isInline).length,
        ]);
      // Meeting requests are mails, which pffexport keeps apart.
      const plain = mails.filter(({ mail }) =>
        expected.some(({ subject }) => subject.trim() === mail.subject.trim()),
      );
      expect(sortAll(plain.map(({ path: at, mail }) => [at, mail.subject.trim()]))).toEqual(
        sortAll(expected.map(({ shown, subject }) => [shown, subject.trim()])),
      );
      const files = (all: readonly FoundMail[]): string[][] =>
        sortAll(all.map((mail) => mail.files.map(({ content }) => content).sort()));
      expect(sortAll(plain.map(({ mail }) => getFiles(mail)))).toEqual(files(expected));
    },
  );

test.skipIf(missing !== '')(
  `IMP-5: enron.pst has the subjects that readpst finds in it${missing}`,
  async () => {
    const path = join(SAMPLES, 'enron.pst');
    const expected = await readWithReadpst(path);
    const { mails } = await readSample('enron.pst');
    expect(mails.map(({ mail }) => mail.subject.trim()).sort()).toEqual(
      expected.mails.map(({ subject }) => subject.trim()).sort(),
    );
  },
);

const file = (name: string, bytes: Uint8Array, contentId: string | null = null) => ({
  kind: 'file' as const,
  name,
  bytes,
  mediaType: 'application/octet-stream',
  contentId,
  isInline: contentId !== null,
});
const NO_MAIL: MailContent = {
  subject: '',
  from: { name: 'Ann, "Sales"', address: 'ann@example.com' },
  sender: null,
  recipients: [
    { kind: 'to', name: 'Bén', address: 'ben@example.org' },
    { kind: 'cc', name: '', address: 'cora@example.org' },
    { kind: 'bcc', name: 'Dan', address: 'dan@example.org' },
  ],
  sentAt: Date.UTC(2020, 1, 2, 3, 4, 5),
  headers: '',
  text: null,
  html: null,
  messageId: null,
  inReplyTo: null,
  references: null,
  importance: 'normal',
  attachments: [],
};
const STATE = {
  receivedAt: Date.UTC(2020, 1, 2, 3, 4, 6),
  isRead: false,
  isDraft: false,
  isFlagged: false,
  importance: null,
  categories: [],
};
const INNER: MailContent = {
  ...NO_MAIL,
  subject: 'Inner Größe',
  text: 'Inner text',
  attachments: [file('inner.bin', Buffer.from([1, 2, 3]))],
};
const SAMPLE = {
  folders: [['Inbox'], ['Inbox', 'a/b']],
  mails: [
    {
      path: ['Inbox'],
      state: STATE,
      mail: {
        ...NO_MAIL,
        subject: 'Größe '.repeat(30).trim(),
        text: 'Plain ü\r\nSecond line',
        html: '<p>Rich ü <img src="cid:one"></p>',
        attachments: [
          file('Größe 😀.pdf', Buffer.from('pdf')),
          file('one.png', Buffer.from('png'), 'one'),
          file('empty.txt', Buffer.alloc(0)),
          {
            kind: 'message' as const,
            name: 'Inner',
            message: INNER,
            mediaType: 'message/rfc822',
            contentId: null,
            isInline: false,
          },
        ],
      },
    },
    {
      path: ['Inbox', 'a/b'],
      state: STATE,
      mail: {
        ...NO_MAIL,
        subject: 'Received',
        text: 'Body',
        headers:
          'Received: from mx.example.com\r\n by mail.example.org\r\nSubject: Received\r\nFrom: eve@example.net\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary="gone"\r\nX-Own: kept',
      },
    },
  ],
};

test('IMP-5: texts, people, dates, attachments and mails in mails of a PST file stay, and so do the headers that were received', async () => {
  const path = writeMailbox(SAMPLE);
  const { mails, end } = await readAll(path);
  expect(end).toBe('end');
  const again = await readAll(path);
  expect(again.mails.map(({ mime }) => hash(mime))).toEqual(mails.map(({ mime }) => hash(mime)));
  const [first, second] = mails;
  expect(mails.map(({ path }) => path)).toEqual(['Inbox', 'Inbox/a/b']);
  const mail = first?.mail;
  expect(mail?.subject).toBe(SAMPLE.mails[0]?.mail.subject);
  expect([mail?.text?.trim(), mail?.html?.trim()]).toEqual([
    'Plain ü\r\nSecond line',
    '<p>Rich ü <img src="cid:one"></p>',
  ]);
  expect(mail?.from).toEqual({ name: 'Ann, "Sales"', address: 'ann@example.com' });
  expect(mail?.recipients.map(({ kind, address }) => [kind, address])).toEqual([
    ['to', 'ben@example.org'],
    ['cc', 'cora@example.org'],
    ['bcc', 'dan@example.org'],
  ]);
  expect(mail?.recipients[0]?.name).toBe('Bén');
  expect(mail?.sentAt).toBe(NO_MAIL.sentAt);
  expect(
    mail?.attachments.flatMap((one) =>
      one.kind === 'file' ? [[one.name, Buffer.from(one.bytes).toString(), one.contentId]] : [],
    ),
  ).toEqual([
    ['one.png', 'png', 'one'],
    ['Größe 😀.pdf', 'pdf', null],
    ['empty.txt', '', null],
  ]);
  const inner = mail?.attachments.find((one) => one.kind === 'message');
  expect(inner?.message.subject).toBe('Inner Größe');
  expect(inner?.message.text?.trim()).toBe('Inner text');
  expect(inner && getFiles(inner.message)).toEqual([hash(Buffer.from([1, 2, 3]))]);
  const head = Buffer.from(second?.mime ?? [])
    .toString()
    .split('\r\n\r\n')[0];
  expect(head).toBe(
    [
      'Received: from mx.example.com',
      ' by mail.example.org',
      'Subject: Received',
      'From: eve@example.net',
      'X-Own: kept',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
    ].join('\r\n'),
  );
});

/** Everything that an import knows in a file: mails, an event, a contact and a task. */
function writeEverything(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'daybook-pst-all-')), 'all.pst');
  const handle = openSync(path, 'w');
  const writer = makePstWriter({ name: 'Ana Silva', uid: UID });
  for (const { path: at, mail, state } of SAMPLE.mails) writer.addMail(at, mail, state);
  for (const item of [
    { kind: 'event', value: SERIES },
    { kind: 'contact', value: CONTACT },
    { kind: 'task', value: TASK },
  ] as const)
    writer.addItem([item.kind], getItemMessage(item));
  for (const { at, bytes } of writer.finish()) writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
  return path;
}

test('G67: no mutation of a PST file hangs an import or leaves a file open', async () => {
  const files = 100 * PROOF;
  const path = writeEverything();
  const before = process.platform === 'linux' ? countOpen() : 0;
  let read = 0;
  let lost = 0;
  let end = '';
  for await (const entry of readEntries(
    { clock: systemClock },
    (skippedFiles): MutatedTask => ({ path, files, skippedFiles, seed: 68 }),
    new AbortController().signal,
    { timeoutMs: 10_000, maxLost: files, script: MUTATED },
  )) {
    if (!('path' in entry)) end = entry.kind;
    else if (entry.kind === 'lost') lost += 1;
    else read += 1;
  }
  // A file that occupies its thread costs itself, and the next one is read.
  expect([end, read + lost]).toEqual(['end', files]);
  expect(read).toBeGreaterThan(lost);
  if (process.platform === 'linux') expect(countOpen()).toBeLessThan(before + 10);
});
const countOpen = (): number => readdirSync('/proc/self/fd').length;
const MUTATED = new URL('./mutated-pst-thread.ts', import.meta.url);
