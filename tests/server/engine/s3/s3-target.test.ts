import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { makeS3Target } from '#server/engine/embedded/object-storage/s3-target.ts';
import { initRepository } from '#server/engine/embedded/restic/repository.ts';
import type { FileType } from '#server/engine/embedded/restic/target.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { systemChance } from '#server/platform/random.ts';
import {
  getKind,
  getValue,
  makeFolder,
  missing,
  openAt,
  PASSWORD,
  pruneAt,
  randomBytes,
  readFiles,
  sameFiles,
  saveFiles,
} from '../restic/fixtures.ts';
import { listPrograms } from '../restic/restic-reader.ts';
import { BUCKET, KEY_ID, REGION, SECRET, startS3, type S3StandIn } from './stand-in.ts';

const NAME = 'ab'.repeat(32);
const BYTES = Buffer.from('0123456789');
const TYPES = ['data', 'index', 'keys', 'locks', 'snapshots'] satisfies FileType[];

/** A target at the stand-in, with something else than usual. */
function makeTarget(
  { url }: Pick<S3StandIn, 'url'>,
  more: Partial<Parameters<typeof makeS3Target>[1]> = {},
  outbound: object = { allow: ['127.0.0.0/8'], http: true },
) {
  const counts = { write: 0, read: 0, delete: 0 };
  const context = { config: { outbound }, clock: systemClock } as unknown as AppContext;
  const target = makeS3Target(context, {
    endpoint: url,
    region: REGION,
    bucket: BUCKET,
    prefix: '',
    certificate: null,
    accessKeyId: KEY_ID,
    secretAccessKey: SECRET,
    folder: 'office one/repository',
    onRequest: (kind) => (counts[kind] += 1),
    ...more,
  });
  return { target, counts };
}

test('OBJ-1, OBJ-5: a file is one object, read whole or in part, listed with its size, and gone after its removal', async () => {
  const s3 = await startS3();
  const { target, counts } = makeTarget(s3);
  getValue(await target.prepare());
  for (const type of TYPES) {
    getValue(await target.write(type, NAME, BYTES));
    expect(Buffer.from(getValue(await target.read(type, NAME))).toString()).toBe('0123456789');
    expect(Buffer.from(getValue(await target.read(type, NAME, 2, 5))).toString()).toBe('234');
    expect(Buffer.from(getValue(await target.read(type, NAME, 7))).toString()).toBe('789');
    expect(getValue(await target.list(type))).toEqual([{ name: NAME, sizeBytes: 10 }]);
    getValue(await target.remove(type, NAME));
    getValue(await target.remove(type, NAME));
    expect(getKind(await target.read(type, NAME))).toBe('missing');
    expect(getValue(await target.list(type))).toEqual([]);
  }
  // One list before, then for each type: a write, four reads, two lists and two removals.
  expect(counts).toEqual({ write: 1 + 5 * 3, read: 5 * 4, delete: 5 * 2 });
  expect(counts.write + counts.read + counts.delete).toBe(s3.requests.length);
});

test('OBJ-1: a list of many pages is complete, and has files of the repository only', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  const names = Array.from({ length: 23 }, (_, n) => n.toString(16).padStart(64, '0'));
  for (const name of names) getValue(await target.write('data', name, BYTES));
  s3.objects.set('office one/repository/data/zz/readme.txt', BYTES);
  s3.objects.set(`office one/repository/data/ff/${NAME}`, BYTES);
  s3.objects.set(`office one/repository-2/data/ab/${NAME}`, BYTES);
  expect(
    getValue(await target.list('data'))
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
  expect(s3.requests.filter((one) => one === 'GET list').length).toBeGreaterThan(3);
});

test('OBJ-1, G66: only ids are names of files', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  for (const type of TYPES)
    for (const name of ['', '..', '../config', 'config', NAME.toUpperCase(), `../${NAME}`])
      expect({
        name,
        write: getKind(await target.write(type, name, BYTES)),
        read: getKind(await target.read(type, name)),
        remove: getKind(await target.remove(type, name)),
      }).toEqual({ name, write: 'invalid', read: 'invalid', remove: 'invalid' });
  expect(s3.requests).toEqual([]);
});

test('OBJ-3: what storage refuses has a sentence without secrets, and a file that is too short is damaged', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  getValue(await target.write('data', NAME, BYTES));
  expect(getKind(await target.read('data', NAME, 5, 11))).toBe('damaged');
  expect(getKind(await target.read('data', NAME, 20, 21))).toBe('damaged');

  const explain = async (
    more: Parameters<typeof makeTarget>[1],
    outbound?: object,
  ): Promise<unknown> => {
    const answer = await makeTarget(s3, more, outbound).target.prepare();
    if (answer.ok) return null;
    expect(answer.error.message).not.toContain(SECRET);
    return [answer.error.kind, answer.error.message];
  };
  const host = new URL(s3.url).host;
  expect(await explain({ secretAccessKey: 'another' })).toEqual([
    'refused',
    `${host} doesn't accept the access key (SignatureDoesNotMatch).`,
  ]);
  expect(await explain({ accessKeyId: 'AKIANOBODY' })).toEqual([
    'refused',
    `${host} doesn't accept the access key (InvalidAccessKeyId).`,
  ]);
  expect(await explain({ bucket: 'another' })).toEqual([
    'invalid',
    `There is no bucket another at ${host}.`,
  ]);
  expect(await explain({ region: 'eu-test-2' })).toEqual([
    'invalid',
    `${host} refused the request (AuthorizationHeaderMalformed). Check the region and the bucket.`,
  ]);
  s3.failures.push({ status: 403, code: 'AccessDenied' });
  expect(await explain({})).toEqual([
    'forbidden',
    `This access key isn't allowed to use the bucket ${BUCKET} (AccessDenied).`,
  ]);
  // The guard of outgoing requests: a network that the operator didn't allow.
  expect(await explain({}, { allow: [], http: true })).toEqual([
    'invalid',
    "127.0.0.1 is in a private network, which the operator of this server hasn't allowed.",
  ]);
  const gone = makeTarget({ url: 'http://127.0.0.1:9' });
  expect(getKind(await gone.target.list('data'))).toBe('invalid'); // not a port of web servers
});

