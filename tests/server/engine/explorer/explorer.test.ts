import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EngineResult, EngineScope, Node, EnginePage } from '#contract/engine/engine.ts';
import { listChildren } from '#server/engine/embedded/explorer/children.ts';
import {
  openExplorer,
  stopExplorer,
  useExplorer,
} from '#server/engine/embedded/explorer/explorers.ts';
import { listPoints } from '#server/engine/embedded/explorer/points.ts';
import type { OpenExplorer } from '#server/engine/embedded/explorer/explorers.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { POINT_AT, storeHistory, type Copy } from './history.ts';

const MINUTE = 60_000;
const NOW = POINT_AT(1_000);
const moment = { now: NOW, chance: { bytes: () => new Uint8Array(8), uuid: randomUUID } };

function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}
const getKind = (result: EngineResult<unknown>): string => (result.ok ? 'ok' : result.error.kind);

const INPUT = {
  cursor: null,
  limit: 200,
  parent: null,
  only: 'items',
  text: null,
  sort: 'date',
  descending: true,
} as const;

async function opened(
  tx: TenantTx,
  scope: EngineScope,
  at: number,
  showDeleted: boolean,
): Promise<OpenExplorer> {
  const { id } = getValue(
    await openExplorer(tx, scope, { workload: 'outlook', job: null, at, showDeleted }, moment),
  );
  return getValue(await useExplorer(tx, scope, id, NOW));
}

/** Every row of a list, page by page. */
async function everyRow(
  list: (cursor: string | null) => Promise<EngineResult<EnginePage<Node>>>,
): Promise<Node[]> {
  const all: Node[] = [];
  for (let cursor: string | null = null; ;) {
    const page: EnginePage<Node> = getValue(await list(cursor));
    all.push(...page.rows);
    if (cursor === null) expect(page.count).toBeGreaterThanOrEqual(page.rows.length);
    if (page.next === null) return all;
    cursor = page.next;
  }
}

const plain = (one: { title: string; at: number; bytes: number; deleted: boolean }) =>
  JSON.stringify([one.title, one.at, one.bytes, one.deleted]);

const item = (key: string, title: string) => ({ key, folder: 'f', title, at: 1, bytes: 1 });

const FOLDERS = ['inbox', 'sent', 'old'];
const copies: fc.Arbitrary<readonly Copy[]> = fc.array(
  fc
    .uniqueArray(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
        folder: fc.constantFrom(...FOLDERS),
        title: fc.constantFrom('Report', 'report', 'Äther', '100%', 'a_b', ''),
        at: fc.integer({ min: 0, max: 3 }),
        bytes: fc.integer({ min: 1, max: 3 }),
      }),
      { selector: ({ key }) => key },
    )
    .map((items) => ({
      folders: FOLDERS.map((key) => ({ key, parent: null, name: key })),
      items,
    })),
  { minLength: 1, maxLength: 6 },
);

