import { expect, test } from 'vitest';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { ItemRow } from '#server/demo/tenant/drive-store.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { getValue } from '../restic/fixtures.ts';
import { aRandomOffice, type RandomOffice } from './random/random-office.ts';
import { NO_FLAGS } from './no-flags.ts';

const FOLDERS = ['First', 'Second', 'Third'];
const NAMES = ['Plan.docx', 'plan.docx', 'Plan.docx'];

const getDrive = ({ tables }: RandomOffice, user: string): string =>
  tables.get<{ id: string }>('select id from drive where owner_id = ?', user)?.id ?? '';

/** Adds folders and files to a drive, and lists what is in its folder for restored files. */
function makeDrive(office: RandomOffice, drive: string) {
  const { admin, tables } = office;
  const addFolder = async (name: string): Promise<string> => {
    const made = await office.send('POST', `/drives/${drive}/root/children`, { name, folder: {} });
    return ((await made.json()) as { readonly id: string }).id;
  };
  const addFile = async (parent: string, name: string, content: string): Promise<string> => {
    const { id } = admin.addLibraryFile(drive);
    await office.send('PATCH', `/drives/${drive}/items/${id}`, {
      name,
      parentReference: { id: parent },
    });
    admin.changeLibraryFile(drive, id, Buffer.from(content));
    return id;
  };
  const list = (folder = 'Restored'): readonly string[] =>
    tables
      .all<ItemRow>(
        `select i.* from item as i join item as f on f.drive_id = i.drive_id and f.id = i.parent_id
         where f.drive_id = ? and f.name = ? and f.deleted = 0 and i.deleted = 0 and i.is_folder = 0`,
        drive,
        folder,
      )
      .map(({ id, name }) => {
        const [newest] = admin.listVersions(id);
        return `${name.toLowerCase()}: ${newest ? Buffer.from(admin.readVersion(newest)).toString() : ''}`;
      })
      .toSorted();
  return { addFolder, addFile, list };
}

for (const place of ['onedrive', 'sharepoint'] as const)
  for (const onConflict of ['replace', 'skip', 'keep-both'] as const)
    test(`RES-94, RES-1, RES-2, RES-4: files with one name from several folders and libraries are all restored into one folder (${place}, ${onConflict})`, async () => {
      const office = await aRandomOffice(await freshStore(ONE), 11);
      const { admin, targets } = office;
      const drive =
        place === 'sharepoint'
          ? (admin.listLibraries(targets.site)[0]?.id ?? '')
          : getDrive(office, targets.user);
      const { list } = makeDrive(office, drive);
      const libraries = admin.listLibraries(targets.site).map(({ id }) => id);
      for (const [n, folder] of FOLDERS.entries()) {
        const from = place === 'sharepoint' && n === 2 ? (libraries[1] ?? '') : drive;
        const { addFolder, addFile } = makeDrive(office, from);
        const parent = await addFolder(folder);
        await addFile(parent, NAMES[n] ?? '', `of ${folder}`);
        // A backed-up file with the name that the second one would get.
        if (n === 0) await addFile(parent, 'Plan 1.docx', 'another plan');
      }
      const { at } = await office.backUp();
      const explorer = await office.open(place, at);
      const nodes = (await office.walk(explorer)).filter(
        ({ node, path }) =>
          FOLDERS.includes(path.at(-2) ?? '') && node.name.toLowerCase().startsWith('plan'),
      );
      const library = admin.listLibraries(targets.site)[0]?.name ?? '';
      const folder = place === 'sharepoint' ? `${library}/Restored` : 'Restored';
      const object = place === 'sharepoint' ? targets.site : targets.user;
      const input: RestoreInput = {
        explorer,
        nodes: nodes.map(({ node }) => node.id),
        target: { kind: 'other', organization: office.scope.organization, object, folder },
        select: 'both',
        onConflict,
        versions: 'last',
        flags: NO_FLAGS,
        dryRun: true,
        reason: 'Test',
      };
      const dry = await office.restore(input);
      const restored = await office.restore({ ...input, dryRun: false });
      const files = list();
      expect(files.map((one) => one.split(': ')[0])).toEqual([
        'plan 1.docx',
        'plan 2.docx',
        'plan 3.docx',
        'plan.docx',
      ]);
      expect(files.map((one) => one.split(': ')[1] ?? '').toSorted()).toEqual([
        'another plan',
        'of First',
        'of Second',
        'of Third',
      ]);
      const read = ({ results }: typeof dry) =>
        results.map(({ name, outcome }) => `${name}: ${outcome}`).toSorted();
      expect(read(restored)).toEqual(read(dry));
      expect(dry.done.counts).toEqual({ restored: 4, merged: 0, skipped: 0, failed: 0 });
      for (const { results } of [dry, restored])
        expect(
          results.filter(({ message }) =>
            message?.includes('Another item of this restore has its name'),
          ),
        ).toHaveLength(2);
      const again = await office.restore({ ...input, dryRun: false });
      expect([again.done.counts.skipped, list()]).toEqual([4, files]);
      expect([(await office.undo(restored.task)).done.result, list()]).toEqual(['success', []]);
    });

