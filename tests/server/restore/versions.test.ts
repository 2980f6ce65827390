import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { POINT_AT } from '../engine/explorer/history.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, readingsIn } from './content.ts';

interface Version {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly seen: { readonly first: number; readonly last: number };
  readonly content: string;
}
interface Compared {
  readonly isSameContent: boolean;
  readonly fields: readonly {
    readonly name: string;
    readonly before: string;
    readonly after: string;
  }[];
  readonly lines: readonly { readonly kind: string; readonly text: string }[] | null;
  readonly reason: string | null;
}

const file = (title: string, content: string | Buffer, at: number) => ({
  path: ['Plans'],
  title,
  content: Buffer.from(content),
  at,
});
const draft = (subject: string, body: string) => ({
  path: ['Drafts'],
  title: subject,
  content: Buffer.from(
    `From: Ann <ann@example.com>\r\nTo: bob@example.com\r\nSubject: ${subject}\r\n\r\n${body}\r\n`,
  ),
});

const open = async (who: Asker, organization: string, sessionType: string, datetime: number) => {
  const { body, text } = await who<{ id: string }>('POST', 'o365/restore/restoresessions', {
    organizationId: organization,
    datetime,
    sessionType,
  });
  if (!body.success) throw new Error(text);
  const at = `o365/restore/restoresessions/${body.data.id}/versions`;
  return {
    list: async (id: string) => (await who<{ rows: Version[] }>('GET', `${at}?itemId=${id}`)).body,
    compare: async (before: string, after: string) =>
      who<Compared>('GET', `${at}/compare?beforeId=${before}&afterId=${after}`),
  };
};

anyDatabase((kind, openStore) => {
  test(`RES-81: the versions of a file are listed up to the restore point, and two of them are compared line by line (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { admin, ours } = library;
    const { organization } = ours;
    const binary = Buffer.from([0, 1, 2, 255]);
    await library.store(
      ours,
      51,
      'drive',
      [file('plan.txt', 'one\ntwo\nthree', 1), file('a.bin', binary, 1), file('other.txt', 'x', 1)],
      [file('plan.txt', 'one\n2\nthree\nfour', 2), file('a.bin', Buffer.from([9, 0]), 2)],
      [file('Plan final.txt', 'one\n2\nthree\nfour', 2), file('a.bin', Buffer.from([9, 0]), 2)],
    );
    const newest = await open(admin, organization, 'Veod', POINT_AT(9));
    const { rows: items } = (
      await admin<{ rows: { id: string; name: string }[] }>(
        'GET',
        `o365/restore/search?organizationId=${organization}&search=plan`,
      )
    ).body.data;
    const [found] = items;
    expect(items.map(({ name }) => name)).toEqual(['Plan final.txt']);
    const { rows } = (await newest.list(found?.id ?? '')).data;
    expect(rows.map(({ name, seen }) => [name, seen.first, seen.last])).toEqual([
      ['Plan final.txt', POINT_AT(2), POINT_AT(2)],
      ['plan.txt', POINT_AT(1), POINT_AT(1)],
      ['plan.txt', POINT_AT(0), POINT_AT(0)],
    ]);
    const [final, second, first] = rows.map(({ id }) => id);
    // A rename leaves the content.
    expect(rows[0]?.content).toBe(rows[1]?.content);
    expect(rows[1]?.content).not.toBe(rows[2]?.content);
    const changed = (await newest.compare(first ?? '', final ?? '')).body.data;
    expect(changed).toEqual({
      isSameContent: false,
      fields: [],
      reason: null,
      lines: [
        { kind: 'same', text: 'one' },
        { kind: 'removed', text: 'two' },
        { kind: 'added', text: '2' },
        { kind: 'same', text: 'three' },
        { kind: 'added', text: 'four' },
      ],
    });
    expect((await newest.compare(second ?? '', final ?? '')).body.data.isSameContent).toBe(true);
    // Both contents were read, and that is recorded.
    const reads = (await readingsIn(library)).map((one) => JSON.stringify(one));
    for (const id of [first, final])
      expect(
        reads.filter((one) => one.includes('"content"') && one.includes(`"${id}"`)),
      ).not.toEqual([]);

    // At the second point, the rename hasn't happened.
    const earlier = await open(admin, organization, 'Veod', POINT_AT(1));
    expect((await earlier.list(second ?? '')).data.rows.map(({ id }) => id)).toEqual([
      second,
      first,
    ]);
    expect((await earlier.compare(first ?? '', final ?? '')).status).toBe(404);
    // Another item is no version of this one.
    expect((await newest.compare('i51.99', final ?? '')).status).toBe(404);
    const files = (
      await admin<{ rows: { id: string }[] }>(
        'GET',
        `o365/restore/search?organizationId=${organization}&search=bin`,
      )
    ).body.data.rows;
    const versions = (await newest.list(files[0]?.id ?? '')).data.rows;
    expect(
      (await newest.compare(versions[1]?.id ?? '', versions[0]?.id ?? '')).body.data,
    ).toMatchObject({ isSameContent: false, lines: null, reason: 'no-text' });
  });

  test(`RES-81: two versions of a mail are compared by head and text (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { admin, ours } = library;
    await library.store(
      ours,
      61,
      'mailbox',
      [draft('Offer', 'Dear Bob,\r\n100')],
      [draft('New offer', 'Dear Bob,\r\n90')],
    );
    const session = await open(admin, ours.organization, 'Vex', POINT_AT(9));
    const ids = (await session.list('i61.1')).data.rows.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const { data } = (await session.compare(ids[1] ?? '', ids[0] ?? '')).body;
    expect(data.fields.find(({ name }) => name === 'subject')).toEqual({
      name: 'subject',
      before: 'Offer',
      after: 'New offer',
    });
    expect(data.fields.find(({ name }) => name === 'from')?.after).toBe('Ann <ann@example.com>');
    expect(data.lines).toEqual(
      expect.arrayContaining([
        { kind: 'same', text: 'Dear Bob,' },
        { kind: 'removed', text: '100' },
        { kind: 'added', text: '90' },
      ]),
    );
  });
});
