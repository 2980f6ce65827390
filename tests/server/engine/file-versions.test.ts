import { expect, test } from 'vitest';
import type { ItemVersion } from '#contract/engine/search.ts';
import { FAILED } from '#server/engine/embedded/index/marks.ts';
import { mergeVersions } from '#server/engine/embedded/index/merge-versions.ts';
import { failed } from '#server/engine/result.ts';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { freshStore, ONE } from '../db/databases.ts';
import { clientToken } from '../demo-tenant/fixtures.ts';
import { anOfficeWithHistory } from './file-versions-bench.ts';
import { memoryObject } from './memory-source.ts';
import { makeMemoryTarget } from './restic/fixtures.ts';
import { backUp, copiesNow, loadCopies, loadPoints, makeSessionBench } from './session-bench.ts';

type Office = Awaited<ReturnType<typeof anOfficeWithHistory>>;

/** The versions that a person sees, oldest first. */
const listShown = async (office: Office, title: string) => {
  const { explorer, versions } = await office.findFile(title);
  const shown = [];
  for (const { node, version } of versions)
    shown.push({
      id: version,
      text: await office.readNode(explorer, node.id),
      at: node.at,
      author: 'author' in node ? node.author : '',
    });
  return shown.toReversed();
};
/** Those of them that the tenant has as versions. */
const listHistory = async (office: Office, title: string) =>
  (await listShown(office, title)).filter(({ id }) => id !== null);
const getTexts = (rows: readonly { readonly text: string }[]): string[] =>
  rows.map(({ text }) => text);
const findVersion = (versions: readonly ItemVersion[], version: string) =>
  versions.find((one) => one.version === version)?.node.id ?? 'i1.1';

async function aFile(fileVersions: Parameters<typeof anOfficeWithHistory>[1], texts: string[]) {
  const office = await anOfficeWithHistory(await freshStore(ONE), fileVersions);
  const [file, other] = office.files();
  if (file === undefined || other === undefined) throw new Error('no files');
  for (const text of texts) office.save(file.id, text);
  return { office, file, other };
}

test('ENG-140: the versions that a file had before its present content are backed up with author and date, each once', async () => {
  const { office, file, other } = await aFile('all', ['second', 'third', 'the fourth']);
  const { result, progress } = await office.backUp();
  expect(result).toBe('success');
  const stored = office.listStored(file.id);
  expect(stored.length).toBe(4);
  expect(await listHistory(office, file.name)).toEqual(stored.slice(0, -1));
  const sizes = office.files().reduce((sum, { size }) => sum + size, 0);
  const older = stored.slice(0, -1).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  expect(progress.bytes.done).toBeGreaterThanOrEqual(sizes + older);
  expect(office.requests.filter((path) => path.endsWith('/versions')).length).toBe(3);

  // The file itself has the number of its present content.
  const findNode = async (): Promise<unknown> => (await office.findFile(file.name)).node;
  expect(await findNode()).toMatchObject({ version: stored.at(-1)?.id });

  // What hasn't changed costs no request; what has, those of its new versions.
  office.requests.length = 0;
  await office.backUp();
  expect(office.requests.filter((path) => path.includes('/versions'))).toEqual([]);
  office.save(file.id, 'the fifth');
  await office.backUp();
  const read = office.requests.filter((path) => path.endsWith('/content'));
  expect(read.map((path) => /versions\/(.*)\/content/.exec(path)?.[1])).toEqual(['4.0']);
  expect(read.some((path) => path.includes(other.id))).toBe(false);
  expect(await findNode()).toMatchObject({ version: office.listStored(file.id).at(-1)?.id });
  // The restore point of before shows the fourth as its own.
  expect(getTexts(await listShown(office, file.name))).toEqual(
    getTexts(office.listStored(file.id)),
  );
  // Versions are no files: neither in lists nor in sums.
  const { drive } = await office.findFile(file.name);
  expect([drive !== undefined && 'children' in drive && drive.children, drive?.sizeBytes]).toEqual([
    office.files().length,
    office.files().reduce((sum, { size }) => sum + size, 0),
  ]);
});

