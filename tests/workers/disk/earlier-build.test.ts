import { expect, test } from 'vitest';
import { encodeColumns } from '#contract/runs/columns.ts';
import { connectTo } from '#workers/disk/connection.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { freshIdb, OWNER } from './places.ts';
import { fresh, patch, problem, run } from './sample.ts';

/**
 * Databases as builds without Dexie made them, written here by hand: version 11 to the browser,
 * sealed with the place of each record.
 */
const NAME = 'daybook:t1:u1:u1';
const DEVICE = '0b8a2c7e-6f0e-4a53-9a0c-0d6f2f1f7a11';
const MIDNIGHT = 1_772_668_800; // 2026-03-05
const STORES: readonly (readonly [string, string | string[]])[] = [
  ['meta', 'name'],
  ['books', ['table', 'chunk']],
  ['segments', 'id'],
  ['patches', 'id'],
  ['outbox', 'id'],
  ['notices', 'id'],
  ['answers', 'id'],
];
/** Tables of this build. */
const TABLES = [...STORES, ['drafts', 'id']] as const;

const makeKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

async function seal(
  key: CryptoKey,
  place: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<object> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const additionalData = new TextEncoder().encode(place);
  return {
    iv,
    data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, bytes),
  };
}
const sealJson = (key: CryptoKey, place: string, value: object): Promise<object> =>
  seal(key, place, new TextEncoder().encode(JSON.stringify(value)));

/** Makes a database of that version with these stores and records. */
async function write(
  indexedDB: IDBFactory,
  name: string,
  version: number,
  stores: readonly (readonly [string, string | string[]])[],
  records: readonly (readonly [store: string, record: object])[],
): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.addEventListener('upgradeneeded', () => {
      for (const [store, keyPath] of stores) request.result.createObjectStore(store, { keyPath });
    });
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no reason')));
  });
  const transaction = db.transaction(
    stores.map(([store]) => store),
    'readwrite',
  );
  for (const [store, record] of records) transaction.objectStore(store).put(record);
  await new Promise((resolve) => {
    transaction.addEventListener('complete', resolve);
  });
  db.close();
}

/** A browser in which an earlier build was signed in, with data and an unsent change. */
async function earlier(): Promise<ReturnType<typeof freshIdb>> {
  const idb = freshIdb();
  const [key, outboxKey] = [await makeKey(), await makeKey()];
  await write(
    idb.indexedDB,
    'daybook',
    11,
    [
      ['entries', 'name'],
      ['present', 'id'],
    ],
    [
      [
        'entries',
        { name: NAME, owner: OWNER, key, outboxKey, device: DEVICE, offlineUntil: 1_000 },
      ],
      ['present', { id: 'now', name: NAME }],
    ],
  );
  const runs = [run(2, MIDNIGHT + 40), run(1, MIDNIGHT)];
  const { me, branding, people } = fresh();
  await write(idb.indexedDB, NAME, 11, STORES, [
    [
      'meta',
      {
        name: 'manifest',
        manifest: {
          load: '1-2-3-4',
          folds: 1,
          generation: 2,
          epoch: 'e1',
          cursor: 11,
          syncedAt: 500,
          days: [{ day: '2026-03-05', here: true, tag: 't' }],
          segments: [{ id: 1, rows: 2, fromSec: MIDNIGHT, toSec: MIDNIGHT + 40 }],
          books: 1,
          firstPatch: 1,
          nextPatch: 2,
          patchRuns: 1,
          leftRuns: 0,
          nextSegment: 2,
        },
      },
    ],
    [
      'meta',
      { name: 'who', sealed: await sealJson(key, `meta|${NAME}|who|2`, { me, branding, people }) },
    ],
    ['meta', { name: 'order', last: 7 }],
    ['meta', { name: 'answers', kept: [] }],
    [
      'books',
      {
        table: 'company',
        chunk: 0,
        sealed: await sealJson(key, `books|${NAME}|company/0|2`, {
          fields: ['n', 'id', 'name', 'madeAt'],
          count: 1,
          columns: [[1], ['c1'], ['Acme'], [5]],
        }),
      },
    ],
    ['segments', { id: 1, sealed: await seal(key, `segments|${NAME}|1|2`, encodeColumns(runs)) }],
    [
      'patches',
      {
        id: 1,
        runs: 1,
        left: false,
        sealed: await sealJson(
          key,
          `patches|${NAME}|1|2`,
          patch(11, [run(3, MIDNIGHT + 80)], { problem: [problem(1)] }),
        ),
      },
    ],
    [
      'outbox',
      {
        id: 'unsent',
        order: 7,
        state: 'waiting',
        sealed: await sealJson(outboxKey, `outbox|${NAME}|unsent|2`, {
          call: 'changeExecution',
          input: { id: '1', change: { kind: 'note', content: 'written offline' } },
          madeAt: 400,
        }),
        failure: null,
      },
    ],
    [
      'notices',
      {
        id: 'n1',
        at: 300,
        sealed: await sealJson(outboxKey, `notices|${NAME}|n1|2`, {
          text: 'replaced',
          run: 1,
          refused: null,
        }),
      },
    ],
  ]);
  return idb;
}

