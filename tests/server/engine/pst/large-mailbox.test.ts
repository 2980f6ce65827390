import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makePstPart } from '#server/engine/embedded/exports/pst-part.ts';
import { makeMimeReader } from '#server/engine/embedded/mail/mime-reader.ts';
import { makePstWriter } from '#server/engine/embedded/pst/pst-writer.ts';
import { systemClock } from '#server/platform/clock.ts';
import { NO_MAIL, STATE } from '../mails.ts';
import { checkPstFile } from './check-file.ts';
import {
  hash,
  missing,
  readWithPffexport,
  readWithReadpst,
  TOP,
  UID,
  visitExtracted,
} from './readers.ts';

const MAILS = 1_000 * Number(process.env['PROOF'] ?? 1);
/** A file whose blocks fit into the tables of the checker. */
const CHECKED_BYTES = 400_000_000;
/** Of the file's store, which `readpst` takes for its top folder. */
const NAME = 'Mailbox';
const AHEAD = 16;
/** What a file needs in memory for each mail until its end: references in two tables. */
const MAX_BYTES_PER_MAIL = 100;

const FOLDERS: readonly (readonly string[])[] = [
  ['Inbox'],
  ['Inbox', 'Projects'],
  ['Inbox', 'Projects', 'North'],
  ['Sent'],
  ['Archive 2024'],
  ...Array.from({ length: 15 }, (_, n) => ['Archive 2025', `Week ${n}`]),
];
const EMPTY_FOLDER = ['Archive 2025', 'Empty'];

interface Person {
  readonly kind: 'to' | 'cc';
  readonly name: string;
  readonly address: string;
}

/** Everything about the mail `n`: what is put in, and what each reader has to find. */
function makeSample(n: number) {
  const people = Array.from({ length: 1 + (n % 5) }, (_, at): Person => ({
    kind: at === 0 || (n + at) % 3 > 0 ? 'to' : 'cc',
    name: `Person ${n + at}`,
    address: `person.${n + at}@example.com`,
  }));
  const files = Array.from({ length: n % 4 }, (_, at) => ({
    name: `part-${at}.bin`,
    // No two are the same.
    bytes: Buffer.alloc(1 + ((n * 7_919 + at * 104_729) % 20_000), `${n} ${at} `),
  }));
  return { folder: FOLDERS[n % FOLDERS.length] ?? [], subject: `Report ${n}`, people, files };
}
type Sample = ReturnType<typeof makeSample>;

function makeMime({ subject, people, files }: Sample): Uint8Array<ArrayBuffer> {
  const list = (kind: Person['kind']): string[] => {
    const some = people.filter((one) => one.kind === kind);
    const text = some.map(({ name, address }) => `${name} <${address}>`).join(',\r\n ');
    return some.length === 0 ? [] : [`${kind === 'to' ? 'To' : 'Cc'}: ${text}`];
  };
  const lines = [
    'From: Ann Lee <ann@example.com>',
    ...list('to'),
    ...list('cc'),
    `Subject: ${subject}`,
    'Date: Wed, 06 May 2026 07:08:09 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `${subject}: a line that somebody reads.`,
    ...files.flatMap(({ name, bytes }) => [
      '--x',
      `Content-Type: application/octet-stream; name=${name}`,
      `Content-Disposition: attachment; filename=${name}`,
      'Content-Transfer-Encoding: base64',
      '',
      bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ]),
    '--x--',
    '',
  ];
  return new Uint8Array(Buffer.from(lines.join('\r\n')));
}

/** Writes the mailbox as a download does: its mails are parsed in threads. */
async function writeLargeMailbox(path: string): Promise<void> {
  const file = openSync(path, 'w');
  const part = makePstPart(
    {
      write(bytes, at) {
        writeSync(file, bytes, 0, bytes.length, at);
        return Promise.resolve();
      },
      truncate: () => Promise.resolve(),
    },
    { name: NAME, id: 'large', folders: [{ path: [...EMPTY_FOLDER], holds: 'mail' }] },
  );
  const reader = makeMimeReader({ clock: systemClock });
  const begin = (n: number) => reader.read(makeMime(makeSample(n)));
  const begun = Array.from({ length: Math.min(AHEAD, MAILS) }, (_, n) => begin(n));
  for (let n = 0; n < MAILS; n++) {
    const parsed = await begun.shift();
    if (n + AHEAD < MAILS) begun.push(begin(n + AHEAD));
    if (parsed?.kind !== 'read') throw new Error(`Mail ${n} was not parsed.`);
    await part.add(
      {
        name: '',
        bytes: 0,
        crc: 0,
        modifiedAt: 0,
        blobs: [],
        mail: { folder: [...makeSample(n).folder], subject: '', kind: 'mail', state: STATE },
      },
      {
        stream: () => {
          throw new Error('The mail is parsed.');
        },
        collect: () => Promise.reject(new Error('The mail is parsed.')),
        parse: () => Promise.resolve(parsed.value),
        parseItem: () => Promise.resolve(null),
      },
    );
  }
  await part.finish();
  closeSync(file);
}

