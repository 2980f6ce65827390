import { isDeepStrictEqual } from 'node:util';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { KEEP, RETENTION_POLICIES, type RetentionType } from '#contract/backup/retention.ts';
import { DAILY_TYPES, MONTHLY_NUMBERS, WEEKDAYS } from '#contract/backup/schedule.ts';
import type { CleanUpSchedule, ServerRetention } from '#contract/backup/server-repositories.ts';
import type {
  NewServerRepository,
  ServerRepositoryFields,
} from '#contract/engine/server-repositories.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, storable } from '#contract/stored-text.ts';
import { canonical } from '#server/platform/db/canonical.ts';
import { toName } from './organizations.ts';
import { RepositoryShape, type Vb365Repository } from './shapes.ts';
import type { RawRow } from './write-job.ts';

// A repository as the REST API has it, as the portal has it, and back. A change replaces the whole
// repository there, so what the portal doesn't know or change is sent back as it was read.

/** What only the server sets. */
const READ_ONLY = new Set([
  'id',
  'capacityBytes',
  'freeSpaceBytes',
  'isLongTerm',
  'isOutdated',
  'isOutOfSync',
  'isIndexed',
  'isMigrationLocked',
  'isOutOfOrder',
  'outOfOrderReason',
  '_links',
]);
/** The same within its object storage. */
const READ_ONLY_WITHIN = new Set(['usedSpaceBytes', 'freeSpaceBytes', '_links']);

/** Returns what can be sent back of a repository. */
export const getRepositorySettings = (raw: RawRow): RawRow =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([field, value]) =>
      READ_ONLY.has(field) ? [] : [[field, dropReadOnly(value)]],
    ),
  );

function dropReadOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropReadOnly);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, one]) =>
      READ_ONLY_WITHIN.has(field) ? [] : [[field, dropReadOnly(one)]],
    ),
  );
}

/** Returns the version of a repository's settings. It changes with any of them. */
export const getRepositoryVersion = (raw: RawRow): string =>
  createHash('sha256')
    .update(canonical(getRepositorySettings(raw)))
    .digest('base64url');

export const toRepositoryName = ({ id, name }: Pick<Vb365Repository, 'id' | 'name'>): string =>
  toName(name) ?? id;

export const toDescription = ({ description }: Pick<Vb365Repository, 'description'>): string =>
  cutText(storable(description ?? '').trim(), LIMITS.subjectChars).trim();

export const toRetentionType = ({
  retentionType,
}: Pick<Vb365Repository, 'retentionType'>): RetentionType =>
  retentionType === 'ItemLevel' ? 'ItemLevel' : 'SnapshotBased';

export function toRetention({
  retentionPeriodType: type,
  dailyRetentionPeriod: days,
  monthlyRetentionPeriod: months,
  yearlyRetentionPeriod: yearly,
}: Vb365Repository): ServerRetention {
  if (type === 'Daily') return { unit: 'days', count: toCount(days, 9_999) };
  if (type === 'Monthly') return { unit: 'months', count: toCount(months, 999) };
  return {
    unit: 'years',
    policy: RETENTION_POLICIES.find((policy) => policy === yearly) ?? KEEP,
  };
}
const toCount = (value: number | null | undefined, max: number): number =>
  Math.min(max, Math.max(1, Math.trunc(value ?? 1)));

/** Null: the server names no times that the portal knows. */
export function toCleanUp({
  retentionFrequencyType: type,
  dailyTime,
  dailyType,
  monthlyTime,
  monthlyDaynumber,
  monthlyDayofweek,
}: Vb365Repository): CleanUpSchedule | null {
  if (type === 'Monthly') {
    const number = MONTHLY_NUMBERS.find((one) => one === monthlyDaynumber);
    const day = WEEKDAYS.find((one) => one === monthlyDayofweek);
    const time = toTime(monthlyTime);
    return number === undefined || day === undefined || time === null
      ? null
      : { type, number, day, time };
  }
  const day = DAILY_TYPES.find((one) => one === dailyType);
  const time = toTime(dailyTime);
  return type !== 'Daily' || day === undefined || time === null ? null : { type, day, time };
}
const toTime = (value: string | null | undefined): string | null =>
  /^(?:[01]\d|2[0-3]):[0-5]\d/.exec(value ?? '')?.[0] ?? null;

/** Returns the body for a new repository. Version 7 knows a cache of its object storage. */
export const writeNewRepository = ({
  name,
  description,
  retention,
  cleanUp,
  retentionType,
  proxy,
  path,
  objectStorage,
}: NewServerRepository): RawRow => ({
  name,
  description,
  retentionType,
  ...writeRetention(retention),
  ...writeCleanUp(cleanUp),
  proxyId: proxy,
  ...(objectStorage === null
    ? { path }
    : { objectStorageId: objectStorage, objectStorageCachePath: path }),
});

/** Returns the body that changes a repository. */
export function writeChangedRepository(
  raw: RawRow,
  { name, description, retention, cleanUp }: Partial<ServerRepositoryFields>,
): RawRow {
  const before = v.parse(RepositoryShape, raw);
  return {
    ...getRepositorySettings(raw),
    ...(isNew(name, toRepositoryName(before)) && { name }),
    ...(isNew(description, toDescription(before)) && { description }),
    ...(isNew(retention, toRetention(before)) && writeRetention(retention)),
    ...(isNew<CleanUpSchedule | null>(cleanUp, toCleanUp(before)) &&
      cleanUp !== null &&
      writeCleanUp(cleanUp)),
  };
}

const isNew = <T>(wanted: T | undefined, now: T): wanted is T =>
  wanted !== undefined && !isDeepStrictEqual(wanted, now);

function writeRetention(retention: ServerRetention): RawRow {
  switch (retention.unit) {
    case 'days':
      return { retentionPeriodType: 'Daily', dailyRetentionPeriod: retention.count };
    case 'months':
      return { retentionPeriodType: 'Monthly', monthlyRetentionPeriod: retention.count };
    case 'years':
      return { retentionPeriodType: 'Yearly', yearlyRetentionPeriod: retention.policy };
    default:
      return retention satisfies never;
  }
}

const writeCleanUp = (cleanUp: CleanUpSchedule): RawRow =>
  cleanUp.type === 'Daily'
    ? {
        retentionFrequencyType: 'Daily',
        dailyType: cleanUp.day,
        dailyTime: `${cleanUp.time}:00`,
      }
    : {
        retentionFrequencyType: 'Monthly',
        monthlyDaynumber: cleanUp.number,
        monthlyDayofweek: cleanUp.day,
        monthlyTime: `${cleanUp.time}:00`,
      };

/** Returns what a row has of a repository, besides what only the portal knows. */
export const toRepository = (row: Vb365Repository) => ({
  name: toRepositoryName(row),
  description: toDescription(row),
  retentionType: toRetentionType(row),
  retention: toRetention(row),
});
