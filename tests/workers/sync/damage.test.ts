import { beforeAll, expect, test } from 'vitest';
import { Shadow, expectNoHole } from '#tests/sim/invariants.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { SimDevice } from '#tests/sim/device.ts';
import { makeChance } from '#tests/sim/random.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { TENANT } from '#tests/sim/answers.ts';
import { SimWire } from '#tests/sim/wire.ts';
import { freshIdb } from '#tests/workers/disk/places.ts';
import { getLoop, must } from '#tests/workers/scene.ts';
import { getDatabase, type Idb } from '#workers/disk/database.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';

/** `PROOF=8` damages 200 records. */
const DAMAGES = 25 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
/** Everything on the device but its own changes that wait. */
const STORES = ['segments', 'books', 'patches', 'meta'] as const;
const KINDS = ['changed', 'truncated', 'removed', 'exchanged', 'surplus'] as const;

interface Sealed {
  readonly sealed: { readonly iv: Uint8Array; readonly data: ArrayBuffer };
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 2);
  });

beforeAll(async () => {
  await import('#workers/disk/dexie-stores.ts');
});

test(`G5: whatever record on the device is damaged, it is found at the next start, the data is loaded again, and unsent changes are sent once (seed ${SEED})`, async () => {
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
      for (let tries = 0; tries < 600; tries += 1) {
        const status = api.session.loop?.status();
        if (status?.kind === 'live' && status.left === 0 && status.waiting === 0) return;
        await clock.pass(500);
      }
      expect(api.session.loop?.status()).toMatchObject({ kind: 'live', left: 0, waiting: 0 });
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
    expect({ what, noted: noted.length }).toEqual({ what, noted: 1 });
    device.kill(again);
  }
}, 600_000);

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
