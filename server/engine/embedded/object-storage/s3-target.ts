import { createHash } from 'node:crypto';
import type { ObjectLockMode } from '#contract/backup/repositories.ts';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { done, failed, ok } from '../../result.ts';
import { LOCK_MODES } from './file-versions.ts';
import { objectStorageMessages as t } from './messages.en.ts';
import { openS3Folder, type S3Folder, type S3Place } from './s3-folder.ts';
import { FILE_TYPES, invalidName, isFileName } from '../restic/target.ts';
import type { FileType, RepositoryTarget, StoredFile } from '../restic/target.ts';

/** Files of a repository can't be deleted before a day (S3 Object Lock), except its lock files. */
export interface WriteLock {
  readonly mode: ObjectLockMode;
  /** Until when what is written now is locked. */
  readonly getLockedUntil: (now: Ms) => Ms;
  /** Notes that a file is going to be removed, so that somebody else's deletions are recognized. */
  readonly noteRemoval: (type: FileType, name: string) => Reply<void>;
}

const REMOVALS_AT_ONCE = 8;
/** With a clock that is wrong by more, files would be locked for too short or too long a time. */
const MAX_CLOCK_DIFFERENCE_MS: Ms = 24 * 60 * 60_000;

/**
 * A repository in a bucket of S3-compatible storage, in restic's default layout. A file is one
 * object, written by one request: packs are far below the 5 GB that a request may carry, and an
 * object is there whole or not at all. With a lock, the bucket has versions: a removed file is
 * hidden at once, and its versions are deleted when their lock ends (OBJ-8).
 */
export const makeS3Target = (context: AppContext, place: S3Place): RepositoryTarget =>
  makeLockedTarget(context, openS3Folder(context, place), null);

/** The same with a lock; null: without one. */
export function makeLockedTarget(
  context: AppContext,
  folder: S3Folder,
  lock: WriteLock | null,
): RepositoryTarget {
  const { bucket, getKey, getName, getPrefix, attempt, listKeys } = folder;

  const removeKey = (key: string): Promise<EngineResult<void>> =>
    attempt(async (s3, { DeleteObjectCommand }) => {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      return done;
    });

  return {
    /** Buckets have no folders. That the bucket answers is found out before anything is written. */
    prepare: () =>
      attempt(async (s3, { ListObjectsV2Command }) => {
        await s3.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: `${folder.folder}/`, MaxKeys: 1 }),
        );
        return done;
      }),

    async write(type, name, bytes) {
      if (!isFileName(type, name)) return invalidName(type);
      if (lock !== null && type !== 'locks' && isClockWrong(folder)) return clocksDiffer(folder);
      return attempt(async (s3, { PutObjectCommand }) => {
        await s3.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: getKey(type, name),
            Body: bytes,
            ContentLength: bytes.length,
            // Required with a lock.
            ContentMD5: createHash('md5').update(bytes).digest('base64'),
            ...(lock !== null && type !== 'locks' && getLockHeaders(lock, context.clock.now())),
          }),
        );
        return done;
      });
    },

    async read(type, name, from = 0, to) {
      if (!isFileName(type, name)) return invalidName(type);
      if (to !== undefined && to <= from) return ok(new Uint8Array());
      return attempt(async (s3, { GetObjectCommand }) => {
        const answer = await s3.send(
          new GetObjectCommand({
            Bucket: bucket,
            Key: getKey(type, name),
            ...((from > 0 || to !== undefined) && {
              Range: `bytes=${from}-${to === undefined ? '' : to - 1}`,
            }),
          }),
        );
        const bytes = (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
        return to !== undefined && bytes.length !== to - from
          ? failed(
              'damaged',
              t.tooShort({ file: `${type}/${name}`, at: from + bytes.length, before: to }),
            )
          : ok(bytes);
      });
    },

    async list(type) {
      const files: StoredFile[] = [];
      const listed = await listKeys(getPrefix(type), (key, sizeBytes) => {
        const name = getName(type, key);
        if (name !== null) files.push({ name, sizeBytes });
      });
      return listed.ok ? ok(files) : listed;
    },

    async remove(type, name) {
      if (!isFileName(type, name)) return invalidName(type);
      const noted = type === 'locks' ? done : ((await lock?.noteRemoval(type, name)) ?? done);
      return noted.ok ? removeKey(getKey(type, name)) : noted;
    },

    /** An interrupted request leaves nothing. */
    removeUnfinished: () => Promise.resolve(done),

    async destroy() {
      for (const type of FILE_TYPES.toSorted((a, b) => +(a === 'config') - +(b === 'config'))) {
        const keys: string[] = [];
        const listed = await listKeys(getPrefix(type), (key) => keys.push(key));
        if (!listed.ok) return listed;
        for (let at = 0; at < keys.length; at += REMOVALS_AT_ONCE) {
          const removals = await Promise.all(keys.slice(at, at + REMOVALS_AT_ONCE).map(removeKey));
          const refused = removals.find(({ ok: isRemoved }) => !isRemoved);
          if (refused !== undefined) return refused;
        }
      }
      return done;
    },
  };
}

const getLockHeaders = ({ mode, getLockedUntil }: WriteLock, now: Ms) => ({
  ObjectLockMode: LOCK_MODES[mode],
  ObjectLockRetainUntilDate: new Date(getLockedUntil(now)),
});

export const isClockWrong = ({ getClockDifference }: S3Folder): boolean =>
  Math.abs(getClockDifference() ?? 0) > MAX_CLOCK_DIFFERENCE_MS;
export const clocksDiffer = ({ endpoint }: S3Folder) =>
  failed('invalid', t.clocksDiffer({ host: new URL(endpoint).host }));