test('RES-94, RES-2: a file of the target that has a numbered name stays', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { user } = office.targets;
  const { addFolder, addFile, list } = makeDrive(office, getDrive(office, user));
  for (const name of ['First', 'Second'])
    await addFile(await addFolder(name), 'Plan.docx', `of ${name}`);
  const { at } = await office.backUp();
  const restored = await addFolder('Restored');
  await addFile(restored, 'Plan 1.docx', 'of somebody else');
  const explorer = await office.open('onedrive', at);
  const nodes = (await office.walk(explorer)).filter(({ node }) => node.name === 'Plan.docx');
  const input: RestoreInput = {
    explorer,
    nodes: nodes.map(({ node }) => node.id),
    target: {
      kind: 'other',
      organization: office.scope.organization,
      object: user,
      folder: 'Restored',
    },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: true,
    reason: 'Test',
  };
  const counts = { restored: 2, merged: 0, skipped: 0, failed: 0 };
  expect((await office.restore(input)).done.counts).toEqual(counts);
  expect((await office.restore({ ...input, dryRun: false })).done.counts).toEqual(counts);
  const files = list();
  expect(files).toHaveLength(3);
  expect(files).toContain('plan 1.docx: of somebody else');
  const again = await office.restore({ ...input, dryRun: false });
  expect([again.done.counts.skipped, list()]).toEqual([2, files]);
});

test('RES-94, RES-2, RES-4: a deleted file is restored beside the one that has its name at the restore point', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets, engine, scope } = office;
  const drive = getDrive(office, targets.user);
  const { addFolder, addFile, list } = makeDrive(office, drive);
  const folder = await addFolder('Plans');
  const deleted = await addFile(folder, 'Plan.docx', 'the deleted one');
  await office.backUp();
  admin.deleteLibraryFile(drive, deleted);
  await addFile(folder, 'Plan.docx', 'the present one');
  const { at } = await office.backUp();
  const { id: explorer } = getValue(
    await engine.openExplorer(scope, { workload: 'onedrive', job: null, at, showDeleted: true }),
  );
  const nodes = (await office.walk(explorer)).filter(({ node }) => node.name === 'Plan.docx');
  expect(nodes).toHaveLength(2);
  const before = list('Plans');
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
    const counts = { restored: 1, merged: 0, skipped: 1, failed: 0 };
    expect((await office.restore(input)).done.counts).toEqual(counts);
    const { task, done } = await office.restore({ ...input, dryRun: false });
    expect([done.counts, list('Plans')]).toEqual([
      counts,
      ['plan 1.docx: the deleted one', 'plan.docx: the present one'],
    ]);
    expect((await office.restore({ ...input, dryRun: false })).done.counts.skipped).toBe(2);
    expect([(await office.undo(task)).done.result, list('Plans')]).toEqual(['success', before]);
  }
});

