import * as v from 'valibot';
import { ATTACHMENT_PROBLEMS } from '../engine/repositories.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyOrganizationId, anyRepositoryId } from '../paging.ts';
import { nameText } from '../text-schema.ts';
import {
  BackupRepositoryRowSchema,
  ObjectLockModeSchema,
  ProxyChoiceSchema,
  S3_FIELDS,
} from './repositories.ts';
import { KEEP, RetentionPolicySchema, RetentionTypeSchema } from './retention.ts';
import { companyRef, CURSOR, idOut, listedIds, listPageSchema } from './suite-schema.ts';
import { storedIdSchema } from '../id-schema.ts';
import type { OrganizationId } from '../ids.ts';

const password = v.pipe(
  v.string(),
  v.minLength(LIMITS.minPasswordCharsWithFactor),
  v.maxLength(LIMITS.secretChars),
);
const note = v.optional(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)), '');

const storageKeys = {
  accessKeyId: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.nameChars)),
  secretAccessKey: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.secretChars)),
};
/** `certificate`: PEM of the one certificate to trust; null: those of public authorities. */
export const S3StorageSchema = v.strictObject({
  ...S3_FIELDS,
  certificate: v.optional(
    v.nullable(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.certificateChars))),
    null,
  ),
  ...storageKeys,
});

/** `objectLock`: no file can be deleted before the restore points that need it have expired. */
const NewS3StorageSchema = v.strictObject({
  ...S3StorageSchema.entries,
  objectLock: v.exactOptional(ObjectLockModeSchema),
});

/**
 * The repository step of the wizards. Without a password the portal makes one and keeps it sealed.
 * `passwordDescription`: a hint that doesn't contain it.
 */
export const repositoryFields = {
  repository: v.optional(nameText()),
  description: note,
  password: v.optional(password),
  repeatPassword: v.optional(password),
  passwordDescription: note,
  retentionType: v.optional(RetentionTypeSchema, 'SnapshotBased'),
  retentionPolicy: RetentionPolicySchema,
  proxy: v.optional(ProxyChoiceSchema, null),
  /** Null: a folder of the server. */
  storage: v.optional(v.nullable(NewS3StorageSchema), null),
};

/**
 * How far the index of a repository is rebuilt from its restore points. `problems`: what is left out or taken over,
 * 100 at most; `at` null: unknown.
 */
const progress = v.object({ done: v.number(), total: v.nullable(v.number()) });
const attachmentOut = v.object({
  isDone: v.boolean(),
  points: progress,
  objects: progress,
  problems: v.array(
    v.object({
      kind: v.picklist(ATTACHMENT_PROBLEMS),
      snapshot: v.string(),
      at: v.nullable(v.number()),
      object: v.nullable(v.string()),
    }),
  ),
  problemCount: v.number(),
});

const locksOut = v.object({
  checkedAt: v.number(),
  lockedUntil: v.nullable(v.number()),
  removedBytes: v.number(),
  tampering: v.nullable(v.object({ at: v.number(), recovered: v.number(), lost: v.number() })),
});

/** What a person asked for. `message`: why it waits. `endedAt` null: it isn't done yet. */
const requestOut = {
  requestedAt: v.number(),
  endedAt: v.nullable(v.number()),
  message: v.nullable(v.string()),
};

/**
 * `usedBytes` and `points`: null if the engine doesn't answer. `damagedItems`: what the last
 * verification found damaged, 100 at most. `storageRequests`: to object storage, in a month.
 * `locks`: null without Object Lock, or if the files weren't looked at yet; `removedBytes`: waits until
 * its lock ends; `tampering`: files that somebody else had deleted or overwritten. `attachment`: null if it
 * was not attached.
 */
const repositoryOut = v.object({
  _id: v.string(),
  ...v.omit(BackupRepositoryRowSchema, ['company', 'removedAt', 'organization']).entries,
  repository: v.string(),
  organizationId: storedIdSchema<OrganizationId>(),
  organizationName: v.string(),
  companyId: v.string(),
  companyN: v.number(),
  jobs: v.number(),
  usedBytes: v.nullable(v.number()),
  points: v.nullable(v.number()),
  damagedItems: v.array(v.object({ object: v.string(), title: v.string(), at: v.number() })),
  storageRequests: v.nullable(
    v.object({ month: v.string(), write: v.number(), read: v.number(), delete: v.number() }),
  ),
  locks: v.nullable(locksOut),
  attachment: v.nullable(attachmentOut),
  cleanUpRequest: v.nullable(
    v.object({ ...requestOut, removedPoints: v.number(), freedBytes: v.number() }),
  ),
  verificationRequest: v.nullable(
    v.object({ ...requestOut, parts: progress, damaged: v.number() }),
  ),
});

