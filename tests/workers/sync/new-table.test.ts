import 'fake-indexeddb/auto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import { getDatabase } from '#workers/disk/database.ts';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import type { WorkerContext } from '#workers/context.ts';
import { getLoop, scene } from '#tests/workers/scene.ts';

type WorkerApi = ReturnType<typeof createWorkerApi>;
const live = (api: WorkerApi) => (): boolean =>
  api.session.loop?.status().kind === 'live' && getLoop(api).status().left === 0;

interface Manifest {
  readonly tables?: readonly string[];
}

const withoutTables = (found: Manifest): Manifest => {
  const { tables: _, ...older } = found;
  return older;
};
const OLDER: readonly (readonly [what: string, change: (manifest: Manifest) => Manifest])[] = [
  ['without a list of its tables', withoutTables],
  [
    'without views',
    (found) => ({ ...found, tables: (found.tables ?? []).filter((table) => table !== 'view') }),
  ],
];

for (const [what, older] of OLDER)
  test(`SYNC-18: data of an older build, ${what}, shows immediately, and its tables are loaded once, without its days`, async () => {
    const { annDevice, clock, server, story, ann } = scene();
    const { context: base, wire } = annDevice;
    const idb = { indexedDB: new IDBFactory(), IDBKeyRange };
    const context: WorkerContext = {
      ...base,
      openRegister: () => openProfiles(idb),
      openDisk: (held, register) => openDisk(held, register, idb),
      memoryDisk,
    };
    const until = async (holds: () => boolean): Promise<void> => {
      for (let i = 0; i < 600 && !holds(); i++) {
        await clock.pass(20);
        await new Promise((resolve) => {
          setTimeout(resolve, 1);
        });
      }
      expect(holds()).toBe(true);
    };
    const countRequests = (call: string): number =>
      wire.asked.filter(({ path }) => path.includes(call)).length;

    const first = createWorkerApi(context);
    await until(() => first.session.who.kind === 'out');
    await Promise.all([
      first.signIn({ way: 'password', auth: 'db', username: 'ann', password: 'x' }),
      until(live(first)),
    ]);
    getLoop(first).stop();
    await changeManifest(
      idb.indexedDB,
      getDatabase({ tenant: ann.me.serviceProviderId, user: ann.me.id, actor: ann.me.id }),
      older,
    );
    story.finish(clock.now());
    const before = [countRequests('sync/bootstrap'), countRequests('sync/runs/')];

    const again = createWorkerApi(context);
    await until(() => again.session.loop !== null && getLoop(again).replica.engine.size > 0);
    await until(() => live(again)() && getLoop(again).replica.engine.size === server.rows.run.size);
    expect([countRequests('sync/bootstrap'), countRequests('sync/runs/')]).toEqual([
      (before[0] ?? 0) + 1,
      (before[1] ?? 0) + 1, // the day with the new run
    ]);
    getLoop(again).stop();

    const third = createWorkerApi(context);
    await until(live(third));
    expect(countRequests('sync/bootstrap')).toBe((before[0] ?? 0) + 1);
    getLoop(third).stop();
  });

/** Changes what is on the disk, as an older build would have written it. */
async function changeManifest(
  indexedDB: IDBFactory,
  name: string,
  change: (manifest: Manifest) => Manifest,
): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.addEventListener('success', () => resolve(opening.result));
    opening.addEventListener('error', () => reject(new Error('the database does not open')));
  });
  await new Promise<void>((resolve) => {
    const changing = db.transaction('meta', 'readwrite');
    const store = changing.objectStore('meta');
    const found = store.get('manifest');
    found.addEventListener('success', () => {
      const record = found.result as { readonly manifest: Manifest };
      store.put({ ...record, manifest: change(record.manifest) });
    });
    changing.addEventListener('complete', () => resolve());
  });
  db.close();
}
