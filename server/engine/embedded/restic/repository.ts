import { crc32 } from 'node:zlib';
import type { Reply, EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { Chance, Clock } from '#server/platform/app-context.ts';
import { type BlobReader, makeBlobReader } from './blob-reader.ts';
import { type BlobRef, check, type CheckOptions, type CheckReport } from './check.ts';
import { type BlobThreads, type BlobWork, doHere } from './blob-threads.ts';
import { makeGearTable } from './chunker.ts';
import { type ResticConfig, createConfig, decodeConfig, encodeConfig } from './config.ts';
import { addRepositoryKey, createMasterKey, type KeyCost, openKey, type OpenKey } from './keys.ts';
import { LoadedIndex } from './loaded-index.ts';
import { acquireLock, checkLocks, type Lock, type LockKind } from './lock.ts';
import { findNeededPacks, type NeededFile, type NeededPoint } from './needed-packs.ts';
import type { OpenedRepository } from './opened.ts';
import type { BlobId, BlobType } from './pack.ts';
import { PACK_BYTES, PackWriter, type SavedBlob } from './pack-writer.ts';
import { prune, type PruneOptions, type PruneReport } from './prune.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { makeSealer } from './seal.ts';
import { encodeSnapshot, type NewSnapshot, type Snapshot } from './snapshot.ts';
import { listSnapshots } from './snapshots.ts';
import { CONFIG_NAME, type FileType, type RepositoryTarget } from './target.ts';
import { encodeTree, type StoredNode, type TreeNode } from './tree.ts';
import { readDocument, writeDocument } from './unpacked.ts';
import { readTree } from './walk.ts';
import { resticMessages as t } from './messages.en.ts';

/**
 * A repository in restic's format 2. Blobs are named after their content and stored once; trees and
 * snapshots refer to them. What was saved is durable when `flush` resolves, not before (ENG-2).
 */
export interface Repository {
  readonly id: string;
  saveBlob(type: BlobType, bytes: Uint8Array): Reply<SavedBlob>;
  /** Saves content of any length. What the stream throws is thrown. */
  saveFile(stream: AsyncIterable<Uint8Array>): Reply<SavedFile>;
  /** Saves a folder. At most 256 nodes, or each change rewrites a large tree. */
  saveTree(nodes: readonly TreeNode[]): Reply<SavedBlob>;
  /** Writes packs, then their index. */
  flush(): Reply<void>;
  /** Flushes, then makes the tree a restore point. Returns its id. */
  saveSnapshot(snapshot: NewSnapshot): Reply<string>;
  readBlob(type: BlobType, id: BlobId): Reply<Uint8Array>;
  /** The stream throws a `ContentError` if a part can't be read. */
  readContent: BlobReader['readContent'];
  readTree(id: BlobId): Reply<StoredNode[]>;
  /** Bytes of all packs that an index lists, also those of other processes. */
  measure(): Reply<Bytes>;
  /** Oldest first. Fails at an unreadable one, unless `onDamaged` takes its id. */
  listSnapshots(onDamaged?: (id: string) => void): Reply<Snapshot[]>;
  /** Returns until when each pack is needed, by its id. `without`: folders that don't count. */
  findNeededPacks(
    points: readonly NeededPoint[],
    getFileUntil?: (file: NeededFile, until: Ms) => Ms,
    without?: ReadonlySet<BlobId>,
  ): Reply<Map<string, Ms>>;
  /** Verifies what the restore points need. Changes nothing. */
  check(options: CheckOptions): Reply<CheckReport>;
  /** From now on, these blobs count as missing, so that the next `save` heals them. */
  markDamaged(blobs: readonly BlobRef[]): void;
  /** Removes a restore point. Its data stays until the next prune. */
  forget(snapshotId: string): Reply<void>;
  /** Adds another password. Returns the id of its key, which `note` learns before it is written. */
  addPassword(password: string, note?: (keyId: string) => Promise<void>): Reply<string>;
  /** Removes a password, except the one with which this repository was opened. */
  removeKey(keyId: string): Reply<void>;
  /** Id of the key with which this repository was opened. */
  readonly keyId: string;
  /** Gives up the lock. What was not flushed is lost. */
  close(): Reply<void>;
}

export interface SavedFile {
  /** Ids of its data blobs, in order. */
  readonly content: readonly BlobId[];
  readonly sizeBytes: Bytes;
  /** What the repository didn't have. */
  readonly newBytes: Bytes;
  readonly crc: number;
}

interface Tools {
  readonly clock: Clock;
  readonly chance: Chance;
}
export interface CreateOptions extends Tools {
  readonly password: string;
  readonly cost?: KeyCost;
}
export interface OpenOptions extends Tools {
  readonly password: string;
  /** Shared to read or write, exclusive to clean up. `none`: only reads, and writes no lock. */
  readonly lock: LockKind | 'none';
  /** Cost of passwords that are added. */
  readonly cost?: KeyCost;
  readonly packBytes?: Bytes;
  /** Threads that cut, name and seal what is saved; without them, the calling thread does. */
  readonly threads?: BlobThreads;
}

/** Creates a repository, or returns `conflict` if there is one, or what is left of one. */
export async function initRepository(
  target: RepositoryTarget,
  { password, cost, ...tools }: CreateOptions,
): Reply<void> {
  const existing = await target.read('config', CONFIG_NAME);
  if (existing.ok) return alreadyThere();
  if (existing.error.kind !== 'missing') return existing;
  const prepared = await target.prepare();
  if (!prepared.ok) return prepared;
  for (const type of ['data', 'index', 'snapshots'] as const) {
    const files = await target.list(type);
    if (!files.ok) return files;
    if (files.value.length > 0) return alreadyThere();
  }
  // Without a config and data, keys are from a creation that was interrupted.
  const keys = await target.list('keys');
  if (!keys.ok) return keys;
  for (const { name } of keys.value) {
    const removed = await target.remove('keys', name);
    if (!removed.ok) return removed;
  }
  const master = createMasterKey(tools);
  const key = await addRepositoryKey(target, master, password, tools, cost);
  if (!key.ok) return key;
  const sealer = await makeSealer(master, tools.chance);
  const document = encodeConfig(createConfig(tools.chance));
  const written = await writeDocument(target, sealer, 'config', document);
  if (!written.ok) return written;
  // If two create it at once, the later config stays, which only one of the keys opens.
  const stored = await readDocument(target, sealer, 'config', CONFIG_NAME);
  if (stored.ok) return done;
  await target.remove('keys', key.value);
  return stored.error.kind === 'damaged' ? alreadyThere() : stored;
}
const alreadyThere = (): Failed => failed('conflict', t.alreadyThere);

/** Returns `missing` without a repository, `refused` for a wrong password, `busy` if it is locked. */
export async function openRepository(
  target: RepositoryTarget,
  options: OpenOptions,
): Reply<Repository> {
  const opened = await open(target, options);
  if (!opened.ok) return opened;
  const { writer, index } = opened.value;
  writer.indexAgain(index.recovered);
  return ok(makeRepository(opened.value, options));
}

/** Returns `busy` if the repository can't be pruned now, because somebody else uses it. */
export async function checkUnused(
  target: RepositoryTarget,
  { password, clock, chance }: Omit<OpenOptions, 'lock'>,
): Reply<void> {
  const key = await openKey(target, password, { clock, chance });
  if (!key.ok) return key;
  const sealer = await makeSealer(key.value.master, chance);
  return checkLocks({ target, sealer, clock }, 'exclusive');
}

/** Removes what no restore point needs. Nobody else may use the repository meanwhile. */
export async function pruneRepository(
  target: RepositoryTarget,
  options: Omit<OpenOptions, 'lock'> & PruneOptions,
): Reply<PruneReport> {
  const opened = await open(target, { ...options, lock: 'exclusive' });
  if (!opened.ok) return opened;
  // Such as without a database: a lock that stays would be renewed for as long as the process runs.
  const report = await prune(opened.value, options).catch(async (error: unknown) => {
    await opened.value.lock?.release();
    throw error;
  });
  const released = await opened.value.lock?.release();
  return released?.ok === false && report.ok ? released : report;
}

interface Opened extends OpenedRepository {
  readonly config: ResticConfig;
  readonly key: OpenKey;
  readonly blobs: BlobWork;
}

async function open(target: RepositoryTarget, options: OpenOptions): Promise<EngineResult<Opened>> {
  const { password, lock: lockKind, clock, chance, packBytes = PACK_BYTES, threads } = options;
  // A missing config says more than a password that opens no key.
  const exists = await target.read('config', CONFIG_NAME);
  if (!exists.ok) return exists;
  const key = await openKey(target, password, { clock, chance });
  if (!key.ok) return key;
  const sealer = await makeSealer(key.value.master, chance);
  const document = await readDocument(target, sealer, 'config', CONFIG_NAME);
  const config = document.ok ? decodeConfig(document.value) : document;
  if (!config.ok) return config;
  const lock =
    lockKind === 'none' ? ok(null) : await acquireLock({ target, sealer, clock }, lockKind);
  if (!lock.ok) return lock;
  const guarded = guard(target, lock.value, clock);
  const index = new LoadedIndex(guarded, sealer);
  const loaded = await index.load();
  if (!loaded.ok) {
    await lock.value?.release();
    return loaded;
  }
  const blobs =
    lock.value !== null && threads !== undefined
      ? threads.open({ key: key.value.master, sealer, chance })
      : doHere({ sealer });
  const writer = new PackWriter({ target: guarded, sealer, blobs, table: index.table, packBytes });
  const reader = makeBlobReader({ target: guarded, sealer, index, writer });
  return ok({
    target: guarded,
    sealer,
    index,
    writer,
    reader,
    lock: lock.value,
    config: config.value,
    key: key.value,
    blobs,
  });
}

/**
 * Writes nothing without a lock, and nothing once others may take the lock for stale. Before the files
 * that others rely on are written or removed, looks whether the lock is still there (ENG-7).
 */
function guard(target: RepositoryTarget, lock: Lock | null, clock: Clock): RepositoryTarget {
  let confirmedAt = -Infinity;
  const confirm = async (): Promise<EngineResult<void>> => {
    const confirmed = (await lock?.confirm()) ?? readOnly();
    if (confirmed.ok) confirmedAt = clock.now();
    return confirmed;
  };
  const confirmSometimes = (): EngineResult<void> | Promise<EngineResult<void>> =>
    clock.now() - confirmedAt < CONFIRM_MS ? (lock?.check() ?? readOnly()) : confirm();
  return {
    ...target,
    write: guarded(
      (type: FileType, name: string, bytes: Uint8Array) => target.write(type, name, bytes),
      (type) => (type === 'index' || type === 'snapshots' ? confirm() : confirmSometimes()),
    ),
    remove: guarded((type: FileType, name: string) => target.remove(type, name), confirmSometimes),
    removeUnfinished: guarded(() => target.removeUnfinished(), confirmSometimes),
    destroy: guarded(() => target.destroy(), confirm),
  };
}
const CONFIRM_MS: Ms = 30_000;

const guarded =
  <A extends readonly unknown[]>(
    work: (...args: A) => Promise<EngineResult<void>>,
    allow: (...args: A) => EngineResult<void> | Promise<EngineResult<void>>,
  ) =>
  async (...args: A): Promise<EngineResult<void>> => {
    const allowed = await allow(...args);
    return allowed.ok ? work(...args) : allowed;
  };

const readOnly = (): Failed => failed('forbidden', t.readOnly);

function makeRepository(opened: Opened, { clock, chance, cost }: OpenOptions): Repository {
  const { target, sealer, index, writer, reader, lock, key, blobs, config } = opened;
  const gear = makeGearTable(`${config.polynomial} ${config.id}`);

  return {
    id: config.id,
    keyId: key.id,
    saveBlob: (type, bytes) => writer.save(type, bytes),
    saveFile: (stream) => saveFile(writer, blobs.split(stream, gear)),
    async saveTree(nodes) {
      const bytes = encodeTree(nodes);
      return bytes.ok ? writer.save('tree', bytes.value) : bytes;
    },
    flush: () => writer.flush(),
    async saveSnapshot(snapshot) {
      if (!writer.has('tree', snapshot.tree)) return failed('invalid', t.treeNotSaved);
      const flushed = await writer.flush();
      return flushed.ok
        ? writeDocument(target, sealer, 'snapshots', encodeSnapshot(snapshot))
        : flushed;
    },
    readBlob: (type, id) => reader.read(type, id),
    readContent: (content, range) => reader.readContent(content, range),
    readTree: (id) => readTree(reader, id),
    async measure() {
      const loaded = await index.load();
      return loaded.ok ? ok(index.table.packBytes) : loaded;
    },
    listSnapshots: (onDamaged) => listSnapshots(target, sealer, onDamaged),
    forget: (snapshotId) => target.remove('snapshots', snapshotId),
    findNeededPacks: (points, getFileUntil, without) =>
      findNeededPacks(opened, points, getFileUntil, without),
    check: (options) => check(opened, options),
    markDamaged(blobs) {
      for (const { type, id } of blobs) writer.markDamaged(type, id);
    },
    addPassword: (password, note) =>
      addRepositoryKey(target, key.master, password, { clock, chance }, cost, note),
    async removeKey(keyId) {
      return keyId === key.id ? failed('conflict', t.passwordInUse) : target.remove('keys', keyId);
    },
    async close() {
      await blobs.close();
      return (await lock?.release()) ?? done;
    },
  };
}

/** As many chunks are saved at once as keep hashing, compressing and writing busy. */
const CHUNKS_AT_ONCE = 4;

async function saveFile(
  writer: PackWriter,
  chunks: AsyncIterable<Uint8Array>,
): Promise<EngineResult<SavedFile>> {
  const saving: Promise<EngineResult<SavedBlob>>[] = [];
  const content: BlobId[] = [];
  let [sizeBytes, newBytes, crc] = [0, 0, 0];
  const takeNext = async (): Promise<EngineResult<SavedBlob> | undefined> => {
    const saved = await saving.shift();
    if (saved?.ok !== true) return saved;
    content.push(saved.value.id);
    newBytes += saved.value.newBytes;
    return saved;
  };
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    crc = crc32(chunk, crc);
    saving.push(writer.save('data', chunk));
    if (saving.length < CHUNKS_AT_ONCE) continue;
    const saved = await takeNext();
    if (saved?.ok === false) return saved;
  }
  while (saving.length > 0) {
    const saved = await takeNext();
    if (saved?.ok === false) return saved;
  }
  return ok({ content, sizeBytes, newBytes, crc });
}
