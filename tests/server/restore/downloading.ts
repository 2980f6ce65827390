import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { OutputOf } from '#contract/calls.ts';
import { missing as noRestic, randomBytes } from '../engine/restic/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { cookiesIn, type Library, type StoredFile } from './content.ts';

/** One that is sent at once. */
type Download = OutputOf<'downloadMailbox'> & { readonly url: string };
const absent = ['python3', 'unzip'].filter((tool) => spawnSync(tool, ['--help']).error);
/** Why nothing is read by other programs; empty where it is. */
export const skipped = absent.length === 0 ? noRestic : ` (skipped: no ${absent.join(', ')})`;

export const dir = mkdtempSync(join(tmpdir(), 'daybook-downloads-'));
// Several files of tests share this module in one process.
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));

export const mailFile = (title: string, path: readonly string[] = ['Inbox']): StoredFile => ({
  path,
  title,
  content: Buffer.from(`From: ann@example.com\r\nSubject: ${title}\r\n\r\nBody of ${title}\r\n`),
});
export const MAILS = [
  mailFile('Report'),
  mailFile('Report'),
  mailFile('Re: 50/50?', ['Inbox', 'Old']),
  mailFile('', ['Sent Items']),
];
export const FILES: readonly StoredFile[] = [
  { path: [], title: 'notes.txt', content: Buffer.from('notes') },
  { path: ['Plans', '2026'], title: 'budget.xlsx', content: randomBytes(1, 300_000) },
  { path: ['Plans', '2026'], title: 'empty.bin', content: Buffer.alloc(0) },
  // More than one blob.
  { path: ['Plans'], title: 'film.mp4', content: randomBytes(2, 5_000_000) },
];

export const download = async (
  who: Asker,
  session: string,
  path: string,
  body: object = {},
): Promise<Download> => {
  const {
    status,
    text,
    body: answer,
  } = await who<Download>('POST', `o365/restore/restoresessions/${session}/${path}`, body);
  if (status !== 200) throw new Error(text);
  if (answer.data.url === null) throw new Error('It is made in the background.');
  return answer.data;
};

/** Unpacks an archive with other readers, which also test it. */
export function unpack(bytes: Buffer, name: string): Map<string, Buffer> {
  const file = join(dir, `${name}.zip`);
  const folder = join(dir, name);
  writeFileSync(file, bytes);
  execFileSync('unzip', ['-tq', file]);
  execFileSync('python3', [
    '-c',
    'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nz.extractall(sys.argv[2])',
    file,
    folder,
  ]);
  return filesIn(folder);
}
export const filesIn = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );

/** The first visit of an address, as a browser makes it, and the cookies that it gives. */
export async function firstVisit({ read }: Library, { url }: Download) {
  const first = await read(url);
  return { first, cookies: cookiesIn(first) };
}