interface Found {
  readonly folder: string;
  readonly subject: string;
  readonly recipients: readonly string[];
  readonly files: readonly { readonly name: string; readonly content: string }[];
}
const describeFound = ({ folder, subject, recipients, files }: Found): string =>
  JSON.stringify([
    folder,
    subject,
    recipients.toSorted(),
    files.map(({ name, content }) => `${name} ${content}`).toSorted(),
  ]);
const describeSample = (
  { folder, subject, people, files }: Sample,
  { above, isCounted }: { readonly above: readonly string[]; readonly isCounted: boolean },
  separator: string,
): string =>
  describeFound({
    folder: [...above, ...folder].join(separator),
    subject,
    recipients: [
      ...(isCounted ? [`${people.length}`] : []),
      ...people.map(({ kind, name, address }) => `${kind} ${name} <${address}>`),
    ],
    files: files.map(({ name, bytes }) => ({ name, content: hash(bytes) })),
  });

/** Compares mails with what was put in: each one exactly once. Returns those that differ. */
function makeComparison(how: Parameters<typeof describeSample>[1], separator: string) {
  const found = new Uint8Array(MAILS);
  const wrong: string[] = [];
  return {
    add(mail: Found): void {
      const n = Number(/^Report (\d+)$/.exec(mail.subject)?.[1] ?? MAILS);
      const text = describeFound(mail);
      const isSame = n < MAILS && text === describeSample(makeSample(n), how, separator);
      if (isSame) found[n] = (found[n] ?? 0) + 1;
      else wrong.push(text);
    },
    finish: () => ({ wrong: wrong.slice(0, 3), notOnce: found.filter((one) => one !== 1).length }),
  };
}
const ALL = { wrong: [], notOnce: 0 };

describe('a large mailbox as a PST file', () => {
  test(`DL-4: readers find each folder, mail, recipient and attachment byte of ${MAILS.toLocaleString('en')} mails${missing}`, async ({
    skip,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-large-pst-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'mailbox.pst');
    await writeLargeMailbox(path);
    if (statSync(path).size <= CHECKED_BYTES) expect(checkPstFile(readFileSync(path))).toEqual([]);

    const extracted = makeComparison({ above: [], isCounted: true }, '\u0001');
    const folders = visitExtracted(path, (mail) => extracted.add(mail));
    expect(extracted.finish()).toEqual(ALL);
    const paths = [...FOLDERS, EMPTY_FOLDER, ['Deleted Items']].flatMap((names) =>
      names.map((_, depth) => names.slice(0, depth + 1).join('\u0001')),
    );
    expect(folders.toSorted()).toEqual([...new Set(['', ...paths])].toSorted());
    skip(missing !== '', missing);

    const withReadpst = makeComparison({ above: [NAME], isCounted: false }, '/');
    for (const mail of (await readWithReadpst(path)).mails) withReadpst.add(mail);
    expect(withReadpst.finish()).toEqual(ALL);
    const withPffexport = makeComparison({ above: [TOP], isCounted: false }, '/');
    for (const mail of readWithPffexport(path)) withPffexport.add(mail);
    expect(withPffexport.finish()).toEqual(ALL);
  });

  test('DL-4: what is in memory for a mail until the end of the file is small', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const measure = (): number => {
      collect();
      collect();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const writer = makePstWriter({ name: NAME, uid: UID });
    const add = (count: number): void => {
      for (let n = 0; n < count; n++)
        writer.addMail([`Folder ${n % 20}`], { ...NO_MAIL, subject: `Mail ${n}` }, STATE);
      writer.takeWritten();
    };
    add(5_000);
    const before = measure();
    add(50_000);
    expect((measure() - before) / 50_000).toBeLessThan(MAX_BYTES_PER_MAIL);
    writer.finish();
  });
});
