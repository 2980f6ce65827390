import { expect, test } from 'vitest';
import type { RestoreInput, Workload } from '#contract/engine/engine.ts';
import { eachDatabase, freshStore, ONE } from '../../db/databases.ts';
import { getValue } from '../restic/fixtures.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { readTenant } from './random/tenant-view.ts';
import { NO_FLAGS } from './no-flags.ts';

/** `add`: adds folders, and returns what removes them. */
type Place = readonly [
  workload: Workload,
  object: string,
  add: (office: RandomOffice) => Promise<() => Promise<unknown>>,
  names: readonly (readonly string[])[],
];

const post = async (office: RandomOffice, path: string, body: unknown): Promise<string> => {
  const made = await office.send('POST', path, body);
  return encodeURIComponent(((await made.json()) as { readonly id: string }).id);
};
const addToDrive = async (office: RandomOffice, drive: string) => {
  const top = `/drives/${drive}/items`;
  const upper = await post(office, `/drives/${drive}/root/children`, { name: 'New', folder: {} });
  await post(office, `${top}/${upper}/children`, { name: 'Inner', folder: {} });
  return () => office.send('DELETE', `${top}/${upper}`);
};

const PLACES: readonly Place[] = [
  [
    'outlook',
    'mailbox',
    async (office) => {
      const folders = `/users/${office.targets.user}/mailFolders`;
      const upper = await post(office, folders, { displayName: 'New' });
      await post(office, `${folders}/${upper}/childFolders`, { displayName: 'Inner' });
      return () => office.send('DELETE', `${folders}/${upper}`);
    },
    [['New'], ['New', 'Inner']],
  ],
  [
    'outlook',
    'mailbox',
    async (office) => {
      const groups = `/users/${office.targets.user}/calendarGroups`;
      const group = await post(office, groups, { name: 'New' });
      const calendars = `${groups}/${group}/calendars`;
      const calendar = await post(office, calendars, { name: 'Inner' });
      return async () => {
        await office.send('DELETE', `/users/${office.targets.user}/calendars/${calendar}`);
        await office.send('DELETE', `${groups}/${group}`);
      };
    },
    [
      ['Calendars', 'New'],
      ['Calendars', 'New', 'Inner'],
    ],
  ],
  [
    'outlook',
    'mailbox',
    async (office) => {
      const lists = `/users/${office.targets.user}/todo/lists`;
      const list = await post(office, lists, { displayName: 'New' });
      return () => office.send('DELETE', `${lists}/${list}`);
    },
    [['Tasks', 'New']],
  ],
  [
    'onedrive',
    'drive',
    (office) => addToDrive(office, office.admin.listFiles(office.targets.user)[0]?.drive_id ?? ''),
    [['New'], ['New', 'Inner']],
  ],
];

for (const [workload, kind, add, names] of PLACES)
  test(`RES-93, RES-2, RES-4: empty folders of a ${kind} come back, also elsewhere (${names.map((path) => path.join('/')).join(', ')})`, async () => {
    const office = await aRandomOffice(await freshStore(ONE), 11);
    const { user, other } = office.targets;
    const remove = await add(office);
    const { at } = await office.backUp();
    await remove();
    const listFolders = (owner: string) => {
      const chosen = { mailboxes: [owner], drives: [owner], sites: [] };
      const { folders } = readTenant(office.tables, office.admin, chosen);
      return [...folders].filter((one) => one.startsWith(`${kind} `));
    };
    const explorer = await office.open(workload, at);
    const nodes = await office.walk(explorer);
    const whole = nodes.find(({ path }) => path.length === 0);
    const folder = nodes.find(({ path }) => JSON.stringify(path) === JSON.stringify(names[0]));
    for (const [node, owner] of [
      [whole, user],
      [folder, user],
      [folder, other],
    ] as const) {
      const input: RestoreInput = {
        explorer,
        nodes: [node?.node.id ?? ''],
        target:
          owner === user
            ? { kind: 'original' }
            : {
                kind: 'other',
                organization: office.scope.organization,
                object: owner,
                folder: null,
              },
        select: 'missing',
        onConflict: 'skip',
        versions: 'last',
        flags: NO_FLAGS,
        dryRun: false,
        reason: 'test',
      };
      const before = listFolders(owner);
      const after = [
        ...before,
        ...names.map((path) => `${kind} ${owner} ${JSON.stringify(path)}`),
      ].toSorted();
      const getEnd = ({ done }: Awaited<ReturnType<typeof office.restore>>) => [
        done.result,
        done.folders,
      ];
      expect(getEnd(await office.restore({ ...input, dryRun: true }))).toEqual([
        'success',
        names.length,
      ]);
      expect(listFolders(owner)).toEqual(before);
      expect(getEnd(await office.restore({ ...input, select: 'changed' }))).toEqual([
        'success',
        undefined,
      ]);
      const restored = await office.restore(input);
      expect([getEnd(restored), listFolders(owner).toSorted()]).toEqual([
        ['success', names.length],
        after,
      ]);
      expect(getEnd(await office.restore(input))).toEqual(['success', undefined]);
      expect([restored.done.canUndo, (await office.undo(restored.task)).done.result]).toEqual([
        true,
        'success',
      ]);
      expect(listFolders(owner)).toEqual(before);
    }
  });

