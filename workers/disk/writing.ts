import { runAt } from '#contract/runs/columns.ts';
import type { Ms } from '#contract/ids.ts';
import type { DayRuns, Fresh, Patch, SegmentInfo } from '../types.ts';
import { clearAnswers } from './cached-answers.ts';
import { TABLE_FORMS } from '../tables.ts';
import { getChunks } from './table-snapshots.ts';
import { sealJson } from './cipher.ts';
import {
  cutBefore,
  DAY_SEC,
  overlapping,
  startOfUtcDay,
  swap,
  withDays,
  type Manifest,
} from './manifest.ts';
import {
  DATA,
  manifestIn,
  ownManifest,
  peek,
  putManifest,
  sealChunk,
  sealPages,
  type DiskContext,
} from './disk-context.ts';
import { findSegment } from './reading.ts';
import { getInfo, pagesFrom, getPages, type SegmentPage } from './segments.ts';

/**
 * Deletes all previous data except the outbox in the transaction that writes the new load. Drafts
 * are deleted before it if the epoch differs: it changes with what the user may read (SYNC-13).
 */
export async function begin(context: DiskContext, fresh: Fresh): Promise<void> {
  const { epoch, cursor, me, branding, people, rows, days } = fresh;
  const who = await sealJson(context.cipher, 'meta', 'who', { me, branding, people });
  const snapshots = await Promise.all(getChunks(rows).map((one) => sealChunk(context, one)));
  // in memory, this also runs on pages that are not served securely
  const load = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const old = await context.stores.read(['meta'], manifestIn);
  if (old !== null && old.epoch !== epoch)
    await context.stores.write(['drafts'], (store) => store.clear('drafts'));
  await context.stores.write([...DATA, 'answers'], async (store) => {
    const before = await manifestIn(store);
    await Promise.all([
      store.clear('books'),
      store.clear('segments'),
      store.clear('patches'),
      store.remove('meta', 'front'),
      clearAnswers(store),
    ]);
    await Promise.all(snapshots.map((one) => store.put('books', one)));
    await store.put('meta', { name: 'who', sealed: who });
    await putManifest(store, {
      load,
      epoch,
      tables: TABLE_FORMS,
      cursor,
      folds: (before?.folds ?? 0) + 1,
      generation: (before?.generation ?? 0) + 1,
      syncedAt: null,
      days: days.map((day) => ({ day, here: false })).sort((a, b) => (a.day < b.day ? 1 : -1)),
      segments: [],
      books: snapshots.length,
      firstPatch: before?.nextPatch ?? 1,
      nextPatch: before?.nextPatch ?? 1,
      patchRuns: 0,
      leftRuns: 0,
      nextSegment: before?.nextSegment ?? 1,
    });
  });
  context.load = load;
  context.nextPatch = null;
}

/**
 * Replaces the signed-in user. The copy of the warm-start cache is built again by idle work, also if
 * that has just read the previous one.
 */
export async function saveUser(
  context: DiskContext,
  { me, branding, people }: Pick<Fresh, 'me' | 'branding' | 'people'>,
): Promise<void> {
  const sealed = await sealJson(context.cipher, 'meta', 'who', { me, branding, people });
  await context.stores.write(['meta'], async (store) => {
    const { front: _outdated, ...now } = await ownManifest(context, store);
    await store.put('meta', { name: 'who', sealed });
    await putManifest(store, { ...now, generation: now.generation + 1 });
  });
}

/**
 * A day's page is complete: runs of that day in other segments are removed from them. A first load
 * has none, so no segment is read. Days that arrive together are written in one transaction.
 */
