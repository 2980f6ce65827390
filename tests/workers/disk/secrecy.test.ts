import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { NAME, placeIn, freshIdb, OWNER } from './places.ts';
import {
  loadAllSnapshots,
  command,
  DAYS,
  fresh,
  loadOpened,
  page,
  patch,
  problem,
  run,
  runsOfDay,
} from './sample.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import type { Disk } from '#workers/types.ts';

const [today = ''] = DAYS;
const WORDS = Array.from({ length: 23 }, (_, i) => `canary${i}xylophone`);
const word = (i: number): string => WORDS[i] ?? '';

/** Everything that a device keeps of people's data, with a word planted in each place. */
async function plant(disk: Disk): Promise<void> {
  const one = fresh();
  const job = {
    n: 1,
    uid: word(0),
    key: word(1),
    company: 1,
    name: word(2),
    source: 'restic',
    type: 'Backup',
    group: 'server',
    computer: word(3),
    server: word(4),
    managed: null,
    enabled: true,
    schedule: null,
    graceSec: null,
    firstSeenAt: 1,
    missedIgnored: null,
    disabledIgnored: null,
    problem: null,
  };
  await disk.begin({
    ...one,
    me: { ...one.me, username: word(5), name: word(6), email: `${word(7)}@example.test` },
    branding: { ...one.branding, title: word(8), supportPhone: word(9) },
    people: [{ id: 'u', name: word(10) }],
    rows: {
      company: [{ n: 1, id: 'c', name: word(11), madeAt: 1 }],
      job: [job],
      cause: [{ n: 1, template: word(12), kind: 'error' }],
      problem: [{ ...problem(1), note: { by: 'u', at: 1, content: word(13) } }],
      key: [{ id: 'k', name: word(14) }],
    } as object,
  });
  await disk.addDays([
    { day: today, pages: [page([{ ...run(1, startOfUtcDay(today)), message: word(15) }])] },
  ]);
  await disk.append(
    patch(11, [{ ...run(2, startOfUtcDay(today)), message: word(16) }], {
      problem: [{ ...problem(2), ticket: word(17) }],
    }),
    1,
  );
  await disk.keepCommand({ ...command('a'), input: { comment: word(18) } });
  await disk.markCommand('a', 'refused', { kind: 'conflict', message: word(19) });
  await disk.keepNotice({
    id: 'n',
    at: 1,
    text: word(20),
    run: 1,
    refused: { change: { kind: 'reopen' }, by: [{ why: word(20), runs: [1] }] },
  });
  await disk.keepAnswer(`getExecution ${word(21)}`, { at: 1, value: { log: word(21) } });
  await disk.saveDraft(`organization ${word(22)}`, 1, { name: word(22) });
}

test('G52: none of the words planted in rows, runs, commands, notices, answers, drafts and names is in any database', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await plant(disk);
  const first = await disk.open();
  const opened = JSON.stringify([
    first,
    first && (await loadAllSnapshots(disk, first)),
    await disk.commands(),
    await disk.notices(),
    await disk.answerTo(`getExecution ${word(21)}`),
    await disk.readDraft(`organization ${word(22)}`),
    new TextDecoder().decode((await disk.segment(1)).text),
  ]);
  expect(WORDS.filter((one) => !opened.includes(one))).toEqual([]);

  for (let round = 0; round < 2; round++) {
    const bytes = await dump(place.idb);
    expect(bytes.length).toBeGreaterThan(2_000);
    expect(bytes.includes(Buffer.from(NAME))).toBe(true); // the search finds what is there
    expect(
      WORDS.filter(
        (text) =>
          bytes.includes(Buffer.from(text, 'utf8')) || bytes.includes(Buffer.from(text, 'utf16le')),
      ),
    ).toEqual([]);
    for (let i = 0; i < 40; i++)
      await disk.append(
        patch(12 + i, [], { problem: [{ ...problem(i), ticket: word(i % 20) }] }),
        1,
      );
    while (await disk.compact());
  }
});

test('G52: only the documented list is readable without the key', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await plant(disk);
  const found = (await everyRecord(place.idb)).filter((one) => one.db === NAME);
  const fields = new Set(
    found.flatMap(({ store, record }) => Object.keys(record).map((name) => `${store}.${name}`)),
  );
  expect([...fields].toSorted()).toEqual([
    'answers.id',
    'answers.sealed',
    'books.chunk',
    'books.sealed',
    'books.table',
    'drafts.at',
    'drafts.id',
    'drafts.sealed',
    'meta.kept',
    'meta.last',
    'meta.manifest',
    'meta.name',
    'meta.sealed',
    'notices.at',
    'notices.id',
    'notices.sealed',
    'outbox.failure',
    'outbox.id',
    'outbox.order',
    'outbox.sealed',
    'outbox.state',
    'patches.id',
    'patches.left',
    'patches.runs',
    'patches.sealed',
    'segments.id',
    'segments.sealed',
  ]);
  const manifest = found.find((one) => 'manifest' in one.record)?.record['manifest'] as object;
  expect(Object.keys(manifest).toSorted()).toEqual([
    'books',
    'cursor',
    'days',
    'epoch',
    'firstPatch',
    'folds',
    'generation',
    'leftRuns',
    'load',
    'missingSince',
    'nextPatch',
    'nextSegment',
    'patchRuns',
    'segments',
    'syncedAt',
    'tables',
  ]);
  const ivs = found
    .flatMap(({ record }) => [record['sealed'], record['failure']])
    .flatMap((one) => (one ? [(one as { iv: Uint8Array }).iv.join()] : []));
  expect(new Set(ivs).size).toBe(ivs.length);
});

