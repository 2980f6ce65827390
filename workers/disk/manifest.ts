import { utcDay } from '#contract/time/day.ts';
import type { Day, Ms } from '#contract/ids.ts';
import type { SegmentInfo } from '../types.ts';

/**
 * The contents of a database, as one record. It is read and written in the same transaction as the
 * data it describes, never from an older copy: two writers would lose each other's segments
 * (COL-5).
 */
export interface Manifest {
  /** Created by `begin`: a writer that opened another load may not write any more. */
  readonly load: string;
  /** Incremented with changes of table snapshots: data read at one value is consistent. */
  readonly folds: number;
  /**
   * Incremented with changes of segments and snapshots, so that work prepared outside of a
   * transaction detects that it is stale.
   */
  readonly generation: number;
  readonly epoch: string;
  /** The tables of the load, so that a build with another table loads it. Older loads lack it. */
  readonly tables?: readonly string[];
  readonly cursor: number;
  readonly syncedAt: Ms | null;
  /** When the first request failed since the last sync; null or missing: none has. */
  readonly missingSince?: Ms | null;
  /** Newest first. */
  readonly days: readonly DayHere[];
  /** Newest first by their last second. A run is in at most one of them. */
  readonly segments: readonly SegmentInfo[];
  /** The number of records in `books`, to detect a missing one. */
  readonly books: number;
  /**
   * Patches firstPatch ≤ id < nextPatch exist, all of them. Numbers are never reused within a load.
   */
  readonly firstPatch: number;
  readonly nextPatch: number;
  readonly patchRuns: number;
  /** Of `patchRuns`, those in the oldest patch that wait for the page of their day. */
  readonly leftRuns: number;
  readonly nextSegment: number;
  /** What the warm-start cache was built from. */
  readonly front?: { readonly generation: number; readonly folds: number };
}
interface DayHere {
  readonly day: Day;
  readonly here: boolean;
  readonly tag?: string;
}

/** Returns null if it is invalid: anybody can change what is on a disk. */
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
    (m.missingSince === undefined ||
      m.missingSince === null ||
      typeof m.missingSince === 'number') &&
    (m.tables === undefined || Array.isArray(m.tables)) &&
    Array.isArray(m.days) &&
    m.days.every(isDay) &&
    Array.isArray(m.segments) &&
    m.segments.every(isSegment);
  return whole ? (value as Manifest) : null;
}

export const DAY_SEC = 86_400;
export const startOfUtcDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / 1000;
export const getUtcDay = (sec: number): Day => utcDay(sec * 1000);

/** Returns segments that may contain runs of the seconds from ≤ s < to. */
export const overlapping = (m: Manifest, from: number, to: number): SegmentInfo[] =>
  m.segments.filter((one) => one.toSec >= from && one.fromSec < to);

/** Removes and adds segments and increments the generation. */
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

/** Returns the days of the window from the first to the last second, newest first. */
export function daysWithin(m: Manifest, fromSec: number, toSec: number): Day[] {
  const from = getUtcDay(fromSec);
  const to = getUtcDay(toSec);
  return m.days.map((one) => one.day).filter((day) => day >= from && day <= to);
}

/** Removes a lost segment, so that its days are fetched again. */
export function without(m: Manifest, lost: SegmentInfo): Manifest {
  const days = new Set(daysWithin(m, lost.fromSec, lost.toSec));
  return {
    ...swap(m, [lost.id], []),
    days: m.days.map((one) => (days.has(one.day) ? { day: one.day, here: false } : one)),
  };
}

/** Removes segments that are entirely older, and the days that began before. */
export function cutBefore(
  m: Manifest,
  beforeSec: number,
): { readonly next: Manifest; readonly gone: number[] } {
  const gone = m.segments.filter((one) => one.toSec < beforeSec).map((one) => one.id);
  const days = m.days.filter((one) => startOfUtcDay(one.day) + DAY_SEC > beforeSec);
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
