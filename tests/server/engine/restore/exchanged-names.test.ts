import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { ItemRow } from '#server/demo/tenant/drive-store.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const TERMS: Omit<RestoreInput, 'explorer' | 'nodes'> = {
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: NO_FLAGS,
  dryRun: false,
  reason: null,
};

/** What the files become: each gets the name of another, a new name, or is deleted (null). */
interface Story {
  readonly about: string;
  readonly renames: Readonly<Record<string, string | null>>;
  /** How many of them the restore replaces and creates. */
  readonly merged: number;
  readonly restored?: number;
}
const STORIES: readonly Story[] = [
  { about: 'an exchange', renames: { 'A.txt': 'B.txt', 'B.txt': 'A.txt' }, merged: 2 },
  {
    about: 'a chain',
    renames: { 'A.txt': 'B.txt', 'B.txt': 'C.txt', 'C.txt': 'Free.txt' },
    merged: 3,
  },
  {
    about: 'a cycle of three, and a chain that leads to a deleted file',
    renames: {
      'A.txt': 'B.txt',
      'B.txt': 'C.txt',
      'C.txt': 'A.txt',
      'D.txt': 'E.txt',
      'E.txt': null,
    },
    merged: 4,
    restored: 1,
  },
];
const NAMES = ['A.txt', 'B.txt', 'C.txt', 'D.txt', 'E.txt'];

/** Five files of a drive or library, each with its name as content. */
async function addFiles(office: RandomOffice, place: 'onedrive' | 'sharepoint') {
  const { admin, targets, tables } = office;
  const drive =
    place === 'sharepoint'
      ? admin.listLibraries(targets.site)[0]?.id
      : tables.get<{ id: string }>('select id from drive where owner_id = ?', targets.user)?.id;
  if (drive === undefined) throw new Error('no drive');
  const rename = (id: string, name: string) =>
    office.send('PATCH', `/drives/${drive}/items/${id}`, { name });
  for (const file of listFiles(office, drive)) admin.deleteLibraryFile(drive, file.id);
  for (const name of NAMES) {
    const { id, parent_id: parent } = admin.addLibraryFile(drive);
    await rename(id, name);
    admin.changeLibraryFile(drive, id, Buffer.from(`content of ${name}`));
    const root = tables.get<{ id: string }>(
      'select id from item where drive_id = ? and parent_id is null',
      drive,
    );
    if (parent !== root?.id)
      await office.send('PATCH', `/drives/${drive}/items/${id}`, {
        parentReference: { id: root?.id },
      });
  }
  const list = (): readonly string[] =>
    listFiles(office, drive)
      .map(({ id, name }) => {
        const [newest] = admin.listVersions(id);
        const content = newest && Buffer.from(admin.readVersion(newest)).toString();
        return `${name}: ${content ?? ''}`;
      })
      .toSorted();
  const change = async ({ renames }: Story): Promise<void> => {
    const ids = new Map(listFiles(office, drive).map(({ id, name }) => [name, id]));
    for (const [name, to] of Object.entries(renames)) {
      const id = ids.get(name) ?? '';
      if (to === null) admin.deleteLibraryFile(drive, id);
      else await rename(id, `${to}.between`);
    }
    for (const [name, to] of Object.entries(renames))
      if (to !== null) await rename(ids.get(name) ?? '', to);
  };
  const getIds = () =>
    Object.fromEntries(listFiles(office, drive).map(({ id, name }) => [name, id]));
  return { drive, list, change, getIds };
}
const listFiles = ({ tables }: RandomOffice, drive: string): readonly ItemRow[] =>
  tables.all<ItemRow>(
    'select * from item where drive_id = ? and deleted = 0 and is_folder = 0 order by n',
    drive,
  );

