import type { DeviceId } from '#contract/ids.ts';
import type { RunColumns } from '#contract/runs/columns.ts';
import { DiskError } from './disk-errors.ts';
import { chunkName, type Chunk } from './table-snapshots.ts';
import { sealJson, type Cipher, type Sealed } from './cipher.ts';
import type { BookRecord, DiskRecords } from './records.ts';
import type { WarmStartJobs } from './warm-start-cache.ts';
import { asManifest, type Manifest } from './manifest.ts';
import { pack } from './packing.ts';
import type { SegmentPage } from './segments.ts';
import type { ObjectStore, ObjectStores, StoreReader } from './object-stores.ts';

/** What the parts of a disk share. */
export interface DiskContext {
  readonly stores: ObjectStores<DiskRecords>;
  /** For everything except the outbox. */
  readonly cipher: Cipher;
  readonly outboxCipher: Cipher;
  readonly device: DeviceId;
  /** Destroys the keys: the data key, and the outbox's too unless it is kept. */
  readonly leave: (keepOutbox: boolean) => Promise<void>;
  /** The load that this disk opened or started; null before. Its writes apply to that load only. */
  load: string | null;
  /**
   * The probable number of the next patch, from the last one written, so that it need not be read.
   */
  nextPatch: number | null;
  /** Segments that were read while opening, until they are requested. */
  readonly ahead: Map<number, Promise<RunColumns>>;
  /** Jobs that were read while opening, until all are loaded. */
  warmStart: { readonly folds: number; readonly jobs: WarmStartJobs } | null;
  /**
   * How many writes may fail for lack of space before more is dropped: browsers free deleted space
   * late.
   */
  patience: number;
}

export const DATA = ['meta', 'books', 'segments', 'patches'] as const;

export async function manifestIn(store: StoreReader<DiskRecords>): Promise<Manifest | null> {
  const record = await store.get('meta', 'manifest');
  return record?.name === 'manifest' ? asManifest(record.manifest) : null;
}

/**
 * Returns the current manifest of the load that this disk works on. Rejects with `DiskError` gone
 * if another tab has reloaded the data.
 */
export async function ownManifest(
  context: DiskContext,
  store: StoreReader<DiskRecords>,
): Promise<Manifest> {
  const manifest = await manifestIn(store);
  if (manifest === null) throw new DiskError('corrupt', 'There is no manifest: reload.');
  if (context.load !== null && context.load !== manifest.load)
    throw new DiskError('gone', 'The data was reloaded meanwhile: open again.');
  return manifest;
}

export const peek = (context: DiskContext): Promise<Manifest> =>
  context.stores.read(['meta'], (store) => ownManifest(context, store));

export const putManifest = (store: ObjectStore<DiskRecords>, manifest: Manifest): Promise<void> =>
  store.put('meta', { name: 'manifest', manifest });

export const sealChunk = async (
  context: DiskContext,
  { table, chunk, rows }: Chunk,
): Promise<BookRecord> => ({
  table,
  chunk,
  sealed: await sealJson(context.cipher, 'books', chunkName(table, chunk), pack(rows)),
});

interface SealedPage {
  readonly id: number;
  readonly page: SegmentPage;
  readonly sealed: Sealed;
}

/** Numbers them from `firstId`. */
export const sealPages = (
  context: DiskContext,
  pages: readonly SegmentPage[],
  firstId: number,
): Promise<SealedPage[]> =>
  Promise.all(
    pages.map(async (page, i) => ({
      id: firstId + i,
      page,
      sealed: await context.cipher.seal('segments', String(firstId + i), page.bytes),
    })),
  );
