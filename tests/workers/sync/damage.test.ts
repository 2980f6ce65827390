import { beforeAll, expect, test } from 'vitest';
import { Shadow, expectNoHole } from '#tests/sim/invariants.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { SimDevice } from '#tests/sim/device.ts';
import { makeChance } from '#tests/sim/random.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { TENANT } from '#tests/sim/answers.ts';
import { SimWire } from '#tests/sim/wire.ts';
import { NAME, freshIdb, placeIn } from '#tests/workers/disk/places.ts';
import { command } from '#tests/workers/disk/sample.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';
import { getDatabase, type Idb } from '#workers/disk/database.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import type { StoredNotice } from '#workers/types.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';

/** `PROOF=8` damages 200 records. */
const DAMAGES = 25 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const STORES = ['segments', 'books', 'patches', 'meta', 'outbox'] as const;
const KINDS = ['changed', 'truncated', 'removed', 'exchanged', 'surplus'] as const;

interface Sealed {
  readonly sealed: { readonly iv: Uint8Array; readonly data: ArrayBuffer };
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 2);
  });

function isLive(api: ReturnType<typeof createWorkerApi>): boolean {
  const status = api.session.loop?.status();
  return status?.kind === 'live' && status.left === 0 && status.waiting === 0;
}

beforeAll(async () => {
  await import('#workers/disk/dexie-stores.ts');
});

test(`G5: whatever record on the device is damaged, it is found at the next start, the data is loaded again, and unsent changes are sent once or shown as damaged (seed ${SEED})`, async () => {
  const chance = makeChance(SEED);
  // A round in which the record that was drawn can't be damaged in the way that was drawn counts nothing.
  for (let done = 0; done < DAMAGES;) {
    const idb = freshIdb();
    const clock = new TestClock(Date.UTC(2026, 5, 15, 6), settled);
    const server = new SimServer(() => clock.now());
    const user = server.addUser('ann');
    const story = new Story(server, chance, () => clock.now());
    story.begin(3, 6, 60);
    const owner = { tenant: TENANT, user: user.me.id, actor: user.me.id };
    const register = await openProfiles(idb);
    await register.enter(owner, clock.now() + 7 * 86_400_000);
    const wire = new SimWire(server, clock, chance, user.me.id);
    const device = new SimDevice(clock, chance, wire, user);
    const open = () =>
      createWorkerApi({
        ...device.context,
        openRegister: () => openProfiles(idb),
        openDisk: (profile, opened) => openDisk(profile, opened, idb),
      });
    const untilLive = async (api: ReturnType<typeof open>): Promise<void> => {
      // The disk encrypts in threads of its own, which take real time: the test's limit ends a wait.
      for (; !isLive(api); await settled()) await clock.pass(500);
    };
    const first = open();
    await untilLive(first);
    for (let more = 0; more < 5; more += 1) story.goOn();
    await clock.pass(2_000);
    await untilLive(first);
    wire.up = false;
    server.cutStreams();
    const run = must([...server.rows.run.values()].find(({ problem }) => problem !== null)).n;
    const sent = await first.send('changeExecution', {
      id: String(run),
      change: { kind: 'note', content: 'unsent' },
    });
    expect(sent.ok).toBe(true);
    device.kill(first);
    await clock.pass(1_000);

    const kind = chance.pick(KINDS);
    const what = await damage(idb, getDatabase(owner), kind, chance);
    if (what === null) continue;
    done += 1;
    wire.up = true;
    const again = open();
    await untilLive(again);
    // One without what was damaged may begin only now.
    await clock.pass(5_000);
    await untilLive(again);
    const { replica } = getLoop(again);
    expect({ what, cursor: replica.cursor }).toEqual({ what, cursor: server.log.length });
    expectNoHole(replica, new Shadow(server.log), server, user);
    expect({ what, runs: replica.engine.size }).toEqual({ what, runs: server.rows.run.size });
    const noted = server.log.filter(({ event }) => event.type === 'problem.noted@1');
    const lost = what.startsWith('outbox') ? 1 : 0;
    expect({ what, noted: noted.length }).toEqual({ what, noted: 1 - lost });
    expect({ what, refused: getLoop(again).status().refused }).toEqual({ what, refused: lost });
    expect(getLoop(again).outbox.view().damaged).toHaveLength(lost);
    device.kill(again);
  }
}, 600_000);

