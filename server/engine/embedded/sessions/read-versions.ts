import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { ContentError } from '../../shared/content-error.ts';
import { QuickXorHash } from '../graph/content-hash.ts';
import { getVersionKey, loadStoredVersions } from '../index/file-versions.ts';
import type { IndexedObject } from '../index/objects.ts';
import type { ItemWrite, PageWrite } from '../index/pages.ts';
import { ok } from '../../result.ts';
import type { FetchedVersion, FileVersion, ItemChange, WantedVersion } from '../types.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import type { ReadContext } from './read-object.ts';

/** How many files are listed, and how many versions stored, in one batch. */
const BATCH_FILES = 100;
const BATCH_VERSIONS = 100;
/** Versions that could not be read are named up to this many. */
const MAX_NAMED = 5;

/** Databases store it as an integer of 32 bits. */
const ALL_VERSIONS = 2_147_483_647;

/** Returns how many earlier versions of a file a job backs up at most. */
export function getVersionLimit(versions: BackupJobRow['fileVersions']): number {
  if (versions === undefined || versions === 'none') return 0;
  return versions === 'all' ? ALL_VERSIONS : versions;
}

interface VersionReader {
  /**
   * Stores the versions of files that aren't stored yet, and ends those that the source has no more.
   * What can't be read is a lack, never an error. Before the files themselves are stored: a session
   * that breaks off reads a file again, and then only the versions that are missing. Returns the numbers
   * of the versions that the files have, by their keys, as far as they are known.
   */
  read(files: readonly ItemChange[]): Promise<EngineResult<ReadonlyMap<string, string>>>;
  /** Says what could not be read. */
  report(): void;
}

/** `add` stores a page later, with those before it. */
export function makeVersionReader(
  context: ReadContext,
  object: IndexedObject,
  add: (page: PageWrite) => Promise<EngineResult<void>>,
): VersionReader {
  const { source, content, call, versionLimit, store, tenant } = context;
  const lacks: string[] = [];
  const since = context.retainedSince ?? -Infinity;

  async function readBatch(
    files: readonly ItemChange[],
    present: Map<string, string>,
  ): Promise<EngineResult<void>> {
    const stored = await store.tenant(
      tenant,
      (tx) =>
        loadStoredVersions(
          tx,
          object,
          files.map(({ key }) => key),
        ),
      { readOnly: true },
    );
    const byKey = new Map(files.map((file) => [file.key, file]));
    const wanted: WantedVersion[] = [];
    const ended: string[] = [];
    const done: string[] = [];
    const open = new Set<string>();
    for await (const listed of source.listVersions?.(object, files, call) ?? []) {
      const { file, versions } = listed;
      if (listed.present !== undefined) present.set(file.key, listed.present);
      if (!versions.ok) {
        // The file was removed since it was read: the next session says so.
        if (versions.error.kind === 'missing') continue;
        lacks.push(t.versionsUnlisted({ name: file.title, reason: versions.error.message }));
        open.add(file.key);
        continue;
      }
      done.push(file.key);
      const chosen = new Map(
        versions.value
          .slice(0, versionLimit)
          .filter(({ at }) => at >= since)
          .map((version) => [getVersionKey(file.key, version), version]),
      );
      const known = stored.get(file.key) ?? [];
      ended.push(...known.flatMap(({ key }) => (chosen.has(key) ? [] : [key])));
      const readable = new Set(known.flatMap(({ key, isDamaged }) => (isDamaged ? [] : [key])));
      for (const [key, version] of chosen)
        if (!readable.has(key)) wanted.push({ file: file.key, version });
    }
    let writes: ItemWrite[] = [];
    const flush = async (last: Partial<PageWrite> = {}): Promise<EngineResult<void>> => {
      const page = { ...NO_CHANGES, items: writes, ...last };
      writes = [];
      return add(page);
    };
    const fetched = wanted.length === 0 ? [] : (source.fetchVersions?.(object, wanted, call) ?? []);
    for await (const one of fetched) {
      const file = byKey.get(one.file);
      if (file === undefined) continue;
      const saved = await save(one, file);
      if (!saved.ok) return saved;
      if ('error' in saved.value) {
        const { error } = saved.value;
        lacks.push(
          t.versionUnread({ version: one.version.id, name: file.title, reason: error.message }),
        );
        if (error.kind !== 'missing') open.add(file.key);
        continue;
      }
      writes.push(saved.value);
      if (writes.length >= BATCH_VERSIONS) {
        const added = await flush();
        if (!added.ok) return added;
      }
    }
    if (call.signal.aborted) return { ok: false, error: STOPPED };
    // Together with the versions: a session that breaks off before they are stored reads them again.
    return flush({
      endedVersions: ended,
      versionMarks: { read: done.filter((key) => !open.has(key)), unread: [...open] },
    });
  }

  /** Returns the version, or why the source can't read it. An error: nothing can be stored any more. */
  async function save(
    { version, content: read }: FetchedVersion,
    file: ItemChange,
  ): Promise<EngineResult<ItemWrite | { readonly error: EngineError }>> {
    if (!read.ok) return ok({ error: read.error });
    const hash = new QuickXorHash();
    try {
      const part = await content.save({ as: 'raw', content: hashed(read.value, hash) });
      if (!part.ok) return part;
      const { bytes } = part.value;
      context.onRead(0, bytes);
      return ok({
        item: toItem(file, version, bytes, hash.digest().toString('base64')),
        parts: [part.value],
      });
    } catch (error) {
      if (error instanceof ContentError) return ok({ error: error.error });
      throw error;
    }
  }

  return {
    async read(files) {
      const present = new Map<string, string>();
      if (versionLimit === 0 || source.listVersions === undefined) return ok(present);
      for (let from = 0; from < files.length; from += BATCH_FILES) {
        const read = await readBatch(files.slice(from, from + BATCH_FILES), present);
        if (!read.ok) return read;
      }
      return ok(present);
    },
    report() {
      for (const lack of lacks.slice(0, MAX_NAMED)) call.onLack?.(lack);
      const count = lacks.length - MAX_NAMED;
      if (count > 0) call.onLack?.(t.moreVersionsUnread({ count }));
    },
  };
}

const STOPPED: EngineError = { kind: 'ended', message: t.stopped };
const NO_CHANGES = {
  scope: '',
  folders: [],
  items: [],
  removed: [],
  cursor: null,
  isOpen: false,
} as const satisfies PageWrite;

/** A version as an item: its folder is the key of its file. */
function toItem(file: ItemChange, version: FileVersion, bytes: Bytes, hash: string): ItemChange {
  const { id, at, people } = version;
  const key = getVersionKey(file.key, version);
  return {
    key,
    changeKey: key,
    folder: file.key,
    kind: 'file',
    title: file.title,
    people,
    at,
    changedAt: at,
    bytes,
    flags: { version: id, hash: `quickXor:${hash}` },
  };
}

function hashed(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  hash: QuickXorHash,
): Uint8Array | AsyncIterable<Uint8Array> {
  if (!(content instanceof Uint8Array)) return hashedParts(content, hash);
  hash.update(content);
  return content;
}

async function* hashedParts(
  content: AsyncIterable<Uint8Array>,
  hash: QuickXorHash,
): AsyncIterable<Uint8Array> {
  for await (const part of content) {
    hash.update(part);
    yield part;
  }
}
