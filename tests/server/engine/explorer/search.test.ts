import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EngineScope, ObjectKind } from '#contract/engine/engine.ts';
import type { FoundItem, SearchInput } from '#contract/engine/search.ts';
import { locateItem } from '#server/engine/embedded/explorer/locate.ts';
import { searchItems } from '#server/engine/embedded/explorer/search.ts';
import { listChildren } from '#server/engine/embedded/explorer/children.ts';
import { openExplorer, useExplorer } from '#server/engine/embedded/explorer/explorers.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { getValue } from '../restic/fixtures.ts';
import { type Copy, POINT_AT, storeHistory } from './history.ts';

const FOLDERS = [
  { key: 'inbox', parent: null, name: 'Inbox' },
  { key: 'rota', parent: 'inbox', name: 'Rota' },
];
const item = (key: string, title: string, at: number, folder = 'inbox') => ({
  key,
  title,
  at,
  folder,
  bytes: 10,
});
const ALL = ['outlook', 'onedrive', 'sharepoint', 'teams'] as const;

/** What each object held at each of three points, written down by hand. */
const COPIES: Readonly<Record<number, { kind: ObjectKind; name: string; copies: Copy[] }>> = {
  1: {
    kind: 'mailbox',
    name: 'Ann',
    copies: [
      { folders: FOLDERS, items: [item('m1', 'December rota', 100), item('m2', 'Lunch', 90)] },
      {
        folders: FOLDERS,
        items: [item('m1', 'December rota', 100, 'rota'), item('m3', 'Re: rota, final', 200)],
      },
      { folders: FOLDERS, items: [item('m3', 'Re: rota, final', 200)] },
    ],
  },
  2: {
    kind: 'drive',
    name: 'Bob',
    copies: [
      { folders: FOLDERS, items: [item('f1', 'Q3-rota_draft.xlsx', 50)] },
      { folders: FOLDERS, items: [item('f1', 'Plan.xlsx', 60)] },
      { folders: FOLDERS, items: [item('f1', 'Plan.xlsx', 60)] },
    ],
  },
  3: {
    kind: 'site',
    name: 'Wards',
    copies: [{ folders: FOLDERS, items: [item('d1', 'ÜBERSICHT (Rota).docx', 300, 'rota')] }],
  },
};

async function aSearch(store: Store) {
  const tenant = await aTenant(store);
  const organization = randomUUID();
  const ids = { organization, repository: randomUUID(), job: randomUUID() };
  for (const [n, { copies, ...more }] of Object.entries(COPIES))
    await storeHistory(store, tenant, copies, Number(n), { ...ids, ...more });
  // Another organization of the provider, and another provider.
  await storeHistory(store, tenant, COPIES[1]?.copies ?? [], 9, {});
  await storeHistory(store, await aTenant(store), COPIES[1]?.copies ?? [], 1, { organization });
  const scope: EngineScope = { tenant, organization, user: randomUUID() };
  const search = async (input: Partial<SearchInput>) =>
    getValue(
      await store.tenant(tenant, (tx) =>
        searchItems(
          tx,
          scope,
          {
            text: 'rota',
            workloads: ALL,
            deleted: null,
            cursor: null,
            limit: 200,
            ...input,
          },
          { now: POINT_AT(9) },
        ),
      ),
    );
  return { tenant, scope, search };
}

const show = ({ node, object, path, versions, openAt }: FoundItem): readonly unknown[] => [
  node.name,
  object.name,
  path.join('/'),
  node.deleted ? 'deleted' : 'there',
  versions,
  [node.seen.first, node.seen.last, openAt].map((at) => [0, 1, 2].find((n) => POINT_AT(n) === at)),
];

