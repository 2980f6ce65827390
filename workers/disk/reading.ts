import { viewColumns, type RunColumns } from '#contract/runs/columns.ts';
import { renameUser } from '#contract/former-fields.ts';
import { DiskError } from './disk-errors.ts';
import type { Ahead, OpenedStore, Patch, SegmentInfo, SmallRows, WantedRows } from '../types.ts';
import { SMALL_TABLES, TABLE_FORMS } from '../tables.ts';
import {
  chunkName,
  getChunk,
  joinRows,
  LATER_TABLES,
  getTableRows,
  renameRows,
  type Chunk,
} from './table-snapshots.ts';
import { openJson, type Sealed } from './cipher.ts';
import type { BookRecord, DiskRecords, MetaRecord, PatchRecord, SegmentRecord } from './records.ts';
import {
  hasWarmStart,
  getWarmStartJobs,
  openWarmStart,
  type WarmStart,
} from './warm-start-cache.ts';
import { daysWithin, without, type Manifest } from './manifest.ts';
import { manifestIn, ownManifest, putManifest, type DiskContext } from './disk-context.ts';
import { unpackRows, type Packed } from './packing.ts';
import type { StoreReader } from './object-stores.ts';

/**
 * Reads no jobs or problems except those of the warm-start cache, and only the segments in `ahead`
 * (COL-6), all in one transaction, because each transaction costs the first rows more than its
 * bytes. Null if anything is missing or unreadable.
 */
export async function openAll(
  context: DiskContext,
  ahead: Ahead | null,
  withWarmStart = ahead !== null,
): Promise<OpenedStore | null> {
  context.ahead.clear();
  context.warmStart = null;
  try {
    const found = await context.stores.read(['meta', 'books', 'patches', 'segments'], (store) =>
      findAll(context, store, ahead, withWarmStart),
    );
    if (found === null) return null;
    const { manifest, warmStart, segments: read } = found;
    const coming = Promise.all([
      warmStart ?? openSnapshots(context, found),
      ...found.patches.map((one) => openPatch(context, one)),
    ]);
    // decrypted after the smaller records
    for (const { info, record } of read) readAhead(context, info, record);
    const [known, ...patches] = await coming;
    if (known === null) return await openAll(context, ahead, false);
    const { load, epoch, cursor, folds, syncedAt, days, segments, nextPatch } = manifest;
    context.load = load;
    context.nextPatch = nextPatch;
    context.warmStart = known.jobs && { folds, jobs: known.jobs };
    return {
      epoch,
      cursor,
      folds,
      ...known.who,
      me: renameUser(known.who.me),
      rows: known.rows,
      patches,
      syncedAt,
      missingSince: manifest.missingSince ?? null,
      days,
      segments,
      lacksTables: hasFormerRows(manifest),
      dayStarts: known.days,
      problemsOf: known.problemsOf,
    };
  } catch (thrown) {
    if (isLost(thrown)) return null;
    throw thrown;
  }
}

type Known = Pick<WarmStart, 'who' | 'rows'> & {
  readonly [K in 'days' | 'jobs' | 'problemsOf']: WarmStart[K] | null;
};

async function openSnapshots(
  context: DiskContext,
  { who, snapshots }: Pick<Found, 'who' | 'snapshots'>,
): Promise<Known> {
  const [opened, ...chunks] = await Promise.all([
    openWho(context, who),
    ...snapshots.map((one) => openChunk(context, one)),
  ]);
  return { who: opened, rows: getTableRows(chunks), days: null, jobs: null, problemsOf: null };
}

export const openWho = (
  context: DiskContext,
  record: MetaRecord | undefined,
): Promise<WarmStart['who']> =>
  openJson(context.cipher, 'meta', 'who', record?.name === 'who' ? record.sealed : undefined);

function readAhead(
  context: DiskContext,
  info: SegmentInfo,
  record: SegmentRecord | undefined,
): void {
  const columns = openSegment(context, info, record?.sealed);
  columns.catch(() => undefined); // whoever requests it gets the error
  context.ahead.set(info.id, columns);
}

/** Returns the requested rows that exist. */
export async function readSnapshots(
  context: DiskContext,
  folds: number,
  wanted: WantedRows,
): Promise<SmallRows> {
  if (context.warmStart?.folds !== folds) return readSnapshotRows(context, wanted, folds);
  const { rows, left } = getWarmStartJobs(context.warmStart.jobs, wanted);
  const more = await readSnapshotRows(context, left, folds);
  return Object.keys(more).length === 0 ? rows : joinRows([rows, more]);
}

