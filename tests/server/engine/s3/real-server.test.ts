import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  checkObjectLock,
  readLockMode,
} from '#server/engine/embedded/object-storage/check-lock.ts';
import { makeFileVersions } from '#server/engine/embedded/object-storage/file-versions.ts';
import { openS3Folder } from '#server/engine/embedded/object-storage/s3-folder.ts';
import { makeLockedTarget } from '#server/engine/embedded/object-storage/s3-target.ts';
import { initRepository } from '#server/engine/embedded/restic/repository.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { systemChance } from '#server/platform/random.ts';
import {
  getKind,
  getValue,
  openAt,
  PASSWORD,
  pruneAt,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
} from '../restic/fixtures.ts';
import { listPrograms } from '../restic/restic-reader.ts';
import {
  askServer,
  createBucket,
  expectStatus,
  missingServer,
  REAL_SERVER,
  removeBucket,
} from './real-server.ts';

const NAME = 'cd'.repeat(32);
const BYTES = Buffer.from('0123456789');
const CONTEXT = {
  config: { outbound: { allow: ['127.0.0.0/8', '10.0.0.0/8', '192.168.0.0/16'], http: true } },
  clock: systemClock,
  chance: systemChance,
} as unknown as AppContext;

describe.skipIf(REAL_SERVER === null)(`a real server${missingServer}`, () => {
  const server = REAL_SERVER ?? { url: '', region: '', keyId: '', secret: '' };
  const makeBucket = async (hasLock = false): Promise<string> => {
    const bucket = await createBucket(server, hasLock);
    onTestFinished(() => removeBucket(server, bucket));
    return bucket;
  };
  const openBucket = (bucket: string, more: object = {}) =>
    openS3Folder(CONTEXT, {
      endpoint: server.url,
      region: server.region,
      bucket,
      prefix: '',
      certificate: null,
      accessKeyId: server.keyId,
      secretAccessKey: server.secret,
      folder: 'office one/répository + 100%',
      onRequest: () => undefined,
      ...more,
    });
  const check = async (bucket: string): Promise<unknown> => {
    const folder = openBucket(bucket);
    const versions = makeFileVersions(folder, 'Governance');
    const answer = await checkObjectLock(CONTEXT, folder, versions, 'Governance');
    return answer.ok ? null : answer.error.message;
  };
  const openTarget = (bucket: string, more: object = {}) =>
    makeLockedTarget(CONTEXT, openBucket(bucket, more), null);
  const explain = async (name: string, more: object = {}): Promise<unknown> => {
    const answer = await openTarget(name, more).prepare();
    return answer.ok ? null : [answer.error.kind, answer.error.message];
  };

  test('OBJ-1: a file is one object, read whole or in part, and lists of more than a page are complete', async () => {
    const bucket = await makeBucket();
    const target = openTarget(bucket);
    getValue(await target.prepare());
    for (const type of ['data', 'index', 'keys', 'locks', 'snapshots'] as const) {
      getValue(await target.write(type, NAME, BYTES));
      getValue(await target.write(type, NAME, BYTES));
      expect(Buffer.from(getValue(await target.read(type, NAME))).toString()).toBe('0123456789');
      expect(Buffer.from(getValue(await target.read(type, NAME, 2, 5))).toString()).toBe('234');
      expect(Buffer.from(getValue(await target.read(type, NAME, 7))).toString()).toBe('789');
      expect(getKind(await target.read(type, NAME, 5, 11))).toBe('damaged');
      expect(getKind(await target.read(type, NAME, 20, 21))).toBe('damaged');
      expect(getValue(await target.list(type))).toEqual([{ name: NAME, sizeBytes: 10 }]);
      getValue(await target.remove(type, NAME));
      getValue(await target.remove(type, NAME));
      expect(getKind(await target.read(type, NAME))).toBe('missing');
      expect(getValue(await target.list(type))).toEqual([]);
    }
    const names = Array.from({ length: 1_050 }, (_, n) => n.toString(16).padStart(64, '0'));
    for (let at = 0; at < names.length; at += 50)
      for (const answer of await Promise.all(
        names.slice(at, at + 50).map((name) => target.write('index', name, BYTES)),
      ))
        getValue(answer);
    expect(
      getValue(await target.list('index'))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(names);
    getValue(await target.destroy());
    expect(getValue(await target.list('index'))).toEqual([]);
  });

  test('OBJ-3: what a server refuses has a sentence of its own', async () => {
    const bucket = await makeBucket();
    const { host } = new URL(server.url);
    expect(await explain(bucket)).toBeNull();
    expect(await explain(bucket, { secretAccessKey: 'another' })).toEqual([
      'refused',
      `${host} doesn't accept the access key (SignatureDoesNotMatch).`,
    ]);
    expect(await explain(bucket, { accessKeyId: 'AKIANOBODY' })).toEqual([
      'refused',
      `${host} doesn't accept the access key (InvalidAccessKeyId).`,
    ]);
    expect(await explain(`${bucket}-missing`)).toEqual([
      'invalid',
      `There is no bucket ${bucket}-missing at ${host}.`,
    ]);
  });

  test('OBJ-1, ENG-7, ENG-12: a repository is written, cleaned up and opened again, and restic finds no error in it', async () => {
    const bucket = await makeBucket();
    const target = openTarget(bucket, { folder: 'office one/repository' });
    getValue(
      await initRepository(target, {
        password: PASSWORD,
        clock: systemClock,
        chance: systemChance,
      }),
    );
    const files = {
      'mail/Invoice.eml': Buffer.from('Dear Ana,\n'.repeat(400)),
      'drive/photo.raw': randomBytes(3, 40_000_000),
    };
    const repository = await openAt(target);
    await saveFiles(repository, { 'old.bin': randomBytes(4, 3_000_000) });
    const saved = await saveFiles(repository, files);
    await repository.close();
    const report = await pruneAt(target, { keep: [saved], maxUnusedShare: 0 });
    expect(report).toMatchObject({ snapshotsRemoved: 1, missing: [], damaged: [] });
    const again = await openAt(target);
    expect(sameFiles(await readFiles(again, saved), files)).toEqual([]);
    await again.close();
    for (const { path } of listPrograms()) {
      const { stdout } = await promisify(execFile)(
        path,
        [
          '--no-cache',
          '-o',
          `s3.region=${server.region}`,
          '-o',
          's3.bucket-lookup=path',
          '-r',
          `s3:${server.url}/${bucket}/office one/repository`,
          'check',
          '--read-data',
        ],
        {
          env: {
            ...process.env,
            RESTIC_PASSWORD: PASSWORD,
            AWS_ACCESS_KEY_ID: server.keyId,
            AWS_SECRET_ACCESS_KEY: server.secret,
          },
          encoding: 'utf8',
        },
      );
      expect(stdout).toContain('no errors were found');
    }
  });

  test('OBJ-6: whether a bucket locks files is found out, and what is missing is named', async () => {
    const plain = await makeBucket();
    expect(await check(plain)).toContain(`The bucket ${plain} has no versioning`);
    const versioned = await makeBucket();
    await expectStatus(server, 200, {
      method: 'PUT',
      path: `/${versioned}`,
      query: { versioning: '' },
      body: Buffer.from(
        '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
      ),
    });
    expect(await check(versioned)).toBe(
      `Object Lock is not turned on for the bucket ${versioned}.`,
    );
    const locked = await makeBucket(true);
    expect(await check(locked)).toBeNull();
    const body = Buffer.from(
      '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>',
    );
    await expectStatus(server, 200, {
      method: 'PUT',
      path: `/${locked}`,
      query: { 'object-lock': '' },
      headers: { 'content-md5': hash('md5', body, 'base64') },
      body,
    });
    expect(await check(locked)).toContain(`The bucket ${locked} has a default retention.`);
  });

  for (const mode of ['Governance', 'Compliance'] as const)
    test(`OBJ-7, OBJ-8, OBJ-11: a locked file can't be deleted or unlocked, is renewed, hidden, and goes when its lock ends (${mode})`, async () => {
      const bucket = await makeBucket(true);
      const folder = openBucket(bucket);
      const versions = makeFileVersions(folder, mode);
      const until = Date.now() + 4_000;
      const target = makeLockedTarget(CONTEXT, folder, {
        mode,
        getLockedUntil: () => until,
        noteRemoval: () => Promise.resolve({ ok: true, value: undefined }),
      });
      getValue(await target.write('config', 'config', BYTES));
      getValue(await target.write('data', NAME, BYTES));
      getValue(await target.write('locks', NAME, BYTES));
      expect(await readLockMode(folder)).toBe(mode);
      const [file] = getValue(await versions.list('data'));
      const id = file?.versions[0]?.id ?? '';
      expect(file).toMatchObject({ name: NAME, versions: [{ sizeBytes: 10, isLatest: true }] });
      expect(getKind(await versions.remove('data', NAME, id))).toBe('forbidden');
      expect(getValue(await versions.readLockedUntil('data', NAME, id))).toBe(until);
      const [lockFile] = getValue(await versions.list('locks'));
      const lockId = lockFile?.versions[0]?.id ?? '';
      expect(getValue(await versions.readLockedUntil('locks', NAME, lockId))).toBeNull();
      const later = until + 1_000;
      getValue(await versions.lockUntil('data', NAME, id, later));
      expect(getValue(await versions.readLockedUntil('data', NAME, id))).toBe(later);
      expect((await versions.lockUntil('data', NAME, id, until)).ok).toBe(false);
      getValue(await target.remove('data', NAME));
      expect(getKind(await target.read('data', NAME))).toBe('missing');
      expect(getValue(await target.list('data'))).toEqual([]);
      expect(Buffer.from(getValue(await versions.read('data', NAME, id)))).toEqual(BYTES);
      const [hidden] = getValue(await versions.list('data'));
      expect(hidden).toMatchObject({
        versions: [{ id, isLatest: false }],
        markers: [{ isLatest: true }],
      });
      // An attacker's marker is taken away, and his version, as nothing locks them.
      getValue(await versions.remove('data', NAME, hidden?.markers[0]?.id ?? ''));
      expect(Buffer.from(getValue(await target.read('data', NAME)))).toEqual(BYTES);
      await askServer(server, {
        method: 'PUT',
        path: `/${bucket}/${folder.getKey('data', NAME)}`,
        body: Buffer.from('ransom'),
      });
      const [tampered] = getValue(await versions.list('data'));
      expect(tampered?.versions.map(({ sizeBytes }) => sizeBytes)).toEqual([6, 10]);
      getValue(await versions.remove('data', NAME, tampered?.versions[0]?.id ?? ''));
      expect(Buffer.from(getValue(await target.read('data', NAME)))).toEqual(BYTES);
      await expect
        .poll(async () => (await versions.remove('data', NAME, id)).ok, { timeout: 60_000 })
        .toBe(true);
      expect(Date.now()).toBeGreaterThanOrEqual(later - 1_000);
      expect(getValue(await versions.list('data'))).toEqual([]);
      expect(getKind(await versions.read('data', NAME, id))).toBe('missing');
    });

  test('OBJ-8: lists of versions of more than a page are complete', async () => {
    const bucket = await makeBucket(true);
    const folder = openBucket(bucket);
    const target = makeLockedTarget(CONTEXT, folder, null);
    const names = Array.from({ length: 400 }, (_, n) => n.toString(16).padStart(64, '0'));
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(
        names.slice(at, at + 50).map(async (name) => {
          for (const bytes of [BYTES, Buffer.from('second')])
            getValue(await target.write('index', name, bytes));
          getValue(await target.remove('index', name));
        }),
      );
    const files = getValue(await makeFileVersions(folder, 'Governance').list('index'));
    expect(files.map(({ name }) => name).sort()).toEqual(names);
    for (const { versions, markers } of files)
      expect({ sizes: versions.map(({ sizeBytes }) => sizeBytes), markers }).toMatchObject({
        sizes: [6, 10],
        markers: [{ isLatest: true }],
      });
  });
});
