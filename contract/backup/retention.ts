import * as v from 'valibot';
import type { Ms } from '../ids.ts';
import { dayText, getMoment, offsetAt } from '../time/day.ts';
import { DAY_MS } from '../time/durations.ts';

/** How many calendar years a repository retains backups. `Keep`: forever. */
const YEARS = {
  Year1: 1,
  Years2: 2,
  Years3: 3,
  Years5: 5,
  Years7: 7,
  Years10: 10,
  Years25: 25,
  Keep: Infinity,
} as const satisfies Record<string, number>;
export type RetentionPolicy = keyof typeof YEARS;
export const RETENTION_POLICIES = Object.keys(YEARS) as readonly RetentionPolicy[];
/** The last of them retains everything. */
export const KEEP = RETENTION_POLICIES.at(-1) as 'Keep';

/**
 * `SnapshotBased`: a restore point is removed when it is older than the period. `ItemLevel`: a
 * version of an item is removed from all points when its last change is older. A repository keeps
 * its type for life.
 */
export const RETENTION_TYPES = ['SnapshotBased', 'ItemLevel'] as const;
export type RetentionType = (typeof RETENTION_TYPES)[number];

export const RetentionPolicySchema = v.picklist(RETENTION_POLICIES);
export const RetentionTypeSchema = v.picklist(RETENTION_TYPES);

export interface Retention {
  readonly retentionType: RetentionType;
  readonly retentionPolicy: RetentionPolicy;
}

/**
 * Returns the moment before which a policy retains nothing: the same local date and time, calendar
 * years ago (February 28 if that year has no 29th); null for `Keep`.
 */
export function retainedSince(policy: RetentionPolicy, now: Ms, timeZone: string): Ms | null {
  const years = YEARS[policy];
  if (years === Infinity) return null;
  const wall = now + offsetAt(now, timeZone);
  const [year = 0, month = 0, date = 0] = dayText(Math.floor(wall / DAY_MS))
    .split('-')
    .map(Number);
  const lastOfMonth = Date.UTC(year - years, month, 0) / DAY_MS;
  const day = Math.min(lastOfMonth, Date.UTC(year - years, month - 1, date) / DAY_MS);
  return getMoment(day, wall - Math.floor(wall / DAY_MS) * DAY_MS, timeZone);
}

/**
 * Returns a moment at which a policy no longer retains what was made at `at`: the same local date and
 * time, calendar years later (March 1 if that year has no February 29); null for `Keep`.
 */
export function retainedUntil(policy: RetentionPolicy, at: Ms, timeZone: string): Ms | null {
  const years = YEARS[policy];
  if (years === Infinity) return null;
  const wall = at + offsetAt(at, timeZone);
  const [year = 0, month = 0, date = 0] = dayText(Math.floor(wall / DAY_MS))
    .split('-')
    .map(Number);
  const day = Date.UTC(year + years, month - 1, date) / DAY_MS;
  return getMoment(day, wall - Math.floor(wall / DAY_MS) * DAY_MS, timeZone);
}

/** Returns whether a restore point made at `at` is retained. */
export function retainsPoint(
  { retentionType, retentionPolicy }: Retention,
  at: Ms,
  now: Ms,
  timeZone: string,
): boolean {
  return retentionType === 'ItemLevel' || isWithin(retentionPolicy, at, now, timeZone);
}

/**
 * Returns whether a version of an item, last changed at `changedAt`, is retained in the points that
 * contain it, and backed up at all.
 */
export function retainsVersion(
  { retentionType, retentionPolicy }: Retention,
  changedAt: Ms,
  now: Ms,
  timeZone: string,
): boolean {
  return retentionType === 'SnapshotBased' || isWithin(retentionPolicy, changedAt, now, timeZone);
}

const isWithin = (policy: RetentionPolicy, at: Ms, now: Ms, timeZone: string): boolean =>
  at >= (retainedSince(policy, now, timeZone) ?? -Infinity);

export const isShorter = (policy: RetentionPolicy, than: RetentionPolicy): boolean =>
  YEARS[policy] < YEARS[than];

/** G73: how long a deletion or a shorter retention waits. */
export const DELAY_MS: Ms = 7 * DAY_MS;

/** A retention that was shortened applies later, so that a mistake can be corrected (G73). */
export interface PendingRetention {
  readonly retentionPolicy: RetentionPolicy;
  readonly shortened: {
    readonly retentionPolicy: RetentionPolicy;
    readonly appliesAt: Ms;
  } | null;
}

/** Returns the policy in effect at a moment. */
export const policyAt = ({ retentionPolicy, shortened }: PendingRetention, now: Ms) =>
  shortened !== null && shortened.appliesAt <= now ? shortened.retentionPolicy : retentionPolicy;