eachDatabase((kind, open) => {
  test(`RES-80: one search finds items of all workloads over all points, once each, with where and when they were seen (${kind})`, async () => {
    const { search } = await aSearch(await open());
    const found = await search({});
    expect(found.rows.map(show)).toEqual([
      ['ÜBERSICHT (Rota).docx', 'Wards', 'Inbox/Rota', 'there', 1, [0, 0, 0]],
      ['Re: rota, final', 'Ann', 'Inbox', 'there', 1, [1, 2, 2]],
      ['December rota', 'Ann', 'Inbox/Rota', 'deleted', 2, [0, 1, 1]],
      // Renamed: found by its former name, as it was then.
      ['Q3-rota_draft.xlsx', 'Bob', 'Inbox', 'there', 2, [0, 0, 0]],
    ]);
    expect(found.count).toBe(4);
    expect(found.rows.map(({ workload }) => workload)).toEqual([
      'sharepoint',
      'outlook',
      'outlook',
      'onedrive',
    ]);
    const titles = async (input: Partial<SearchInput>): Promise<readonly string[]> =>
      (await search(input)).rows.map(({ node }) => node.name);
    expect(await titles({ workloads: ['onedrive'] })).toEqual(['Q3-rota_draft.xlsx']);
    expect(await titles({ deleted: true })).toEqual(['December rota']);
    expect(await titles({ deleted: false })).not.toContain('December rota');
    // Every word begins one of the title or the people, in any case and between any punctuation.
    expect(await titles({ text: 'dra Q3' })).toEqual(['Q3-rota_draft.xlsx']);
    expect(await titles({ text: 'ÜBERsi' })).toEqual(['ÜBERSICHT (Rota).docx']);
    expect(await titles({ text: 'example.com ann@ fin' })).toEqual(['Re: rota, final']);
    expect(await titles({ text: 'ota' })).toEqual([]);
    for (const text of ["'", "a' | b:*", '\\', '& !rota', '…', '\0', '<->'])
      expect([text, (await search({ text })).rows.length]).toEqual([
        text,
        text.includes('rota') ? 4 : 0,
      ]);
  });

  test(`RES-87: words of contents are found where they are stored, also beside words of the title, and the result says so (${kind})`, async () => {
    const store = await open();
    const { search, tenant } = await aSearch(store);
    const texts = [
      [1, 3, 'december rota ann example com harbour'],
      [1, 4, 're rota final ann example com harbour master'],
      [2, 1, 'q3 rota draft xlsx harbour'],
      [9, 1, 'another organization harbour'],
    ] as const;
    await store.tenant(tenant, ({ sql: db }) =>
      db
        .insertInto('item_text')
        .values(texts.map(([object_n, n, text]) => ({ tenant_id: tenant, object_n, n, text })))
        .execute(),
    );
    const find = async (text: string) =>
      (await search({ text })).rows.map(({ node, isInText }) => [node.name, isInText]);
    expect(await find('harb')).toEqual([
      ['Re: rota, final', true],
      ['December rota', true],
      ['Q3-rota_draft.xlsx', true],
    ]);
    expect(await find('final harbour')).toEqual([['Re: rota, final', true]]);
    // Both name and content have it: once, by its name.
    expect((await find('rota')).map(([, isInText]) => isInText)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(await find('harbour nowhere')).toEqual([]);
    const pages: string[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof search>> = await search({
        text: 'harbour',
        limit: 1,
        cursor,
      });
      pages.push(...page.rows.map(({ node }) => node.name));
      cursor = page.next;
      if (cursor === null) break;
    }
    expect(pages).toEqual(['Re: rota, final', 'December rota', 'Q3-rota_draft.xlsx']);
    // An item without a row in the index has no words any more.
    await store.tenant(tenant, ({ sql: db }) =>
      sql`delete from item where tenant_id = ${tenant} and object_n = 1`.execute(db),
    );
    expect(await find('harbour')).toEqual([['Q3-rota_draft.xlsx', true]]);
    const left = await store.tenant(tenant, ({ sql: db }) =>
      db
        .selectFrom('item_text')
        .select('object_n')
        .where('tenant_id', '=', tenant)
        .orderBy('object_n')
        .execute(),
    );
    expect(left.map(({ object_n: n }) => n)).toEqual([2, 9]);
  });

  test(`RES-80: pages of a search follow each other without gaps, and a foreign cursor is refused (${kind})`, async () => {
    const store = await open();
    const { search, scope } = await aSearch(store);
    const whole = await search({});
    const names: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 9; page += 1) {
      const part: Awaited<ReturnType<typeof search>> = await search({ limit: 1, cursor });
      names.push(...part.rows.map(({ node }) => node.name));
      cursor = part.next;
      if (cursor === null) break;
    }
    expect(names).toEqual(whole.rows.map(({ node }) => node.name));
    for (const wrong of ['x', Buffer.from('["a",1]').toString('base64url')]) {
      const answer = await store.tenant(scope.tenant, (tx) =>
        searchItems(
          tx,
          scope,
          { text: 'rota', workloads: ALL, deleted: null, cursor: wrong, limit: 1 },
          { now: POINT_AT(9) },
        ),
      );
      expect(answer).toMatchObject({ ok: false, error: { kind: 'invalid', field: 'cursor' } });
    }
  });

  test(`RES-80: of a common word, a page looks at a part of the matches, and the next ones go on (${kind})`, async () => {
    const store = await open();
    const { search, tenant } = await aSearch(store);
    // Newer than all others, and gone since the first point.
    await store.tenant(tenant, ({ sql: db }) =>
      sql`insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, to_point, kind, at, changed_at, bytes, title, people, flags, parts)
        select h.tenant_id, 1, 1000 + g, 'inbox', 'gone' || g, 'c', 1, 1, 'mail', 1000 + g, 1, 1, 'Rota', 'Ann', '{}', '[]' from head as h, generate_series(1, 2100) as g
        where h.tenant_id = ${tenant}`.execute(db),
    );
    const first = await search({ deleted: false });
    expect([first.rows, first.count]).toEqual([[], null]);
    const second = await search({ deleted: false, cursor: first.next });
    expect([second.rows.map(({ node }) => node.name), second.next]).toEqual([
      ['ÜBERSICHT (Rota).docx', 'Re: rota, final', 'Q3-rota_draft.xlsx'],
      null,
    ]);
  });

  test(`RES-80: a found item is where the search says, and at its place in the list, at the point where it was seen last (${kind})`, async () => {
    const store = await open();
    const { search, scope, tenant } = await aSearch(store);
    const { rows } = await search({});
    for (const { node, workload, point, openAt, path } of rows) {
      await store.tenant(tenant, async (tx) => {
        const moment = { now: 5, chance: { uuid: randomUUID } as never };
        const opened = getValue(
          await openExplorer(
            tx,
            scope,
            { workload, job: null, at: openAt, showDeleted: false },
            moment,
          ),
        );
        expect([opened.point.id, opened.point.at]).toEqual([point, openAt]);
        const explorer = getValue(await useExplorer(tx, scope, opened.id, 5));
        const place = getValue(await locateItem(tx, explorer, node.id));
        const list = {
          cursor: null,
          limit: 100,
          text: null,
          descending: true,
          sort: 'date',
        } as const;
        let parent = place.objects.at(-1) ?? '';
        const names: string[] = [];
        for (const folder of place.folders) {
          const below = getValue(
            await listChildren(tx, explorer, { ...list, parent, only: 'folders' }),
          );
          names.push(below.rows.find(({ id }) => id === folder)?.name ?? '');
          parent = folder;
        }
        expect(names).toEqual(path);
        const items = getValue(
          await listChildren(tx, explorer, { ...list, parent, only: 'items' }),
        );
        expect(items.rows[place.index]?.id).toBe(node.id);
      });
    }
  });

  test(`RES-80: PostgreSQL may use the index of words under the policy of the tenant (${kind})`, async () => {
    const store = await open();
    const { rows } = await store.tenant(await aTenant(store), ({ sql: db }) =>
      sql`select proleakproof as "isLeakproof" from pg_proc where oid in (
        select oprcode from pg_operator where oprname = '@@' and oprleft = 'tsvector'::regtype and oprright = 'tsquery'::regtype)`.execute(
        db,
      ),
    );
    expect(rows).toEqual([{ isLeakproof: true }]);
  });
});
