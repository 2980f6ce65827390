import type { ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import type { ObjectLockMode } from '#contract/backup/repositories.ts';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { done, ok } from '../../result.ts';
import type { FileType } from '../restic/target.ts';
import type { S3Folder } from './s3-folder.ts';

/** A file of a repository in a bucket with versions, with all that the bucket has of it. */
export interface VersionedFile {
  readonly type: FileType;
  readonly name: string;
  /** Newest first. */
  readonly versions: readonly StoredFileVersion[];
  /** Delete markers: with one on top, the file is hidden. */
  readonly markers: readonly { readonly id: string; readonly isLatest: boolean }[];
}
export interface StoredFileVersion {
  readonly id: string;
  readonly sizeBytes: Bytes;
  readonly etag: string;
  readonly isLatest: boolean;
}

/** The versions of a repository's files, and their locks. */
export interface FileVersionStore {
  list(type: FileType): Reply<VersionedFile[]>;
  read(type: FileType, name: string, version: string): Reply<Uint8Array>;
  /** Deletes a version or a marker permanently. `forbidden` while it is locked. */
  remove(type: FileType, name: string, version: string): Reply<void>;
  /** Returns until when a version is locked; null: it isn't. */
  readLockedUntil(type: FileType, name: string, version: string): Reply<Ms | null>;
  /** Locks a version until later than before. */
  lockUntil(type: FileType, name: string, version: string, until: Ms): Reply<void>;
}

export const LOCK_MODES = { Governance: 'GOVERNANCE', Compliance: 'COMPLIANCE' } as const;

export function makeFileVersions(folder: S3Folder, mode: ObjectLockMode): FileVersionStore {
  const { bucket, attempt, getKey, getName, getPrefix } = folder;
  const getPlace = (type: FileType, name: string, version: string) => ({
    Bucket: bucket,
    Key: getKey(type, name),
    VersionId: version,
  });

  return {
    list: (type) =>
      attempt(async (s3, { ListObjectVersionsCommand }) => {
        const files = new Map<string, { versions: StoredFileVersion[]; markers: Marker[] }>();
        const add = (key: string | undefined) => {
          const name = key === undefined ? null : getName(type, key);
          if (name === null) return null;
          const file = files.get(name) ?? { versions: [], markers: [] };
          files.set(name, file);
          return file;
        };
        let next: { readonly KeyMarker?: string; readonly VersionIdMarker?: string } | null = {};
        while (next !== null) {
          const page: ListObjectVersionsCommandOutput = await s3.send(
            new ListObjectVersionsCommand({ Bucket: bucket, Prefix: getPrefix(type), ...next }),
          );
          for (const { Key, VersionId: id = 'null', Size, ETag, IsLatest } of page.Versions ?? [])
            add(Key)?.versions.push({
              id,
              sizeBytes: Size ?? 0,
              etag: ETag ?? '',
              isLatest: IsLatest === true,
            });
          for (const { Key, VersionId: id = 'null', IsLatest } of page.DeleteMarkers ?? [])
            add(Key)?.markers.push({ id, isLatest: IsLatest === true });
          next =
            page.IsTruncated === true
              ? {
                  ...(page.NextKeyMarker !== undefined && { KeyMarker: page.NextKeyMarker }),
                  ...(page.NextVersionIdMarker !== undefined && {
                    VersionIdMarker: page.NextVersionIdMarker,
                  }),
                }
              : null;
        }
        return ok([...files].map(([name, file]) => ({ type, name, ...file })));
      }),

    read: (type, name, version) =>
      attempt(async (s3, { GetObjectCommand }) => {
        const answer = await s3.send(new GetObjectCommand(getPlace(type, name, version)));
        return ok((await answer.Body?.transformToByteArray()) ?? new Uint8Array());
      }),

    remove: (type, name, version) =>
      attempt(async (s3, { DeleteObjectCommand }) => {
        await s3.send(new DeleteObjectCommand(getPlace(type, name, version)));
        return done;
      }),

    async readLockedUntil(type, name, version) {
      const read = await attempt(async (s3, { GetObjectRetentionCommand }) => {
        const { Retention } = await s3.send(
          new GetObjectRetentionCommand(getPlace(type, name, version)),
        );
        return ok(Retention?.RetainUntilDate?.getTime() ?? null);
      });
      return read.ok || read.error.kind !== 'missing' ? read : ok(null);
    },

    lockUntil: (type, name, version, until): Promise<EngineResult<void>> =>
      attempt(async (s3, { PutObjectRetentionCommand }) => {
        await s3.send(
          new PutObjectRetentionCommand({
            ...getPlace(type, name, version),
            Retention: { Mode: LOCK_MODES[mode], RetainUntilDate: new Date(until) },
          }),
        );
        return done;
      }),
  };
}

interface Marker {
  readonly id: string;
  readonly isLatest: boolean;
}
