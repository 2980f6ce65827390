import { runAt } from '#contract/monitoring/columns.ts';
import type { Day, Ms } from '#contract/ids.ts';
import type { RunColumns } from '#contract/monitoring/columns.ts';
import type { Fresh, Patch, SegmentInfo } from '../seams.ts';
import { chunksOf } from './books.ts';
import { sealJson } from './cipher.ts';
import { cutBefore, DAY_SEC, overlapping, startOfDay, swap, withDay, type Manifest } from './manifest.ts';
import { DATA, manifestIn, ownManifest, peek, putManifest, sealChunk, sealPages, type Ground } from './ground.ts';
import { findSegment } from './reading.ts';
import { infoOf, pagesFrom, pagesOf, type Page } from './segments.ts';

/** Everything of before, but the outbox, leaves in the transaction that writes the fresh start. */
export async function begin(ground: Ground, fresh: Fresh): Promise<void> {
  const { epoch, cursor, me, branding, people, rows, days } = fresh;
  const who = await sealJson(ground.cipher, 'meta', 'who', { me, branding, people });
  const books = await Promise.all(chunksOf(rows).map((one) => sealChunk(ground, one)));
  const load = crypto.getRandomValues(new Uint32Array(4)).join('-'); // also where the page is not served securely, on memory
  await ground.shelves.write('relaxed', DATA, async (shelf) => {
    const before = await manifestIn(shelf);
    await Promise.all([shelf.clear('books'), shelf.clear('segments'), shelf.clear('patches')]);
    await Promise.all(books.map((one) => shelf.put('books', one)));
    await shelf.put('meta', { name: 'who', sealed: who });
    await putManifest(shelf, {
      load, epoch, cursor, generation: (before?.generation ?? 0) + 1, syncedAt: null,
      days: days.map((day) => ({ day, here: false })).sort((a, b) => (a.day < b.day ? 1 : -1)), segments: [], books: books.length,
      firstPatch: before?.nextPatch ?? 1, nextPatch: before?.nextPatch ?? 1, patchRuns: 0, leftRuns: 0, nextSegment: before?.nextSegment ?? 1,
    });
  });
  ground.load = load;
}

/**
 * A day's page is the whole truth of that day: runs of it that other segments hold leave them. In a first load there are none, and no
 * segment is read.
 */
export async function addDay(ground: Ground, day: Day, columns: readonly RunColumns[]): Promise<void> {
  const from = startOfDay(day), to = from + DAY_SEC, pages = pagesFrom(columns);
  for (;;) {
    const seen = await peek(ground);
    const old = overlapping(seen, from, to);
    const kept = await outsideOf(ground, old, from, to);
    if (kept === null) continue;
    const made = await sealPages(ground, [...pages, ...kept], seen.nextSegment);
    const done = await ground.shelves.write('relaxed', ['meta', 'segments'], async (shelf) => {
      const now = await ownManifest(ground, shelf);
      if (now.nextSegment !== seen.nextSegment || !sameIds(overlapping(now, from, to), old)) return false;
      for (const one of old) await shelf.remove('segments', one.id);
      for (const { id, sealed } of made) await shelf.put('segments', { id, sealed });
      await putManifest(shelf, withDay(swap(now, old.map((one) => one.id), made.map((one) => infoOf(one.id, one.page))), day));
      return true;
    });
    if (done) return;
  }
}

/** Answers the patch's number. A patch that reaches less far than one before it never takes the cursor back. */
export async function append(ground: Ground, patch: Patch, syncedAt: Ms): Promise<number> {
  for (;;) {
    const { nextPatch: id } = await peek(ground);
    const sealed = await sealJson(ground.cipher, 'patches', String(id), patch);
    const done = await ground.shelves.write('relaxed', ['meta', 'patches'], async (shelf) => {
      const now = await ownManifest(ground, shelf);
      if (now.nextPatch !== id) return false;
      await shelf.put('patches', { id, runs: patch.runs.length, left: false, sealed });
      await putManifest(shelf, {
        ...now, nextPatch: id + 1, cursor: Math.max(now.cursor, patch.cursor), syncedAt: later(now, syncedAt), patchRuns: now.patchRuns + patch.runs.length,
      });
      return true;
    });
    if (done) return id;
  }
}

export const noteSynced = (ground: Ground, at: Ms): Promise<void> =>
  ground.shelves.write('relaxed', ['meta'], async (shelf) => {
    const now = await ownManifest(ground, shelf);
    await putManifest(shelf, { ...now, syncedAt: later(now, at) });
  });

export const forget = (ground: Ground, beforeSec: number): Promise<void> =>
  ground.shelves.write('relaxed', ['meta', 'segments'], async (shelf) => {
    const { next, gone } = cutBefore(await ownManifest(ground, shelf), beforeSec);
    for (const id of gone) await shelf.remove('segments', id);
    await putManifest(shelf, next);
  });

const later = (manifest: Manifest, at: Ms): Ms => Math.max(manifest.syncedAt ?? at, at);

const sameIds = (a: readonly SegmentInfo[], b: readonly SegmentInfo[]): boolean =>
  a.length === b.length && a.every((one, i) => one.id === b[i]?.id);

/** Null where one of them was replaced meanwhile. */
async function outsideOf(ground: Ground, segments: readonly SegmentInfo[], from: number, to: number): Promise<Page[] | null> {
  const pages: Page[] = [];
  for (const info of segments) {
    const columns = await findSegment(ground, info.id), kept = [];
    if (columns === null) return null;
    for (let row = 0; row < columns.rows; row++) {
      const start = columns.start[row] ?? 0;
      if (start < from || start >= to) kept.push(runAt(columns, row));
    }
    pages.push(...pagesOf(kept));
  }
  return pages;
}
