import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { openBlob } from './blob.ts';
import type { BlobPlace, BlobTable, PackN, BlobRow } from './blob-table.ts';
import { BLOBS_PER_INDEX, encodeIndex, type IndexedPack } from './index-file.ts';
import type { OpenedRepository } from './opened.ts';
import type { BlobId } from './pack.ts';
import { failed, ok } from '../../result.ts';
import { RowSet } from './row-set.ts';
import { listSnapshots } from './snapshots.ts';
import { writeDocument } from './unpacked.ts';
import { walkTrees } from './walk.ts';
import { resticMessages as t } from './messages.en.ts';

export interface PruneOptions {
  /** Restore points to keep; the others are forgotten. By default all. */
  readonly keep?: readonly string[];
  /**
   * Data blobs that something else needs (ENG-7), such as items of a session that has no restore
   * point yet.
   */
  readonly keepBlobs?: AsyncIterable<BlobId> | Iterable<BlobId>;
  /** The same for folders, with everything below them. Both are read under the lock. */
  readonly keepTrees?: AsyncIterable<BlobId> | Iterable<BlobId>;
  /** Restore points to forget. */
  readonly forget?: readonly string[];
  /** Share of unused bytes that is not worth the work of repacking. */
  readonly maxUnusedShare?: number;
  /**
   * Removed packs stay in the storage until their lock ends (OBJ-8): only those of which little is
   * used are repacked, and small ones aren't merged. Otherwise copies would take more than they free.
   */
  readonly isLocked?: boolean;
}

export interface PruneReport {
  readonly snapshotsRemoved: number;
  readonly packsRemoved: number;
  readonly packsWritten: number;
  readonly bytesRemoved: Bytes;
  readonly bytesWritten: Bytes;
  /** Blobs that are needed and that the index doesn't list. Unlisted packs are kept then. */
  readonly missing: readonly BlobId[];
  /** Needed blobs of which no copy is readable. Their packs are kept. */
  readonly damaged: readonly BlobId[];
}

const MAX_UNUSED_SHARE = 0.05;
const MAX_USED_SHARE_LOCKED = 0.5;
/** Several packs below this size are merged. */
const SMALL_PACK_BYTES: Bytes = 4 << 20;

/**
 * Removes what no restore point needs. Only with an exclusive lock; the table of the index is out
 * of date afterwards. A crash at any point leaves a complete repository: new packs
 * are written before the index that lists them, the former index is removed after that, and packs
 * last.
 */
export async function prune(
  repository: OpenedRepository,
  {
    keep,
    keepBlobs = [],
    keepTrees = [],
    forget = [],
    maxUnusedShare = MAX_UNUSED_SHARE,
    isLocked = false,
  }: PruneOptions,
): Promise<EngineResult<PruneReport>> {
  const { target, sealer, index, writer } = repository;
  const { table } = index;
  const indexFiles = await target.list('index');
  if (!indexFiles.ok) return indexFiles;
  const stored = await target.list('data');
  if (!stored.ok) return stored;
  const snapshots = await listSnapshots(target, sealer);
  if (!snapshots.ok) return snapshots;

  // Everything is read before anything is removed.
  const present = new Set(snapshots.value.map(({ id }) => id));
  if (keep?.some((id) => !present.has(id))) return failed('missing', t.pointMissing);
  const storedIds = new Set(keep ?? present);
  for (const id of forget) storedIds.delete(id);
  const roots = snapshots.value.filter(({ id }) => storedIds.has(id)).map(({ tree }) => tree);
  for await (const tree of keepTrees) roots.push(tree);
  const marked = await markUsed(repository, roots, keepBlobs);
  if (!marked.ok) return marked;
  const { used, missing } = marked.value;
  const unreadable = await chooseCopies(repository, used);
  const plan = planPacks(table, used, { maxUnusedShare, isLocked });

  const forgotten = snapshots.value.filter(({ id }) => !storedIds.has(id));
  for (const { id } of forgotten) {
    const removed = await target.remove('snapshots', id);
    if (!removed.ok) return removed;
  }

  const obsolete = new Set(plan.unused);
  const damaged = new Set(unreadable);
  for (const pack of plan.repack) {
    const copied = await copyUsed(repository, pack, used);
    if (!copied.ok) return copied;
    if (copied.value.length === 0) obsolete.add(pack);
    for (const id of copied.value) damaged.add(id);
  }
  const written = await writer.flushPacks();
  if (!written.ok) return written;

  const sizes = new Map(stored.value.map(({ name, sizeBytes }) => [name, sizeBytes]));
  const orphans =
    missing.length > 0
      ? []
      : stored.value.map(({ name }) => name).filter((name) => !table.hasPack(name));
  const removable = [...[...obsolete].map((pack) => table.packId(pack)), ...orphans];

  if (
    obsolete.size > 0 ||
    written.value.length > 0 ||
    index.damaged.size > 0 ||
    isScattered(table, indexFiles.value.length)
  ) {
    const names = indexFiles.value.map(({ name }) => name);
    const replaced = await replaceIndex(repository, obsolete, names);
    if (!replaced.ok) return replaced;
  }
  for (const name of removable) {
    const removed = await target.remove('data', name);
    if (!removed.ok) return removed;
  }
  const cleaned = await target.removeUnfinished();
  if (!cleaned.ok) return cleaned;
  return ok({
    snapshotsRemoved: forgotten.length,
    packsRemoved: removable.length,
    packsWritten: written.value.length,
    bytesRemoved: removable.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0),
    bytesWritten: written.value.reduce((sum, pack) => sum + table.blobBytes(pack), 0),
    missing,
    damaged: [...damaged],
  });
}

