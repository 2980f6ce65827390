import type { DeviceId } from '#contract/ids.ts';
import type { RunColumns } from '#contract/runs/columns.ts';
import { DiskFault } from '../types.ts';
import { chunkName, type Chunk } from './table-snapshots.ts';
import { sealJson, type Cipher, type Sealed } from './cipher.ts';
import type { BookRecord, DiskRecords } from './database.ts';
import type { FrontJobs } from './warm-start-cache.ts';
import { asManifest, type Manifest } from './manifest.ts';
import { pack } from './packing.ts';
import type { Page } from './segments.ts';
import type { ObjectStore, ObjectStores } from './object-stores.ts';

/** What the parts of a disk stand on. */
export interface DiskContext {
  readonly shelves: ObjectStores<DiskRecords>;
  /** Of everything but the outbox. */
  readonly cipher: Cipher;
  readonly outboxCipher: Cipher;
  readonly device: DeviceId;
  /** Takes the keys away: the data key, and the outbox's too unless it is kept. */
  readonly leave: (keepOutbox: boolean) => Promise<void>;
  /** The load that this disk opened or began; null before. Its writes count for that load only. */
  load: string | null;
  /**
   * The number that the next patch probably has: known from the last one written, so that it need
   * not be asked for.
   */
  nextPatch: number | null;
  /** Segments that were read while opening, until they are asked for. */
  readonly ahead: Map<number, Promise<RunColumns>>;
  /** Jobs that were read while opening, until all are. */
  front: { readonly folds: number; readonly jobs: FrontJobs } | null;
  /**
   * Writes that may fail for want of room before more is dropped: browsers give deleted room back
   * late.
   */
  patience: number;
}

export const DATA = ['meta', 'books', 'segments', 'patches'] as const;

export async function manifestIn(shelf: ObjectStore<DiskRecords>): Promise<Manifest | null> {
  const record = await shelf.get('meta', 'manifest');
  return record?.name === 'manifest' ? asManifest(record.manifest) : null;
}

/**
 * The manifest as it is now, of the load that this disk works on. `DiskFault` gone where another
 * tab has loaded anew.
 */
export async function ownManifest(
  ground: DiskContext,
  shelf: ObjectStore<DiskRecords>,
): Promise<Manifest> {
  const manifest = await manifestIn(shelf);
  if (manifest === null) throw new DiskFault('corrupt', 'There is no manifest: load anew.');
  if (ground.load !== null && ground.load !== manifest.load)
    throw new DiskFault('gone', 'The data was loaded anew meanwhile: open again.');
  return manifest;
}

export const peek = (ground: DiskContext): Promise<Manifest> =>
  ground.shelves.read(['meta'], (shelf) => ownManifest(ground, shelf));

export const putManifest = (shelf: ObjectStore<DiskRecords>, manifest: Manifest): Promise<void> =>
  shelf.put('meta', { name: 'manifest', manifest });

export const sealChunk = async (
  ground: DiskContext,
  { table, chunk, rows }: Chunk,
): Promise<BookRecord> => ({
  table,
  chunk,
  sealed: await sealJson(ground.cipher, 'books', chunkName(table, chunk), pack(rows)),
});

interface SealedPage {
  readonly id: number;
  readonly page: Page;
  readonly sealed: Sealed;
}

/** Numbers them from `firstId`. */
export const sealPages = (
  ground: DiskContext,
  pages: readonly Page[],
  firstId: number,
): Promise<SealedPage[]> =>
  Promise.all(
    pages.map(async (page, i) => ({
      id: firstId + i,
      page,
      sealed: await ground.cipher.seal('segments', String(firstId + i), page.bytes),
    })),
  );
