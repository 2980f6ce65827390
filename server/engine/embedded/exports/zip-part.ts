import { crc32 } from 'node:zlib';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { DownloadEntry } from '../downloads/entries.ts';
import { writeMsgFile } from '../msg/msg-file.ts';
import { makeNamer } from '../../shared/entry-names.ts';
import { centralHeader, endRecords, localHeader, type ZipEntry } from '../zip/ranged-zip.ts';
import { readParsedMail } from './parsed-mail.ts';
import type { ItemContent, PartFile, PartWriter } from './part-writer.ts';

/** A ZIP archive that is written once, from its beginning to its end. */
interface ZipFile {
  /** Begins a file whose size is not known yet. It must stay below 4 GB. */
  begin(name: string, modifiedAt: Ms): Promise<void>;
  append(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
  /** Removes the file that was begun. */
  discard(): Promise<void>;
  /** Adds a file whose size and checksum are known. */
  add(entry: ZipEntry, content: AsyncIterable<Uint8Array>): Promise<void>;
  readonly bytes: Bytes;
  finish(): Promise<void>;
}

function makeZipFile(file: PartFile): ZipFile {
  const records: Buffer[] = [];
  let at = 0;
  let recordBytes = 0;
  let open: { name: string; modifiedAt: Ms; start: Bytes; bytes: Bytes; crc: number } | null = null;

  const write = async (bytes: Uint8Array): Promise<void> => {
    await file.write(bytes, at);
    at += bytes.length;
  };
  const addRecord = (entry: ZipEntry, start: Bytes): void => {
    const record = centralHeader(entry, start);
    records.push(record);
    recordBytes += record.length;
  };

  return {
    async begin(name, modifiedAt) {
      open = { name, modifiedAt, start: at, bytes: 0, crc: 0 };
      await write(localHeader(open));
    },
    async append(bytes) {
      if (open === null) throw new Error('No file was begun.');
      open.bytes += bytes.length;
      open.crc = crc32(bytes, open.crc);
      await write(bytes);
    },
    async end() {
      if (open === null) return;
      const entry = open;
      open = null;
      await file.write(localHeader(entry), entry.start);
      addRecord(entry, entry.start);
    },
    async discard() {
      if (open === null) return;
      at = open.start;
      open = null;
      await file.truncate(at);
    },
    async add(entry, content) {
      const start = at;
      try {
        await write(localHeader(entry));
        let left = entry.bytes;
        for await (const piece of content) {
          left -= piece.length;
          await write(piece);
        }
        if (left !== 0) throw new Error('The content of a file differs from its size.');
      } catch (error) {
        at = start;
        await file.truncate(start);
        throw error;
      }
      addRecord(entry, start);
    },
    get bytes() {
      return at + recordBytes;
    },
    async finish() {
      const layout = { count: records.length, directoryAt: at, directoryBytes: recordBytes };
      await write(Buffer.concat(records));
      await write(endRecords(layout));
    },
  };
}

/** Mails as `.eml`, and files as they are. */
export function makeZipPart(file: PartFile): PartWriter {
  const zip = makeZipFile(file);
  return {
    add: (entry, content) => zip.add(entry, content.stream()),
    get bytes() {
      return zip.bytes;
    },
    finish: () => zip.finish(),
  };
}

/** A single file. */
export function makeFilePart(file: PartFile): PartWriter {
  let at = 0;
  return {
    async add(_entry, content) {
      for await (const piece of content.stream()) {
        await file.write(piece, at);
        at += piece.length;
      }
    },
    get bytes() {
      return at;
    },
    finish: () => Promise.resolve(),
  };
}

/** Below the size from which an archive needs other headers. */
const MAX_MBOX_BYTES: Bytes = 4_000_000_000;

/** Folders as mbox files (the variant mboxrd) in a ZIP archive. */
export function makeMboxPart(file: PartFile): PartWriter {
  const zip = makeZipFile(file);
  const takeName = makeNamer([]);
  let folder: string | null = null;
  let mboxBytes = 0;
  return {
    async add({ mail, modifiedAt }, content) {
      const mbox = toMbox(await content.collect(), mail?.state.receivedAt ?? modifiedAt);
      const path = mail?.folder ?? [];
      const key = JSON.stringify(path);
      if (key !== folder || mboxBytes + mbox.length > MAX_MBOX_BYTES) {
        await zip.end();
        folder = key;
        mboxBytes = 0;
        const name = path.at(-1) ?? 'Mailbox';
        await zip.begin(takeName([...path.slice(0, -1), `${name}.mbox`]), modifiedAt);
      }
      mboxBytes += mbox.length;
      await zip.append(mbox);
    },
    get bytes() {
      return zip.bytes;
    },
    async finish() {
      await zip.end();
      await zip.finish();
    },
  };
}

/** Each mail as a file of Outlook, in a ZIP archive. */
export function makeMsgZipPart(file: PartFile): PartWriter {
  const zip = makeZipFile(file);
  return {
    async add(entry, content) {
      const bytes = await toMsg(entry, content);
      const name = entry.name.replace(/\.eml$/, '.msg');
      return zip.add(
        { name, bytes: bytes.byteLength, crc: crc32(bytes), modifiedAt: entry.modifiedAt },
        inOnePiece(bytes),
      );
    },
    get bytes() {
      return zip.bytes;
    },
    finish: () => zip.finish(),
  };
}

/** A single mail as a file of Outlook. */
export function makeMsgPart(file: PartFile): PartWriter {
  let at = 0;
  return {
    async add(entry, content) {
      const bytes = await toMsg(entry, content);
      await file.write(bytes, at);
      at += bytes.byteLength;
    },
    get bytes() {
      return at;
    },
    finish: () => Promise.resolve(),
  };
}

async function toMsg(entry: DownloadEntry, content: ItemContent): Promise<Uint8Array<ArrayBuffer>> {
  const { mail } = entry;
  if (mail === undefined) throw new Error('Only mails are MSG files.');
  return writeMsgFile(await readParsedMail(mail, content), mail.state);
}

async function* inOnePiece(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/**
 * A mail as mbox files have it (RFC 4155, quoted as mboxrd): lines of Unix, and a `>` before lines
 * that could be taken for the first line of a mail.
 */
export function toMbox(mime: Uint8Array, receivedAt: Ms): Buffer {
  const lines = Buffer.from(mime.buffer, mime.byteOffset, mime.byteLength)
    .toString('latin1')
    .replaceAll('\r\n', '\n')
    .replaceAll(/^(>*From )/gm, '>$1');
  const end = lines.endsWith('\n') ? '\n' : '\n\n';
  return Buffer.from(`From MAILER-DAEMON ${toUnixDate(receivedAt)}\n${lines}${end}`, 'latin1');
}

/** `Wed Jun  3 07:08:09 2026`, in UTC. */
function toUnixDate(at: Ms): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(at)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`;
}
