import type { S3Client } from '@aws-sdk/client-s3';
import type { Reply } from '#contract/engine/engine.ts';
import type { RequestKind, S3Address, S3Keys } from '#contract/engine/repositories.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { done } from '../../result.ts';
import { CONFIG_NAME, type FileType, isFileName } from '../restic/target.ts';
import { makeS3Client, type Sdk } from './s3-connection.ts';
import { toFailure } from './s3-errors.ts';

export interface S3Place extends S3Address, S3Keys {
  /** The folder of the repository in the bucket, without slashes at its ends. */
  readonly folder: string;
  readonly onRequest: (kind: RequestKind) => void;
}

/** The folder of a repository in a bucket: the keys of its files, and requests about them. */
export interface S3Folder extends S3Place {
  /** Where the files of a kind are; for the config, its key. */
  readonly getPrefix: (type: FileType) => string;
  readonly getKey: (type: FileType, name: string) => string;
  /** Returns the name of a file by its key; null: it is no file of this kind. */
  readonly getName: (type: FileType, key: string) => string | null;
  /** What the storage refuses becomes a failure; everything else is a bug, and thrown. */
  readonly attempt: <T>(work: (s3: S3Client, sdk: Sdk) => Reply<T>) => Reply<T>;
  /** Lists the keys below a prefix, page by page. */
  readonly listKeys: (prefix: string, onFile: (key: string, bytes: number) => void) => Reply<void>;
  /** How far the clock of the storage is ahead of the server's; null: it hasn't answered yet. */
  readonly getClockDifference: () => Ms | null;
}

export function openS3Folder(context: AppContext, place: S3Place): S3Folder {
  const { bucket, folder } = place;
  let connected: ReturnType<typeof connect> | null = null;
  let clockDifference: Ms | null = null;
  /** The SDK is loaded when it is needed. */
  async function connect() {
    const sdk = await import('@aws-sdk/client-s3');
    const onTime = (at: Ms): void => {
      clockDifference = at - context.clock.now();
    };
    return { sdk, client: makeS3Client(context, { ...place, onTime }, sdk) };
  }

  const getPrefix: S3Folder['getPrefix'] = (type) =>
    type === 'config' ? `${folder}/${CONFIG_NAME}` : `${folder}/${type}/`;
  const getKey: S3Folder['getKey'] = (type, name) =>
    type === 'config'
      ? getPrefix(type)
      : `${getPrefix(type)}${type === 'data' ? `${name.slice(0, 2)}/` : ''}${name}`;

  const attempt: S3Folder['attempt'] = async (work) => {
    const { client, sdk } = await (connected ??= connect());
    try {
      return await work(client, sdk);
    } catch (error) {
      const failure = toFailure(error, place);
      if (failure === null) throw error;
      return failure;
    }
  };

  return {
    ...place,
    getPrefix,
    getKey,
    getName(type, key) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      return isFileName(type, name) && key === getKey(type, name) ? name : null;
    },
    attempt,
    listKeys: (prefix, onFile) =>
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
      }),
    getClockDifference: () => clockDifference,
  };
}