test('OUT-5, G14: one flipped bit of a stored change changes nothing or is shown, whichever bit it is', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  const failure = { kind: 'conflict' as const, message: 'Bo was first.' };
  const refused = [{ why: failure.message, runs: [1, 2] }];
  for (const id of ['first', 'second', 'third']) await disk.keepCommand(command(id));
  await disk.markCommand('second', 'refused', failure, refused);
  const [first, whole, last] = await disk.commands();
  expect(whole).toEqual({ ...command('second'), order: 2, state: 'refused', failure, refused });
  const db = await finish(place.idb.indexedDB.open(NAME));
  const put = async (key: string, record: StoredChange): Promise<void> => {
    const transaction = db.transaction('outbox', 'readwrite');
    transaction.objectStore('outbox').delete(key);
    await finish(transaction.objectStore('outbox').put(record));
  };
  const record = (await finish(
    db.transaction('outbox').objectStore('outbox').get('second'),
  )) as StoredChange;
  const outcomes: Record<string, number> = {};
  for (const { field, damaged } of flips(record)) {
    await put(record.id, damaged);
    const found = await disk.commands();
    const others = found.filter((one) => one.id !== damaged.id);
    expect({ field, others }).toEqual({ field, others: [first, last] });
    const one = must(found.find(({ id }) => id === damaged.id));
    const outcome =
      one.state === 'damaged' ? 'damaged' : one.refused === undefined ? 'no reason' : 'harmless';
    // What can be read is exactly what was stored, but for a reason that can't be read.
    if (one.state === 'damaged')
      expect(one).toEqual({ id: damaged.id, order: 2, state: 'damaged' });
    else if (outcome === 'harmless') expect(one).toEqual(whole);
    else
      expect(one).toEqual({
        ...command('second'),
        order: 2,
        state: 'refused',
        failure: {
          kind: 'storage',
          message: "The server didn't accept it. The reason was damaged on this device.",
        },
      });
    outcomes[`${field} ${outcome}`] = (outcomes[`${field} ${outcome}`] ?? 0) + 1;
    await put(damaged.id, record);
  }
  db.close();
  expect(outcomes).toEqual({
    'id damaged': 'second'.length * 7,
    'order harmless': 64,
    'state harmless': 'refused'.length * 7,
    'sealed.iv damaged': 96,
    'sealed.data damaged': record.sealed.data.byteLength * 8,
    'failure.iv no reason': 96,
    'failure.data no reason': record.failure.data.byteLength * 8,
  });
}, 120_000);

test('OUT-5, G16: a change that was damaged on the device is listed until it is dismissed, and the others are sent in order', async () => {
  const { clock, server, ann, annDevice, bad } = scene();
  const idb = freshIdb();
  const owner = { tenant: TENANT, user: ann.me.id, actor: ann.me.id };
  const register = await openProfiles(idb);
  await register.enter(owner, clock.now() + 7 * 86_400_000);
  const open = () =>
    createWorkerApi({
      ...annDevice.context,
      openRegister: () => openProfiles(idb),
      openDisk: (profile, opened) => openDisk(profile, opened, idb),
    });
  const untilLive = async (api: ReturnType<typeof open>): Promise<void> => {
    // The disk encrypts in threads of its own, which take real time: the test's limit ends a wait.
    for (; !isLive(api); await settled()) await clock.pass(500);
  };
  const api = open();
  await untilLive(api);
  annDevice.wire.up = false;
  server.cutStreams();
  const contents = ['one', 'two', 'three', 'four'];
  for (const content of contents)
    await api.send('changeExecution', {
      id: String(must(bad()[0])),
      change: { kind: 'note', content },
    });
  annDevice.kill(api);
  await clock.pass(1_000);

  const db = await finish(idb.indexedDB.open(getDatabase(owner)));
  const stored = db.transaction('outbox', 'readwrite').objectStore('outbox');
  const all = (await finish(stored.getAll())) as StoredChange[];
  const second = must(all.find(({ order }) => order === 2));
  await finish(stored.put({ ...second, sealed: { ...second.sealed, data: new ArrayBuffer(9) } }));
  db.close();

  annDevice.wire.up = true;
  const again = open();
  await untilLive(again);
  expect(
    server.log.flatMap(({ event }) =>
      event.type === 'problem.noted@1' ? [event.data.content] : [],
    ),
  ).toEqual(['one', 'three', 'four']);
  const listed = {
    entries: [],
    damaged: [
      {
        id: second.id,
        what: 'Change 2 of this device',
        why: "Damaged on this device. It can't be sent.",
      },
    ],
    notices: [],
  };
  expect(getLoop(again).outbox.view()).toEqual(listed);
  expect(getLoop(again).status()).toMatchObject({ waiting: 0, refused: 1 });
  expect(await again.signOut('ask')).toMatchObject({ ok: true, value: { out: false, unsent: 1 } });
  expect(await again.mend(second.id, 'retry')).toMatchObject({
    ok: false,
    failure: { kind: 'conflict' },
  });
  expect(getLoop(again).outbox.view()).toEqual(listed);
  expect(await again.mend(second.id, 'discard')).toMatchObject({ ok: true });
  expect(getLoop(again).outbox.view()).toEqual({ ...listed, damaged: [] });
  expect(getLoop(again).status()).toMatchObject({ refused: 0 });
  await clock.pass(1_000);
  annDevice.kill(again);
  const later = open();
  await untilLive(later);
  expect(getLoop(later).outbox.view()).toEqual({ ...listed, damaged: [] });
  annDevice.kill(later);
}, 60_000);

const notice = (id: string, at: number): StoredNotice => ({
  id,
  at,
  text: 'Bo was first.',
  run: null,
  refused: null,
});

