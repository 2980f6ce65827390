import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { EngineScope } from '#contract/engine/engine.ts';
import { searchItems } from '#server/engine/embedded/explorer/search.ts';
import { findWindow, SEARCH_LIMITS } from '#server/engine/embedded/explorer/search-window.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';
import { seeded } from '../graph/fixtures.ts';
import { getValue } from '../restic/fixtures.ts';
import { type Copy, POINT_AT, storeHistory } from './history.ts';

const DAY = 86_400_000;
const ITEMS = 60;
const OBJECTS = 3;
const FOLDERS = [{ key: 'inbox', parent: null, name: 'Inbox' }];
/** How many of 100 titles have the word. */
const WORDS = { common: 60, usual: 12, seldom: 2, nowhere: 0 };
/** So few that pages of some words are read from a window, and those of others are not. */
const FEW = { maxMatches: 40, sample: 20, manyObjects: 100 };
const BY_TIME = { ...FEW, manyObjects: 1 };
const NOW = POINT_AT(0);

interface Stored {
  readonly key: string;
  readonly folder: string;
  readonly title: string;
  readonly at: number;
  readonly bytes: number;
}

/** Three copies of a mailbox: items come, go, come back, and get other titles and times. */
function makeCopies(chance: () => number, object: number): readonly Copy[] {
  const unique = new Set<number>();
  const makeItem = (key: string): Stored => {
    let at = 0;
    // Some are in the future, as appointments are; most are of the last months.
    while (at === 0 || unique.has(at)) {
      const ms = Math.floor(NOW + DAY * 100 * (0.1 - 10 * chance() ** 3));
      at = ms - (ms % OBJECTS) + object;
    }
    unique.add(at);
    const words = Object.entries(WORDS).filter(([, share]) => chance() * 100 < share);
    const title = `${key} ${words.map(([word]) => word).join(' ')}`;
    return { key, folder: 'inbox', title, at, bytes: 10 };
  };
  let items = Array.from({ length: ITEMS }, (_, n) => makeItem(`o${object}k${n}`));
  return [0, 1, 2].map((point) => {
    if (point > 0)
      items = items.flatMap((item) => {
        const luck = chance();
        return luck < 0.1 ? [] : [luck < 0.2 ? makeItem(item.key) : item];
      });
    return { folders: FOLDERS, items };
  });
}

/** What a search finds, from the copies alone: newest first, as title and whether it is deleted. */
function findSlowly(all: readonly (readonly Copy[])[], word: string) {
  const found: { title: string; at: number; isDeleted: boolean }[] = [];
  for (const copies of all)
    for (const key of new Set(copies.flatMap(({ items }) => items.map((item) => item.key)))) {
      const versions = copies.flatMap(({ items }) => items.filter((item) => item.key === key));
      const last = versions.findLast(({ title }) => title.split(' ').includes(word));
      const isDeleted = !copies.at(-1)?.items.some((item) => item.key === key);
      if (last) found.push({ title: last.title, at: last.at, isDeleted });
    }
  return found.toSorted((a, b) => b.at - a.at);
}

eachDatabase((kind, open) => {
  test(`RES-80: pages of common and of rare words have the same items as all copies looked through (${kind})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const organization = randomUUID();
    const chance = seeded(Number(process.env['SEED'] ?? 11));
    const ids = { organization, repository: randomUUID(), job: randomUUID() };
    const all = Array.from({ length: OBJECTS }, (_, n) => makeCopies(chance, n));
    for (const [n, copies] of all.entries()) await storeHistory(store, tenant, copies, n + 1, ids);
    const other = { organization: randomUUID(), repository: randomUUID(), job: randomUUID() };
    await storeHistory(store, tenant, makeCopies(chance, 0), OBJECTS + 1, other);
    const scope: EngineScope = { tenant, organization, user: randomUUID() };
    for (const word of Object.keys(WORDS))
      for (const deleted of [null, true, false])
        for (const limits of [FEW, BY_TIME, SEARCH_LIMITS]) {
          const titles: string[] = [];
          for (let cursor: string | null = null, pages = 0; ; pages += 1) {
            const page: Awaited<ReturnType<typeof searchItems>> = await store.tenant(
              tenant,
              (tx) =>
                searchItems(
                  tx,
                  scope,
                  { text: word, workloads: ['outlook'], deleted, cursor, limit: 4 },
                  { now: NOW, limits },
                ),
              { readOnly: true },
            );
            const { rows, next } = getValue(page);
            titles.push(...rows.map(({ node }) => node.name));
            expect(rows.length).toBeLessThanOrEqual(4);
            cursor = next;
            if (cursor === null) break;
            expect(pages).toBeLessThan(OBJECTS * ITEMS * 3);
          }
          const expected = findSlowly(all, word).filter(
            ({ isDeleted }) => deleted === null || isDeleted === deleted,
          );
          expect({ word, deleted, limits, titles }).toEqual({
            word,
            deleted,
            limits,
            titles: expected.map(({ title }) => title),
          });
        }
  });

  test(`RES-80: only a common word is looked for among the newest items, also if the very newest lack it (${kind})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const copies = [
      {
        folders: FOLDERS,
        items: Array.from({ length: 300 }, (_, n) => ({
          key: `k${n}`,
          folder: 'inbox',
          title: `${n < 60 ? 'other' : 'common'}${n % 100 === 0 ? ' seldom' : ''}${n % 10 < 5 ? ' regular' : ''}`,
          at: NOW - n * DAY,
          bytes: 10,
        })),
      },
    ];
    await storeHistory(store, tenant, copies);
    const find = (word: string, maxMatches: number, manyObjects = 100) =>
      store.tenant(tenant, (tx) =>
        findWindow(tx, {
          objects: [{ n: 1, newest: 1, reads: true, nextItem: 301 }],
          isMatch: sql`(v.title like ${`%${word}%`})`,
          before: null,
          now: NOW,
          wanted: 4,
          limits: { maxMatches, sample: 30, manyObjects },
        }),
      );
    for (const manyObjects of [1, 100]) {
      const window = await find('common', 100, manyObjects);
      expect(window?.isByTime).toBe(manyObjects === 1);
      expect(window?.since).toBeLessThanOrEqual(NOW - 63 * DAY);
      expect(window?.since).toBeGreaterThan(NOW - 260 * DAY);
    }
    expect(await find('seldom', 100)).toBeNull();
    // Half of them, at the same places of every ten.
    expect(await find('regular', 100)).not.toBeNull();
    // All matches of so few items are looked up at once.
    expect(await find('common', 300)).toBeNull();
  });
});
