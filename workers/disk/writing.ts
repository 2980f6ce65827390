import { runAt } from '#contract/runs/columns.ts';
import type { Ms } from '#contract/ids.ts';
import type { DayRuns, Fresh, Patch, SegmentInfo } from '../types.ts';
import { clearAnswers } from './cached-answers.ts';
import { SMALL_TABLES } from '../tables.ts';
import { chunksOf } from './table-snapshots.ts';
import { sealJson } from './cipher.ts';
import {
  cutBefore,
  DAY_SEC,
  overlapping,
  startOfDay,
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
import { infoOf, pagesFrom, pagesOf, type Page } from './segments.ts';

/** Deletes all previous data except the outbox in the transaction that writes the new load. */
export async function begin(ground: DiskContext, fresh: Fresh): Promise<void> {
  const { epoch, cursor, me, branding, people, rows, days } = fresh;
  const who = await sealJson(ground.cipher, 'meta', 'who', { me, branding, people });
  const books = await Promise.all(chunksOf(rows).map((one) => sealChunk(ground, one)));
  // in memory, this also runs on pages that are not served securely
  const load = crypto.getRandomValues(new Uint32Array(4)).join('-');
  await ground.shelves.write([...DATA, 'answers'], async (shelf) => {
    const before = await manifestIn(shelf);
    await Promise.all([
      shelf.clear('books'),
      shelf.clear('segments'),
      shelf.clear('patches'),
      shelf.remove('meta', 'front'),
      clearAnswers(shelf),
    ]);
    await Promise.all(books.map((one) => shelf.put('books', one)));
    await shelf.put('meta', { name: 'who', sealed: who });
    await putManifest(shelf, {
      load,
      epoch,
      tables: SMALL_TABLES,
      cursor,
      folds: (before?.folds ?? 0) + 1,
      generation: (before?.generation ?? 0) + 1,
      syncedAt: null,
      days: days.map((day) => ({ day, here: false })).sort((a, b) => (a.day < b.day ? 1 : -1)),
      segments: [],
      books: books.length,
      firstPatch: before?.nextPatch ?? 1,
      nextPatch: before?.nextPatch ?? 1,
      patchRuns: 0,
      leftRuns: 0,
      nextSegment: before?.nextSegment ?? 1,
    });
  });
  ground.load = load;
  ground.nextPatch = null;
}

/**
 * A day's page is complete: runs of that day in other segments are removed from them. A first load
 * has none, so no segment is read. Days that arrive together are written in one transaction.
 */
export async function addDays(ground: DiskContext, days: readonly DayRuns[]): Promise<void> {
  const spans = days.map(({ day }): Span => ({
    from: startOfDay(day),
    to: startOfDay(day) + DAY_SEC,
  }));
  const pages = days.flatMap((one) => pagesFrom(one.pages));
  for (;;) {
    const seen = await peek(ground);
    const old = touching(seen, spans);
    const kept = await outsideOf(ground, old, spans);
    if (kept === null) continue;
    const made = await sealPages(ground, [...pages, ...kept], seen.nextSegment);
    const done = await ground.shelves.write(['meta', 'segments'], async (shelf) => {
      const now = await ownManifest(ground, shelf);
      if (now.nextSegment !== seen.nextSegment || !sameIds(touching(now, spans), old)) return false;
      await Promise.all([
        ...old.map((one) => shelf.remove('segments', one.id)),
        ...made.map(({ id, sealed }) => shelf.put('segments', { id, sealed })),
      ]);
      await putManifest(
        shelf,
        withDays(
          swap(
            now,
            old.map((one) => one.id),
            made.map((one) => infoOf(one.id, one.page)),
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
export async function append(ground: DiskContext, patch: Patch, syncedAt: Ms): Promise<number> {
  for (;;) {
    const id = ground.nextPatch ?? (await peek(ground)).nextPatch;
    const sealed = await sealJson(ground.cipher, 'patches', String(id), patch);
    const done = await ground.shelves.write(['meta', 'patches'], async (shelf) => {
      const now = await ownManifest(ground, shelf);
      ground.nextPatch = now.nextPatch;
      if (now.nextPatch !== id) return false;
      await shelf.put('patches', { id, runs: patch.runs.length, left: false, sealed });
      await putManifest(shelf, {
        ...now,
        nextPatch: id + 1,
        cursor: Math.max(now.cursor, patch.cursor),
        syncedAt: later(now, syncedAt),
        patchRuns: now.patchRuns + patch.runs.length,
      });
      return true;
    });
    if (!done) continue;
    ground.nextPatch = id + 1;
    return id;
  }
}

export const noteSynced = (ground: DiskContext, at: Ms): Promise<void> =>
  ground.shelves.write(['meta'], async (shelf) => {
    const now = await ownManifest(ground, shelf);
    await putManifest(shelf, { ...now, syncedAt: later(now, at) });
  });

export const forget = (ground: DiskContext, beforeSec: number): Promise<void> =>
  ground.shelves.write(['meta', 'segments'], async (shelf) => {
    const now = await ownManifest(ground, shelf);
    const { next, gone } = cutBefore(now, beforeSec);
    if (gone.length === 0 && next.days.length === now.days.length) return;
    for (const id of gone) await shelf.remove('segments', id);
    await putManifest(shelf, next);
  });

const later = (manifest: Manifest, at: Ms): Ms => Math.max(manifest.syncedAt ?? at, at);

const sameIds = (a: readonly SegmentInfo[], b: readonly SegmentInfo[]): boolean =>
  a.length === b.length && a.every((one, i) => one.id === b[i]?.id);

/** Returns null if one of them was replaced meanwhile. */
async function outsideOf(
  ground: DiskContext,
  segments: readonly SegmentInfo[],
  spans: readonly Span[],
): Promise<Page[] | null> {
  const pages: Page[] = [];
  for (const info of segments) {
    const columns = await findSegment(ground, info.id);
    const kept = [];
    if (columns === null) return null;
    for (let row = 0; row < columns.rows; row++) {
      const start = columns.start[row] ?? 0;
      if (!spans.some(({ from, to }) => start >= from && start < to))
        kept.push(runAt(columns, row));
    }
    pages.push(...pagesOf(kept));
  }
  return pages;
}
