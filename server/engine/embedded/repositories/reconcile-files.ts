import { hash } from 'node:crypto';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type {
  StoredFileVersion,
  FileVersionStore,
  VersionedFile,
} from '../object-storage/file-versions.ts';
import { FILE_TYPES, type RepositoryTarget } from '../restic/target.ts';
import { done, ok } from '../../result.ts';
import {
  forgetFiles,
  isFileRemoved,
  loadFiles,
  storeFiles,
  type StoredFileRow,
} from './stored-files.ts';

/** A repository whose files are locked. */
export interface LockedPlace {
  readonly context: Pick<AppContext, 'store' | 'clock'>;
  readonly tenant: TenantId;
  readonly repository: BackupRepositoryId;
  readonly versions: FileVersionStore;
  readonly target: RepositoryTarget;
}

export interface Reconciled {
  /** The files that are in the bucket. */
  readonly files: Map<string, StoredFileRow>;
  /** What was removed and is still locked. */
  readonly removedBytes: Bytes;
  /** What was deleted now. */
  readonly freedBytes: Bytes;
  /** Files that somebody else had deleted or overwritten. */
  readonly recovered: number;
  readonly lost: number;
}

const FILES_AT_ONCE = 8;
/** When a deletion is tried again that the storage refused without saying why. */
const RETRY_MS: Ms = 24 * 60 * 60_000;

/**
 * Compares what a bucket has with what is known of it. Removed files go when their lock has ended.
 * Files that somebody else hid or overwrote come back: their locked version is still there (OBJ-9).
 * The lock of a new file is requested once. `isDeleting`: all files are to go.
 */
export async function reconcileFiles(
  place: LockedPlace,
  { isDeleting = false } = {},
): Promise<EngineResult<Reconciled>> {
  const { context, tenant, repository, versions } = place;
  const { store } = context;
  const rows = await store.tenant(tenant, (tx) => loadFiles(tx, repository), { readOnly: true });
  const counts = { removedBytes: 0, freedBytes: 0, recovered: 0, lost: 0 };
  const files = new Map<string, StoredFileRow>();
  const changed: StoredFileRow[] = [];
  const gone = new Set([...rows].filter(([, { removed }]) => removed).map(([file]) => file));

  async function visit(file: VersionedFile): Promise<EngineResult<void>> {
    const key = `${file.type}/${file.name}`;
    const row = rows.get(key) ?? null;
    const isRemoved = isDeleting || row?.removed === true;
    const looked = isRemoved ? await release(place, file, row) : await guard(place, file, row);
    if (!looked.ok) return looked;
    const { row: after, isRecovered = false } = looked.value;
    if (after === 'lost') counts.lost += 1;
    if (isRecovered) counts.recovered += 1;
    const bytes = file.versions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (after === null) counts.freedBytes += bytes;
    if (after === null || after === 'lost') return done;
    gone.delete(key);
    files.set(key, after);
    if (after.removed) counts.removedBytes += bytes;
    if (JSON.stringify(after) !== JSON.stringify(row)) changed.push(after);
    return done;
  }

  for (const type of FILE_TYPES) {
    const listed = await versions.list(type);
    if (!listed.ok) return listed;
    for (let at = 0; at < listed.value.length; at += FILES_AT_ONCE) {
      const results = await Promise.all(
        listed.value
          .slice(at, at + FILES_AT_ONCE)
          .map((file) =>
            type === 'locks' ? clearLockFile(versions, file, isDeleting) : visit(file),
          ),
      );
      const wrong = results.find((result) => !result.ok);
      if (wrong) return wrong;
    }
    const names = new Set(listed.value.map(({ name }) => `${type}/${name}`));
    for (const [key, { removed }] of rows)
      if (key.startsWith(`${type}/`) && !removed && !isDeleting && !names.has(key))
        counts.lost += 1;
  }
  await store.tenant(tenant, async (tx) => {
    await storeFiles(tx, repository, changed);
    await forgetFiles(tx, repository, [...gone]);
  });
  return ok({ files, ...counts });
}

/** Lock files are never locked: what is left of them goes at once. */
async function clearLockFile(
  versions: FileVersionStore,
  { type, name, versions: stored, markers }: VersionedFile,
  isDeleting: boolean,
): Promise<EngineResult<void>> {
  const isHidden = markers.some(({ isLatest }) => isLatest);
  const old = stored.filter(({ isLatest }) => isDeleting || isHidden || !isLatest);
  let isLocked = false;
  for (const { id } of old) {
    const removed = await versions.remove(type, name, id);
    if (!removed.ok && !isRefusal(removed)) return removed;
    isLocked ||= !removed.ok;
  }
  // Without its marker, the file would be visible again.
  for (const { id } of isLocked ? [] : markers) {
    const removed = await versions.remove(type, name, id);
    if (!removed.ok && !isRefusal(removed)) return removed;
  }
  return done;
}

interface Looked {
  /** Null: nothing of it is left. */
  readonly row: StoredFileRow | 'lost' | null;
  readonly isRecovered?: boolean;
}

