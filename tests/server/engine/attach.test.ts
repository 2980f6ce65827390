import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { loadObject, storeObjectPoint } from '#server/engine/embedded/index/objects.ts';
import { listObjectNumbers } from '#server/engine/embedded/repositories/expired.ts';
import {
  loadPointObjects,
  saveRestorePoint,
} from '#server/engine/embedded/sessions/restore-point.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { makeKilled } from './killed.ts';
import { makeRandom } from './random.ts';
import { memoryObject, type MemoryObject } from './memory-source.ts';
import {
  getValue,
  makeMemoryTarget,
  missing,
  openAt,
  PASSWORD,
  PROOF,
  saveFiles,
  toFolder,
} from './restic/fixtures.ts';
import { expectNoErrors, readWithEach } from './restic/restic-reader.ts';
import {
  backUp,
  copiesNow,
  createRepositoryRow,
  loadCopies,
  loadPoints,
  makeSessionBench,
  ORGANIZATION,
  runCleanUp,
  type SessionBench,
} from './session-bench.ts';
import { begin, loadAttachment, makeSuccessor, work } from './attach-bench.ts';

const MINUTE = 60_000;

/** All that the index has of a repository, without the ids of this provider. */
async function loadIndex({ ground: fixture, tenant, repository }: SessionBench) {
  return fixture.context.store.tenant(tenant, async ({ sql }) => {
    const objects = await sql
      .selectFrom('backup_object')
      .select(['n', 'kind', 'directory_id', 'name', 'address', 'point', 'items', 'bytes', 'tree'])
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      // People without an archive have no state of one.
      .where('point', '>', 0)
      .orderBy('directory_id')
      .execute();
    const names = new Map(objects.map(({ n, directory_id }) => [n, directory_id]));
    const withNames = <T extends { object_n: number }>(rows: T[]) =>
      rows
        .map(({ object_n, ...row }) => ({ ...row, object: names.get(object_n) }))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return {
      objects: objects.map((object) => ({ ...object, n: undefined })),
      points: await sql
        .selectFrom('restore_point')
        .select([
          'id',
          'job_id',
          'session_id',
          'at',
          'snapshot',
          'complete',
          'result',
          'changes',
          'lacks',
        ])
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .orderBy('at')
        .execute(),
      states: withNames(
        await sql
          .selectFrom('object_point')
          .select(['object_n', 'point', 'point_id', 'at', 'items', 'bytes', 'tree'])
          .where('tenant_id', '=', tenant)
          .execute(),
      ),
      folders: withNames(
        await sql
          .selectFrom('folder')
          .select([
            'object_n',
            'n',
            'key',
            'parent_key',
            'name',
            'well_known',
            'sharing',
            'from_point',
            'to_point',
          ])
          .where('tenant_id', '=', tenant)
          .execute(),
      ),
      items: withNames(
        await sql.selectFrom('item').selectAll().where('tenant_id', '=', tenant).execute(),
      ).map((item) => ({ ...item, tenant_id: undefined })),
      failed: withNames(
        await sql
          .selectFrom('listed_item')
          .select(['object_n', 'scope', 'key'])
          .where('tenant_id', '=', tenant)
          .execute(),
      ),
    };
  });
}

/** Two people whose mails and files change, move, disappear and can't be read. */
async function makeHistory(store: Store, seed: number, sessions: number): Promise<SessionBench> {
  const random = makeRandom(seed);
  const objects = [memoryObject('mailbox', 'ann', 4), memoryObject('drive', 'bob', 4)];
  const bench = await makeSessionBench(store, objects);
  await createRepositoryRow(bench, { retentionPolicy: 'Keep' });
  const jobs = [await bench.addJob(), await bench.addJob()];
  for (const memory of objects) for (const key of ['top', 'old']) memory.putFolder(key, null);
  for (let session = 0; session < sessions; session += 1) {
    for (const memory of objects)
      for (let times = random(5); times > 0; times -= 1) change(memory, random);
    bench.ground.pass(MINUTE);
    await backUp(bench, jobs[random(2)] ?? '');
  }
  return bench;
}