const gate = 'o365.repositories';

export const backupRepositoryCalls = {
  listBackupRepositories: call({
    method: 'GET',
    path: 'o365/repositories',
    summary: 'Lists the repositories by name.',
    input: v.strictObject({
      organizationId: v.optional(anyOrganizationId),
      repositoryId: v.optional(anyRepositoryId),
      companyId: v.optional(companyRef),
      ...CURSOR,
    }),
    output: listPageSchema(repositoryOut),
    gate,
    failures: [],
  }),
  createBackupRepository: call({
    method: 'POST',
    path: 'o365/repositories',
    summary: 'Creates a repository for an organization.',
    input: v.strictObject({ organizationId: anyOrganizationId, ...repositoryFields }),
    output: idOut,
    isSlow: true,
    gate,
    failures: ['bad-input', 'not-found', 'conflict', 'busy', 'key-reused', 'out-of-order'],
  }),
  updateBackupRepository: call({
    method: 'PATCH',
    path: 'o365/repositories/{id}',
    summary:
      'Changes a repository. A shorter retention applies after seven days, and needs a recent sign-in. `deletesAt` null: it isn’t deleted after all.',
    input: v.strictObject({
      id: anyRepositoryId,
      ...v.partial(
        v.strictObject({
          repository: nameText(),
          description: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)),
          password,
          repeatPassword: password,
          passwordDescription: v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.subjectChars)),
          retentionPolicy: RetentionPolicySchema,
          proxy: ProxyChoiceSchema,
          deletesAt: v.null(),
          storageKeys: v.strictObject(storageKeys),
        }),
      ).entries,
    }),
    output: v.object({}),
    isSlow: true,
    gate,
    failures: [
      'bad-input',
      'not-found',
      'conflict',
      'busy',
      'reauth_required',
      'key-reused',
      'out-of-order',
    ],
  }),
  deleteBackupRepository: call({
    method: 'DELETE',
    path: 'o365/repositories/{id}',
    summary:
      'Deletes a repository after seven days, unless a job uses it. One of a Veeam server is removed there immediately; the server keeps its files. All administrators are notified.',
    input: v.strictObject({ id: anyRepositoryId }),
    output: v.object({ deletesAt: v.number() }),
    isSlow: true,
    gate,
    failures: ['not-found', 'conflict', 'forbidden', 'busy', 'key-reused', 'out-of-order'],
  }),
  attachBackupRepository: call({
    method: 'POST',
    path: 'o365/repositories/{id}/attach',
    summary:
      'Attaches a repository that has backups of the organization, such as one from another server. Its restore points appear when its index is rebuilt. It keeps all of them until a shorter retention applies after seven days.',
    input: v.strictObject({
      id: anyRepositoryId,
      organizationId: anyOrganizationId,
      password: v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.secretChars)),
      repository: v.optional(nameText()),
      retentionType: v.optional(RetentionTypeSchema, 'SnapshotBased'),
      retentionPolicy: v.optional(RetentionPolicySchema, KEEP),
      storage: v.optional(v.nullable(S3StorageSchema), null),
    }),
    output: idOut,
    isSlow: true,
    gate,
    failures: [
      'bad-input',
      'not-found',
      'conflict',
      'forbidden',
      'busy',
      'key-reused',
      'out-of-order',
    ],
  }),
  cleanUpRepository: call({
    method: 'POST',
    path: 'o365/repositories/{id}/clean-up',
    summary:
      'Cleans up a repository now: removes what the retention no longer keeps. `cleanUpRequest` of the repository has the result.',
    input: v.strictObject({ id: anyRepositoryId }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict', 'busy', 'key-reused', 'out-of-order'],
  }),
  verifyRepository: call({
    method: 'POST',
    path: 'o365/repositories/{id}/verify',
    summary:
      'Reads and checks all data of a repository now. `verificationRequest` of the repository has the result.',
    input: v.strictObject({ id: anyRepositoryId }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'conflict', 'busy', 'key-reused', 'out-of-order'],
  }),
  listAllRepositories: call({
    method: 'POST',
    path: 'o365/repositories/all',
    summary: 'Lists the repositories of several organizations.',
    input: v.strictObject({ organizationsIds: listedIds }),
    output: listPageSchema(repositoryOut),
    gate,
    failures: ['bad-input'],
  }),
} as const;