test('OUT-5: a notice that was damaged on the device says so until it is dismissed, whichever bit it is', async () => {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.keepNotice(notice('first', 1));
  await disk.keepNotice(notice('second', 2));
  const db = await finish(place.idb.indexedDB.open(NAME));
  const record = (await finish(
    db.transaction('notices').objectStore('notices').get('second'),
  )) as Sealed;
  const { iv, data } = record.sealed;
  for (let at = 0; at < data.byteLength * 8; at += 5) {
    const sealed = { iv, data: flipBit(data, at) };
    await finish(
      db
        .transaction('notices', 'readwrite')
        .objectStore('notices')
        .put({ ...record, sealed }),
    );
    expect(await disk.notices()).toEqual([
      notice('first', 1),
      {
        id: 'second',
        at: 2,
        text: 'A notice about one of your changes was damaged on this device. Check your latest changes.',
        run: null,
        refused: null,
      },
    ]);
  }
  db.close();
  await disk.dropNotice('second');
  expect(await disk.notices()).toEqual([notice('first', 1)]);
}, 60_000);

interface StoredChange extends Sealed {
  readonly id: string;
  readonly order: number;
  readonly state: string;
  readonly failure: Sealed['sealed'];
}

/** The record with each of its bits flipped: characters have 7, numbers are doubles. */
function* flips(
  record: StoredChange,
): Generator<{ readonly field: string; readonly damaged: StoredChange }> {
  for (const field of ['id', 'state'] as const)
    for (let at = 0; at < record[field].length * 7; at += 1) {
      const codes = Array.from(record[field], (one) => one.codePointAt(0) ?? 0);
      const place = Math.floor(at / 7);
      codes[place] = (codes[place] ?? 0) ^ (1 << (at % 7));
      yield { field, damaged: { ...record, [field]: String.fromCodePoint(...codes) } };
    }
  for (let at = 0; at < 64; at += 1) {
    const bytes = flipBit(new Float64Array([record.order]).buffer, at);
    yield { field: 'order', damaged: { ...record, order: must(new Float64Array(bytes)[0]) } };
  }
  for (const field of ['sealed', 'failure'] as const) {
    const { iv, data } = record[field];
    for (let at = 0; at < iv.byteLength * 8; at += 1) {
      const damaged = { iv: new Uint8Array(flipBit(iv.slice().buffer, at)), data };
      yield { field: `${field}.iv`, damaged: { ...record, [field]: damaged } };
    }
    for (let at = 0; at < data.byteLength * 8; at += 1)
      yield {
        field: `${field}.data`,
        damaged: { ...record, [field]: { iv, data: flipBit(data, at) } },
      };
  }
}

function flipBit(data: ArrayBufferLike, at: number): ArrayBuffer {
  const bytes = new Uint8Array(data.byteLength);
  bytes.set(new Uint8Array(data));
  const place = Math.floor(at / 8);
  bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
  return bytes.buffer;
}

/** Damages one record; returns what, or null if no record can be damaged in this way. */
async function damage(
  { indexedDB }: Idb,
  name: string,
  kind: (typeof KINDS)[number],
  chance: ReturnType<typeof makeChance>,
): Promise<string | null> {
  const db = await finish(indexedDB.open(name));
  const store = chance.pick(STORES);
  const transaction = db.transaction(store, 'readwrite');
  const records = transaction.objectStore(store);
  const [keys, all] = await Promise.all([
    finish(records.getAllKeys()),
    finish(records.getAll() as IDBRequest<(object & Partial<Sealed>)[]>),
  ]);
  const at = chance.below(all.length);
  const record = all[at];
  const other = all.find((one, index) => index !== at && one.sealed !== undefined);
  const sealed = record?.sealed;
  const key = keys[at];
  let isDone = record !== undefined && key !== undefined;
  if (record === undefined || key === undefined) isDone = false;
  // That a change was here is known only from its record.
  else if (kind === 'removed' && store === 'outbox') isDone = false;
  else if (kind === 'removed') records.delete(key);
  else if (sealed === undefined) isDone = false;
  else if (kind === 'changed') {
    const bytes = new Uint8Array(sealed.data.slice(0));
    const place = chance.below(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << chance.below(8));
    records.put({ ...record, sealed: { ...sealed, data: bytes.buffer } });
  } else if (kind === 'truncated')
    records.put({
      ...record,
      sealed: { ...sealed, data: sealed.data.slice(0, chance.below(sealed.data.byteLength)) },
    });
  else if (kind === 'exchanged' && other) records.put({ ...record, sealed: other.sealed });
  else if (kind === 'surplus' && 'id' in record && typeof record.id === 'number')
    records.put({ ...record, id: record.id + 7 });
  else isDone = false;
  await new Promise((resolve) => {
    transaction.addEventListener('complete', resolve);
  });
  db.close();
  return isDone ? `${store} ${JSON.stringify(key)} ${kind}` : null;
}

const finish = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('no request')));
  });