/** Marks the first copy of every blob that is needed. */
async function markUsed(
  { index: { table }, reader }: OpenedRepository,
  roots: readonly BlobId[],
  keepBlobs: AsyncIterable<BlobId> | Iterable<BlobId>,
): Promise<EngineResult<{ readonly used: RowSet; readonly missing: readonly BlobId[] }>> {
  const used = new RowSet(table.rows);
  const missing = new Set<BlobId>();
  const markData = (id: BlobId): void => {
    const row = firstRow(table.find('data', id));
    if (row === null) missing.add(id);
    else used.add(row);
  };
  for await (const { tree, nodes } of walkTrees(reader, roots)) {
    // Without a folder, nobody knows what it needs.
    if (!nodes.ok) return nodes;
    const row = firstRow(table.find('tree', tree));
    if (row !== null) used.add(row);
    for (const node of nodes.value)
      if (node.kind === 'file') for (const id of node.content) markData(id);
  }
  for await (const id of keepBlobs) markData(id);
  return ok({ used, missing: [...missing] });
}

/** Of a blob with several copies, keeps one that can be read. Returns the ids of those without one. */
async function chooseCopies(repository: OpenedRepository, used: RowSet): Promise<BlobId[]> {
  const { table } = repository.index;
  const unreadable: BlobId[] = [];
  for (let row = 0; row < table.rows; row += 1) {
    if (!used.has(row)) continue;
    const { type, id } = table.place(row);
    const copies = [...table.find(type, id)];
    if (copies.length === 1 || copies[0] !== row) continue;
    const readable = await findReadable(repository, copies);
    if (readable === null) {
      unreadable.push(id);
      for (const copy of copies) used.add(copy); // none of them is given up
    } else if (readable !== row) {
      used.delete(row);
      used.add(readable);
    }
  }
  return unreadable;
}

async function findReadable(
  { target, sealer, index: { table } }: OpenedRepository,
  copies: readonly BlobRow[],
): Promise<BlobRow | null> {
  for (const copy of copies) {
    const place = table.place(copy);
    const { pack, offset, length } = place;
    const sealed = await target.read('data', table.packId(pack), offset, offset + length);
    if (sealed.ok && (await openBlob(sealer, place, sealed.value)).ok) return copy;
  }
  return null;
}

interface PackPlan {
  readonly unused: readonly PackN[];
  readonly repack: readonly PackN[];
}

