import type { EngineResult } from '#contract/engine/engine.ts';
import { hash } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';
import { openBlob } from './blob.ts';
import type { OpenedRepository } from './opened.ts';
import { type BlobId, type BlobType, type PackEntry, packSize } from './pack.ts';
import { openHeader } from './pack-header.ts';
import { failed, ok } from '../../result.ts';
import { RowSet } from './row-set.ts';
import { readSnapshot } from './snapshots.ts';
import { readTree } from './walk.ts';
import { resticMessages as t } from './messages.en.ts';

export interface CheckOptions {
  /**
   * Reads and verifies all packs, or one of `of` equal parts (`part` from 0): those after the pack
   * `after`, by their ids, until `isOver`.
   */
  readonly readData: boolean | PartToRead;
  /** Walks all folders of the restore points only if something is damaged and nothing is left to read. */
  readonly isQuick?: boolean;
  readonly signal?: AbortSignal;
}

export interface PartToRead {
  readonly part: number;
  readonly of: number;
  readonly after?: string | undefined;
  /** Asked after each pack: whether the rest is left for later. */
  isOver?(): boolean;
}

export interface CheckProblem {
  readonly kind: 'index' | 'pack' | 'blob' | 'folder' | 'snapshot';
  /** Id of the damaged or missing index file, pack, blob, tree or snapshot. */
  readonly id: string;
  /** The pack that the blob is in. */
  readonly pack: string | null;
}

export interface CheckReport {
  readonly packs: number;
  readonly blobs: number;
  readonly packsRead: number;
  readonly bytesRead: Bytes;
  /** The last pack that was read, if there are more in the part; null: it was read to its end. */
  readonly readUntil: string | null;
  readonly problems: readonly CheckProblem[];
  /** Blobs of which no copy is good. */
  readonly lost: readonly BlobRef[];
  /** Files and folders of restore points that can't be restored completely, 1,000 at most. */
  readonly files: readonly DamagedFile[];
}
export interface BlobRef {
  readonly type: BlobType;
  readonly id: BlobId;
}
export interface DamagedFile {
  readonly snapshot: string;
  readonly path: string;
}

const MAX_FILES = 1_000;

/** Verifies what the restore points need. Changes nothing; the writer saves damaged blobs again. */
export async function check(
  repository: OpenedRepository,
  { readData, isQuick = false, signal }: CheckOptions,
): Promise<EngineResult<CheckReport>> {
  const { target, index, writer } = repository;
  const { table } = index;
  const stored = await target.list('data');
  if (!stored.ok) return stored;
  const sizes = new Map(stored.value.map(({ name, sizeBytes }) => [name, sizeBytes]));

  const problems = [...index.damaged].map((id): CheckProblem => ({
    kind: 'index',
    id,
    pack: null,
  }));
  const bad = new RowSet(table.rows);
  let packsRead = 0;
  let bytesRead = 0;
  let readUntil: string | null = null;
  let isLeft = false;
  // In the order of their ids, so that reading can continue where it was, whatever was added since.
  const packs = Array.from({ length: table.packs }, (_, pack) => ({
    pack,
    id: table.packId(pack),
  }));
  packs.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { pack, id } of packs) {
    if (signal?.aborted === true) return failed('ended', t.checkEnded);
    const blobs = table.blobsOf(pack);
    const size = sizes.get(id);
    let damaged: ReadonlySet<PackEntry> = size === undefined ? new Set(blobs) : NONE;
    let isDamaged = size !== packSize(blobs);
    const isRead = size !== undefined && isChosen(id, readData);
    isLeft ||= isRead && readUntil !== null && isOver(readData);
    if (isRead && !isLeft) {
      readUntil = id;
      const bytes = await target.read('data', id);
      if (!bytes.ok && bytes.error.kind !== 'missing') return bytes;
      packsRead += 1;
      bytesRead += size;
      damaged = bytes.ok ? await findDamaged(repository, blobs, bytes.value) : new Set(blobs);
      isDamaged ||= !bytes.ok || !isIntact(repository, id, blobs, bytes.value);
    }
    if (isDamaged) problems.push({ kind: 'pack', id, pack: id });
    for (const [at, blob] of blobs.entries()) {
      if (!damaged.has(blob)) continue;
      bad.add(table.firstRowOf(pack) + at);
      writer.markDamaged(blob.type, blob.id);
      problems.push({ kind: 'blob', id: blob.id, pack: id });
    }
  }

  const hasBlob = (type: BlobType, id: BlobId): boolean =>
    [...table.find(type, id)].some((row) => row < bad.rows && !bad.has(row));
  const lost = new Map<string, BlobRef>();
  for (let row = 0; row < table.rows; row += 1) {
    if (!bad.has(row)) continue;
    const { type, id } = table.place(row);
    if (!hasBlob(type, id)) lost.set(`${type} ${id}`, { type, id });
  }
  const files =
    isQuick && (problems.length === 0 || isLeft)
      ? ok([])
      : await findDamagedFiles(repository, hasBlob, problems);
  return files.ok
    ? ok({
        packs: table.packs,
        blobs: table.rows,
        packsRead,
        bytesRead,
        readUntil: isLeft ? readUntil : null,
        problems,
        lost: [...lost.values()],
        files: files.value,
      })
    : files;
}
const NONE: ReadonlySet<PackEntry> = new Set();