test('ENG-140: up to as many versions are backed up as the job says, also if it says so later', async () => {
  const { office, file } = await aFile('none', ['second', 'third', 'fourth', 'fifth']);
  await office.backUp();
  expect(await listHistory(office, file.name)).toEqual([]);
  expect(office.requests.filter((path) => path.includes('/versions'))).toEqual([]);
  await office.setVersions(2);
  await office.backUp();
  const stored = office.listStored(file.id);
  expect(await listHistory(office, file.name)).toEqual(stored.slice(-3, -1));
  await office.setVersions('all');
  office.requests.length = 0;
  await office.backUp();
  expect(await listHistory(office, file.name)).toEqual(stored.slice(0, -1));
  // The two that are stored aren't read again.
  expect(
    office.requests.filter((path) => path.includes(file.id) && path.endsWith('/content')).length,
  ).toBe(2);
  await office.setVersions(1);
  office.save(file.id, 'sixth');
  await office.backUp();
  // Earlier points have what they had; the newest one has the last.
  const all = office.listStored(file.id);
  expect(getTexts(await listShown(office, file.name))).toEqual(getTexts(all));
  await office.setVersions('none');
  office.requests.length = 0;
  office.save(file.id, 'seventh');
  await office.backUp();
  expect(office.requests.filter((path) => path.includes('/versions'))).toEqual([]);
});

test('ENG-140: a version that cannot be read is a warning that names it, and neither its file nor another version lacks; it is read later unless it is gone', async () => {
  const { office, file } = await aFile('all', ['second', 'third', 'fourth']);
  const answers = new Map([
    ['1.0', 404],
    ['2.0', 403],
  ]);
  office.cloud.answer = (path) => {
    const [, id = ''] = /versions\/([\d.]+)\/content$/.exec(path) ?? [];
    const status = path.includes(file.id) ? answers.get(id) : undefined;
    return status === undefined
      ? null
      : Response.json({ error: { code: 'x', message: 'x' } }, { status });
  };
  const first = await office.backUp();
  expect(first.result).toBe('warning');
  const message = first.objects[0]?.message ?? '';
  expect(message).toContain(`Version 1.0 of ${file.name} couldn't be read.`);
  expect(message).toContain(`Version 2.0 of ${file.name} couldn't be read.`);
  expect(getTexts(await listShown(office, file.name))).toEqual(['third', 'fourth']);
  // What is gone in the tenant is no longer listed.
  office.office.admin.trimVersion(file.id, 1);
  answers.clear();
  expect((await office.backUp()).result).toBe('success');
  expect(getTexts(await listShown(office, file.name))).toEqual(['second', 'third', 'fourth']);

  // A list that can't be read: the file is backed up, and its versions come later.
  office.save(file.id, 'fifth');
  office.cloud.answer = () => null;
  office.office.admin.setFailurePlan([{ path: /\/versions$/, failure: 'gone' }]);
  const unlisted = await office.backUp();
  expect(unlisted.result).toBe('warning');
  expect(unlisted.objects[0]?.message).toContain(
    `The earlier versions of ${file.name} couldn't be read.`,
  );
  expect(getTexts(await listShown(office, file.name)).at(-1)).toBe('fifth');
  office.office.admin.setFailurePlan([]);
  expect((await office.backUp()).result).toBe('success');
  expect(getTexts(await listShown(office, file.name))).toEqual([
    'second',
    'third',
    'fourth',
    'fifth',
  ]);
});

test('ENG-140: versions that the tenant removed stay in the points that have them, versions with reused numbers are new versions, and a deleted file ends with its versions', async () => {
  const { office, file } = await aFile('all', ['second', 'third']);
  await office.backUp();
  office.office.admin.trimVersion(file.id, 1);
  office.office.admin.trimVersion(file.id, 2);
  office.save(file.id, 'fourth');
  await office.backUp();
  const shown = await listShown(office, file.name);
  expect(getTexts(shown).slice(-3)).toEqual(['second', 'third', 'fourth']);
  expect(shown.length).toBe(4);
  office.office.admin.deleteFile(office.person.id, file.id);
  await office.backUp();
  const open = await office.context.store.tenant(office.scope.tenant, ({ sql }) =>
    sql
      .selectFrom('item')
      .select('title')
      .where('tenant_id', '=', office.scope.tenant)
      .where('title', '=', file.name)
      .where('to_point', 'is', null)
      .execute(),
  );
  expect(open).toEqual([]);
});

