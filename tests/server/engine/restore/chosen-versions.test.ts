import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { anyDatabase } from '../../db/databases.ts';
import type { Store } from '#server/platform/db/store.ts';
import { clientToken } from '../../demo-tenant/fixtures.ts';
import { anOfficeWithHistory, type FilePlace } from '../file-versions-bench.ts';
import { getValue } from '../restic/fixtures.ts';

type Office = Awaited<ReturnType<typeof anOfficeWithHistory>>;

/** A file with the backed-up contents first to fourth, which somebody has edited since. */
async function anEditedFile(store: Store, place: FilePlace) {
  const office = await anOfficeWithHistory(store, 'all', place);
  const [file] = office.files();
  if (file === undefined) throw new Error('no files');
  for (const text of ['first', 'second', 'third']) office.save(file.id, text);
  await office.backUp();
  office.save(file.id, 'the fourth');
  await office.backUp();
  office.save(file.id, 'edited since');
  const { explorer, versions, drive } = await office.findFile(file.name);
  const texts = new Map<string, NodeId>();
  for (const { node } of versions) texts.set(await office.readNode(explorer, node.id), node.id);
  const pick = (text: string): NodeId => {
    const id = texts.get(text);
    if (id === undefined) throw new Error(`no ${text}`);
    return id;
  };
  const dot = file.name.lastIndexOf('.');
  const getName = (n: number): string =>
    n === 0 ? file.name : `${file.name.slice(0, dot)} ${n}${file.name.slice(dot)}`;
  /** The file and its copies, and whether the first is still the same file. */
  const list = () => {
    const present = office.files();
    return [0, 1, 2, 3].flatMap((n) => {
      const found = present.filter(({ name }) => name === getName(n));
      return found.map(({ id }) => [n, office.listStored(id).at(-1)?.text ?? '']);
    });
  };
  const restore = async (nodes: readonly NodeId[], more: Partial<RestoreInput> = {}) => {
    const { task, done } = await office.restore(explorer, nodes, more);
    return { task, done, ...(await readResults(office, task)) };
  };
  return { office, file, explorer, drive, versions, pick, getName, list, restore };
}

async function readResults({ engine, scope }: Office, task: string) {
  const { rows } = getValue(
    await engine.listResults(scope, { task, outcome: null, cursor: null, limit: 100 }),
  );
  return {
    results: rows.map(({ name, outcome }) => `${name}: ${outcome}`).toSorted(),
    messages: rows.map(({ message }) => message ?? ''),
  };
}

/** Renames a file of the person, as the person would. */
async function makeRename({ office, person }: Office, file: string) {
  const people = office.admin.registerApplication('People', ['Files.ReadWrite.All']);
  const token = await clientToken(office, people);
  return async (name: string): Promise<void> => {
    const response = await office.fetch(
      new Request(`https://graph.microsoft.com/v1.0/users/${person.id}/drive/items/${file}`, {
        method: 'PATCH',
        headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      }),
    );
    expect(response.status).toBe(200);
  };
}

/** What the file and its numbered copies become. */
const EXPECTED = {
  'replace': [
    [0, 'third'],
    [1, 'second'],
    [2, 'first'],
  ],
  'skip': [
    [0, 'edited since'],
    [1, 'second'],
    [2, 'first'],
  ],
  'keep-both': [
    [0, 'edited since'],
    [1, 'second'],
    [2, 'first'],
    [3, 'third'],
  ],
};
const OUTCOMES = { 'replace': 'merged', 'skip': 'skipped', 'keep-both': 'restored' };
const ORDERS = [
  ['first', 'second', 'third'],
  ['third', 'second', 'first'],
];