test('RES-93, RES-4: an empty library comes back, and an undo leaves a folder that has something', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { site } = office.targets;
  const lists = `/sites/${encodeURIComponent(site)}/lists`;
  const list = await post(office, lists, {
    displayName: 'New',
    list: { template: 'documentLibrary' },
  });
  const drive = office.admin.listLibraries(site).find(({ name }) => name === 'New')?.id ?? '';
  await addToDrive(office, drive);
  const { at } = await office.backUp();
  await office.send('DELETE', `${lists}/${list}`);
  const listFolders = () =>
    [
      ...readTenant(office.tables, office.admin, { mailboxes: [], drives: [], sites: [site] })
        .folders,
    ].filter((one) => one.includes('["New"'));
  expect(listFolders()).toEqual([]);
  const explorer = await office.open('sharepoint', at);
  const library = (await office.walk(explorer)).find(({ path }) => path.join('/') === 'New');
  const restored = await office.restore({
    explorer,
    nodes: [library?.node.id ?? ''],
    target: { kind: 'original' },
    select: 'both',
    onConflict: 'skip',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: false,
    reason: 'test',
  });
  const all = [['New'], ['New', 'New'], ['New', 'New', 'Inner']].map(
    (path) => `site ${site} ${JSON.stringify(path)}`,
  );
  expect([restored.done.folders, restored.done.message, listFolders().toSorted()]).toEqual([
    3,
    '3 empty folders were created.',
    all.toSorted(),
  ]);
  const now = office.admin.listLibraries(site).find(({ name }) => name === 'New')?.id ?? '';
  office.admin.addLibraryFile(now);
  expect((await office.undo(restored.task)).done.result).toBe('success');
  expect(listFolders()).toContain(all[0]);
});

/** What the drive of the user, or a library of the site, has at its top and in its folders. */
async function aDriveWithEmptyFolders(office: RandomOffice, workload: 'onedrive' | 'sharepoint') {
  const { admin, targets, tables } = office;
  const [library] = admin.listLibraries(targets.site);
  const drive =
    workload === 'sharepoint'
      ? (library?.id ?? '')
      : (tables.get<{ id: string }>('select id from drive where owner_id = ?', targets.user)?.id ??
        '');
  const root = tables.get<{ id: string }>(
    'select id from item where drive_id = ? and parent_id is null',
    drive,
  );
  const addFile = async (name: string): Promise<string> => {
    const { id } = admin.addLibraryFile(drive);
    await office.send('PATCH', `/drives/${drive}/items/${id}`, {
      name,
      parentReference: { id: root?.id },
    });
    return id;
  };
  const list = (): readonly string[] =>
    tables
      .all<{ name: string; is_folder: number }>(
        'select name, is_folder from item where drive_id = ? and deleted = 0 and parent_id is not null',
        drive,
      )
      .map(({ name, is_folder: isFolder }) => (isFolder === 1 ? `${name}/` : name))
      .toSorted();
  const top = workload === 'sharepoint' ? [library?.name ?? ''] : [];
  return { drive, addFile, list, top, removeFolders: await addToDrive(office, drive) };
}