test("G52: keys can't be exported, and the register has no name, token or password", async () => {
  const place = await placeIn(freshIdb());
  const entry = (await everyRecord(place.idb)).find((one) => one.store === 'entries')?.record ?? {};
  expect(Object.keys(entry).toSorted()).toEqual([
    'device',
    'key',
    'name',
    'offlineUntil',
    'outboxKey',
    'owner',
  ]);
  for (const key of [entry['key'], entry['outboxKey']] as CryptoKey[]) {
    expect(key).toMatchObject({ extractable: false, algorithm: { name: 'AES-GCM', length: 256 } });
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow(/extractable/);
  }
});

test('G52: a ciphertext that was moved to another record, store or database cannot be opened', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  const plantTwo = async (): Promise<void> => {
    await disk.begin(fresh({ problem: [problem(1), problem(2000)] }));
    for (const [i, day] of DAYS.slice(0, 2).entries())
      await disk.addDays([{ day, pages: [page(runsOfDay(day, 10, 1 + i * 100))] }]);
    for (const at of [11, 12]) await disk.append(patch(at, [run(at, startOfUtcDay(today))]), 1);
  };
  await plantTwo();
  const [first, second] = (await disk.open())?.segments ?? [];
  await swapSealed(place.idb, 'segments', 'sealed');
  await expect(disk.segment(first?.id ?? 0)).rejects.toMatchObject({
    kind: 'corrupt',
    days: [DAYS[0]],
  });
  await expect(disk.segment(second?.id ?? 0)).rejects.toMatchObject({
    kind: 'corrupt',
    days: [DAYS[1]],
  });
  await plantTwo();
  expect(await disk.open()).not.toBeNull();
  await swapSealed(place.idb, 'patches', 'sealed');
  expect(await disk.open()).toBeNull();
  await plantTwo();
  const { folds } = await loadOpened(disk);
  await swapSealed(place.idb, 'books', 'sealed');
  await expect(disk.snapshots(folds, { problem: [1] })).rejects.toMatchObject({ kind: 'corrupt' });
  await expect(loadAllSnapshots(disk, { folds })).rejects.toMatchObject({ kind: 'corrupt' });
  for (const id of ['a', 'b', 'c']) await disk.keepCommand(command(id));
  await swapSealed(place.idb, 'outbox', 'sealed');
  expect((await disk.commands()).map(({ id, state }) => `${id} ${state}`)).toEqual([
    'a damaged',
    'b damaged',
    'c waiting',
  ]);
});

test('G52: another user of this browser, and the same user after signing out, cannot open the data', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  disk.close();
  await place.register.leave(OWNER, true);
  await place.register.enter(OWNER, 1);
  const now = await place.register.current(0);
  expect(now.kind).toBe('in');
  expect(await (await (await placeIn(place.idb)).open()).open()).toBeNull();
});

interface Found {
  readonly db: string;
  readonly store: string;
  readonly record: Record<string, unknown>;
}
type Idb = ReturnType<typeof freshIdb>;

async function everyRecord(idb: Idb): Promise<Found[]> {
  const found: Found[] = [];
  for (const { name = '' } of await idb.indexedDB.databases()) {
    const db = await connect(idb, name);
    for (const store of db.objectStoreNames) {
      const records = await new Promise<Record<string, unknown>[]>((resolve) => {
        const request = db.transaction(store).objectStore(store).getAll();
        request.addEventListener('success', () =>
          resolve(request.result as Record<string, unknown>[]),
        );
      });
      found.push(...records.map((record) => ({ db: name, store, record })));
    }
    db.close();
  }
  return found;
}

const plain = (value: unknown): unknown => (value instanceof CryptoKey ? 'key' : value);

async function dump(idb: Idb): Promise<Buffer> {
  return Buffer.concat(
    (await everyRecord(idb)).map(({ db, store, record }) =>
      serialize([
        db,
        store,
        Object.fromEntries(Object.entries(record).map(([name, value]) => [name, plain(value)])),
      ]),
    ),
  );
}

/** The first two records of a store change what is sealed in them. */
async function swapSealed(idb: Idb, store: string, field: string): Promise<void> {
  const [one, two] = (await everyRecord(idb))
    .filter((found) => found.db === NAME && found.store === store)
    .map((found) => found.record);
  const db = await connect(idb, NAME);
  await new Promise((resolve) => {
    const transaction = db.transaction(store, 'readwrite');
    transaction.objectStore(store).put({ ...one, [field]: two?.[field] });
    transaction.objectStore(store).put({ ...two, [field]: one?.[field] });
    transaction.addEventListener('complete', resolve);
  });
  db.close();
}

const connect = (idb: Idb, name: string): Promise<IDBDatabase> =>
  new Promise((resolve) => {
    const request = idb.indexedDB.open(name);
    request.addEventListener('success', () => resolve(request.result));
  });
