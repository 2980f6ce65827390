import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { Ms } from '#contract/ids.ts';
import { cleanUp } from '#server/engine/embedded/repositories/clean-up-job.ts';
import {
  createRepository,
  findStoredRepository,
  openStoredRepository,
} from '#server/engine/embedded/repositories/repositories.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { MemoryObject } from '../memory-source.ts';
import { getValue, makeFolder, PASSWORD } from '../restic/fixtures.ts';
import { backUp, makeSessionBench, type SessionBench, withoutWaits } from '../session-bench.ts';
import { BUCKET, KEY_ID, REGION, SECRET, type S3StandIn, startS3 } from './stand-in.ts';
import { makeVersionedBucket, type Version, type VersionedBucket } from './versioned.ts';

export interface LockedBench {
  readonly bench: SessionBench;
  readonly context: AppContext;
  readonly s3: S3StandIn;
  readonly bucket: VersionedBucket;
  /** Makes a restore point. */
  backUp(job: string): Promise<string>;
  /** Runs the daily work if something has asked for it. */
  cleanUpIfDue(): Promise<void>;
  /** Runs the daily work. */
  cleanUp(): Promise<Ms | null>;
}

/** The bench of sessions with its repository in a bucket with Object Lock, on the same clock. */
export async function makeLockedBench(
  store: Store,
  objects: MemoryObject[],
  retention: Partial<Pick<BackupRepositoryRow, 'retentionType' | 'retentionPolicy'>> = {},
): Promise<LockedBench> {
  const bucket = makeVersionedBucket();
  const s3 = await startS3(bucket);
  const bench = await makeSessionBench(store, objects);
  // What is in the bucket is read by the tests.
  bench.isReadable = false;
  const { tenant, repository, organization, ground: fixture } = bench;
  s3.now = () => fixture.context.clock.now();
  const still = withoutWaits(bench);
  const outbound = { allow: ['127.0.0.0/8'], http: true, push: [] };
  const context: AppContext = { ...still, config: { ...still.config, outbound } };
  const place = { endpoint: s3.url, region: REGION, bucket: BUCKET, prefix: '' };
  getValue(
    await createRepository(
      context,
      { tenant, organization, user: null },
      {
        repository,
        password: PASSWORD,
        passwordHint: null,
        storage: { ...place, certificate: null, accessKeyId: KEY_ID, secretAccessKey: SECRET },
        objectLock: { mode: 'Compliance', lockedUntil: s3.now() + 376 * 86_400_000 },
      },
    ),
  );
  await bench.append({
    type: 'backuprepository.created@1',
    data: {
      id: repository,
      company: 1,
      organization,
      target: { type: 'S3', ...place, objectLock: 'Compliance' },
      name: 'Saltmarsh',
      description: '',
      passwordDescription: '',
      retentionType: 'SnapshotBased',
      retentionPolicy: 'Year1',
      shortened: null,
      proxy: null,
      deletesAt: null,
      ...retention,
    },
  });
  const runCleanUp = () =>
    cleanUp(context, (owner, id) => findStoredRepository(context, owner, id))({
      tenant,
      payload: { repository },
      now: s3.now(),
      signal: new AbortController().signal,
    });
  return {
    bench,
    context,
    s3,
    bucket,
    backUp: (job) =>
      backUp(bench, job, async () =>
        getValue(await openStoredRepository(context, tenant, repository)),
      ),
    cleanUp: runCleanUp,
    async cleanUpIfDue() {
      const { numDeletedRows } = await context.store.tenant(tenant, ({ sql }) =>
        sql
          .deleteFrom('background_job')
          .where('type', '=', 'repository-clean-up')
          .where('key', '=', repository)
          .where('due_at', '<=', s3.now())
          .executeTakeFirst(),
      );
      if (numDeletedRows > 0n) await runCleanUp();
    },
  };
}

/** What an attacker with all keys can't delete until a moment, as a folder that restic opens. */
export const writeSurvivors = (locked: LockedBench, at: Ms): string =>
  writeFolder(locked, ({ lock }) => (lock?.until ?? 0) > at);

/** What is in the bucket, as a folder that restic opens. */
export const writeBucket = (locked: LockedBench): string => writeFolder(locked, () => true);

function writeFolder(
  { bucket, bench }: LockedBench,
  isIncluded: (one: Version) => boolean,
): string {
  const folder = makeFolder();
  for (const name of ['data', 'index', 'keys', 'snapshots', 'locks'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const [key, [newest]] of bucket.versions) {
    if (newest?.bytes == null || !isIncluded(newest)) continue;
    const path = join(folder, key.slice(bench.repository.length + 1));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, newest.bytes);
  }
  return folder;
}
