import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { aLibrary } from './content.ts';
import { storeOneOfEach } from './one-of-each.ts';

interface Page {
  readonly rows: readonly { readonly id: string; readonly kind: string }[];
  readonly next: string | null;
  readonly count: number | null;
}

/** Lists of the specification's section 7, and how many rows each has. */
const LISTS = {
  Vex: { 'mailboxes': 2, 'mailboxes/o11/folders': 1, 'mailboxes/o11/items?parentId=f11.1': 1 },
  Veod: {
    'onedrives': 2,
    'onedrives/o21/folders': 1,
    'onedrives/o21/folders/documents': 0,
    'onedrives/o21/folders/f21.1/documents': 1,
  },
  Vesp: {
    'sites': 2,
    'sites?parentId=o31': 0,
    'sites/o31/content': 2,
    // Libraries are no folders.
    'sites/o31/folders': 1,
    'sites/o31/folders?parentId=f31.1': 1,
    'sites/o31/documents?parentId=f31.1': 1,
    'sites/o31/items?parentId=f31.2': 1,
    // A list has no documents, and a library no rows.
    'sites/o31/documents?parentId=f31.2': 0,
    'sites/o31/items?parentId=f31.1': 0,
  },
  Vet: {
    'teams': 2,
    'teams/o41/channels': 1,
    'teams/o41/channels/f41.1/posts': 1,
    'teams/o41/channels/f41.1/files': 1,
    'teams/o41/channels/f41.1/tabs': 1,
    // The folder of the files has no posts.
    'teams/o41/channels/f41.2/posts': 0,
    'teams/o41/folders?parentId=f41.1': 2,
    'teams/o41/items?parentId=f41.2': 1,
  },
} as const;

eachDatabase((database, open) => {
  test(`RES-20: a list counts all rows that match, whatever page is asked for (${database})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours } = library;
    await storeOneOfEach(library);
    for (const [sessionType, lists] of Object.entries(LISTS)) {
      const { text, body } = await admin<{ id: string }>('POST', 'o365/restore/restoresessions', {
        organizationId: ours.organization,
        datetime: 1_900_000_000_000,
        sessionType,
      });
      if (!body.success) throw new Error(text);
      for (const [list, count] of Object.entries(lists)) {
        const path = `o365/restore/restoresessions/${body.data.id}/${list}`;
        for (const offset of [0, 1, count, count + 1, 5_000]) {
          const range = `${path.includes('?') ? '&' : '?'}offset=${offset}`;
          const page = (await admin<Page>('GET', `${path}${range}`)).body.data;
          expect([list, offset, page.rows.length, page.next, page.count]).toEqual([
            list,
            offset,
            Math.max(0, count - offset),
            null,
            count,
          ]);
        }
      }
    }
  });
});