test('RES-140: a version is restored as the present content of its file, once, and undone', async () => {
  const { office, file } = await aFile('all', ['second', 'third', 'the fourth']);
  await office.backUp();
  const { explorer, versions } = await office.findFile(file.name);
  const node = findVersion(versions, '2.0');
  const dry = await office.restore(explorer, [node], { dryRun: true });
  expect(dry.results).toEqual([['merged', expect.any(String)]]);
  expect(getTexts(office.listStored(file.id)).at(-1)).toBe('the fourth');
  const { task, results } = await office.restore(explorer, [node]);
  expect(results).toEqual([['merged', expect.any(String)]]);
  expect(getTexts(office.listStored(file.id)).slice(-2)).toEqual(['the fourth', 'second']);
  expect(office.files().length).toBe(3);
  // It is there already.
  const again = await office.restore(explorer, [node]);
  expect(again.results).toEqual([['skipped', expect.any(String)]]);
  expect((await office.undo(task)).result).toBe('success');
  expect(getTexts(office.listStored(file.id)).at(-1)).toBe('the fourth');
  // Where the file is gone, the version comes back under its name.
  office.office.admin.deleteFile(office.person.id, file.id);
  await office.restore(explorer, [node]);
  const back = office.files().find(({ name }) => name === file.name);
  expect(getTexts(office.listStored(back?.id ?? ''))).toEqual(['second']);
});

test('RES-140: a file is restored with its history, the oldest version first, and the dry run says whose dates it gets', async () => {
  const { office, file } = await aFile('all', ['second', 'third', 'the fourth']);
  await office.backUp();
  const stored = office.listStored(file.id);
  office.office.admin.deleteFile(office.person.id, file.id);
  const { explorer, node } = await office.findFile(file.name);
  const dry = await office.restore(explorer, [node.id], { versions: 'all', dryRun: true });
  expect(dry.results).toEqual([
    [
      'restored',
      'Will be created. With 3 earlier versions. The earlier versions get the date and author of the restore in the version history.',
    ],
  ]);
  const { task } = await office.restore(explorer, [node.id], { versions: 'all' });
  const back = office.files().find(({ name }) => name === file.name);
  expect(getTexts(office.listStored(back?.id ?? ''))).toEqual(getTexts(stored));
  expect((await office.undo(task)).result).toBe('success');
  expect(office.files().some(({ name }) => name === file.name)).toBe(false);
});

test('ENG-140: a file of 500 versions is backed up whole, and again after a session that broke off', async () => {
  const texts = Array.from({ length: 500 }, (_, n) => `text ${n}`);
  const { office, file } = await aFile('all', texts);
  let left = 150;
  office.cloud.answer = (path) => {
    if (!/versions\/[\d.]+\/content$/.test(path)) return null;
    left -= 1;
    return left < 0 && left > -200
      ? Response.json({ error: { code: 'x', message: 'x' } }, { status: 403 })
      : null;
  };
  expect((await office.backUp()).result).toBe('warning');
  office.cloud.answer = () => null;
  expect((await office.backUp()).result).toBe('success');
  const { versions } = await office.findFile(file.name);
  const shown = versions.flatMap(({ version, node }) =>
    version === null ? [] : [[version, node.at, node.sizeBytes]],
  );
  const stored = office.office.admin
    .listVersions(file.id)
    .map(({ version, at, size }) => [`${version}.0`, at, size]);
  expect(stored.length).toBe(501);
  expect(shown).toEqual(stored.slice(1));
});

test("GRAPH-6: the tenant's versions are as Graph publishes them: the newest first, each with author, date and size, and no content of the present one", async () => {
  const { office, file } = await aFile('none', ['second', 'third']);
  const { admin } = office.office;
  const application = admin.registerApplication('Reader', ['Files.Read.All']);
  const token = await clientToken(office.office, application);
  const get = (path: string) =>
    office.office.fetch(
      new Request(
        `https://graph.microsoft.com/v1.0/users/${office.person.id}/drive/items/${path}`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      ),
    );
  const { value } = (await (await get(`${file.id}/versions`)).json()) as {
    value: { id: string; size: number; lastModifiedDateTime: string }[];
  };
  expect(value.flatMap((row) => checkEntity('driveItemVersion', row))).toEqual([]);
  expect(value.map(({ id, size }) => [id, size])).toEqual([
    ['3.0', 5],
    ['2.0', 6],
    ['1.0', file.size],
  ]);
  expect((await get(`${file.id}/versions/3.0/content`)).status).toBe(400);
  const answer = await get(`${file.id}/versions/2.0/content`);
  expect(answer.status).toBe(302);
  const content = await office.office.fetch(new Request(answer.headers.get('location') ?? ''));
  expect(await content.text()).toBe('second');
});