export async function addDays(context: DiskContext, days: readonly DayRuns[]): Promise<void> {
  const spans = days.map(({ day }): Span => ({
    from: startOfUtcDay(day),
    to: startOfUtcDay(day) + DAY_SEC,
  }));
  const pages = days.flatMap((one) => pagesFrom(one.pages));
  for (;;) {
    const seen = await peek(context);
    const old = touching(seen, spans);
    const stored = await listPagesOutside(context, old, spans);
    if (stored === null) continue;
    const made = await sealPages(context, [...pages, ...stored], seen.nextSegment);
    const done = await context.stores.write(['meta', 'segments'], async (store) => {
      const now = await ownManifest(context, store);
      if (now.nextSegment !== seen.nextSegment || !sameIds(touching(now, spans), old)) return false;
      await Promise.all([
        ...old.map((one) => store.remove('segments', one.id)),
        ...made.map(({ id, sealed }) => store.put('segments', { id, sealed })),
      ]);
      await putManifest(
        store,
        withDays(
          swap(
            now,
            old.map((one) => one.id),
            made.map((one) => getInfo(one.id, one.page)),
          ),
          days,
        ),
      );
      return true;
    });
    if (done) return;
  }
}

/** Seconds from ≤ s < to. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const touching = (m: Manifest, spans: readonly Span[]): SegmentInfo[] => {
  const ids = new Set(
    spans.flatMap(({ from, to }) => overlapping(m, from, to).map(({ id }) => id)),
  );
  return m.segments.filter(({ id }) => ids.has(id));
};

/**
 * Returns the patch's number. A patch with a lower cursor than an earlier one never moves the
 * cursor back.
 */
export async function append(context: DiskContext, patch: Patch, syncedAt: Ms): Promise<number> {
  for (;;) {
    const id = context.nextPatch ?? (await peek(context)).nextPatch;
    const sealed = await sealJson(context.cipher, 'patches', String(id), patch);
    const done = await context.stores.write(['meta', 'patches'], async (store) => {
      const now = await ownManifest(context, store);
      context.nextPatch = now.nextPatch;
      if (now.nextPatch !== id) return false;
      await store.put('patches', { id, runs: patch.runs.length, left: false, sealed });
      await putManifest(store, {
        ...now,
        nextPatch: id + 1,
        cursor: Math.max(now.cursor, patch.cursor),
        syncedAt: later(now, syncedAt),
        missingSince: null,
        patchRuns: now.patchRuns + patch.runs.length,
      });
      return true;
    });
    if (!done) continue;
    context.nextPatch = id + 1;
    return id;
  }
}

export const noteSynced = (context: DiskContext, at: Ms): Promise<void> =>
  context.stores.write(['meta'], async (store) => {
    const now = await ownManifest(context, store);
    await putManifest(store, { ...now, syncedAt: later(now, at), missingSince: null });
  });

export const noteMissing = (context: DiskContext, since: Ms): Promise<void> =>
  context.stores.write(['meta'], async (store) => {
    const now = await ownManifest(context, store);
    await putManifest(store, { ...now, missingSince: since });
  });

export const forget = (context: DiskContext, beforeSec: number): Promise<void> =>
  context.stores.write(['meta', 'segments'], async (store) => {
    const now = await ownManifest(context, store);
    const { next, gone } = cutBefore(now, beforeSec);
    if (gone.length === 0 && next.days.length === now.days.length) return;
    for (const id of gone) await store.remove('segments', id);
    await putManifest(store, next);
  });

const later = (manifest: Manifest, at: Ms): Ms => Math.max(manifest.syncedAt ?? at, at);

const sameIds = (a: readonly SegmentInfo[], b: readonly SegmentInfo[]): boolean =>
  a.length === b.length && a.every((one, i) => one.id === b[i]?.id);

/** Returns null if one of them was replaced meanwhile. */
async function listPagesOutside(
  context: DiskContext,
  segments: readonly SegmentInfo[],
  spans: readonly Span[],
): Promise<SegmentPage[] | null> {
  const pages: SegmentPage[] = [];
  for (const info of segments) {
    const columns = await findSegment(context, info.id);
    const stored = [];
    if (columns === null) return null;
    for (let row = 0; row < columns.rows; row++) {
      const start = columns.start[row] ?? 0;
      if (!spans.some(({ from, to }) => start >= from && start < to))
        stored.push(runAt(columns, row));
    }
    pages.push(...getPages(stored));
  }
  return pages;
}