anyDatabase((name, open) => {
  for (const place of ['drive', 'site', 'team'] as const)
    for (const onConflict of ['replace', 'skip', 'keep-both'] as const)
      test(`RES-94, RES-140, RES-1, RES-2, RES-4: of several versions of one file, the newest is its content and the others are files with numbered names (${place}, ${onConflict}, ${name})`, async () => {
        const { office, file, pick, getName, list, restore } = await anEditedFile(
          await open(),
          place,
        );
        const before = list();
        expect(before).toEqual([[0, 'edited since']]);
        for (const order of onConflict === 'replace' ? ORDERS : ORDERS.slice(1)) {
          const nodes = order.map(pick);
          const dry = await restore(nodes, { onConflict, dryRun: true });
          expect(list()).toEqual(before);
          const restored = await restore(nodes, { onConflict });
          expect(list()).toEqual(EXPECTED[onConflict]);
          // It is still the same file, with its links.
          expect(office.files().find(({ id }) => id === file.id)?.name).toBe(file.name);
          const results = [
            `${getName(0)}: ${OUTCOMES[onConflict]}`,
            `${getName(1)}: restored`,
            `${getName(2)}: restored`,
          ].toSorted();
          expect([dry.results, restored.results]).toEqual([results, results]);
          for (const { messages } of [dry, restored])
            for (const n of [1, 2])
              expect(messages.filter((one) => one.includes(`“${getName(n)}”`))).toHaveLength(1);
          const again = await restore(nodes, { onConflict });
          expect([again.done.counts.skipped, list()]).toEqual([3, EXPECTED[onConflict]]);
          expect((await office.undo(restored.task)).result).toBe('success');
          expect(list()).toEqual(before);
        }
      });

  test(`RES-94, RES-140, RES-2, RES-4: a version that is chosen with the folder of its file is another file (${name})`, async () => {
    const { office, drive, pick, list, restore } = await anEditedFile(await open(), 'drive');
    const nodes = [pick('third'), drive?.id ?? 'o1', pick('first')];
    const rules = { onConflict: 'replace' } as const;
    const dry = await restore(nodes, { ...rules, dryRun: true });
    const restored = await restore(nodes, rules);
    const expected = [
      [0, 'the fourth'],
      [1, 'third'],
      [2, 'first'],
    ];
    expect([restored.results, list()]).toEqual([dry.results, expected]);
    const again = await restore(nodes, rules);
    expect([again.done.counts.skipped, list()]).toEqual([
      restored.done.counts.skipped + 3,
      expected,
    ]);
    expect((await office.undo(restored.task)).result).toBe('success');
    expect(list()).toEqual([[0, 'edited since']]);
  });

  test(`RES-94, RES-140, RES-5, RES-4: a restore of several versions that loses the tenant after any write ends the same, and so does its undo (${name})`, async () => {
    const { office, pick, list, restore } = await anEditedFile(await open(), 'drive');
    const nodes = ['first', 'third', 'second'].map(pick);
    const { clock, cloud } = office.context;
    let writes = 0;
    let lostAt = 0;
    let downUntil = 0;
    cloud.connectTo(async (request) => {
      if (clock.now() < downUntil) throw new TypeError('fetch failed');
      const response = await office.office.fetch(request);
      if (['PATCH', 'PUT', 'DELETE'].includes(request.method)) {
        writes += 1;
        if (writes === lostAt) {
          downUntil = clock.now() + 300_000;
          throw new TypeError('fetch failed');
        }
      }
      return response;
    });
    for (const onConflict of ['replace', 'keep-both'] as const)
      for (const loses of [1, 2, 3]) {
        [writes, lostAt] = [0, loses];
        const restored = await restore(nodes, { onConflict });
        expect([loses, writes >= 3, restored.done.counts.failed, list()]).toEqual([
          loses,
          true,
          0,
          EXPECTED[onConflict],
        ]);
        [writes, lostAt] = [0, loses];
        const undone = await office.undo(restored.task);
        expect([loses, writes >= 3, undone.result, list()]).toEqual([
          loses,
          true,
          'success',
          [[0, 'edited since']],
        ]);
      }
  });

  for (const failing of ['the newest', 'an older one'])
    test(`RES-94, RES-140, RES-89, RES-4: a retry gives a version the name that the restore gave it (${failing}, ${name})`, async () => {
      const { office, file, pick, getName, list, restore } = await anEditedFile(
        await open(),
        'drive',
      );
      const refused =
        failing === 'the newest' ? `/items/${file.id}/` : `/${encodeURIComponent(getName(1))}:/`;
      let isRefused = true;
      office.context.cloud.connectTo(async (request) =>
        isRefused && request.method === 'POST' && request.url.includes(refused)
          ? Response.json({ error: { code: 'invalidRequest', message: 'No.' } }, { status: 400 })
          : office.office.fetch(request),
      );
      const first = await restore(['first', 'second', 'third'].map(pick));
      expect(first.done.counts.failed).toBe(1);
      isRefused = false;
      const retry = getValue(await office.engine.retry(office.scope, { task: first.task }));
      expect((await office.end(retry)).counts.failed).toBe(0);
      expect(list()).toEqual(EXPECTED.replace);
      expect((await office.undo(retry)).result).toBe('success');
      expect((await office.undo(first.task)).result).toBe('success');
      expect(list()).toEqual([[0, 'edited since']]);
    });

  test(`RES-94, RES-140, RES-2, RES-4: versions from before and after a rename get the names that the file had, whatever it is called now (${name})`, async () => {
    const office = await anOfficeWithHistory(await open(), 'none');
    const [file] = office.files();
    if (file === undefined) throw new Error('no files');
    const rename = await makeRename(office, file.id);
    office.save(file.id, 'of Monday');
    await rename('Monday.txt');
    await office.backUp();
    office.save(file.id, 'of Tuesday');
    await rename('Tuesday.txt');
    await office.backUp();
    office.save(file.id, 'edited since');
    const list = () =>
      office
        .files()
        .filter(({ name: title }) => /day/.test(title))
        .map(({ id, name: title }) => ({
          title,
          isSame: id === file.id,
          text: office.listStored(id).at(-1)?.text,
        }))
        .toSorted((a, b) => (a.title < b.title ? -1 : 1));
    const { explorer, versions } = await office.findFile('Tuesday.txt');
    const nodes = versions.filter(({ node }) => /day/.test(node.name)).map(({ node }) => node.id);
    expect(nodes).toHaveLength(2);
    for (const present of ['Tuesday.txt', 'Monday.txt'])
      for (const order of [nodes, nodes.toReversed()]) {
        await rename(present);
        const before = list();
        const dry = await office.restore(explorer, order, { dryRun: true });
        const restored = await office.restore(explorer, order);
        expect(restored.done.counts).toEqual(dry.done.counts);
        expect(list()).toEqual([
          { title: 'Monday.txt', isSame: false, text: 'of Monday' },
          { title: 'Tuesday.txt', isSame: true, text: 'of Tuesday' },
        ]);
        expect((await office.restore(explorer, order)).done.counts.skipped).toBe(2);
        expect((await office.undo(restored.task)).result).toBe('success');
        expect(list()).toEqual(before);
      }
  });
});