function change(memory: MemoryObject, random: (max: number) => number): void {
  const key = `i${random(7)}`;
  const folder = random(2) === 0 ? 'top' : 'old';
  switch (random(6)) {
    case 0:
      return memory.removeItem(key);
    case 1:
      return memory.moveItem(key, folder);
    case 2:
      return memory.putFolder('old', null, `Old ${random(3)}`);
    case 3:
      memory.trouble.unreadable.add(key);
      return memory.putItem(key, folder, 'unreadable');
    default:
      memory.trouble.unreadable.delete(key);
      return memory.putItem(key, folder, `content ${random(50)}`);
  }
}

eachDatabase((name, open) => {
  test(`ENG-4, ENG-10: the index rebuilt from a repository equals the stored one, also after kills at any write (${name})`, async () => {
    const store = await open();
    for (let seed = 1; seed <= 3 * PROOF; seed += 1) {
      const former = await makeHistory(store, seed, 6);
      const expected = await loadIndex(former);
      const bench = await makeSuccessor(store, former);
      await begin(bench);
      let kills = 0;
      for (let killAt = 1 + ((seed - 1) % 3); ; killAt += 3) {
        const kill = makeKilled(bench, killAt, kills % 2 === 0 ? 'before' : 'after');
        await work(bench, kill).catch(() => null);
        // Nobody else sees a part of it.
        if ((await loadAttachment(bench))?.isDone === true) break;
        expect((await loadPoints(bench)).filter(({ complete }) => complete).length % 6).toBe(0);
        kills += 1;
      }
      expect(kills).toBeGreaterThan(2);
      expect(await work(bench)).toBe(null);
      expect(await loadIndex(bench)).toEqual(expected);
      expect(await loadAttachment(bench)).toMatchObject({
        points: { done: 6, total: 6 },
        problems: [],
      });
      // The next session knows all content, and goes on with the history.
      for (const memory of bench.objects) memory.fetched.length = 0;
      bench.objects[0]?.putItem('new', 'top', 'a new mail');
      bench.ground.pass(MINUTE);
      const point = await backUp(bench, await bench.addJob());
      expect(bench.objects[0]?.fetched).toContain('new');
      const failed = expected.failed.length;
      const fetched = bench.objects.flatMap((memory) => memory.fetched);
      expect(new Set(fetched).size).toBeLessThanOrEqual(1 + failed);
      expect(await loadCopies(bench, point)).toEqual(withoutUnreadable(copiesNow(bench.objects)));
    }
  });

  test(`ENG-4, ENG-140: earlier versions of files are rebuilt from a repository, and not read again (${name})`, async () => {
    const store = await open();
    const drive = memoryObject('drive', 'bob', 4);
    drive.hasHistory = true;
    drive.putFolder('top', null);
    const former = await makeSessionBench(store, [drive]);
    await createRepositoryRow(former, { retentionPolicy: 'Keep' });
    const job = await former.addJob();
    for (let session = 0; session < 3; session += 1) {
      for (let n = 0; n < 5; n += 1) drive.putItem(`i${n % 3}`, 'top', `content ${session}${n}`);
      former.ground.pass(MINUTE);
      await backUp(former, job);
    }
    const expected = await loadIndex(former);
    expect(expected.items.filter(({ flags }) => flags.version !== undefined).length).toBe(12);
    const bench = await makeSuccessor(store, former);
    await begin(bench);
    expect(await work(bench)).toBe(null);
    expect(await loadIndex(bench)).toEqual(expected);
    bench.ground.pass(MINUTE);
    const point = await backUp(bench, await bench.addJob());
    expect(await loadCopies(bench, point)).toEqual(copiesNow([drive]));
    expect((await loadIndex(bench)).items.length).toBe(expected.items.length);
  });

  test(`ENG-4: a repository is attached while nobody else uses it, and its clean-up waits (${name})`, async () => {
    const store = await open();
    const bench = await makeSuccessor(store, await makeHistory(store, 4, 2));
    await begin(bench);
    const { context } = bench.ground;
    const now = context.clock.now();
    expect(await runCleanUp(bench)).toBeGreaterThan(now);
    // Another server works with the repository right now.
    const other = await openAt(makeMemoryTarget(bench.files));
    expect(await work(bench)).toBe(now + MINUTE);
    await other.close();
    expect(await work(bench)).toBe(null);
    expect(await loadPoints(bench)).toMatchObject([{ complete: true }, { complete: true }]);
  });

  test(`ENG-4: what is damaged or of others is named, and the rest attached (${name})`, async () => {
    const store = await open();
    const former = await makeHistory(store, 5, 4);
    const bench = await makeSuccessor(store, former);
    const repository = await bench.open();
    await saveFiles(repository, { 'letter.txt': Buffer.from('of another program') }, 1);
    const points = await loadPoints(former);
    const snapshots = getValue(await repository.listSnapshots());
    const broken = snapshots.find(({ id }) => id === points[1]?.snapshot);
    await repository.close();
    // The file of one point is unreadable.
    bench.isReadable = false;
    bench.files.set(`snapshots/${broken?.id}`, Buffer.from('rubbish'));
    await begin(bench);
    expect(await work(bench)).toBe(null);
    const attachment = await loadAttachment(bench);
    expect(attachment?.problems.map(({ kind }) => kind).sort()).toEqual(['damaged', 'foreign']);
    const attached = await loadPoints(bench);
    expect(attached.map(({ id }) => id)).toEqual(
      points.filter((_, at) => at !== 1).map(({ id }) => id),
    );
    for (const { id } of attached)
      expect(await loadCopies(bench, id)).toEqual(await loadCopies(former, id));
  });

  test(`ENG-4: points of another organization are left out (${name})`, async () => {
    const store = await open();
    const bench = await makeSuccessor(store, await makeHistory(store, 6, 2));
    const { engine: _, type: __, ...settings } = ORGANIZATION;
    await bench.append({
      type: 'organization.updated@1',
      data: { id: bench.organization, ...settings, directoryId: randomUUID() },
    });
    await begin(bench);
    expect(await work(bench)).toBe(null);
    expect(await loadPoints(bench)).toEqual([]);
    expect((await loadAttachment(bench))?.problems.map(({ kind }) => kind)).toEqual([
      'foreign',
      'foreign',
    ]);
  });

  test(`ENG-4: a folder that lost its description is named with its point (${name})`, async () => {
    const store = await open();
    const former = await makeHistory(store, 8, 2);
    const [ann] = former.objects;
    ann?.putItem('lost', 'top', 'a mail');
    const before = new Set(former.files.keys());
    const lost = await backUp(former, await former.addJob());
    const added = [...former.files.keys()].filter((path) => !before.has(path));
    ann?.removeItem('lost');
    former.ground.pass(MINUTE);
    await backUp(former, await former.addJob());
    const bench = await makeSuccessor(store, former);
    const states = (await loadIndex(former)).states;
    const state = states.find(({ point_id, object }) => point_id === lost && object === 'ann');
    bench.isReadable = false;
    bench.files.delete(await findPack(former, added, state?.tree ?? ''));
    await begin(bench);
    expect(await work(bench)).toBe(null);
    expect((await loadAttachment(bench))?.problems).toMatchObject([
      { kind: 'incomplete', object: 'Person ann' },
    ]);
    const { points } = await loadIndex(bench);
    expect(points).toHaveLength(4);
    for (const { id, lacks, result } of points)
      if (id === lost) expect([lacks, result]).toEqual([['Person ann'], 'warning']);
      else expect(await loadCopies(bench, id)).toEqual(await loadCopies(former, id));
  });

  test(`ENG-4: a repository with more than 500 points is attached (${name})`, async () => {
    const store = await open();
    const former = await makeHistory(store, 7, 1);
    await addPoints(former, 519);
    const bench = await makeSuccessor(store, former);
    await begin(bench);
    expect(await work(bench)).toBe(null);
    expect((await loadPoints(bench)).filter(({ complete }) => complete)).toHaveLength(520);
    expect(await loadIndex(bench)).toEqual(await loadIndex(former));
  });

  test.skipIf(missing !== '')(
    `ENG-4, ENG-12: restic accepts an attached repository, and has of each point what the index has (${name})${missing}`,
    async () => {
      const store = await open();
      const bench = await makeSuccessor(store, await makeHistory(store, 9, 5));
      await begin(bench);
      expect(await work(bench)).toBe(null);
      const folder = toFolder(bench.files);
      const place = { folder, password: PASSWORD };
      await expectNoErrors(place);
      const points = await loadPoints(bench);
      for (const printed of await readWithEach(place, 'snapshots', '--json')) {
        const listed = JSON.parse(printed) as { id: string }[];
        expect(new Set(listed.map(({ id }) => id))).toEqual(
          new Set(points.map(({ snapshot }) => snapshot)),
        );
      }
      for (const { id, snapshot } of points) {
        const copies = Object.values(await loadCopies(bench, id)).flatMap(({ items }) => items);
        const readable = copies.filter(({ content }) => content !== '');
        const known = readable.map(({ content }) => content.length);
        for (const printed of await readWithEach(place, 'ls', '--json', snapshot ?? '')) {
          const sizes = printed
            .trim()
            .split('\n')
            .map((line): { type?: string; name?: string; size?: number } => JSON.parse(line))
            .filter((node) => node.type === 'file' && node.name !== '.daybook.jsonl')
            .map(({ size = 0 }) => size);
          expect(sizes.toSorted((a, b) => a - b)).toEqual(known.toSorted((a, b) => a - b));
        }
      }
    },
  );
});