test('RES-94, RES-1, RES-2, RES-4: a file leaves its name to a folder of the same restore', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { user } = office.targets;
  const { addFolder, addFile, list } = makeDrive(office, getDrive(office, user));
  const north = await addFolder('North');
  await addFile(north, 'SOUTH', 'a file');
  await addFile(await addFolder('South'), 'Plan.docx', 'of the folder');
  const { at } = await office.backUp();
  const explorer = await office.open('onedrive', at);
  const found = await office.walk(explorer);
  const nodes = found.filter(
    ({ path }) => path.join('/') === 'North/SOUTH' || path.join('/') === 'South',
  );
  expect(nodes).toHaveLength(2);
  for (const chosen of [nodes, nodes.toReversed()]) {
    const input: RestoreInput = {
      explorer,
      nodes: chosen.map(({ node }) => node.id),
      target: {
        kind: 'other',
        organization: office.scope.organization,
        object: user,
        folder: 'Restored',
      },
      select: 'both',
      onConflict: 'replace',
      versions: 'last',
      flags: NO_FLAGS,
      dryRun: true,
      reason: 'Test',
    };
    const counts = { restored: 2, merged: 0, skipped: 0, failed: 0 };
    const dry = await office.restore(input);
    const { task, done, results } = await office.restore({ ...input, dryRun: false });
    expect([dry.done.counts, done.counts]).toEqual([counts, counts]);
    for (const each of [dry.results, results])
      expect(each.map(({ name }) => name).toSorted()).toEqual(['Plan.docx', 'SOUTH 1']);
    expect(list()).toEqual(['south 1: a file']);
    expect(list('South').toSorted()).toEqual([
      'plan.docx: of the folder',
      'plan.docx: of the folder',
    ]);
    expect((await office.undo(task)).done.result).toBe('success');
    expect([list(), list('South')]).toEqual([[], ['plan.docx: of the folder']]);
  }
});

/** A plan in a folder of each of two drives, and what restores both into one folder. */
async function aPlanOfEach() {
  const office = await aRandomOffice(await freshStore(ONE), 11, 'two people');
  const { targets, scope } = office;
  const { list } = makeDrive(office, getDrive(office, targets.user));
  for (const owner of [targets.user, targets.other]) {
    const { addFolder, addFile } = makeDrive(office, getDrive(office, owner));
    await addFile(await addFolder('Plans'), 'Plan.docx', `of ${owner}`);
  }
  const { at } = await office.backUp();
  const explorer = await office.open('onedrive', at);
  const nodes = (await office.walk(explorer)).filter(
    ({ path }) => path.join('/') === 'Plans/Plan.docx',
  );
  expect(nodes).toHaveLength(2);
  const input: RestoreInput = {
    explorer,
    nodes: nodes.map(({ node }) => node.id),
    target: {
      kind: 'other',
      organization: scope.organization,
      object: targets.user,
      folder: 'Restored',
    },
    select: 'both',
    onConflict: 'replace',
    versions: 'last',
    flags: NO_FLAGS,
    dryRun: false,
    reason: 'Test',
  };
  return { office, input, list };
}
const getContents = (files: readonly string[]): readonly string[] =>
  files.map((one) => one.split(': ')[1] ?? '').toSorted();

test('RES-94, RES-1, RES-2, RES-4: files of one name from the OneDrives of two people are both restored into one folder', async () => {
  const { office, input, list } = await aPlanOfEach();
  const { user, other } = office.targets;
  const counts = { restored: 2, merged: 0, skipped: 0, failed: 0 };
  const names = ['Plan 1.docx', 'Plan.docx'];
  const read = ({ results }: Awaited<ReturnType<typeof office.restore>>) =>
    results.map(({ name }) => name).toSorted();
  const dry = await office.restore({ ...input, dryRun: true });
  expect([dry.done.counts, read(dry), list()]).toEqual([counts, names, []]);
  const restored = await office.restore(input);
  expect([restored.done.counts, read(restored)]).toEqual([counts, names]);
  const files = list();
  expect(files.map((one) => one.split(': ')[0])).toEqual(['plan 1.docx', 'plan.docx']);
  expect(getContents(files)).toEqual([`of ${user}`, `of ${other}`].toSorted());
  expect([(await office.restore(input)).done.counts.skipped, list()]).toEqual([2, files]);
  expect([(await office.undo(restored.task)).done.result, list()]).toEqual(['success', []]);
});

