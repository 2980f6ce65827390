import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { aLibrary } from './content.ts';
import { storeOneOfEach } from './one-of-each.ts';
import { checkPaths, OBJECT_PARAMETERS, type ShownNodes } from './paths.ts';

/** What is below the first of each kind, by the names of the specification. */
const SHOWN: Readonly<Record<keyof typeof OBJECT_PARAMETERS, Omit<ShownNodes, 'options'>>> = {
  Vex: {
    object: 'o11',
    others: ['o12'],
    below: { items: ['i11.1'], itemId: 'i11.1', folderId: 'f11.1', parentId: 'f11.1' },
  },
  Veod: {
    object: 'o21',
    others: ['o22'],
    below: { documents: ['i21.1'], folderId: 'f21.1', parentId: 'f21.1' },
  },
  Vesp: {
    object: 'o31',
    others: ['o32'],
    below: {
      documents: ['i31.1'],
      items: ['i31.2'],
      itemId: 'i31.2',
      libraryId: 'f31.1',
      listId: 'f31.2',
      folderId: 'f31.3',
      parentId: 'f31.1',
    },
  },
  Vet: {
    object: 'o41',
    others: ['o42'],
    below: {
      posts: ['i41.1'],
      postId: 'i41.1',
      files: ['i41.2'],
      tabs: ['i41.3'],
      channelId: 'f41.1',
      parentId: 'f41.2',
    },
  },
};

eachDatabase((database, open) => {
  test(`RES-20: no call reaches beyond the mailbox, drive, site or team that its path names (${database})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours } = library;
    await storeOneOfEach(library);
    const names: string[] = [];
    for (const sessionType of ['Vex', 'Veod', 'Vesp', 'Vet'] as const) {
      const { text, body } = await admin<{ id: string }>('POST', 'o365/restore/restoresessions', {
        organizationId: ours.organization,
        datetime: 1_900_000_000_000,
        sessionType,
      });
      if (!body.success) throw new Error(text);
      const parameter = OBJECT_PARAMETERS[sessionType];
      const shown = { ...SHOWN[sessionType], options: { dryRun: true } };
      names.push(...(await checkPaths(admin, body.data.id, parameter, shown)));
    }
    // Every call of the specification that names an object.
    expect(names.length).toBeGreaterThan(35);
  });
});