test('RES-140: versions of the same second are in the order of their numbers', () => {
  const versions = ['10.0', '9.0', '8.0'].map((version) => ({
    changedAt: 1_000,
    flags: { version },
    parts: [{ as: 'raw' as const, bytes: 1, crc: 1, blobs: [version] }],
  }));
  const parts = [{ as: 'raw' as const, bytes: 1, crc: 1, blobs: ['present'] }];
  const present = { changedAt: 1_000, flags: {}, parts };
  expect(mergeVersions([...versions, present]).map(({ parts: [one] }) => one?.blobs[0])).toEqual([
    '8.0',
    '9.0',
    '10.0',
    'present',
  ]);
});

/** A drive whose file has two earlier versions. */
async function aMemoryDrive() {
  const drive = memoryObject('drive', 'ann');
  drive.hasHistory = true;
  drive.putFolder('top', null);
  for (const text of ['first', 'second', 'third']) drive.putItem('file', 'top', text);
  const bench = await makeSessionBench(await freshStore(ONE), [drive]);
  return { drive, bench };
}

test('ENG-140: versions that are wanted later are read in the next session if the repository fails before they are stored', async () => {
  const { drive, bench } = await aMemoryDrive();
  await backUp(bench, await bench.addJob({ fileVersions: 'none' }));
  const memory = makeMemoryTarget(bench.files);
  const target: typeof memory = {
    ...memory,
    write: async (type, name, bytes) =>
      type === 'data' ? failed('unreachable', 'away') : memory.write(type, name, bytes),
  };
  const session = (await bench.start(await bench.addJob({ fileVersions: 'all' }))) ?? '';
  let next = await bench.run(session, { target });
  expect(next).not.toBeNull();
  while (next !== null) {
    bench.ground.pass(60 * 60_000);
    next = await bench.run(session);
  }
  const point = (await loadPoints(bench)).find(({ session_id }) => session_id === session);
  expect(await loadCopies(bench, point?.id ?? '')).toEqual(copiesNow([drive]));
});

test('ENG-140: of two jobs that back up a drive, the one that wants more versions decides, and files are not listed again in every session', async () => {
  const { drive, bench } = await aMemoryDrive();
  const few = await bench.addJob({ fileVersions: 1 });
  const many = await bench.addJob({ fileVersions: 'all' });
  await backUp(bench, few);
  await backUp(bench, many);
  const listed = drive.versionLists;
  for (const job of [few, many, few, many])
    expect(await loadCopies(bench, await backUp(bench, job))).toEqual(copiesNow([drive]));
  expect(drive.versionLists).toBe(listed);
  // A job that is removed wants nothing any more.
  await bench.append({ type: 'backupjob.deleted@1', data: { id: many } });
  drive.putItem('file', 'top', 'fourth');
  const copies = await loadCopies(bench, await backUp(bench, few));
  expect(JSON.stringify(copies)).toContain('"fourth"');
  expect(JSON.stringify(copies)).not.toContain('"second"');
  expect(drive.versionLists).toBe(listed + 1);
});

test('ENG-140: a file that comes back from the recycle bin has its versions in the next restore point', async () => {
  const { drive, bench } = await aMemoryDrive();
  const job = await bench.addJob();
  await backUp(bench, job);
  drive.removeItem('file');
  await backUp(bench, job);
  drive.bringBack('file');
  expect(await loadCopies(bench, await backUp(bench, job))).toEqual(copiesNow([drive]));
});

test('ENG-140: a damaged version that the tenant has removed ends, and is no warning', async () => {
  const { office, file } = await aFile('all', ['second', 'third']);
  await office.backUp();
  const { tenant } = office.scope;
  await office.context.store.tenant(tenant, async ({ sql }) => {
    const versions = await sql
      .selectFrom('item')
      .select(['object_n', 'key'])
      .where('tenant_id', '=', tenant)
      .where('folder_key', '=', file.id)
      .execute();
    // As a verification marks what it can't read.
    await sql
      .insertInto('listed_item')
      .values(versions.map((row) => ({ tenant_id: tenant, scope: FAILED, ...row })))
      .execute();
    expect(versions.length).toBe(2);
  });
  office.office.admin.trimVersion(file.id, 1);
  expect((await office.backUp()).result).toBe('success');
  expect((await office.backUp()).result).toBe('success');
});