/** Content that can't be read is in no copy. */
const withoutUnreadable = (copies: ReturnType<typeof copiesNow>): typeof copies =>
  Object.fromEntries(
    Object.entries(copies).map(([name, { folders, items }]) => [
      name,
      {
        folders,
        items: items.map((item) =>
          item.content === 'unreadable' ? { ...item, content: '' } : item,
        ),
      },
    ]),
  );

/** Returns the pack among these files without which a folder can't be read. */
async function findPack(
  bench: SessionBench,
  paths: readonly string[],
  tree: string,
): Promise<string> {
  for (const path of paths) {
    if (!path.startsWith('data/')) continue;
    const files = new Map(bench.files);
    files.delete(path);
    const repository = await openAt(makeMemoryTarget(files));
    const read = await repository.readTree(tree);
    await repository.close();
    if (!read.ok) return path;
  }
  throw new Error('No pack has the folder.');
}

/** Adds the restore points of sessions that found no change. */
async function addPoints(bench: SessionBench, count: number): Promise<void> {
  const { ground: fixture, tenant, organization, repository: id } = bench;
  const { store } = fixture.context;
  const repository = await bench.open();
  const numbers = await store.tenant(tenant, (tx) => listObjectNumbers(tx, id));
  const job = await bench.addJob();
  for (let added = 0; added < count; added += 1) {
    fixture.pass(MINUTE);
    const at = fixture.context.clock.now();
    const facts = {
      point: randomUUID(),
      session: randomUUID(),
      job,
      organization,
      directory: ORGANIZATION.directoryId,
      at,
      result: 'success' as const,
      changes: 0,
      lacks: [],
    };
    await store.tenant(tenant, async (tx) => {
      for (const n of numbers) {
        const object = await loadObject(tx, n);
        const { tree } = object;
        if (tree !== null)
          await storeObjectPoint(tx, object, object, { point: facts.point, at, tree });
      }
      const objects = await loadPointObjects(tx, facts.point);
      const snapshot = getValue(await saveRestorePoint(repository, facts, objects, false));
      await tx.sql
        .insertInto('restore_point')
        .values({
          tenant_id: tenant,
          id: facts.point,
          organization_id: organization,
          repository_id: id,
          job_id: job,
          session_id: facts.session,
          at,
          snapshot,
          complete: true,
          result: 'success',
        })
        .execute();
    });
  }
  await repository.close();
}