for (const failing of ['Plan.docx', 'Plan 1.docx'])
  test(`RES-94, RES-89, RES-4: a retry of a file that failed gives it the name that the restore gave it (${failing})`, async () => {
    const { office, input, list } = await aPlanOfEach();
    const { engine, scope, context } = office;
    let isRefused = true;
    context.cloud.connectTo(async (request) =>
      isRefused &&
      request.method === 'POST' &&
      decodeURIComponent(request.url).includes(`/${failing}:/`)
        ? Response.json({ error: { code: 'invalidRequest', message: 'No.' } }, { status: 400 })
        : office.office.fetch(request),
    );
    const first = await office.restore(input);
    expect(first.done.counts).toEqual({ restored: 1, merged: 0, skipped: 0, failed: 1 });
    const [left = ''] = list();
    isRefused = false;
    const retry = getValue(await engine.retry(scope, { task: first.task }));
    const done = await office.end(retry);
    expect(done.counts).toEqual({ restored: 1, merged: 0, skipped: 0, failed: 0 });
    const files = list();
    const { user, other } = office.targets;
    expect([files.length, getContents(files)]).toEqual([
      2,
      [`of ${user}`, `of ${other}`].toSorted(),
    ]);
    expect(files.map((one) => one.split(': ')[0])).toEqual(['plan 1.docx', 'plan.docx']);
    expect((await office.restore(input)).done.counts.skipped).toBe(2);
    expect([(await office.undo(retry)).done.result, list()]).toEqual(['success', [left]]);
    expect([(await office.undo(first.task)).done.result, list()]).toEqual(['success', []]);
  });

test('RES-94, RES-2, RES-4: files of a deleted channel are restored beside those of the one that has its name', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 4, 'team');
  const { admin, targets, engine, scope } = office;
  const { teams } = admin;
  const { team } = targets;
  const find = () => teams.listChannels(team).find(({ name }) => name === 'Budget');
  const deleted = find();
  if (deleted === undefined) throw new Error('There is no private channel.');
  const people = teams.listChannelMembers(deleted.id);
  const size = teams.listFiles(team, deleted.id).find(({ name }) => name === 'Notes.md')?.size;
  await office.backUp();
  teams.removeChannel(team, deleted.id);
  const { id } = teams.addChannel(team, 'Budget', 'private');
  for (const person of people) teams.putChannelMember(id, person);
  teams.addFile(team, id, 'Notes.md');
  const { at } = await office.backUp();
  const { id: explorer } = getValue(
    await engine.openExplorer(scope, { workload: 'teams', job: null, at, showDeleted: true }),
  );
  const nodes = (await office.walk(explorer)).filter(
    ({ path }) => path.join('/') === 'Budget/Files/Notes.md',
  );
  expect(nodes).toHaveLength(2);
  const list = () =>
    teams
      .listFiles(team, id)
      .map(({ name, size }) => `${name} ${size}`)
      .toSorted();
  const before = list();
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
    const counts = { restored: 1, merged: 0, skipped: 1, failed: 0 };
    expect((await office.restore(input)).done.counts).toEqual(counts);
    const { task, done } = await office.restore({ ...input, dryRun: false });
    expect([done.counts, list()]).toEqual([counts, [`Notes 1.md ${size}`, ...before]]);
    expect((await office.restore({ ...input, dryRun: false })).done.counts.skipped).toBe(2);
    expect([(await office.undo(task)).done.result, list()]).toEqual(['success', before]);
  }
});