/** Deletes a file that nothing needs any more, or hides it until its lock has ended. */
async function release(
  { context, versions, target }: LockedPlace,
  { type, name, versions: stored, markers }: VersionedFile,
  known: StoredFileRow | null,
): Promise<EngineResult<Looked>> {
  const file = `${type}/${name}`;
  const now = context.clock.now();
  let lockedUntil = known?.lockedUntil ?? 0;
  if (lockedUntil <= now) {
    const before = lockedUntil;
    for (const { id } of stored) {
      const removed = await versions.remove(type, name, id);
      if (removed.ok) continue;
      if (!isRefusal(removed)) return removed;
      const until = await versions.readLockedUntil(type, name, id);
      if (!until.ok && !isRefusal(until)) return until;
      lockedUntil = Math.max(
        lockedUntil,
        until.ok && until.value !== null && until.value > now ? until.value : now + RETRY_MS,
      );
    }
    if (lockedUntil === before) {
      for (const { id } of markers) {
        const removed = await versions.remove(type, name, id);
        if (!removed.ok) return removed;
      }
      return ok({ row: null });
    }
  }
  if (!markers.some(({ isLatest }) => isLatest)) {
    const hidden = await target.remove(type, name);
    if (!hidden.ok) return hidden;
  }
  return ok({ row: { file, version: known?.version ?? '', lockedUntil, removed: true } });
}

/** Finds the good version of a file that is needed, and makes it the current one. */
async function guard(
  place: LockedPlace,
  file: VersionedFile,
  known: StoredFileRow | null,
): Promise<EngineResult<Looked>> {
  const { context, tenant, repository, versions } = place;
  const { type, name } = file;
  const key = `${type}/${name}`;
  const latest = file.versions.find(({ isLatest }) => isLatest);
  if (known !== null && latest?.id === known.version) return ok({ row: known });
  const found = await findGood(versions, file, known);
  if (!found.ok) return found;
  const good = found.value;
  if (good === null) return ok({ row: 'lost' });
  if (good.id !== latest?.id) {
    // Another process may just be removing it.
    const isRemoved = await context.store.tenant(
      tenant,
      (tx) => isFileRemoved(tx, repository, key),
      { readOnly: true },
    );
    if (isRemoved) return release(place, file, known);
  }
  const until =
    good.id === known?.version
      ? ok(known.lockedUntil)
      : await versions.readLockedUntil(type, name, good.id);
  if (!until.ok) return until;
  const row = { file: key, version: good.id, lockedUntil: until.value ?? 0, removed: false };
  if (good.id === latest?.id) return ok({ row });
  const uncovered = await uncover(place, file, good);
  if (!uncovered.ok) return uncovered;
  return ok({ row: { ...row, ...uncovered.value }, isRecovered: true });
}

/**
 * Returns the version that is known to be good, or the newest one with the hash that is the file's
 * name. The config has no hash in its name: nobody writes it again, so its first version is good.
 */
async function findGood(
  versions: FileVersionStore,
  { type, name, versions: stored }: VersionedFile,
  known: StoredFileRow | null,
): Promise<EngineResult<StoredFileVersion | null>> {
  const before =
    stored.find(({ id }) => id === known?.version) ??
    (type === 'config' ? stored.at(-1) : undefined);
  const latest = stored.find(({ isLatest }) => isLatest);
  // A write whose answer was lost was repeated.
  if (before !== undefined && latest?.etag === before.etag) return ok(latest);
  // Nobody can have written a file before us whose name is the hash of its content.
  if (known === null && latest !== undefined && stored.every(({ etag }) => etag === latest.etag))
    return ok(latest);
  if (type === 'config') return ok(before ?? null);
  if (before !== undefined && latest === undefined) return ok(before);
  for (const version of stored) {
    if (version === before) return ok(version);
    const bytes = await versions.read(type, name, version.id);
    if (!bytes.ok && bytes.error.kind !== 'missing') return bytes;
    if (bytes.ok && hash('sha256', bytes.value) === name) return ok(version);
  }
  return ok(null);
}

/** Removes what is on top of a version. What is locked itself gets a copy of the version on top. */
async function uncover(
  { versions, target }: LockedPlace,
  { type, name, versions: stored, markers }: VersionedFile,
  good: StoredFileVersion,
): Promise<EngineResult<Partial<StoredFileRow>>> {
  let isLocked = false;
  for (const { id } of stored.slice(0, stored.indexOf(good))) {
    const removed = await versions.remove(type, name, id);
    if (!removed.ok && !isRefusal(removed)) return removed;
    isLocked ||= !removed.ok;
  }
  for (const { id } of markers) {
    const removed = await versions.remove(type, name, id);
    if (!removed.ok) return removed;
  }
  if (!isLocked) return ok({});
  const bytes = await versions.read(type, name, good.id);
  if (!bytes.ok) return bytes;
  const written = await target.write(type, name, bytes.value);
  // Its version and lock are found out by the next look.
  return written.ok ? ok({ version: '', lockedUntil: 0 }) : written;
}

/** Some kinds of storage refuse to delete what is locked as forbidden, others as invalid. */
const isRefusal = (result: EngineResult<unknown>): boolean =>
  !result.ok && (result.error.kind === 'forbidden' || result.error.kind === 'invalid');