for (const workload of ['onedrive', 'sharepoint'] as const)
  test(`RES-93, RES-1, RES-4: a dry run counts empty folders as a restore does if a file has the name of one (${workload})`, async () => {
    const office = await aRandomOffice(await freshStore(ONE), 11);
    const { drive, addFile, list, top, removeFolders } = await aDriveWithEmptyFolders(
      office,
      workload,
    );
    const file = await addFile('Other.txt');
    const { at } = await office.backUp();
    await removeFolders();
    const explorer = await office.open(workload, at);
    const all = (await office.walk(explorer)).find(
      ({ path }) => JSON.stringify(path) === JSON.stringify(top),
    );
    const tryBoth = async (onConflict: RestoreInput['onConflict']) => {
      const input: RestoreInput = {
        explorer,
        nodes: [all?.node.id ?? ''],
        target: { kind: 'original' },
        select: 'both',
        onConflict,
        versions: 'last',
        flags: NO_FLAGS,
        dryRun: true,
        reason: null,
      };
      const before = list();
      const dry = await office.restore(input);
      expect(list()).toEqual(before);
      const real = await office.restore({ ...input, dryRun: false });
      const after = list();
      if (real.done.canUndo) await office.undo(real.task);
      expect(list()).toEqual(before);
      const added = after.filter((name) => name.endsWith('/') && !before.includes(name));
      return [dry, real].map(({ done }) => [
        done.folders,
        done.message,
        done.result,
        added.toSorted(),
      ]);
    };
    const created = ['Inner/', 'New/'];
    // The file of the backup has the name now. The restore takes it away, or leaves it there.
    await office.send('PATCH', `/drives/${drive}/items/${file}`, { name: 'New' });
    expect(await tryBoth('replace')).toEqual([
      [2, '2 empty folders will be created.', 'success', created],
      [2, '2 empty folders were created.', 'success', created],
    ]);
    const reason = 'A file has the name of the folder, or of one above it.';
    const refused = [
      [undefined, `2 empty folders can't be created. ${reason}`, 'warning', []],
      [undefined, `2 empty folders could not be created. ${reason}`, 'warning', []],
    ];
    expect(await tryBoth('skip')).toEqual(refused);
    // A file that the backup doesn't have stays.
    await office.send('PATCH', `/drives/${drive}/items/${file}`, { name: 'Other.txt' });
    const other = await addFile('New');
    expect(await tryBoth('replace')).toEqual(refused);
    office.admin.deleteLibraryFile(drive, other);
  });

test('RES-93, RES-1, RES-4: a file gives its name to the folder of a file with its former name', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { drive, addFile, list, removeFolders } = await aDriveWithEmptyFolders(office, 'onedrive');
  await removeFolders();
  const outer = await addFile('Plan.txt');
  const folder = decodeURIComponent(
    await post(office, `/drives/${drive}/root/children`, { name: 'Plans', folder: {} }),
  );
  const inner = office.admin.addLibraryFile(drive);
  await office.send('PATCH', `/drives/${drive}/items/${inner.id}`, {
    name: 'Plan.txt',
    parentReference: { id: folder },
  });
  const { at } = await office.backUp();
  const atPoint = list();
  await office.send('DELETE', `/drives/${drive}/items/${folder}`);
  await office.send('PATCH', `/drives/${drive}/items/${outer}`, { name: 'Plans' });
  const changed = list();
  const explorer = await office.open('onedrive', at);
  const nodes = (await office.walk(explorer)).filter(({ node }) => node.name === 'Plan.txt');
  expect(nodes).toHaveLength(2);
  for (const chosen of [nodes, nodes.toReversed()]) {
    const input: RestoreInput = {
      explorer,
      nodes: chosen.map(({ node }) => node.id),
      target: { kind: 'original' },
      select: 'both',
      onConflict: 'replace',
      versions: 'last',
      flags: NO_FLAGS,
      dryRun: true,
      reason: null,
    };
    const counts = { restored: 1, merged: 1, skipped: 0, failed: 0 };
    expect((await office.restore(input)).done.counts).toEqual(counts);
    const { task, done } = await office.restore({ ...input, dryRun: false });
    expect([done.counts, list()]).toEqual([counts, atPoint]);
    expect([(await office.undo(task)).done.result, list()]).toEqual(['success', changed]);
  }
});