test('OBJ-2: storage that is busy or cuts the connection is asked again, and a write whose answer was lost is written once', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  s3.failures.push({ status: 503, code: 'SlowDown' }, 'cut', {
    status: 500,
    code: 'InternalError',
  });
  getValue(await target.write('data', NAME, BYTES));
  s3.failures.push('cut-after');
  getValue(await target.write('index', NAME, BYTES));
  s3.failures.push('cut');
  expect(Buffer.from(getValue(await target.read('index', NAME)))).toEqual(BYTES);
  expect(s3.objects.size).toBe(2);
  s3.failures.push(...Array.from({ length: 5 }, () => ({ status: 503, code: 'SlowDown' })));
  expect(getKind(await target.read('index', NAME))).toBe('busy');
});

test('OBJ-2: connections that the storage has closed while nobody used them fail nothing, however many there are', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  const names = Array.from({ length: 8 }, (_, n) => n.toString(16).padStart(64, '0'));
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  // All at once: each on a connection of its own.
  s3.beforeAnswer = () => {
    waiting += 1;
    if (waiting === names.length) all.resolve();
    return all.promise;
  };
  for (const answer of await Promise.all(names.map((name) => target.write('data', name, BYTES))))
    getValue(answer);
  s3.forgetConnections();
  expect(Buffer.from(getValue(await target.read('data', names[0] ?? '')))).toEqual(BYTES);
  getValue(await target.write('index', NAME, BYTES));
  getValue(await target.remove('data', names[1] ?? ''));
  // More than the attempts that a request has, and none of them was needed.
  expect(s3.requests.slice(names.length)).toEqual(['GET', 'PUT', 'DELETE']);
});

test('OBJ-1: destroying a repository removes its objects, the config last, and no others', async () => {
  const s3 = await startS3();
  const { target } = makeTarget(s3);
  getValue(
    await initRepository(target, { password: PASSWORD, clock: systemClock, chance: systemChance }),
  );
  const repository = await openAt(target);
  await saveFiles(repository, { 'a.txt': BYTES, 'b.bin': randomBytes(1, 2_000_000) });
  await repository.close();
  s3.objects.set('office one/other/config', BYTES);
  s3.failures.push({ status: 403, code: 'AccessDenied' });
  expect(getKind(await target.destroy())).toBe('forbidden');
  expect([...s3.objects.keys()]).toContain('office one/repository/config');
  getValue(await target.destroy());
  expect([...s3.objects.keys()]).toEqual(['office one/other/config']);
  getValue(await target.destroy());
});

/** Runs a restic on the repository in the bucket. Returns what it prints. */
const runRestic = async (path: string, s3: S3StandIn, args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    path,
    [
      '--no-cache',
      '-o',
      `s3.region=${REGION}`,
      '-o',
      's3.bucket-lookup=path',
      '-r',
      `s3:${s3.url}/${BUCKET}/office one/repository`,
      ...args,
    ],
    {
      env: {
        ...process.env,
        RESTIC_PASSWORD: PASSWORD,
        AWS_ACCESS_KEY_ID: KEY_ID,
        AWS_SECRET_ACCESS_KEY: SECRET,
      },
      maxBuffer: 64 << 20,
      encoding: 'utf8',
    },
  );
  return stdout;
};

describe.skipIf(missing !== '').each(listPrograms())(`restic $version${missing}`, ({ path }) => {
  const restic = (s3: S3StandIn, ...args: string[]): Promise<string> => runRestic(path, s3, args);
  const FILES = {
    'mail/Invoice.eml': Buffer.from('Dear Ana,\n'.repeat(400)),
    'mail/日本語 Größe.eml': Buffer.from('Hello'),
    'drive/photo.raw': randomBytes(3, 9_000_000),
  };

  test('OBJ-1, ENG-12: restic reads over S3 what Daybook wrote there, and Daybook what restic wrote', async () => {
    const s3 = await startS3();
    const { target } = makeTarget(s3);
    await restic(s3, 'init', '--repository-version', '2');
    const source = makeFolder();
    mkdirSync(join(source, 'in'));
    writeFileSync(join(source, 'in', 'from restic.txt'), 'by restic\n'.repeat(1_000));
    await restic(s3, 'backup', '--quiet', join(source, 'in'));
    const repository = await openAt(target);
    const [first] = getValue(await repository.listSnapshots());
    const read = await readFiles(repository, first?.id ?? '');
    expect(Object.values(read).map((bytes) => Buffer.from(bytes).toString())).toEqual([
      'by restic\n'.repeat(1_000),
    ]);
    const saved = await saveFiles(repository, FILES);
    await repository.close();

    expect(await restic(s3, 'check', '--read-data')).toContain('no errors were found');
    const restored = makeFolder();
    await restic(s3, 'restore', saved, '--target', restored);
    expect(
      sameFiles(
        Object.fromEntries(
          Object.keys(FILES).map((path) => [path, readFileSync(join(restored, path))]),
        ),
        FILES,
      ),
    ).toEqual([]);
    const report = await pruneAt(target, { keep: [saved], maxUnusedShare: 0 });
    expect(report).toMatchObject({ snapshotsRemoved: 1, missing: [], damaged: [] });
    expect(await restic(s3, 'check', '--read-data')).toContain('no errors were found');
  });
});
