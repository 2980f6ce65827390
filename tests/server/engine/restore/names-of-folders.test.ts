import { expect, test } from 'vitest';
import type { ItemOutcome, RestoreInput } from '#contract/engine/engine.ts';
import { freshStore, ONE } from '../../db/databases.ts';
import { aRandomOffice } from './random/random-office.ts';
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

test('RES-1, RES-3, RES-4: a file whose name a folder has, and a folder whose name a file has, end as the dry run says', async () => {
  const office = await aRandomOffice(await freshStore(ONE), 11);
  const { admin, targets } = office;
  for (const file of admin.listFiles(targets.user)) admin.deleteFile(targets.user, file.id);
  const rename = ({ drive_id: drive, id }: ReturnType<typeof admin.addFile>, name: string) =>
    office.send('PATCH', `/drives/${drive}/items/${id}`, { name });
  const plan = admin.addFile(targets.user);
  await rename(plan, 'Plan.txt');
  const folder = admin.addFolder(targets.user, null, 'Letters');
  const letter = admin.addFile(targets.user);
  await rename(letter, 'Letter.txt');
  await office.send('PATCH', `/drives/${letter.drive_id}/items/${letter.id}`, {
    parentReference: { id: folder.id },
  });
  const { at } = await office.backUp();
  const list = () =>
    admin
      .listFiles(targets.user)
      .map((file) => `${admin.getFolderPath(file)}/${file.name}`)
      .toSorted();
  const atPoint = list();
  const explorer = await office.open('onedrive', at);
  const nodes = await office.walk(explorer);
  const getId = (name: string) => nodes.find(({ node }) => node.name === name)?.node.id ?? '';
  /** In both orders, with an undo after each. */
  const expectEnd = async (
    names: readonly string[],
    expected: readonly ItemOutcome[],
    files: readonly string[],
  ): Promise<void> => {
    const before = list();
    for (const chosen of [names, names.toReversed()]) {
      const input = { ...TERMS, explorer, nodes: chosen.map(getId) };
      const dry = await office.restore({ ...input, dryRun: true });
      const real = await office.restore(input);
      for (const { results } of [dry, real])
        expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(expected);
      expect(list()).toEqual(files);
      if (real.done.canUndo) await office.undo(real.task);
      expect(list()).toEqual(before);
    }
  };

  // The folder is gone, and the file has its name: it gets its own back.
  admin.deleteLibraryFile(folder.drive_id, folder.id);
  await rename(plan, 'Letters');
  await expectEnd(['Plan.txt', 'Letter.txt'], ['merged', 'restored'], atPoint);
  // Alone, the content of the folder has no place, and nobody loses anything.
  await expectEnd(['Letter.txt'], ['failed'], list());
  // A folder has the name of the file, which has another one.
  await rename(plan, 'Elsewhere.txt');
  admin.addFolder(targets.user, null, 'Plan.txt');
  await expectEnd(['Plan.txt'], ['failed'], list());
});