/** `folds`: requires that state of the table snapshots; without it, any. */
export async function readSnapshotRows(
  context: DiskContext,
  wanted: WantedRows,
  folds: number | null = null,
): Promise<SmallRows> {
  const wantedChunks = LATER_TABLES.flatMap((table) => {
    const chunks = new Map<number, Set<number>>();
    for (const n of wanted[table] ?? []) {
      const chunk = getChunk(table, n);
      const ids = chunks.get(chunk);
      if (ids) ids.add(n);
      else chunks.set(chunk, new Set([n]));
    }
    return [...chunks].map(([chunk, ids]) => ({ table, chunk, ids }));
  });
  if (wantedChunks.length === 0) return {};
  const records = await context.stores.read(['meta', 'books'], async (store) => {
    const [, ...found] = await Promise.all([
      folds === null ? null : unfolded(context, store, folds),
      ...wantedChunks.map(({ table, chunk }) => store.get('books', [table, chunk])),
    ]);
    return found;
  });
  return getTableRows(
    await Promise.all(
      records.flatMap((record, i) =>
        record ? [openChunk(context, record, wantedChunks[i]?.ids)] : [],
      ),
    ),
  );
}

/**
 * Reads all jobs and problems, some chunks at a time; `take` may pause. Rejects with `DiskError`
 * corrupt if a record of the snapshots is missing.
 */
export async function readRemainingSnapshots(
  context: DiskContext,
  folds: number,
  take: (rows: SmallRows) => Promise<void>,
): Promise<void> {
  context.warmStart = null; // all rows are loaded soon
  let after: readonly [string, number] = ['', 0];
  let seen = 0;
  for (;;) {
    const { page, count } = await context.stores.read(['meta', 'books'], async (store) => {
      const [manifest, found] = await Promise.all([
        unfolded(context, store, folds),
        store.within('books', after, ['\uffff', 0], CHUNKS_AT_ONCE),
      ]);
      return { page: found, count: manifest.books };
    });
    seen += page.length;
    await take(
      getTableRows(await Promise.all(page.filter(isLater).map((one) => openChunk(context, one)))),
    );
    const last = page.at(-1);
    if (last && page.length === CHUNKS_AT_ONCE) {
      after = [last.table, last.chunk];
      continue;
    }
    if (seen !== count)
      throw new DiskError('corrupt', 'Records of table snapshots are missing: reload.');
    return;
  }
}

async function unfolded(
  context: DiskContext,
  store: StoreReader<DiskRecords>,
  folds: number,
): Promise<Manifest> {
  const manifest = await ownManifest(context, store);
  if (manifest.folds !== folds)
    throw new DiskError(
      'gone',
      'Patches were folded into the table snapshots meanwhile: open again.',
    );
  return manifest;
}

/** How many chunks are read, decrypted and taken in without a pause. */
const CHUNKS_AT_ONCE = 32;
const isLater = ({ table }: Pick<BookRecord, 'table'>): boolean =>
  LATER_TABLES.some((one) => one === table);

/** The caller owns the result: nothing of a segment that was read ahead is cached. */
export async function readSegment(context: DiskContext, id: number): Promise<RunColumns> {
  const ahead = context.ahead.get(id);
  context.ahead.delete(id);
  const columns = await (ahead ?? findSegment(context, id));
  if (columns === null)
    throw new DiskError('gone', `Segment ${id} was replaced meanwhile: open again.`);
  return columns;
}

/** Returns null if the manifest doesn't list it: another tab has replaced it. */
export async function findSegment(context: DiskContext, id: number): Promise<RunColumns | null> {
  const found = await context.stores.read(['meta', 'segments'], async (store) => {
    const manifest = await ownManifest(context, store);
    const info = manifest.segments.find((one) => one.id === id);
    return info ? { info, record: await store.get('segments', id).catch(unlessLost) } : null;
  });
  return found && openSegment(context, found.info, found.record?.sealed);
}

/**
 * Removes an unreadable segment from the manifest, so that its days are no longer here. The fault
 * names them.
 */
async function openSegment(
  context: DiskContext,
  info: SegmentInfo,
  sealed: Sealed | undefined,
): Promise<RunColumns> {
  try {
    const columns = viewColumns(await context.cipher.open('segments', String(info.id), sealed));
    if (columns.rows !== info.rows) throw new RangeError('another number of rows');
    return columns;
  } catch {
    const days = await context.stores.write(['meta', 'segments'], async (store) => {
      const manifest = await ownManifest(context, store);
      if (!manifest.segments.some((one) => one.id === info.id)) return [];
      await store.remove('segments', info.id);
      await putManifest(store, without(manifest, info));
      return daysWithin(manifest, info.fromSec, info.toSec);
    });
    throw new DiskError('corrupt', `Segment ${info.id} cannot be read.`, days);
  }
}

