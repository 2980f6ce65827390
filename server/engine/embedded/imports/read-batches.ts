import type { EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import { ContentError } from '../../shared/content-error.ts';
import { ok } from '../../result.ts';
import type { FetchedPart, FolderChange } from '../types.ts';
import { MAX_STATES } from './archives/read-archive.ts';
import type { FailReason, SkipReason } from './archives/archive.ts';
import type { LeftOut } from './archives/pst-items/shared-fields.ts';
import type { ArchiveEnd, EntryNote, ReadEntry } from './archive-thread-reader.ts';
import type { ImportBatch, LeftEntry } from './import-batch.ts';
import { getFolders, toFileItem, toItem, toLargeFile, toOutlookItem } from './imported-item.ts';
import { importMessages as t } from './messages.en.ts';

/** Content of one batch that is not stored yet. */
const MAX_BATCH_BYTES: Bytes = 64 << 20;

interface BatchContext {
  readonly now: Ms;
  /** With which entry the archive begins. */
  readonly firstEntry: number;
  readonly firstBytes: Bytes;
  /** Older mails are not imported; null: all are. */
  readonly retainedSince: Ms | null;
  readonly save: (part: FetchedPart) => Promise<EngineResult<StoredPart>>;
}
export interface ReadBatch {
  readonly batch: ImportBatch;
  /** Null: the archive has more. */
  readonly end: ArchiveEnd | null;
}

/** Saves the content of an archive, and gathers what the index stores of it. */
export async function* readBatches(
  entries: AsyncIterable<ReadEntry | EntryNote | ArchiveEnd>,
  { now, firstEntry, firstBytes, retainedSince, save }: BatchContext,
): AsyncGenerator<EngineResult<ReadBatch>, void> {
  let nextEntry = firstEntry;
  let batch = makeBatch(firstBytes);
  const take = (end: ReadBatch['end']): EngineResult<ReadBatch> => {
    const { folders, bytes: _bytes, ...taken } = batch;
    batch = makeBatch(batch.readBytes);
    return ok({ batch: { ...taken, folders: [...folders.values()], nextEntry }, end });
  };
  /** Returns what was left out; null: nothing. */
  async function saveLarge(
    entry: Extract<ReadEntry, { kind: 'large' }>,
  ): Promise<EngineResult<LeftEntry | 'later' | null>> {
    const { path, name } = entry;
    const file = toLargeFile(path, name, entry, now);
    const isOld = retainedSince !== null && file.changedAt < retainedSince;
    try {
      if (isOld) {
        await readToEnd(file.content);
        return ok(toLeft(path, name, 'skipped', t.skippedOld));
      }
      const saved = await save({ as: 'raw', content: file.content });
      if (!saved.ok) return saved;
      for (const folder of getFolders(path))
        batch.folders.set(folder.key, { ...folder, wellKnown: null });
      batch.items.push({ item: file.getItem(), parts: [saved.value], path, isNow: false });
      return ok(null);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const end = entry.getEnd();
      if (end === 'broken') return ok(toLeft(path, name, 'failed', t.failedLost));
      if (end === null || typeof end === 'string' || end.kind !== 'failed') return ok('later');
      return ok(toLeft(path, name, 'failed', FAIL_TEXTS[end.reason]()));
    }
  }
  for await (const entry of entries) {
    if (isEnd(entry)) {
      yield take(entry);
      return;
    }
    if (entry.kind === 'listed') {
      batch.entries = nextEntry + entry.entries;
      // The count comes before the first mail.
      yield take(null);
      continue;
    }
    if (entry.kind === 'states') {
      const { path, states, mark } = entry;
      for (const mail of states) batch.states.push({ path, ...mail });
      if (mark !== null) batch.cursors.set(mark.scope, mark.cursor);
      if (countRows(batch) + MAX_ENTRY_ROWS > BATCH_ROWS) yield take(null);
      continue;
    }
    if (entry.kind === 'large') {
      const read = await saveLarge(entry);
      if (!read.ok) return yield read;
      // It is read again by the next one that continues.
      if (read.value === 'later') continue;
      if (read.value !== null) batch.left.push(read.value);
      nextEntry += 1;
      batch.readBytes = entry.position;
      yield take(null);
      continue;
    }
    nextEntry += 1;
    batch.readBytes = entry.position;
    const { path, name, wellKnown, mark } = entry;
    if (mark !== undefined) batch.cursors.set(mark.scope, mark.cursor);
    if (entry.kind === 'mail') {
      const item = toItem(path, entry, now);
      if (retainedSince === null || item.changedAt >= retainedSince) {
        const saved = await save({ as: 'mime', content: entry.mime });
        if (!saved.ok) return yield saved;
        for (const folder of getFolders(path, wellKnown)) batch.folders.set(folder.key, folder);
        batch.items.push({ item, parts: [saved.value], path, isNow: mark !== undefined });
        batch.bytes += entry.mime.byteLength;
      } else batch.left.push(toLeft(path, name, 'skipped', t.skippedOld));
    } else if (entry.kind === 'outlook') {
      const { item, folders } = toOutlookItem(path, entry);
      if (retainedSince === null || item.changedAt >= retainedSince) {
        const parts: StoredPart[] = [];
        for (const part of entry.parts) {
          const saved = await save(part);
          if (!saved.ok) return yield saved;
          parts.push(saved.value);
          batch.bytes += part.content.byteLength;
        }
        for (const folder of folders) batch.folders.set(folder.key, folder);
        batch.items.push({ item, parts, path, isNow: false });
        if (entry.left.length > 0)
          batch.left.push(
            toLeft(
              path,
              item.title || name,
              'partial',
              entry.left.map((reason) => LEFT_TEXTS[reason]()).join(' '),
            ),
          );
      } else batch.left.push(toLeft(path, name, 'skipped', t.skippedOld));
    } else if (entry.kind === 'known') batch.known.push(path);
    else if (entry.kind === 'file') {
      const item = toFileItem(path, name, entry, now);
      if (retainedSince === null || item.changedAt >= retainedSince) {
        const saved = await save({ as: 'raw', content: entry.content });
        if (!saved.ok) return yield saved;
        for (const folder of getFolders(path))
          batch.folders.set(folder.key, { ...folder, wellKnown: null });
        batch.items.push({ item, parts: [saved.value], path, isNow: false });
        batch.bytes += entry.content.byteLength;
      } else batch.left.push(toLeft(path, name, 'skipped', t.skippedOld));
    } else
      batch.left.push(
        entry.kind === 'skipped'
          ? toLeft(path, name, 'skipped', SKIP_TEXTS[entry.reason]())
          : toLeft(
              path,
              name,
              'failed',
              entry.kind === 'lost' ? t.failedLost : FAIL_TEXTS[entry.reason](),
            ),
      );
    if (countRows(batch) + MAX_ENTRY_ROWS > BATCH_ROWS || batch.bytes > MAX_BATCH_BYTES)
      yield take(null);
  }
  // The reader was stopped.
  yield take(null);
}

/** Returns how many bytes it has. The next entry comes after its end. */
async function readToEnd(content: AsyncIterable<Uint8Array>): Promise<Bytes> {
  let bytes = 0;
  for await (const part of content) bytes += part.length;
  return bytes;
}

/** An entry with all folders above it, or states that come together. */
const MAX_ENTRY_ROWS = Math.max(40, MAX_STATES);

const countRows = ({ folders, items, left, known, states, cursors }: Gathering): number =>
  folders.size + items.length + left.length + known.length + states.length + cursors.size;

interface Gathering {
  readonly folders: Map<string, FolderChange>;
  readonly items: ImportBatch['items'][number][];
  readonly left: LeftEntry[];
  readonly known: (readonly string[])[];
  readonly states: ImportBatch['states'][number][];
  readonly cursors: Map<string, string>;
  entries: number | null;
  bytes: Bytes;
  readBytes: Bytes;
}
const makeBatch = (readBytes: Bytes): Gathering => ({
  folders: new Map(),
  items: [],
  left: [],
  known: [],
  states: [],
  cursors: new Map(),
  entries: null,
  bytes: 0,
  readBytes,
});

const isEnd = (entry: ReadEntry | EntryNote | ArchiveEnd): entry is ArchiveEnd =>
  entry.kind === 'end' ||
  entry.kind === 'damaged' ||
  entry.kind === 'unknown' ||
  entry.kind === 'cut';

const toLeft = (
  path: readonly string[],
  name: string,
  outcome: LeftEntry['outcome'],
  message: string,
): LeftEntry => ({ path, name, outcome, message });

const SKIP_TEXTS: Readonly<Record<SkipReason, () => string>> = {
  'other': () => t.skippedOther,
  'other-item': () => t.skippedOtherItem,
  'encrypted': () => t.skippedEncrypted,
  'too-large': () => t.skippedTooLarge,
  'large-file': () => t.skippedLargeFile,
  'packed': () => t.skippedPacked,
};
const LEFT_TEXTS: Readonly<Record<LeftOut, () => string>> = {
  series: () => t.leftSeries,
  zone: () => t.leftZone,
  attachments: () => t.leftAttachments,
};
const FAIL_TEXTS: Readonly<Record<FailReason, () => string>> = {
  damaged: () => t.failedDamaged,
  unreadable: () => t.failedUnreadable,
};