eachDatabase((name, open) => {
  const setUp = async (): Promise<{ store: Store; tenant: string; user: string }> => {
    const store = await open();
    return { store, tenant: await aTenant(store), user: randomUUID() };
  };

  test(`RES-8: every page of every point has exactly what whole copies have, deleted items with their last version (${name})`, async () => {
    const { store, user } = await setUp();
    await fc.assert(
      fc.asyncProperty(
        copies,
        fc.constantFrom('name', 'date', 'size'),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        async (history, sort, descending, limit) => {
          const tenant = await aTenant(store);
          const stored = await storeHistory(store, tenant, history);
          const scope = { tenant, organization: stored.organization, user };
          await store.tenant(tenant, async (tx) => {
            for (const [index, copy] of history.entries())
              for (const showDeleted of [false, true]) {
                const explorer = await opened(tx, scope, POINT_AT(index), showDeleted);
                const folders = getValue(
                  await listChildren(tx, explorer, { ...INPUT, parent: 'o1', only: 'folders' }),
                ).rows;
                expect(folders.map((one) => one.name)).toEqual([...FOLDERS].sort());
                for (const folder of folders) {
                  const rows = await everyRow((cursor) =>
                    listChildren(tx, explorer, {
                      ...INPUT,
                      parent: folder.id,
                      sort,
                      descending,
                      cursor,
                      limit,
                    }),
                  );
                  const now = copy.items.filter((item) => item.folder === folder.name);
                  expect('children' in folder && folder.children).toBe(now.length);
                  const alive = new Set(copy.items.map(({ key }) => key));
                  const lastByKey = new Map<string, Copy['items'][number]>();
                  for (const before of history.slice(0, index))
                    for (const item of before.items) lastByKey.set(item.key, item);
                  const gone = [...lastByKey.values()].filter(
                    (item) => !alive.has(item.key) && item.folder === folder.name,
                  );
                  const wanted = [
                    ...now.map((item) => ({ ...item, deleted: false })),
                    ...(showDeleted ? gone : []).map((item) => ({ ...item, deleted: true })),
                  ];
                  expect(
                    rows
                      .map((row) =>
                        plain({
                          title: row.name,
                          at: row.at ?? -1,
                          bytes: row.sizeBytes ?? -1,
                          deleted: row.deleted,
                        }),
                      )
                      .sort(),
                  ).toEqual(wanted.map(plain).sort());
                  const keys = rows.map((row) => (sort === 'date' ? row.at : row.sizeBytes) ?? 0);
                  if (sort !== 'name')
                    expect(keys).toEqual([...keys].sort((a, b) => (descending ? b - a : a - b)));
                }
              }
          });
        },
      ),
      { numRuns: Number(process.env['ENGINE_RUNS'] ?? 12), endOnFailure: true },
    );
  });

  test(`RES-8: a deleted item says when the last point had it (${name})`, async () => {
    const { store, tenant, user } = await setUp();
    const mail = { key: 'm', folder: 'inbox', title: 'Offer', at: 5, bytes: 9 };
    const folders = [{ key: 'inbox', parent: null, name: 'Inbox' }];
    const { organization } = await storeHistory(store, tenant, [
      { folders, items: [] },
      { folders, items: [mail] },
      { folders, items: [mail] },
      { folders, items: [] },
      { folders, items: [] },
    ]);
    await store.tenant(tenant, async (tx) => {
      const scope = { tenant, organization, user };
      const explorer = await opened(tx, scope, POINT_AT(4) + MINUTE, true);
      const page = getValue(await listChildren(tx, explorer, { ...INPUT, parent: 'f1.1' }));
      expect(page.rows).toMatchObject([
        { name: 'Offer', deleted: true, seen: { first: POINT_AT(1), last: POINT_AT(2) } },
      ]);
    });
  });

  test(`RES-8: names with wildcards are searched as they are (${name})`, async () => {
    const { store, tenant, user } = await setUp();
    const { organization } = await storeHistory(store, tenant, [
      {
        folders: [{ key: 'f', parent: null, name: 'F' }],
        items: [item('a', '100% done'), item('b', '1000 done'), item('c', 'a_b'), item('d', 'axb')],
      },
    ]);
    await store.tenant(tenant, async (tx) => {
      const explorer = await opened(tx, { tenant, organization, user }, NOW, false);
      const found = async (text: string) =>
        getValue(await listChildren(tx, explorer, { ...INPUT, parent: 'f1.1', text })).rows.map(
          (row) => row.name,
        );
      expect(await found('0%')).toEqual(['100% done']);
      expect(await found('A_B')).toEqual(['a_b']);
    });
  });

  test(`RES-8: nobody reads another user's session, another organization, a later point or a foreign node (${name})`, async () => {
    const { store, tenant, user } = await setUp();
    const folders = [{ key: 'inbox', parent: null, name: 'Inbox' }];
    const copy = { folders, items: [{ key: 'm', folder: 'inbox', title: 'x', at: 1, bytes: 1 }] };
    const mine = await storeHistory(store, tenant, [
      copy,
      { ...copy, folders: [...folders, { key: 'new', parent: null, name: 'New' }] },
    ]);
    const other = await storeHistory(store, tenant, [copy], 2);
    await store.tenant(tenant, async (tx) => {
      const scope = { tenant, organization: mine.organization, user };
      const explorer = await opened(tx, scope, POINT_AT(0), false);
      expect(
        getKind(await useExplorer(tx, { ...scope, user: randomUUID() }, explorer.id, NOW)),
      ).toBe('missing');
      expect(
        getKind(
          await useExplorer(tx, { ...scope, organization: other.organization }, explorer.id, NOW),
        ),
      ).toBe('missing');
      for (const parent of [
        'o2',
        'f2.1',
        'f1.2',
        'i1.1',
        'f1.99',
        'o0',
        '1',
        "o1'",
        'o1e3',
        'f1.1.1',
      ])
        expect([parent, getKind(await listChildren(tx, explorer, { ...INPUT, parent }))]).toEqual([
          parent,
          'missing',
        ]);
      for (const cursor of [
        '',
        'x',
        Buffer.from('[1]').toString('base64url'),
        Buffer.from('{"a":1}').toString('base64url'),
      ])
        expect(
          getKind(await listChildren(tx, explorer, { ...INPUT, parent: 'f1.1', cursor })),
        ).toBe('invalid');
      const objects = getValue(await listChildren(tx, explorer, INPUT)).rows;
      expect(objects.map((row) => row.name)).toEqual(['Person 1']);
    });
  });

  test(`RES-8: a session ends when it is stopped or unused for an hour (${name})`, async () => {
    const { store, tenant, user } = await setUp();
    const { organization } = await storeHistory(store, tenant, [{ folders: [], items: [] }]);
    await store.tenant(tenant, async (tx) => {
      const scope = { tenant, organization, user };
      const { id } = await opened(tx, scope, NOW, false);
      const use = async (now: number) => getKind(await useExplorer(tx, scope, id, now));
      expect(await use(NOW + 59 * MINUTE)).toBe('ok');
      expect(await use(NOW + 118 * MINUTE)).toBe('ok');
      expect(await use(NOW + 179 * MINUTE)).toBe('ended');
      const second = await opened(tx, scope, NOW, false);
      expect(
        getKind(await stopExplorer(tx, { ...scope, user: randomUUID() }, second.id, NOW)),
      ).toBe('missing');
      expect(getKind(await stopExplorer(tx, scope, second.id, NOW))).toBe('ok');
      expect(getKind(await stopExplorer(tx, scope, second.id, NOW))).toBe('ok');
      expect(getKind(await useExplorer(tx, scope, second.id, NOW))).toBe('ended');
    });
  });

  test(`RES-8: restore points are listed by time and job, unfinished ones are not (${name})`, async () => {
    const { store, tenant, user } = await setUp();
    const empty = { folders: [], items: [] };
    const { organization, job, points } = await storeHistory(store, tenant, [
      empty,
      empty,
      empty,
      empty,
    ]);
    await store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('restore_point')
        .set({ complete: false })
        .where('tenant_id', '=', tenant)
        .where('id', '=', points[2] ?? '')
        .execute();
      const scope = { tenant, organization, user };
      const all = { job: null, from: null, to: null, cursor: null, limit: 2 };
      const first = getValue(await listPoints(tx, scope, all));
      expect(first).toMatchObject({ count: 3, rows: [{ id: points[3] }, { id: points[1] }] });
      const second = getValue(await listPoints(tx, scope, { ...all, cursor: first.next }));
      expect(second).toMatchObject({ count: null, next: null, rows: [{ id: points[0] }] });
      const ids = async (input: object) =>
        getValue(await listPoints(tx, scope, { ...all, limit: 9, ...input })).rows.map(
          ({ id }) => id,
        );
      expect(await ids({ from: POINT_AT(1), to: POINT_AT(1) })).toEqual([points[1]]);
      expect(await ids({ job })).toHaveLength(3);
      expect(await ids({ job: randomUUID() })).toEqual([]);
      expect(
        getKind(
          await openExplorer(
            tx,
            scope,
            { workload: 'outlook', job: null, at: POINT_AT(0) - 1, showDeleted: false },
            moment,
          ),
        ),
      ).toBe('missing');
      expect(
        getKind(
          await openExplorer(
            tx,
            scope,
            { workload: 'onedrive', job: null, at: NOW, showDeleted: false },
            moment,
          ),
        ),
      ).toBe('missing');
    });
  });
});