export async function readPatch(context: DiskContext, id: number): Promise<Patch> {
  const record = await context.stores.read(['patches'], (store) => store.get('patches', id));
  if (!record || record.left)
    throw new DiskError('gone', `Patch ${id} was folded meanwhile: open again.`);
  return openPatch(context, record);
}

export async function openPatch(context: DiskContext, record: PatchRecord): Promise<Patch> {
  const { cipher } = context;
  const patch = await openJson<Patch>(cipher, 'patches', String(record.id), record.sealed);
  return { ...patch, rows: renameRows(patch.rows) };
}

/** Returns whether an older build loaded the data: tables are missing, or rows have former names. */
const hasFormerRows = ({ tables }: Manifest): boolean =>
  TABLE_FORMS.some((form) => tables?.includes(form) !== true);

/** `wanted`: returns only those of its rows. */
export async function openChunk(
  context: DiskContext,
  { table, chunk, sealed }: BookRecord,
  wanted?: ReadonlySet<number>,
): Promise<Chunk> {
  const known = SMALL_TABLES.find((one) => one === table);
  if (known === undefined) throw new DiskError('corrupt', 'A table that there is not.');
  return {
    table: known,
    chunk,
    rows: unpackRows(
      await openJson<Packed>(context.cipher, 'books', chunkName(table, chunk), sealed),
      wanted,
    ),
  };
}

interface Found {
  readonly manifest: Manifest;
  /** Null if there is none that is current; resolves with null if it is unreadable. */
  readonly warmStart: Promise<WarmStart | null> | null;
  /** Read if there is no current cache. */
  readonly who: MetaRecord | undefined;
  readonly snapshots: readonly BookRecord[];
  readonly patches: readonly PatchRecord[];
  readonly segments: readonly {
    readonly info: SegmentInfo;
    readonly record: SegmentRecord | undefined;
  }[];
}

/**
 * Requests small records first: a transaction answers in order, and the segments are requested as
 * soon as their ids are known. The warm-start cache is requested before it is known to be current,
 * and opened while the segments are being read.
 */
async function findAll(
  context: DiskContext,
  store: StoreReader<DiskRecords>,
  ahead: Ahead | null,
  withWarmStart: boolean,
): Promise<Found | null> {
  const small = Promise.all([manifestIn(store), store.all('patches')]);
  const record = withWarmStart
    ? store.get('meta', 'front').catch(unlessLost)
    : Promise.resolve(undefined);
  const coming = record.then((one) =>
    one?.name === 'front' ? openWarmStart(context, one.sealed) : null,
  );
  coming.catch(() => undefined); // whoever waits for it gets the error
  const [manifest, patches] = await small;
  if (manifest === null) return null;
  patches.sort((a, b) => a.id - b.id);
  if (
    patches.length !== manifest.nextPatch - manifest.firstPatch ||
    !patches.every((one, i) => one.id === manifest.firstPatch + i)
  )
    return null;
  const segments = Promise.all(
    (ahead?.(manifest.segments) ?? []).map(async (info) => ({
      info,
      record: await store.get('segments', info.id).catch(unlessLost),
    })),
  );
  if (hasWarmStart(manifest) && !hasFormerRows(manifest) && (await record)?.name === 'front')
    return {
      manifest,
      warmStart: coming,
      who: undefined,
      snapshots: [],
      patches,
      segments: await segments,
    };
  const [who, snapshots] = await Promise.all([store.get('meta', 'who'), listSmallSnapshots(store)]);
  return { manifest, warmStart: null, who, snapshots, patches, segments: await segments };
}

export const listSmallSnapshots = async (store: StoreReader<DiskRecords>): Promise<BookRecord[]> =>
  (
    await Promise.all(
      SMALL_TABLES.filter((table) => !isLater({ table })).map((table) =>
        store.within('books', [table, -1], [table, Infinity]),
      ),
    )
  ).flat();

/** The browser reports that a record's bytes are lost or no longer a value. */
const LOST = new Set(['NotReadableError', 'DataError', 'DataCloneError']);
const isLost = (thrown: unknown): boolean =>
  thrown instanceof DiskError
    ? thrown.kind === 'corrupt'
    : thrown instanceof Error && LOST.has(thrown.name);
const unlessLost = (thrown: unknown): undefined => {
  if (!isLost(thrown)) throw thrown;
};
