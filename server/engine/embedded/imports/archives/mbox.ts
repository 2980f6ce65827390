import type { Bytes, Ms } from '#contract/ids.ts';
import {
  type ArchiveEntry,
  type ArchivedState,
  type ArchiveFile,
  DamagedMailArchive,
  type LoadedEntry,
  MAX_MAIL_BYTES,
  PLAIN_STATE,
} from './archive.ts';

const CHUNK_BYTES: Bytes = 1 << 20;
/** A line between two mails is no longer. */
const MAX_LINE_BYTES: Bytes = 1_024;
const LINE_FEED = 10;
const RETURN = 13;
const FROM = Buffer.from('From ');
const NEXT_FROM = Buffer.concat([Buffer.from([LINE_FEED]), FROM]);

interface Separator {
  /** Where its line begins, and the line after it. */
  readonly from: Bytes;
  readonly to: Bytes;
  readonly line: string;
}

/**
 * Mails one after the other (RFC 4155): a line `From `, an address and a time before each, and an
 * empty line after it. A `>` that quotes such a line in a mail is removed (mboxrd).
 */
export async function* readMbox(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  let last: Separator | null = null;
  let count = 0;
  for await (const separator of findSeparators(file)) {
    if (last === null && separator.from > 0) throw new DamagedMailArchive();
    if (last !== null) yield getEntry(file, last, separator.from, ++count);
    last = separator;
  }
  if (last === null) throw new DamagedMailArchive();
  yield getEntry(file, last, file.bytes, ++count);
}

function getEntry(file: ArchiveFile, { to, line }: Separator, end: Bytes, n: number): ArchiveEntry {
  return {
    path: [file.stem],
    name: `#${n}`,
    position: end,
    async load(): Promise<LoadedEntry> {
      if (end - to > MAX_MAIL_BYTES) return { kind: 'skipped', reason: 'too-large' };
      const mime = unquote(trimEnd(await file.read(to, end - to)));
      return { kind: 'mail', mime, state: { ...readState(mime), receivedAt: readTime(line) } };
    },
  };
}

async function* findSeparators(file: ArchiveFile): AsyncGenerator<Separator, void> {
  let base = 0;
  let buffer = await file.read(0, CHUNK_BYTES);
  let at = 0;
  if (buffer.subarray(0, FROM.length).equals(FROM)) {
    const first = readSeparator(buffer, 0, 0);
    if (first !== null) yield first;
  }
  for (;;) {
    const found = buffer.indexOf(NEXT_FROM, at);
    const isEnd = base + buffer.length >= file.bytes;
    // What begins near the end of the chunk is looked at in the next one.
    const limit = isEnd ? buffer.length : buffer.length - MAX_LINE_BYTES;
    if (found >= 0 && found < limit) {
      const separator = isAfterEmptyLine(buffer, found)
        ? readSeparator(buffer, found + 1, base)
        : null;
      if (separator !== null) yield separator;
      at = found + 1;
      continue;
    }
    if (isEnd) return;
    // Two line ends before a separator tell that the line is empty.
    const keep = Math.max(0, Math.min(found < 0 ? buffer.length : found, limit) - 4);
    base += keep;
    buffer = await file.read(base, CHUNK_BYTES);
    at = Math.min(4, keep);
  }
}

/** `at`: the line feed before the line. */
function isAfterEmptyLine(buffer: Buffer, at: number): boolean {
  const before = buffer[at - 1] === RETURN ? at - 2 : at - 1;
  return buffer[before] === LINE_FEED;
}

/** Returns null for a line of a mail that begins like this, such as a sentence. */
function readSeparator(buffer: Buffer, at: number, base: Bytes): Separator | null {
  const found = buffer.indexOf(LINE_FEED, at);
  const end = found < 0 ? buffer.length : found + 1;
  const line = buffer.toString('latin1', at, Math.min(end, at + MAX_LINE_BYTES));
  return end - at <= MAX_LINE_BYTES && /^From \S.*\d\d:\d\d/.test(line)
    ? { from: base + at, to: base + end, line: line.trim() }
    : null;
}

/** Without the empty line after a mail. */
function trimEnd(mail: Buffer): Buffer {
  const ends = ['\r\n\r\n', '\n\n'].find((end) => mail.subarray(-end.length).toString() === end);
  return ends === undefined ? mail : mail.subarray(0, -ends.length / 2);
}

function unquote(mail: Buffer): Uint8Array<ArrayBuffer> {
  if (!mail.includes('>From ')) return Uint8Array.from(mail);
  const text = mail.toString('latin1').replaceAll(/^>(>*From )/gm, '$1');
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Headers in which programs store whether a mail was read (`R`) or flagged (`F`). */
function readState(mime: Uint8Array): ArchivedState {
  const head = Buffer.from(mime.buffer, mime.byteOffset, Math.min(mime.byteLength, 65_536));
  const text = head.toString('latin1').split(/\r?\n\r?\n/, 1)[0] ?? '';
  const status = /^Status:[ \t]*(\w*)/im.exec(text)?.[1];
  const more = /^X-Status:[ \t]*(\w*)/im.exec(text)?.[1];
  return {
    ...PLAIN_STATE,
    isRead: status?.includes('R') ?? true,
    isFlagged: more?.includes('F') ?? false,
  };
}

/** The time of a separator, in UTC: `Thu Jan  1 00:00:00 1970`, with or without a zone before the year. */
function readTime(line: string): Ms | null {
  const found = /([A-Z][a-z]{2}) +(\d{1,2}) +(\d{1,2}:\d\d(?::\d\d)?)(?: +[+\-\w]+)? +(\d{4})/.exec(
    line,
  );
  if (found === null) return null;
  const [, month, day, time, year] = found;
  const at = Date.parse(`${day} ${month} ${year} ${time} GMT`);
  return Number.isNaN(at) ? null : at;
}
