import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { getDay, startOfDay, zoneOrUtc } from '#contract/time/day.ts';
import type { DayN } from '#contract/time/day.ts';

/** Days that the slider shows. */
export const TIMELINE_DAYS = 30;

/** A tick of the slider: one restore point, or several that would be drawn at the same place. */
export interface Tick {
  /** From 0 (left) to 1 (right). */
  readonly x: number;
  /** By the number of changes, from 0 to 1; 1 if it is unknown. */
  readonly height: number;
  readonly hasWarning: boolean;
  /** Newest first. */
  readonly points: readonly RestorePoint[];
}
export interface Timeline {
  readonly first: DayN;
  /** Inclusive. */
  readonly last: DayN;
  readonly ticks: readonly Tick[];
  /** Days between the first point and the last day that have none: their middle. */
  readonly gaps: readonly { readonly day: DayN; readonly x: number }[];
  /** Days with a warning. */
  readonly warnings: readonly DayN[];
  /** Start of every seventh day, from the first. */
  readonly weeks: readonly { readonly day: DayN; readonly x: number }[];
  readonly count: number;
}

/**
 * Returns the ticks of the days up to `last`. `slots`: how many ticks fit side by side.
 * `points`: newest first. Days before the oldest point aren't gaps if `isComplete`.
 */
export function getTimeline(
  points: readonly RestorePoint[],
  { last, zone, slots, isComplete }: TimelineView,
): Timeline {
  const timeZone = zoneOrUtc(zone);
  const first = last - TIMELINE_DAYS + 1;
  const from = startOfDay(first, timeZone, 0);
  const to = startOfDay(last + 1, timeZone, 0);
  const getX = (at: Ms): number => (at - from) / (to - from);
  const shown = points.filter(({ at }) => at >= from && at < to);
  const max = Math.max(1, ...shown.map(({ changes }) => changes ?? 0));
  const groups = new Map<number, RestorePoint[]>();
  for (const point of shown) {
    const slot = Math.floor(getX(point.at) * slots);
    const group = groups.get(slot);
    if (group) group.push(point);
    else groups.set(slot, [point]);
  }
  const days = new Set(shown.map(({ at }) => getDay(at, timeZone, 0)));
  const oldest = points.at(-1);
  const begins = isComplete
    ? oldest === undefined
      ? last + 1
      : getDay(oldest.at, timeZone, 0)
    : first;
  const middle = (day: DayN): number =>
    getX((startOfDay(day, timeZone, 0) + startOfDay(day + 1, timeZone, 0)) / 2);
  const all = Array.from({ length: TIMELINE_DAYS }, (_, n) => first + n);
  return {
    first,
    last,
    ticks: [...groups.values()].map((group) => ({
      x: group.reduce((sum, { at }) => sum + getX(at), 0) / group.length,
      // By the logarithm, so that a first full backup doesn't flatten all others.
      height: Math.log1p(Math.max(...group.map(({ changes }) => changes ?? max))) / Math.log1p(max),
      hasWarning: group.some(({ result }) => result === 'warning'),
      points: group,
    })),
    gaps: all
      .filter((day) => day >= begins && day < last && !days.has(day))
      .map((day) => ({ day, x: middle(day) })),
    warnings: all.filter((day) =>
      shown.some(({ at, result }) => result === 'warning' && getDay(at, timeZone, 0) === day),
    ),
    weeks: all
      .filter((_, n) => n % 7 === 0)
      .map((day) => ({ day, x: getX(startOfDay(day, timeZone, 0)) })),
    count: shown.length,
  };
}
export interface TimelineView {
  readonly last: DayN;
  readonly zone: string;
  readonly slots: number;
  /** `points` has all points of the organization. */
  readonly isComplete: boolean;
}

/** Returns the index of the point that a session at this moment shows, or -1. Newest first. */
export const indexAt = (points: readonly RestorePoint[], at: Ms): number =>
  points.findIndex((point) => point.at <= at);

/** Returns the point that many steps later (positive) or earlier, or null at the end. */
export function stepPoint(
  points: readonly RestorePoint[],
  at: Ms,
  by: number,
): RestorePoint | null {
  const index = indexAt(points, at);
  if (index < 0) return points.at(-1) ?? null;
  const to = Math.max(0, Math.min(points.length - 1, index - by));
  return to === index ? null : (points[to] ?? null);
}

/** Returns the newest point of the nearest earlier (-1) or later (1) day that has points. */
export function stepDay(
  points: readonly RestorePoint[],
  at: Ms,
  by: 1 | -1,
  zone: string,
): RestorePoint | null {
  const timeZone = zoneOrUtc(zone);
  const day = (point: RestorePoint): DayN => getDay(point.at, timeZone, 0);
  const index = indexAt(points, at);
  const current = points[index < 0 ? points.length - 1 : index];
  if (!current) return null;
  if (by < 0) return points.find((point) => day(point) < day(current)) ?? null;
  const later = points.filter((point) => day(point) > day(current)).at(-1);
  return later ? (points.find((point) => day(point) === day(later)) ?? null) : null;
}

/** The days that have points, newest first, and their points, newest first. */
export function groupByDay(
  points: readonly RestorePoint[],
  zone: string,
): readonly { readonly day: DayN; readonly points: readonly RestorePoint[] }[] {
  const timeZone = zoneOrUtc(zone);
  const groups: { day: DayN; points: RestorePoint[] }[] = [];
  for (const point of points) {
    const day = getDay(point.at, timeZone, 0);
    const last = groups.at(-1);
    if (last?.day === day) last.points.push(point);
    else groups.push({ day, points: [point] });
  }
  return groups;
}
