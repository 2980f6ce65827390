import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline as connect, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Ms, TenantId } from '#contract/ids.ts';
import { flushFolder } from '../../flush-files.ts';
import type { ArchiveDamageKind } from '../check-log.ts';
import { chain, getHashedText, type HashedEvent, makeDigest } from '../log-hash.ts';

/**
 * A file of the archive: the events `first` to `last` of a log, gzip over lines of JSON. The first
 * line is an `ArchiveHead`. Each event has two lines, which are exactly what its hash covers
 * (`getHashedText`). After the events of each batch, a line has the number of its last event and the
 * hash that the chain has there. So a file is checked with nothing but the hash at its end.
 */
interface ArchiveHead {
  readonly format: 1;
  readonly tenant: TenantId;
  readonly first: number;
  readonly last: number;
  /** The hash of the chain before these events. */
  readonly before: string;
}

/** Which events are in a file, and the hash of the chain at its end, which its name has, too. */
export interface FileRange {
  readonly tenant: TenantId;
  readonly first: number;
  readonly last: number;
  readonly before: string;
  readonly hash: string;
}

/** The SHA-256 of a whole file, and its size. */
export interface FileSum {
  readonly sha256: string;
  readonly bytes: number;
}

export interface Batch {
  readonly events: readonly HashedEvent[];
  /** The hash of the chain after these events. */
  readonly hash: string;
}

/** A file of the archive that isn't there, or doesn't have what was archived. */
export class DamagedEventArchive extends Error {
  override readonly name = 'DamagedEventArchive';
  readonly kind: ArchiveDamageKind;
  readonly file: string;
  constructor(kind: ArchiveDamageKind, file: string, cause?: unknown) {
    super(
      kind === 'no-file' ? `The archive has no file ${file}.` : `The file ${file} is damaged.`,
      { cause },
    );
    this.kind = kind;
    this.file = file;
  }
}

/** Files of other histories of the same log, as after a restore, have other names. */
export const getArchiveFile = (
  folder: string,
  { tenant, first, last, hash }: Omit<FileRange, 'before'>,
): string => join(folder, tenant, `${first}-${last}-${hash.slice(0, 16)}.jsonl.gz`);

/**
 * Writes a file of the archive, which appears under its name only when it is whole and on disk. Only its
 * owner can read it. The same batches make the same file.
 */
