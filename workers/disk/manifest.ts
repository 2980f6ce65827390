import { utcDay } from '#contract/time/day.ts';
import type { Day, Ms } from '#contract/ids.ts';
import type { SegmentInfo } from '../types.ts';

/**
 * What a database holds, as one record. It is read and written in one and the same transaction with
 * what it speaks of, never written from a copy that was read before: two writers would lose each
 * other's segments (COL-5).
 */
export interface Manifest {
  /** Made by `begin`: a writer that opened another load has nothing to say here any more. */
  readonly load: string;
  /** Counts changes of books: what was read of them at one count fits together. */
  readonly folds: number;
  /**
   * Counts changes of segments and books, so that work prepared outside of a transaction notices
   * when it is stale.
   */
  readonly generation: number;
  readonly epoch: string;
  readonly cursor: number;
  readonly syncedAt: Ms | null;
  /** Newest first. */
  readonly days: readonly DayHere[];
  /** Newest first by their last second. A run is in one of them at most. */
  readonly segments: readonly SegmentInfo[];
  /** Records in `books`: one that is missing is noticed. */
  readonly books: number;
  /**
   * Patches firstPatch ≤ id < nextPatch are here, all of them. Numbers are never used again within
   * a load.
   */
  readonly firstPatch: number;
  readonly nextPatch: number;
  readonly patchRuns: number;
  /** Of `patchRuns`, those that wait in the oldest patch for the page of their day. */
  readonly leftRuns: number;
  readonly nextSegment: number;
  /** What the front was made of. */
  readonly front?: { readonly generation: number; readonly folds: number };
}
interface DayHere {
  readonly day: Day;
  readonly here: boolean;
  readonly tag?: string;
}

/** Null where it is none: what is on a disk is anybody's. */
export function asManifest(value: unknown): Manifest | null {
  if (value === null || typeof value !== 'object') return null;
  const m = value as Partial<Record<keyof Manifest, unknown>>;
  const numbers = [
    m.folds,
    m.generation,
    m.cursor,
    m.books,
    m.firstPatch,
    m.nextPatch,
    m.patchRuns,
    m.leftRuns,
    m.nextSegment,
  ];
  const whole =
    typeof m.load === 'string' &&
    typeof m.epoch === 'string' &&
    numbers.every(Number.isSafeInteger) &&
    (m.syncedAt === null || typeof m.syncedAt === 'number') &&
    Array.isArray(m.days) &&
    m.days.every(isDay) &&
    Array.isArray(m.segments) &&
    m.segments.every(isSegment);
  return whole ? (value as Manifest) : null;
}

export const DAY_SEC = 86_400;
export const startOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / 1000;
export const dayOf = (sec: number): Day => utcDay(sec * 1000);

/** Segments that may hold runs of the seconds from ≤ s < to. */
export const overlapping = (m: Manifest, from: number, to: number): SegmentInfo[] =>
  m.segments.filter((one) => one.toSec >= from && one.fromSec < to);

/** Segments go and come; the generation is raised. */
export function swap(m: Manifest, gone: readonly number[], come: readonly SegmentInfo[]): Manifest {
  const out = new Set(gone);
  const segments = [...m.segments.filter((one) => !out.has(one.id)), ...come].sort(newestSegment);
  return {
    ...m,
    segments,
    generation: m.generation + 1,
    nextSegment: come.reduce((next, one) => Math.max(next, one.id + 1), m.nextSegment),
  };
}

export function withDays(m: Manifest, here: readonly Pick<DayHere, 'day' | 'tag'>[]): Manifest {
  const come = new Map(
    here.map(({ day, tag }) => [day, { day, here: true, ...(tag !== undefined && { tag }) }]),
  );
  const days = [...m.days.filter(({ day }) => !come.has(day)), ...come.values()].sort((a, b) =>
    a.day < b.day ? 1 : -1,
  );
  return { ...m, days, leftRuns: 0 };
}

/** Days of the window from the first to the last second, newest first. */
export function daysWithin(m: Manifest, fromSec: number, toSec: number): Day[] {
  const from = dayOf(fromSec);
  const to = dayOf(toSec);
  return m.days.map((one) => one.day).filter((day) => day >= from && day <= to);
}

/** A segment is lost: its days are to be fetched again. */
export function without(m: Manifest, lost: SegmentInfo): Manifest {
  const days = new Set(daysWithin(m, lost.fromSec, lost.toSec));
  return {
    ...swap(m, [lost.id], []),
    days: m.days.map((one) => (days.has(one.day) ? { day: one.day, here: false } : one)),
  };
}

/** Segments wholly older go, and the days that began before with them. */
export function cutBefore(
  m: Manifest,
  beforeSec: number,
): { readonly next: Manifest; readonly gone: number[] } {
  const gone = m.segments.filter((one) => one.toSec < beforeSec).map((one) => one.id);
  const days = m.days.filter((one) => startOfDay(one.day) + DAY_SEC > beforeSec);
  return { next: { ...swap(m, gone, []), days }, gone };
}

const newestSegment = (a: SegmentInfo, b: SegmentInfo): number =>
  b.toSec - a.toSec || b.fromSec - a.fromSec || b.id - a.id;

const isDay = (one: unknown): boolean =>
  one !== null &&
  typeof one === 'object' &&
  'day' in one &&
  typeof one.day === 'string' &&
  /^\d{4}-\d\d-\d\d$/.test(one.day) &&
  'here' in one &&
  typeof one.here === 'boolean';

const isSegment = (one: unknown): boolean =>
  one !== null &&
  typeof one === 'object' &&
  ['id', 'rows', 'fromSec', 'toSec'].every((name) =>
    Number.isSafeInteger((one as Record<string, unknown>)[name]),
  );
