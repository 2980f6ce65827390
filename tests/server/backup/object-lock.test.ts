import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { beginAttaching } from '#server/features/backup/attach-command.ts';
import { allJobs } from '#server/jobs.ts';
import { makeJobRunner } from '#server/platform/jobs/runner.ts';
import { anyDatabase, freshStore } from '../db/databases.ts';
import { BUCKET, KEY_ID, REGION, SECRET, startS3 } from '../engine/s3/stand-in.ts';
import { makeVersionedBucket } from '../engine/s3/versioned.ts';
import { makeFixture } from '../http/fixtures.ts';
import { connect, create, makeTenant } from './connected.ts';
import { job, repository } from './fixtures.ts';

const DAY = 86_400_000;
type Row = OutputOf<'listBackupRepositories'>['rows'][number];

anyDatabase((kind) => {
  test(`OBJ-6, OBJ-7: a repository is locked if its bucket and key can do it, and shows until when (${kind})`, async () => {
    const bucket = makeVersionedBucket();
    const s3 = await startS3(bucket);
    const outbound = { allow: ['127.0.0.0/8'], http: true, push: [] };
    const fixture = await makeFixture({ outbound }, await freshStore(kind));
    s3.now = () => fixture.context.clock.now();
    const { admin, organization } = await connect(fixture, makeTenant(fixture, 3));
    const storage = {
      endpoint: s3.url,
      region: REGION,
      bucket: BUCKET,
      prefix: '',
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
      objectLock: 'Compliance',
    };
    const offer = async (more: object = {}): Promise<unknown> => {
      const { status, body } = await admin(
        'POST',
        'o365/repositories',
        repository(organization, { storage, retentionPolicy: 'Year1', ...more }),
      );
      return [status, body.message];
    };

    const host = new URL(s3.url).host;
    expect(await offer({ retentionPolicy: 'Keep' })).toEqual([
      400,
      "A repository with Object Lock can't keep backups forever. Choose a period.",
    ]);
    bucket.hasVersions = false;
    bucket.hasLock = false;
    expect(await offer()).toEqual([
      400,
      `The bucket ${BUCKET} has no versioning, which Object Lock needs. Create a bucket with Object Lock turned on.`,
    ]);
    bucket.hasVersions = true;
    expect(await offer()).toEqual([400, `Object Lock is not turned on for the bucket ${BUCKET}.`]);
    bucket.hasLock = true;
    bucket.defaultDays = 30;
    expect(await offer()).toMatchObject([400, expect.stringContaining('has a default retention')]);
    bucket.defaultDays = null;
    bucket.ignoresLocks = true;
    expect(await offer()).toEqual([
      400,
      `${host} deleted a locked file, so its Object Lock protects nothing.`,
    ]);
    bucket.ignoresLocks = false;
    for (const permission of [
      's3:GetBucketVersioning',
      's3:GetBucketObjectLockConfiguration',
      's3:ListBucketVersions',
      's3:PutObject',
      's3:PutObjectRetention',
      's3:GetObjectRetention',
      's3:DeleteObject',
      's3:DeleteObjectVersion',
    ]) {
      bucket.denied.add(permission);
      expect(await offer()).toEqual([
        400,
        `This access key lacks the permission ${permission} for the bucket ${BUCKET}.`,
      ]);
      bucket.denied.clear();
    }
    const present = s3.now;
    s3.now = () => present() + 2 * DAY;
    expect(await offer()).toMatchObject([
      400,
      expect.stringContaining('differ by more than a day'),
    ]);
    s3.now = present;
    // Nothing was created by any of them: what is left of the tries is hidden or of no repository.
    expect([...bucket.objects.keys()].filter((key) => !key.includes('/locks/'))).toEqual([]);

    const id = await create(
      admin,
      'o365/repositories',
      repository(organization, { storage, retentionPolicy: 'Year1' }),
    );
    const keep = await admin('PATCH', `o365/repositories/${id}`, { retentionPolicy: 'Keep' });
    expect([keep.status, keep.body.message]).toEqual([
      400,
      "A repository with Object Lock can't keep backups forever. Choose a period.",
    ]);
    // A new key needs the same permissions.
    const storageKeys = { accessKeyId: KEY_ID, secretAccessKey: SECRET };
    bucket.denied.add('s3:PutObjectRetention');
    const changed = await admin('PATCH', `o365/repositories/${id}`, { storageKeys });
    expect([changed.status, changed.body.message]).toEqual([
      400,
      `This access key lacks the permission s3:PutObjectRetention for the bucket ${BUCKET}.`,
    ]);
    bucket.denied.clear();
    expect((await admin('PATCH', `o365/repositories/${id}`, { storageKeys })).status).toBe(200);
    await create(admin, 'o365/jobs', job(organization, id, { runNow: true }));
    const run = async (name: 'backup-session' | 'repository-clean-up'): Promise<void> => {
      fixture.pass(1_000);
      await makeJobRunner(fixture.context, { [name]: allJobs(fixture.context)[name] }).tick();
    };
    await run('backup-session');
    for (const [key, [version]] of bucket.versions)
      if (key.startsWith(`${id}/`) && !key.includes('/locks/'))
        expect({ key, ...version?.lock }).toMatchObject({ key, mode: 'COMPLIANCE' });
    const readRow = async (): Promise<Row | undefined> =>
      (await admin<{ rows: Row[] }>('GET', 'o365/repositories')).body.data.rows[0];
    expect(await readRow()).toMatchObject({
      points: 1,
      locks: null,
      target: { type: 'S3', objectLock: 'Compliance' },
    });
    expect((await admin('POST', `o365/repositories/${id}/clean-up`, {})).status).toBe(200);
    await run('repository-clean-up');
    const files = [...bucket.versions].filter(
      ([key]) => key.startsWith(`${id}/`) && !key.includes('/locks/'),
    );
    const locks = files.flatMap(([, versions]) => versions.map(({ lock }) => lock?.until ?? 0));
    const hidden = files.filter(([key]) => !bucket.objects.has(key));
    const removedBytes = hidden
      .flatMap(([, versions]) => versions)
      .reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
    expect(await readRow()).toMatchObject({
      cleanUpRequest: { message: null, endedAt: expect.any(Number) as number },
      locks: { lockedUntil: Math.max(...locks), removedBytes, tampering: null },
    });
    for (const key of bucket.objects.keys())
      if (key.startsWith(`${id}/`) && !key.includes('/locks/'))
        expect(bucket.versions.get(key)?.[0]?.lock?.until).toBeGreaterThan(s3.now() + 365 * DAY);
  });

  test(`OBJ-11: a locked repository stays locked on the server where it is attached (${kind})`, async () => {
    const bucket = makeVersionedBucket();
    const s3 = await startS3(bucket);
    const outbound = { allow: ['127.0.0.0/8'], http: true, push: [] };
    const openServer = async () => makeFixture({ outbound }, await freshStore(kind));
    const address = {
      endpoint: s3.url,
      region: REGION,
      bucket: BUCKET,
      prefix: '',
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
    };
    const former = await openServer();
    s3.now = () => former.context.clock.now();
    const office = makeTenant(former, 3);
    const { admin, organization } = await connect(former, office);
    const password = 'correct horse';
    const id = await create(
      admin,
      'o365/repositories',
      repository(organization, {
        storage: { ...address, objectLock: 'Compliance' },
        retentionPolicy: 'Year1',
        password,
        repeatPassword: password,
      }),
    );
    const run = async (
      fixture: typeof former,
      name: 'backup-session' | 'repository-attachment' | 'repository-clean-up',
    ): Promise<void> => {
      fixture.pass(1_000);
      await makeJobRunner(fixture.context, { [name]: allJobs(fixture.context)[name] }).tick();
    };
    await create(admin, 'o365/jobs', job(organization, id, { runNow: true }));
    await run(former, 'backup-session');
    /** The files that the point needs, with the end of their locks. */
    const readLocks = (): number[] =>
      [...bucket.objects.keys()]
        .filter((key) => key.startsWith(`${id}/`) && !key.includes('/locks/'))
        .map((key) => bucket.versions.get(key)?.[0]?.lock?.until ?? 0);
    expect(Math.min(...readLocks())).toBeGreaterThan(s3.now());

    const next = await openServer();
    // Most of the year has passed: the locks of the former server end in a month.
    next.pass(s3.now() - next.context.clock.now() + 345 * DAY);
    s3.now = () => next.context.clock.now();
    const successor = await connect(next, office);
    const attach = async (more: object): Promise<unknown> => {
      const { status, body } = await successor.admin('POST', `o365/repositories/${id}/attach`, {
        organizationId: successor.organization,
        password,
        storage: address,
        ...more,
      });
      return status === 200 ? status : [status, body.message];
    };
    expect(await attach({ retentionPolicy: 'Keep' })).toMatchObject([
      400,
      expect.stringContaining('Choose a period.'),
    ]);
    expect(await attach({ retentionPolicy: 'Years2' })).toBe(200);
    await run(next, 'repository-attachment');
    await run(next, 'repository-clean-up');
    const { rows } = (await successor.admin<{ rows: Row[] }>('GET', 'o365/repositories')).body.data;
    expect(rows).toMatchObject([{ points: 1, target: { type: 'S3', objectLock: 'Compliance' } }]);
    // A shorter retention applies after seven days; from then on the point is retained two years.
    for (let day = 0; day < 8; day += 1) {
      next.pass(DAY);
      await run(next, 'repository-clean-up');
      expect(Math.min(...readLocks())).toBeGreaterThan(s3.now());
    }
    // Two years after the point was made are a year and some days from now.
    expect(Math.min(...readLocks())).toBeGreaterThan(s3.now() + 370 * DAY);

    // By the command, without a period: days ahead, however long the server runs.
    const third = await openServer();
    third.pass(s3.now() - third.context.clock.now());
    s3.now = () => third.context.clock.now();
    const last = await connect(third, office);
    const begun = await beginAttaching(third.context, last.office.tenant, {
      repository: id,
      organization: last.organization,
      password,
      storage: { ...address, certificate: null },
      retentionType: 'SnapshotBased',
    });
    expect(begun.kind).toBe('begun');
    await run(third, 'repository-attachment');
    for (let month = 0; month < 16; month += 1) {
      third.pass(month === 0 ? DAY : 30 * DAY);
      await run(third, 'repository-clean-up');
      expect(Math.min(...readLocks())).toBeGreaterThan(s3.now() + 2 * DAY);
    }

    // Whoever may only read attaches it to restore.
    const fourth = await openServer();
    fourth.pass(s3.now() - fourth.context.clock.now());
    s3.now = () => fourth.context.clock.now();
    const reader = await connect(fourth, office);
    bucket.denied.add('s3:PutObjectRetention');
    const { status } = await reader.admin('POST', `o365/repositories/${id}/attach`, {
      organizationId: reader.organization,
      password,
      storage: address,
    });
    expect(status).toBe(200);
  });
});