test('COL-14: databases of builds without Dexie open with all their data, unsent changes included', async () => {
  const idb = await earlier();
  const profiles = await openProfiles(idb);
  const present = await profiles.current(999);
  if (present.kind !== 'in') throw new Error('nobody is signed in');
  expect(present.profile).toMatchObject({ ...OWNER, device: DEVICE, offlineUntil: 1_000 });
  const disk = await openDisk(present.profile, profiles, idb);
  const opened = await disk.open();
  expect(opened).toMatchObject({
    epoch: 'e1',
    cursor: 11,
    syncedAt: 500,
    me: { username: 'ada' },
    rows: { company: [{ n: 1, id: 'c1', name: 'Acme', madeAt: 5 }] },
    patches: [{ cursor: 11, runs: [{ n: 3 }], rows: { problem: [{ n: 1 }] } }],
    days: [{ day: '2026-03-05', here: true, tag: 't' }],
  });
  expect([...(await disk.segment(1)).n]).toEqual([2, 1]);
  expect(await disk.commands()).toEqual([
    {
      id: 'unsent',
      order: 7,
      call: 'changeExecution',
      input: { id: '1', change: { kind: 'note', content: 'written offline' } },
      madeAt: 400,
      state: 'waiting',
      failure: null,
    },
  ]);
  expect(await disk.notices()).toEqual([
    { id: 'n1', at: 300, text: 'replaced', run: 1, refused: null },
  ]);
  expect(await disk.append(patch(12), 600)).toBe(2);
  disk.close();
  profiles.close();
  expect(await idb.indexedDB.databases()).toEqual(
    expect.arrayContaining([
      { name: 'daybook', version: 150 },
      { name: NAME, version: 150 },
    ]),
  );
});

test('COL-14: a database of a build with fewer tables gets the missing ones and loses nothing', async () => {
  const idb = freshIdb();
  const record = { id: 'unsent', order: 3, state: 'waiting', sealed: {}, failure: null };
  await write(idb.indexedDB, NAME, 9, STORES.slice(0, 5), [['outbox', record]]);
  const { db } = await connectTo(OWNER, idb);
  expect([...db.objectStoreNames]).toEqual(TABLES.map(([store]) => store).toSorted());
  for (const [store, keyPath] of TABLES)
    expect(db.transaction(store).objectStore(store).keyPath).toEqual(keyPath);
  const stored = db.transaction('outbox').objectStore('outbox').get('unsent');
  await expect.poll(() => stored.readyState).toBe('done');
  expect(stored.result).toEqual(record);
});

test('COL-14, G17: an open tab of an earlier build lets the database be upgraded', async () => {
  const idb = await earlier();
  const old = await new Promise<IDBDatabase>((resolve) => {
    const request = idb.indexedDB.open(NAME);
    request.addEventListener('success', () => resolve(request.result));
  });
  let closed = 0;
  old.addEventListener('versionchange', () => {
    closed += 1;
    old.close();
  });
  expect((await connectTo(OWNER, idb)).db.version).toBe(150);
  expect(closed).toBeGreaterThan(0);
});