export async function writeArchiveFile(
  folder: string,
  range: FileRange,
  batches: AsyncIterable<Batch>,
): Promise<FileSum> {
  const file = getArchiveFile(folder, range);
  const made = await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Other servers may write the same file into the same folder.
  const own = await mkdtemp(`${file}.`);
  const draft = join(own, 'draft');
  const sum = sumBytes();
  const gzip = createGzip({ level: 6 });
  const output = createWriteStream(draft, { mode: 0o600, flush: true });
  const written = pipeline(gzip, sum.stream, output);
  written.catch(() => undefined); // awaited below
  const write = async (text: string): Promise<void> => {
    if (!gzip.write(text))
      await Promise.race([
        new Promise<void>((resolve) => void gzip.once('drain', resolve)),
        written,
      ]);
  };
  try {
    const { tenant, first, last, before } = range;
    const head: ArchiveHead = { format: 1, tenant, first, last, before };
    await write(`${JSON.stringify(head)}\n`);
    for await (const { events, hash } of batches) {
      let seq = 0;
      for (const event of events) {
        await write(getHashedText(event));
        seq = event.seq;
      }
      await write(`${JSON.stringify({ seq, hash })}\n`);
    }
    gzip.end();
    await written;
    await rename(draft, file);
    flushFolders(dirname(file), made === undefined ? folder : dirname(made));
  } catch (error) {
    gzip.destroy();
    await written.catch(() => undefined);
    throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return sum.get();
}

/** Flushes the names in a folder and in those above it, up to `top`. */
function flushFolders(folder: string, top: string): void {
  flushFolder(folder);
  if (resolve(folder) !== resolve(top)) flushFolders(dirname(folder), top);
}

/**
 * Reads a file batch by batch, after it has compared the whole file with its sum. Each batch is passed on
 * when its hash is right.
 * @throws DamagedEventArchive
 */
export async function* readArchiveFile(
  folder: string,
  range: FileRange,
  sum: FileSum,
): AsyncGenerator<Batch, void> {
  const file = getArchiveFile(folder, range);
  if (!existsSync(file)) throw new DamagedEventArchive('no-file', file);
  try {
    const found = await sumFile(file);
    if (found.sha256 !== sum.sha256 || found.bytes !== sum.bytes)
      throw new Error('The file has other bytes.');
    const reader = makeReader(range);
    for await (const line of readLines(file)) {
      const batch = reader.add(line);
      if (batch !== null) yield batch;
    }
    if (!reader.isEnd()) throw new Error('The file ends elsewhere.');
  } catch (error) {
    throw new DamagedEventArchive('bad-file', file, error);
  }
}

async function sumFile(file: string): Promise<FileSum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Only a line feed ends a line: events may contain other separators. */
async function* readLines(file: string): AsyncGenerator<string, void> {
  const text = connect(createReadStream(file), createGunzip(), () => undefined);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  for await (const chunk of text as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') throw new Error('The file ends within a line.');
}

/** Deletes drafts that a killed server left in a provider's folder. */
export async function removeOldDrafts(folder: string, tenant: TenantId, now: Ms): Promise<void> {
  const own = join(folder, tenant);
  for (const name of await readdir(own).catch(() => [])) {
    if (!/\.gz\.\w+$/.test(name)) continue;
    const found = await stat(join(own, name)).catch(() => null);
    if (found !== null && found.mtimeMs < now - DRAFT_MS)
      await rm(join(own, name), { recursive: true, force: true });
  }
}

/** A draft grows all the time, so an older one has no writer. */
const DRAFT_MS: Ms = 24 * 3_600_000;

/** Returns what each line of a file completes: a batch, or nothing yet. */
function makeReader({ tenant, first, last, before, hash: end }: FileRange): {
  add(line: string): Batch | null;
  isEnd(): boolean;
} {
  let isBegun = false;
  let head: string | null = null;
  let seq = first - 1;
  let hash = before;
  let digest = makeDigest();
  let events: HashedEvent[] = [];
  const expect = (isRight: boolean): void => {
    if (!isRight) throw new Error(`The file is wrong after event ${seq}.`);
  };
  return {
    isEnd: () => isBegun && seq === last && hash === end && head === null && events.length === 0,
    add(line) {
      if (!isBegun) {
        const found = JSON.parse(line) as ArchiveHead;
        expect(
          found.format === 1 &&
            found.tenant === tenant &&
            found.first === first &&
            found.last === last &&
            found.before === before,
        );
        isBegun = true;
      } else if (head !== null) {
        digest.update(`${head}\n${line}\n`);
        events.push(toEvent(head, line));
        seq += 1;
        expect(events.at(-1)?.seq === seq);
        head = null;
      } else if (line.startsWith('[')) {
        head = line;
      } else {
        const batch = JSON.parse(line) as { readonly seq: number; readonly hash: string };
        hash = chain(hash, digest.digest('hex'));
        expect(batch.seq === seq && batch.hash === hash && events.length > 0);
        const done = { events, hash };
        digest = makeDigest();
        events = [];
        return done;
      }
      return null;
    },
  };
}

function toEvent(head: string, data: string): HashedEvent {
  const [seq, type, at, actor, subject, company, entity, commandId] = JSON.parse(head) as [
    number,
    string,
    number,
    string,
    string | null,
    number | null,
    string,
    string | null,
  ];
  return { seq, type, at, actor, subject, company, entity, commandId, data };
}

/** Passes bytes on and sums them. */
function sumBytes(): { readonly stream: Transform; get(): FileSum } {
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, get: () => ({ sha256: hash.digest('hex'), bytes }) };
}
