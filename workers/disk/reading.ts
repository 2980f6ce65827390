import { viewColumns, type RunColumns } from '#contract/monitoring/columns.ts';
import { DiskFault, type Fresh, type Opened, type Patch, type SegmentInfo } from '../seams.ts';
import { chunkName, rowsOf, SMALL_TABLES, unpack, type Chunk, type Packed } from './books.ts';
import { openJson, type Sealed } from './cipher.ts';
import type { BookRecord, DiskRecords, MetaRecord, PatchRecord } from './database.ts';
import { daysWithin, without, type Manifest } from './manifest.ts';
import { manifestIn, ownManifest, putManifest, type Ground } from './ground.ts';
import type { Shelf } from './shelves.ts';

export type Who = Pick<Fresh, 'me' | 'branding' | 'people'>;

/** Reads no segment (COL-6). Null where anything is missing or cannot be read. */
export async function openAll(ground: Ground): Promise<Opened | null> {
  try {
    const found = await ground.shelves.read(['meta', 'books', 'patches'], findAll);
    if (found === null) return null;
    const [who, chunks, patches] = await Promise.all([
      openJson<Who>(ground.cipher, 'meta', 'who', found.who?.name === 'who' ? found.who.sealed : undefined),
      Promise.all(found.books.map((one) => openChunk(ground, one))),
      Promise.all(found.patches.map((one) => openPatch(ground, one))),
    ]);
    ground.load = found.manifest.load;
    const { epoch, cursor, syncedAt, days, segments } = found.manifest;
    return { epoch, cursor, ...who, rows: rowsOf(chunks), patches, syncedAt, days, segments };
  } catch (thrown) {
    if (isLost(thrown)) return null;
    throw thrown;
  }
}

export async function readSegment(ground: Ground, id: number): Promise<RunColumns> {
  const columns = await findSegment(ground, id);
  if (columns === null) throw new DiskFault('gone', `Segment ${id} was replaced meanwhile: open again.`);
  return columns;
}

/** Null where the manifest does not list it: another tab has replaced it. */
export async function findSegment(ground: Ground, id: number): Promise<RunColumns | null> {
  const found = await ground.shelves.read(['meta', 'segments'], async (shelf) => {
    const manifest = await ownManifest(ground, shelf);
    const info = manifest.segments.find((one) => one.id === id);
    return info ? { info, record: await shelf.get('segments', id).catch(unlessLost) } : null;
  });
  return found && openSegment(ground, found.info, found.record?.sealed);
}

/** A segment that cannot be read leaves the manifest, and its days are no longer here: the fault names them. */
async function openSegment(ground: Ground, info: SegmentInfo, sealed: Sealed | undefined): Promise<RunColumns> {
  try {
    const columns = viewColumns(await ground.cipher.open('segments', String(info.id), sealed));
    if (columns.rows !== info.rows) throw new RangeError('another number of rows');
    return columns;
  } catch {
    const days = await ground.shelves.write('relaxed', ['meta', 'segments'], async (shelf) => {
      const manifest = await ownManifest(ground, shelf);
      if (!manifest.segments.some((one) => one.id === info.id)) return [];
      await shelf.remove('segments', info.id);
      await putManifest(shelf, without(manifest, info));
      return daysWithin(manifest, info.fromSec, info.toSec);
    });
    throw new DiskFault('corrupt', `Segment ${info.id} cannot be read.`, days);
  }
}

export async function readPatch(ground: Ground, id: number): Promise<Patch> {
  const record = await ground.shelves.read(['patches'], (shelf) => shelf.get('patches', id));
  if (!record || record.left) throw new DiskFault('gone', `Patch ${id} was folded meanwhile: open again.`);
  return openPatch(ground, record);
}

export const openPatch = (ground: Ground, record: PatchRecord): Promise<Patch> =>
  openJson(ground.cipher, 'patches', String(record.id), record.sealed);

export async function openChunk(ground: Ground, { table, chunk, sealed }: BookRecord): Promise<Chunk> {
  const known = SMALL_TABLES.find((one) => one === table);
  if (known === undefined) throw new DiskFault('corrupt', 'A table that there is not.');
  return { table: known, chunk, rows: unpack(await openJson<Packed>(ground.cipher, 'books', chunkName(table, chunk), sealed)) };
}

interface Found {
  readonly manifest: Manifest;
  readonly who: MetaRecord | undefined;
  readonly books: readonly BookRecord[];
  readonly patches: readonly PatchRecord[];
}

async function findAll(shelf: Shelf<DiskRecords>): Promise<Found | null> {
  const [manifest, who, books, patches] = await Promise.all([manifestIn(shelf), shelf.get('meta', 'who'), shelf.all('books'), shelf.all('patches')]);
  if (manifest === null || books.length !== manifest.books) return null;
  patches.sort((a, b) => a.id - b.id);
  const whole = patches.length === manifest.nextPatch - manifest.firstPatch && patches.every((one, i) => one.id === manifest.firstPatch + i);
  return whole ? { manifest, who, books, patches } : null;
}

/** The browser itself says that a record's bytes are gone or no longer a value. */
const LOST = new Set(['NotReadableError', 'DataError', 'DataCloneError']);
const isLost = (thrown: unknown): boolean =>
  thrown instanceof DiskFault ? thrown.kind === 'corrupt' : thrown instanceof Error && LOST.has(thrown.name);
const unlessLost = (thrown: unknown): undefined => {
  if (!isLost(thrown)) throw thrown;
};