for (const place of ['onedrive', 'sharepoint'] as const)
  test(`RES-1, RES-2, RES-4, RES-5: files that exchanged their names, or passed them on, get them back in any order, and an undo takes that back (${place})`, async () => {
    const office = await aRandomOffice(await freshStore(ONE), 11);
    const { list, change, getIds } = await addFiles(office, place);
    const { at } = await office.backUp();
    const atPoint = list();
    const ids = getIds();
    for (const story of STORIES) {
      const { about } = story;
      await change(story);
      const changed = list();
      const explorer = await office.open(place, at);
      const nodes = (await office.walk(explorer)).filter(({ node }) => node.name in story.renames);
      // In one order, and in the other.
      for (const chosen of [nodes, nodes.toReversed()]) {
        const input = { ...TERMS, explorer, nodes: chosen.map(({ node }) => node.id) };
        const expected = {
          about,
          counts: { restored: story.restored ?? 0, merged: story.merged, skipped: 0, failed: 0 },
        };
        const dry = await office.restore({ ...input, dryRun: true });
        expect({ about, counts: dry.done.counts, files: list() }).toEqual({
          ...expected,
          files: changed,
        });
        const { task, done } = await office.restore(input);
        expect({ about, counts: done.counts, files: list() }).toEqual({
          ...expected,
          files: atPoint,
        });
        const deleted = Object.entries(story.renames).flatMap(([name, to]) =>
          to === null ? [name] : [],
        );
        expect({ ...getIds(), ...pickKeys(ids, deleted) }).toEqual(ids);
        const again = await office.restore(input);
        expect({ about, skipped: again.done.counts.skipped }).toEqual({
          about,
          skipped: nodes.length,
        });
        const undone = await office.undo(task);
        expect({ about, result: undone.done.result, files: list() }).toEqual({
          about,
          result: 'success',
          files: changed,
        });
      }
      expect(
        (await office.restore({ ...TERMS, explorer, nodes: nodes.map(({ node }) => node.id) })).done
          .result,
      ).toBe('success');
      expect(list()).toEqual(atPoint);
    }
  });

const pickKeys = (from: Readonly<Record<string, string>>, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, from[key] ?? '']));

const CIRCLE: Story = {
  about: 'a cycle',
  renames: { 'A.txt': 'B.txt', 'B.txt': 'C.txt', 'C.txt': 'A.txt' },
  merged: 3,
};
const DOWN_MS = 300_000;

test('RES-5, RES-4: a restore and an undo of exchanged names that lose the tenant after any write continue with the same result', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { list, change } = await addFiles(office, 'onedrive');
  const { at } = await office.backUp();
  const atPoint = list();
  await change(CIRCLE);
  const changed = list();
  const explorer = await office.open('onedrive', at);
  const nodes = (await office.walk(explorer)).filter(({ node }) => node.name in CIRCLE.renames);
  const input = { ...TERMS, explorer, nodes: nodes.map(({ node }) => node.id) };
  const { clock, cloud } = office.context;
  let writes = 0;
  let lostAt = 0;
  let downUntil = 0;
  cloud.connectTo(async (request) => {
    if (clock.now() < downUntil) throw new TypeError('fetch failed');
    const response = await office.office.fetch(request);
    if (request.method === 'PATCH' && request.url.includes('/items/')) {
      writes += 1;
      if (writes === lostAt) {
        downUntil = clock.now() + DOWN_MS;
        throw new TypeError('fetch failed');
      }
    }
    return response;
  });
  const run = async <T>(loses: number, work: () => Promise<T>): Promise<T> => {
    writes = 0;
    lostAt = loses;
    return work();
  };
  // A temporary name, and three names that are right.
  for (const loses of [1, 2, 3, 4]) {
    const restored = await run(loses, () => office.restore(input));
    expect({
      loses,
      writes: writes >= 4,
      files: list(),
      failed: restored.done.counts.failed,
    }).toEqual({
      loses,
      writes: true,
      files: atPoint,
      failed: 0,
    });
    const undone = await run(loses, () => office.undo(restored.task));
    expect({ loses, writes: writes >= 4, files: list(), result: undone.done.result }).toEqual({
      loses,
      writes: true,
      files: changed,
      result: 'success',
    });
  }
});

test('RES-4: a restore that is stopped while a file has a temporary name says so, and can be undone', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { list, change } = await addFiles(office, 'onedrive');
  const { at } = await office.backUp();
  await change(CIRCLE);
  const changed = list();
  const explorer = await office.open('onedrive', at);
  const nodes = (await office.walk(explorer)).filter(({ node }) => node.name in CIRCLE.renames);
  const { engine, scope, context } = office;
  let task: string | null = null;
  context.cloud.connectTo(async (request) => {
    const response = await office.office.fetch(request);
    if (request.method === 'PATCH' && request.url.includes('/items/') && task === null) {
      const page = await engine.listTasks(scope, { cursor: null, limit: 1 });
      task = page.ok ? (page.value.rows[0]?.id ?? null) : null;
      await engine.cancel(scope, { task: task ?? '' });
    }
    return response;
  });
  const stopped = await office.restore({
    ...TERMS,
    explorer,
    nodes: nodes.map(({ node }) => node.id),
  });
  expect(list()).not.toEqual(changed);
  expect(stopped.done).toMatchObject({ result: 'cancelled', canUndo: true });
  expect(stopped.results.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
  expect((await office.undo(stopped.task)).done.result).toBe('success');
  expect(list()).toEqual(changed);
});