const isChosen = (packId: string, readData: CheckOptions['readData']): boolean =>
  typeof readData === 'boolean'
    ? readData
    : Number.parseInt(packId.slice(0, 8), 16) % readData.of === readData.part &&
      packId > (readData.after ?? '');

const isOver = (readData: CheckOptions['readData']): boolean =>
  typeof readData === 'object' && readData.isOver?.() === true;

async function findDamaged(
  { sealer }: OpenedRepository,
  blobs: readonly PackEntry[],
  bytes: Uint8Array,
): Promise<Set<PackEntry>> {
  const damaged = new Set<PackEntry>();
  for (const blob of blobs) {
    const sealed = bytes.subarray(blob.offset, blob.offset + blob.length);
    if (!(await openBlob(sealer, blob, sealed)).ok) damaged.add(blob);
  }
  return damaged;
}

/** The pack has the hash in its name, and its header lists the blobs that the index lists. */
function isIntact(
  { sealer }: OpenedRepository,
  id: string,
  blobs: readonly PackEntry[],
  bytes: Uint8Array,
): boolean {
  if (hash('sha256', bytes) !== id) return false;
  const entries = openHeader(sealer, bytes);
  return entries.ok && describe(entries.value) === describe(blobs);
}
const describe = (blobs: readonly PackEntry[]): string =>
  blobs
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ type, id, offset, length, rawLength }) => [type, id, offset, length, rawLength].join())
    .join('\n');

/** Adds damaged folders and restore points to the problems, and returns the paths of what is lost. */
async function findDamagedFiles(
  { target, sealer, reader }: OpenedRepository,
  hasBlob: (type: BlobType, id: BlobId) => boolean,
  problems: CheckProblem[],
): Promise<EngineResult<DamagedFile[]>> {
  const listed = await target.list('snapshots');
  if (!listed.ok) return listed;
  const intact = new Set<BlobId>();
  const damaged = new Map<BlobId, readonly DamagedNode[]>();

  /** Returns whether a folder and everything below it can be restored. */
  async function inspect(tree: BlobId): Promise<boolean> {
    if (intact.has(tree)) return true;
    if (damaged.has(tree)) return false;
    const nodes = hasBlob('tree', tree) ? await readTree(reader, tree) : null;
    if (nodes?.ok !== true) {
      problems.push({ kind: 'folder', id: tree, pack: null });
      damaged.set(tree, []);
      return false;
    }
    const lost: DamagedNode[] = [];
    for (const node of nodes.value) {
      if (node.kind === 'dir' && !(await inspect(node.subtree)))
        lost.push({ name: node.name, subtree: node.subtree });
      if (node.kind === 'file' && !node.content.every((id) => hasBlob('data', id)))
        lost.push({ name: node.name, subtree: null });
    }
    if (lost.length === 0) intact.add(tree);
    else damaged.set(tree, lost);
    return lost.length === 0;
  }

  const files: DamagedFile[] = [];
  const list = (snapshot: string, tree: BlobId, path: string): void => {
    const lost = damaged.get(tree) ?? [];
    if (lost.length === 0) files.push({ snapshot, path: path === '' ? '/' : path }); // unreadable
    for (const { name, subtree } of lost) {
      if (files.length >= MAX_FILES) return;
      if (subtree === null) files.push({ snapshot, path: `${path}/${name}` });
      else list(snapshot, subtree, `${path}/${name}`);
    }
  };
  for (const { name } of listed.value) {
    const snapshot = await readSnapshot(target, sealer, name);
    if (!snapshot.ok && snapshot.error.kind === 'damaged')
      problems.push({ kind: 'snapshot', id: name, pack: null });
    else if (!snapshot.ok && snapshot.error.kind !== 'missing') return snapshot;
    if (!snapshot.ok || (await inspect(snapshot.value.tree))) continue;
    if (files.length < MAX_FILES) list(name, snapshot.value.tree, '');
  }
  return ok(files);
}

/** `subtree` null: a file. */
interface DamagedNode {
  readonly name: string;
  readonly subtree: BlobId | null;
}