/** Where an empty folder of each place goes while it is somewhere else. */
const MOVES: readonly (readonly [
  workload: Workload,
  make: (office: RandomOffice) => Promise<() => Promise<unknown>>,
  rows: readonly (readonly [name: string, path: string, now: string])[],
])[] = [
  [
    'outlook',
    async (office) => {
      const folders = `/users/${office.targets.user}/mailFolders`;
      const upper = await post(office, folders, { displayName: 'New' });
      await post(office, `${folders}/${upper}/childFolders`, { displayName: 'Inner' });
      return () => office.send('PATCH', `${folders}/${upper}`, { displayName: 'Renamed' });
    },
    [
      ['New', '', 'Renamed'],
      ['Inner', 'New', 'Renamed/Inner'],
    ],
  ],
  [
    'outlook',
    async (office) => {
      const folders = `/users/${office.targets.user}/contactFolders`;
      const folder = await post(office, folders, { displayName: 'New' });
      const outer = await post(office, folders, { displayName: 'Outer' });
      return () =>
        office.send('PATCH', `${folders}/${folder}`, { parentFolderId: decodeURIComponent(outer) });
    },
    [['New', 'Contacts', 'Contacts/Outer/New']],
  ],
  [
    'onedrive',
    async (office) => {
      const drive = office.admin.listFiles(office.targets.user)[0]?.drive_id ?? '';
      const top = `/drives/${drive}/root/children`;
      const upper = await post(office, top, { name: 'New', folder: {} });
      await post(office, `/drives/${drive}/items/${upper}/children`, { name: 'Inner', folder: {} });
      const outer = decodeURIComponent(await post(office, top, { name: 'Outer', folder: {} }));
      return () =>
        office.send('PATCH', `/drives/${drive}/items/${upper}`, { parentReference: { id: outer } });
    },
    [
      ['New', '', 'Outer/New'],
      ['Inner', 'New', 'Outer/New/Inner'],
    ],
  ],
];

eachDatabase((database, open) => {
  for (const [workload, make, rows] of MOVES)
    test(`RES-93, RES-141, RES-1: a dry run lists the empty folders that are somewhere else now (${rows[0]?.[2]}, ${workload}, ${database})`, async () => {
      const office = await aRandomOffice(await open(), 11);
      const move = await make(office);
      const { at } = await office.backUp();
      const explorer = await office.open(workload, at);
      const all = await office.walk(explorer);
      const top = all.find(({ path }) => path.length === 0)?.node.id ?? '';
      const input: RestoreInput = {
        explorer,
        nodes: [top],
        target: { kind: 'original' },
        select: 'missing',
        onConflict: 'skip',
        versions: 'last',
        flags: NO_FLAGS,
        dryRun: true,
        reason: 'test',
      };
      const names = new Set(rows.map(([name]) => name));
      const read = async () => {
        const { done, results } = await office.restore(input);
        const listed = results.filter(({ name }) => names.has(name));
        return { done, listed, others: results.length - listed.length };
      };
      const before = await read();
      expect([before.done.folders, before.listed]).toEqual([undefined, []]);
      await move();
      const after = await read();
      expect(after.listed).toEqual(
        rows.map(([name, path, now]) => ({
          name,
          path,
          outcome: 'restored',
          message: `Will be created. The folder is now at “${now}”. A new one is created at “${[path, name].filter(Boolean).join('/')}”.`,
        })),
      );
      // They are no items, and pages go on with them.
      expect([after.done.folders, after.done.counts, after.others]).toEqual([
        rows.length,
        before.done.counts,
        before.others,
      ]);
      const { scope, engine } = office;
      const page = { task: after.done.id, limit: after.others } as const;
      const first = getValue(
        await engine.listResults(scope, { ...page, outcome: null, cursor: null }),
      );
      expect([first.count, first.rows.length]).toEqual([after.others + rows.length, after.others]);
      const second = getValue(
        await engine.listResults(scope, { ...page, outcome: null, cursor: first.next }),
      );
      expect([second.rows, second.next]).toEqual([after.listed, null]);
      const failed = await engine.listResults(scope, { ...page, outcome: 'failed', cursor: null });
      expect(getValue(failed).rows).toEqual([]);
      // A restore has results of its items.
      const real = await office.restore({ ...input, dryRun: false });
      expect([real.done.folders, real.results.length]).toEqual([rows.length, after.others]);
    });
});
