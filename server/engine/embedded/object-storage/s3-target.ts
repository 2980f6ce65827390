import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import type { EngineErrorKind, EngineResult } from '#contract/engine/engine.ts';
import type { RequestKind, S3Address, S3Keys } from '#contract/engine/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { objectStorageMessages as t } from './messages.en.ts';
import { makeS3Client, type Sdk } from './s3-connection.ts';
import { CONFIG_NAME, FILE_TYPES, invalidName, isFileName } from '../restic/target.ts';
import type { FileType, RepositoryTarget, StoredFile } from '../restic/target.ts';

export interface S3Place extends S3Address, S3Keys {
  /** The folder of the repository in the bucket, without slashes at its ends. */
  readonly folder: string;
  readonly onRequest: (kind: RequestKind) => void;
}

const REMOVALS_AT_ONCE = 8;

/**
 * A repository in a bucket of S3-compatible storage, in restic's default layout. A file is one
 * object, written by one request: packs are far below the 5 GB that a request may carry, and an
 * object is there whole or not at all.
 */
export function makeS3Target(context: AppContext, place: S3Place): RepositoryTarget {
  const { bucket, folder } = place;
  const prefixFor = (type: FileType): string =>
    type === 'config' ? `${folder}/${CONFIG_NAME}` : `${folder}/${type}/`;
  const keyFor = (type: FileType, name: string): string =>
    type === 'config'
      ? prefixFor(type)
      : `${prefixFor(type)}${type === 'data' ? `${name.slice(0, 2)}/` : ''}${name}`;

  /** What the storage refuses becomes a failure; everything else is a bug, and thrown. */
  async function attempt<T>(
    work: (s3: S3Client, sdk: Sdk) => Promise<EngineResult<T>>,
  ): Promise<EngineResult<T>> {
    const { client, sdk } = await (connected ??= connect());
    try {
      return await work(client, sdk);
    } catch (error) {
      const failure = toFailure(error, place);
      if (failure === null) throw error;
      return failure;
    }
  }
  let connected: ReturnType<typeof connect> | null = null;
  /** The SDK is loaded when it is needed. */
  async function connect() {
    const sdk = await import('@aws-sdk/client-s3');
    return { sdk, client: makeS3Client(context, place, sdk) };
  }

  const listKeys = (prefix: string, onFile: (key: string, bytes: number) => void) =>
    attempt<void>(async (s3, { ListObjectsV2Command }) => {
      let token: string | undefined;
      do {
        const page = await s3.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix,
            ...(token !== undefined && { ContinuationToken: token }),
          }),
        );
        for (const { Key: key, Size: bytes } of page.Contents ?? [])
          if (key !== undefined) onFile(key, bytes ?? 0);
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
      return done;
    });

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
          new ListObjectsV2Command({ Bucket: bucket, Prefix: `${folder}/`, MaxKeys: 1 }),
        );
        return done;
      }),

    async write(type, name, bytes) {
      if (!isFileName(type, name)) return invalidName(type);
      return attempt(async (s3, { PutObjectCommand }) => {
        await s3.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: keyFor(type, name),
            Body: bytes,
            ContentLength: bytes.length,
            ContentMD5: createHash('md5').update(bytes).digest('base64'),
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
            Key: keyFor(type, name),
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
      const prefix = prefixFor(type);
      const listed = await listKeys(prefix, (key, sizeBytes) => {
        const name = key.slice(key.lastIndexOf('/') + 1);
        if (isFileName(type, name) && key === keyFor(type, name)) files.push({ name, sizeBytes });
      });
      return listed.ok ? ok(files) : listed;
    },

    async remove(type, name) {
      return isFileName(type, name) ? removeKey(keyFor(type, name)) : invalidName(type);
    },

    /** An interrupted request leaves nothing. */
    removeUnfinished: () => Promise.resolve(done),

    async destroy() {
      for (const type of FILE_TYPES.toSorted((a, b) => +(a === 'config') - +(b === 'config'))) {
        const keys: string[] = [];
        const listed = await listKeys(prefixFor(type), (key) => keys.push(key));
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

/** Returns what an error of the storage means; null: it isn't one. */
function toFailure(error: unknown, { bucket, endpoint }: S3Address): Failed | null {
  const host = new URL(endpoint).host;
  if (error instanceof OutboundError)
    return failed(error.kind === 'refused' ? 'invalid' : 'unreachable', error.message);
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  const { httpStatusCode: status = 0 } = error.$metadata as { readonly httpStatusCode?: number };
  const kind = KINDS[error.name] ?? getKindOfStatus(status);
  return failed(kind, describe(kind, { bucket, host, code: error.name }));
}

/** Error codes of the S3 API and of MinIO. */
const KINDS: Readonly<Record<string, EngineErrorKind>> = {
  NoSuchKey: 'missing',
  NoSuchBucket: 'invalid',
  InvalidRange: 'damaged',
  InvalidAccessKeyId: 'refused',
  SignatureDoesNotMatch: 'refused',
  RequestTimeTooSkewed: 'refused',
  AccessDenied: 'forbidden',
  AllAccessDisabled: 'forbidden',
  PermanentRedirect: 'invalid',
  AuthorizationHeaderMalformed: 'invalid',
  IllegalLocationConstraintException: 'invalid',
  SlowDown: 'busy',
  ServiceUnavailable: 'busy',
  QuotaExceeded: 'busy',
  XMinioStorageFull: 'busy',
};

function getKindOfStatus(status: number): EngineErrorKind {
  if (status === 404) return 'missing';
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 416) return 'damaged';
  if (status === 429 || status === 503 || status === 507) return 'busy';
  return status >= 500 || status === 0 ? 'unreachable' : 'invalid';
}

function describe(
  kind: EngineErrorKind,
  at: { readonly bucket: string; readonly host: string; readonly code: string },
): string {
  switch (kind) {
    case 'missing':
      return t.fileMissing(at);
    case 'damaged':
      return t.rangeMissing(at);
    case 'refused':
      return t.keysRefused(at);
    case 'forbidden':
      return t.notAllowed(at);
    case 'busy':
      return t.busy(at);
    case 'invalid':
      return at.code === 'NoSuchBucket' ? t.noBucket(at) : t.notAccepted(at);
    default:
      return t.unreachable(at);
  }
}
