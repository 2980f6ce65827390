import { hash } from 'node:crypto';
import type { ObjectLockMode } from '#contract/backup/repositories.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { CONFIG_NAME } from '../restic/target.ts';
import { type FileVersionStore, LOCK_MODES } from './file-versions.ts';
import { objectStorageMessages as t } from './messages.en.ts';
import type { S3Folder } from './s3-folder.ts';
import { clocksDiffer, isClockWrong } from './s3-target.ts';

const PROBE_MS: Ms = 60_000;

/**
 * Checks that a bucket locks files and that the access key may do what locked files need: with a
 * file in `locks/` that is locked for about a minute, and that a clean-up removes later. Fails with a
 * sentence that names what is missing.
 */
export async function checkObjectLock(
  { clock, chance }: Pick<AppContext, 'clock' | 'chance'>,
  folder: S3Folder,
  versions: FileVersionStore,
  mode: keyof typeof LOCK_MODES,
): Promise<EngineResult<void>> {
  const { bucket } = folder;
  const host = new URL(folder.endpoint).host;
  const need = async <T>(
    permission: string,
    work: Promise<EngineResult<T>>,
  ): Promise<EngineResult<T>> => {
    const answer = await work;
    return !answer.ok && answer.error.kind === 'forbidden'
      ? failed('invalid', t.permissionMissing({ permission, bucket }))
      : answer;
  };

  const isVersioned = await need(
    's3:GetBucketVersioning',
    folder.attempt(async (s3, { GetBucketVersioningCommand }) =>
      ok((await s3.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status === 'Enabled'),
    ),
  );
  if (!isVersioned.ok) return isVersioned;
  if (isClockWrong(folder)) return clocksDiffer(folder);
  if (!isVersioned.value) return failed('invalid', t.noVersioning({ bucket }));
  const configuration = await need(
    's3:GetBucketObjectLockConfiguration',
    folder.attempt(async (s3, { GetObjectLockConfigurationCommand }) =>
      ok(
        (await s3.send(new GetObjectLockConfigurationCommand({ Bucket: bucket })))
          .ObjectLockConfiguration ?? null,
      ),
    ),
  );
  if (!configuration.ok)
    return configuration.error.kind === 'missing'
      ? failed('invalid', t.noObjectLock({ bucket }))
      : configuration;
  if (configuration.value?.ObjectLockEnabled !== 'Enabled')
    return failed('invalid', t.noObjectLock({ bucket }));
  if (configuration.value.Rule?.DefaultRetention !== undefined)
    return failed('invalid', t.defaultRetention({ bucket }));
  return probe();

  async function probe(): Promise<EngineResult<void>> {
    const bytes = chance.bytes(32);
    const name = hash('sha256', bytes);
    const now = clock.now() + (folder.getClockDifference() ?? 0);
    const write = (until: Ms | null): Promise<EngineResult<string>> =>
      folder.attempt(async (s3, { PutObjectCommand }) => {
        const { VersionId = 'null' } = await s3.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: folder.getKey('locks', name),
            Body: bytes,
            ContentLength: bytes.length,
            ContentMD5: hash('md5', bytes, 'base64'),
            ...(until !== null && {
              ObjectLockMode: LOCK_MODES[mode],
              ObjectLockRetainUntilDate: new Date(until),
            }),
          }),
        );
        return ok(VersionId);
      });
    const plain = await need('s3:PutObject', write(null));
    if (!plain.ok) return plain;
    const removed = await need(
      's3:DeleteObjectVersion',
      versions.remove('locks', name, plain.value),
    );
    if (!removed.ok) return removed;
    const listed = await need('s3:ListBucketVersions', versions.list('locks'));
    if (!listed.ok) return listed;

    const locked = await need('s3:PutObjectRetention', write(now + PROBE_MS));
    if (!locked.ok) return locked;
    const tested = await test(name, locked.value, now);
    // Hides it, so that restic doesn't take it for somebody's lock.
    const hidden = await need(
      's3:DeleteObject',
      folder.attempt<void>(async (s3, { DeleteObjectCommand }) => {
        await s3.send(
          new DeleteObjectCommand({ Bucket: bucket, Key: folder.getKey('locks', name) }),
        );
        return done;
      }),
    );
    return tested.ok ? hidden : tested;
  }

  async function test(name: string, version: string, now: Ms): Promise<EngineResult<void>> {
    const extended = await need(
      's3:PutObjectRetention',
      versions.lockUntil('locks', name, version, now + 2 * PROBE_MS),
    );
    if (!extended.ok) return extended;
    const until = await need(
      's3:GetObjectRetention',
      versions.readLockedUntil('locks', name, version),
    );
    if (!until.ok) return until;
    if (until.value === null) return lockIgnored();
    const removed = await versions.remove('locks', name, version);
    if (removed.ok) return lockIgnored();
    return removed.error.kind === 'forbidden' || removed.error.kind === 'invalid' ? done : removed;
  }
  function lockIgnored(): Failed {
    return failed('invalid', t.lockIgnored({ host }));
  }
}

/** Returns how the files of an existing repository are locked, read from its config file; null: they aren't. */
export async function readLockMode(folder: S3Folder): Promise<ObjectLockMode | null> {
  const read = await folder.attempt(async (s3, { GetObjectRetentionCommand }) => {
    const { Retention } = await s3.send(
      new GetObjectRetentionCommand({
        Bucket: folder.bucket,
        Key: folder.getKey('config', CONFIG_NAME),
      }),
    );
    return ok(Retention?.Mode ?? null);
  });
  // Storage without Object Lock, and a key without the permission, refuse it in many ways.
  const wanted = read.ok ? read.value : null;
  return MODES.find((mode) => LOCK_MODES[mode] === wanted) ?? null;
}
const MODES = Object.keys(LOCK_MODES) as ObjectLockMode[];
