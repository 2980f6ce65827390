import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { BackupRepositoryId, OrganizationId } from '../ids.ts';
import type { RowOf } from '../row.ts';
import { nameText } from '../text-schema.ts';
import { RetentionPolicySchema, RetentionTypeSchema } from './retention.ts';
import { ShortPeriodSchema } from './server-repositories.ts';
import { schemaMessages } from '../schemas.messages.en.ts';

const id = uuidSchema<BackupRepositoryId>();
const proxyId = v.pipe(v.string(), v.uuid());
const companyN = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/**
 * A bucket of S3-compatible storage. A repository is in a folder of it that is named after its id,
 * below `prefix` if there is one.
 */
export const S3_FIELDS = {
  /** Its address, without a path. */
  endpoint: v.pipe(
    v.string(),
    v.trim(),
    v.url(),
    v.maxLength(LIMITS.addressChars),
    v.regex(/^https?:\/\/[^/?#@]+\/?$/, () => schemaMessages.storageAddress),
  ),
  region: v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^[a-z\d-]{1,40}$/, () => schemaMessages.region),
  ),
  bucket: v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, () => schemaMessages.bucket),
  ),
  prefix: v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^(?:(?!\.{1,2}(?:\/|$))[\w.-]{1,60}(?:\/(?!$)|$)){0,5}$/, () => schemaMessages.prefix),
  ),
};

/**
 * Where a repository stores its data. The server chooses the path of a folder. `Server`: another
 * server has the repository, and manages it itself.
 */
const folder = v.strictObject({ type: v.literal('Folder') });
const server = v.strictObject({ type: v.literal('Server') });

/**
 * S3 Object Lock: no file can be deleted before the restore points that need it have expired. With
 * `Compliance`, nobody can; with `Governance`, an administrator of the storage with a special permission.
 */
export const OBJECT_LOCK_MODES = ['Governance', 'Compliance'] as const;
export type ObjectLockMode = (typeof OBJECT_LOCK_MODES)[number];
export const ObjectLockModeSchema = v.picklist(OBJECT_LOCK_MODES);

const target = v.variant('type', [
  folder,
  v.strictObject({
    type: v.literal('S3'),
    ...S3_FIELDS,
    objectLock: v.exactOptional(ObjectLockModeSchema),
  }),
  server,
]);
export type StorageTarget = v.InferOutput<typeof target>;
/** Returns how a repository is locked; null: its files can be deleted at any time. */
export const getObjectLock = (place: StorageTarget): ObjectLockMode | null =>
  place.type === 'S3' ? (place.objectLock ?? null) : null;
export const FOLDER: StorageTarget = { type: folder.entries.type.literal };
export const OTHER_SERVER: StorageTarget = { type: server.entries.type.literal };

/** Which proxies work for a repository: one, those of a pool, or any (null). */
export const ProxyChoiceSchema = v.nullable(
  v.variant('kind', [
    v.strictObject({ kind: v.literal('proxy'), id: proxyId }),
    v.strictObject({ kind: v.literal('pool'), id: nameText() }),
  ]),
);
export type ProxyChoice = v.InferOutput<typeof ProxyChoiceSchema>;

/**
 * `passwordDescription`: the hint to its password. `shortened`: a shorter retention that applies
 * later. `deletesAt`: when the repository will be deleted; null if it won't. `period`: the exact period
 * of a repository of another server that keeps backups for days or months.
 */
const period = v.exactOptional(v.nullable(ShortPeriodSchema));
const FIELDS = {
  name: nameText(),
  description: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)),
  passwordDescription: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)),
  retentionPolicy: RetentionPolicySchema,
  period,
  shortened: v.nullable(
    v.strictObject({ retentionPolicy: RetentionPolicySchema, period, appliesAt: count }),
  ),
  proxy: ProxyChoiceSchema,
  deletesAt: v.nullable(count),
};

export const backupRepositoryCreated = v.strictObject({
  type: v.literal('backuprepository.created@1'),
  data: v.strictObject({
    id,
    company: companyN,
    organization: uuidSchema<OrganizationId>(),
    target,
    retentionType: RetentionTypeSchema,
    ...FIELDS,
  }),
});

/** All settings of a repository, valid from this event on. */
export const backupRepositoryUpdated = v.strictObject({
  type: v.literal('backuprepository.updated@1'),
  data: v.strictObject({ id, ...FIELDS }),
});

/**
 * All data was read and checked, or with `partial` a part of it in which the damage changed.
 * `damaged`: items that lost something.
 */
export const backupRepositoryVerified = v.strictObject({
  type: v.literal('backuprepository.verified@1'),
  data: v.strictObject({ id, damaged: count, partial: v.exactOptional(v.literal(true)) }),
});

/** A clean-up removed what is no longer retained. */
export const backupRepositoryCleaned = v.strictObject({
  type: v.literal('backuprepository.cleaned@1'),
  data: v.strictObject({ id, removedPoints: count, freedBytes: count }),
});

/**
 * Files that somebody else had deleted or overwritten in the bucket: how many came back, and how many
 * are lost.
 */
export const backupRepositoryTampered = v.strictObject({
  type: v.literal('backuprepository.tampered@1'),
  data: v.strictObject({ id, recovered: count, lost: count }),
});

export const backupRepositoryDeleted = v.strictObject({
  type: v.literal('backuprepository.deleted@1'),
  data: v.strictObject({ id }),
});

export const BackupRepositoryRowSchema = v.object({
  id: storedIdSchema<BackupRepositoryId>(),
  company: v.number(),
  organization: storedIdSchema<OrganizationId>(),
  target,
  retentionType: RetentionTypeSchema,
  ...FIELDS,
  verifiedAt: v.nullable(v.number()),
  damaged: v.number(),
  cleanedAt: v.nullable(v.number()),
  createdAt: v.number(),
  updatedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type BackupRepositoryRow = RowOf<typeof BackupRepositoryRowSchema>;

const PROXY_FIELDS = {
  name: nameText(),
  pool: v.nullable(nameText()),
  /** No new work while it is on. */
  maintenance: v.boolean(),
};

/** A proxy: a process that works for repositories. */
export const backupProxyJoined = v.strictObject({
  type: v.literal('backupproxy.joined@1'),
  data: v.strictObject({ id: proxyId, hostName: nameText(), version: nameText(), ...PROXY_FIELDS }),
});

/** `hostName` and `version` are there when they changed. */
export const backupProxyUpdated = v.strictObject({
  type: v.literal('backupproxy.updated@1'),
  data: v.strictObject({
    id: proxyId,
    ...PROXY_FIELDS,
    hostName: v.exactOptional(nameText()),
    version: v.exactOptional(nameText()),
  }),
});

export const backupProxyLeft = v.strictObject({
  type: v.literal('backupproxy.left@1'),
  data: v.strictObject({ id: proxyId }),
});

export const BackupProxyRowSchema = v.object({
  id: v.string(),
  hostName: v.string(),
  version: v.string(),
  name: v.string(),
  pool: v.nullable(v.string()),
  maintenance: v.boolean(),
  joinedAt: v.number(),
  updatedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type BackupProxyRow = RowOf<typeof BackupProxyRowSchema>;