/** Packs with the most unused bytes are repacked first, until few enough unused bytes are left. */
function planPacks(
  table: BlobTable,
  used: RowSet,
  { maxUnusedShare, isLocked }: Required<Pick<PruneOptions, 'maxUnusedShare' | 'isLocked'>>,
): PackPlan {
  const packs = Array.from({ length: table.packs }, (_, pack) => {
    const blobs = table.blobsOf(pack);
    const first = table.firstRowOf(pack);
    const usedBytes = blobs.reduce(
      (sum, { length }, at) => sum + (used.has(first + at) ? length : 0),
      0,
    );
    return { pack, bytes: table.blobBytes(pack), usedBytes, type: blobs[0]?.type ?? 'data' };
  });
  const inUse = packs.filter(({ usedBytes }) => usedBytes > 0);
  const allowed = maxUnusedShare * inUse.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  let unusedBytes = inUse.reduce((sum, { bytes, usedBytes }) => sum + bytes - usedBytes, 0);
  const repack = new Set<PackN>();
  for (const { pack, bytes, usedBytes } of inUse.toSorted(
    (a, b) => a.usedBytes / a.bytes - b.usedBytes / b.bytes,
  )) {
    if (unusedBytes <= allowed || (isLocked && usedBytes > MAX_USED_SHARE_LOCKED * bytes)) break;
    unusedBytes -= bytes - usedBytes;
    repack.add(pack);
  }
  for (const type of isLocked ? [] : ['data', 'tree']) {
    const small = inUse.filter((pack) => pack.type === type && pack.bytes < SMALL_PACK_BYTES);
    const bytes = small.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    // At least half of them have to go, or each prune merges the same few again.
    if (small.length > 2 * Math.ceil(bytes / SMALL_PACK_BYTES))
      for (const { pack } of small) repack.add(pack);
  }
  return {
    unused: packs.filter(({ usedBytes }) => usedBytes === 0).map(({ pack }) => pack),
    repack: [...repack],
  };
}

/**
 * Copies the used blobs of a pack, still sealed, if all of them are readable. Returns the ids of
 * those that are damaged.
 */
async function copyUsed(
  { target, sealer, index: { table }, writer }: OpenedRepository,
  pack: PackN,
  used: RowSet,
): Promise<EngineResult<BlobId[]>> {
  const first = table.firstRowOf(pack);
  const places = table.blobsOf(pack).filter((_, at) => used.has(first + at));
  const bytes = await target.read('data', table.packId(pack));
  if (!bytes.ok && bytes.error.kind !== 'missing') return bytes;
  if (!bytes.ok) return ok(places.map(({ id }) => id));
  const readSealed = ({ offset, length }: BlobPlace): Uint8Array =>
    bytes.value.subarray(offset, offset + length);
  const damaged: BlobId[] = [];
  for (const place of places)
    if (!(await openBlob(sealer, place, readSealed(place))).ok) damaged.push(place.id);
  if (damaged.length === 0) for (const place of places) await writer.put(place, readSealed(place));
  return ok(damaged);
}

/** Writes index files for all packs that stay, then removes the former ones. */
async function replaceIndex(
  { target, sealer, index: { table } }: OpenedRepository,
  obsolete: ReadonlySet<PackN>,
  former: readonly string[],
): Promise<EngineResult<void>> {
  let packs: IndexedPack[] = [];
  let blobs = 0;
  for (let pack = 0; pack < table.packs; pack += 1) {
    const isLast = pack === table.packs - 1;
    if (!obsolete.has(pack)) {
      const entries = table.blobsOf(pack);
      packs.push({ id: table.packId(pack), entries });
      blobs += entries.length;
    }
    if (!isLast && blobs < BLOBS_PER_INDEX) continue;
    // Only the last one supersedes: before it, the new index is incomplete.
    const document = encodeIndex(packs, isLast ? former : []);
    const written = await writeDocument(target, sealer, 'index', document);
    if (!written.ok) return written;
    packs = [];
    blobs = 0;
  }
  for (const name of former) {
    const removed = await target.remove('index', name);
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}

/** Many flushes leave many small index files, which every start has to read. */
const isScattered = (table: BlobTable, indexFiles: number): boolean =>
  indexFiles > 16 + 2 * Math.ceil(table.rows / BLOBS_PER_INDEX);

const firstRow = (rows: Iterable<BlobRow>): BlobRow | null => {
  for (const row of rows) return row;
  return null;
};
