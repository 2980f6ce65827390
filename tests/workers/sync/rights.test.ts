import 'fake-indexeddb/auto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { Role } from '#contract/abilities.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import { getDatabase } from '#workers/disk/database.ts';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import { SMALL_TABLES } from '#workers/tables.ts';
import type { WorkerContext } from '#workers/context.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

type WorkerApi = ReturnType<typeof createWorkerApi>;

const live = (api: WorkerApi) => (): boolean =>
  api.session.loop?.status().kind === 'live' && getLoop(api).status().left === 0;

/**
 * Ann's browser with a real (fake-indexeddb) database, signed in as an operator, with everything
 * that a device keeps.
 */
async function begin() {
  const all = scene();
  const idb = { indexedDB: new IDBFactory(), IDBKeyRange };
  const { context: base, wire } = all.annDevice;
  const { clock, server, ann, bad } = all;
  const context: WorkerContext = {
    ...base,
    openRegister: () => openProfiles(idb),
    openDisk: (held, register) => openDisk(held, register, idb),
    memoryDisk,
  };
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 2_000 && !holds(); i++) {
      await clock.pass(20);
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    expect([what, holds()]).toEqual([what, true]);
  };
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    await until('an answer', () => done);
    return work;
  };
  const roles = (next: readonly Role[]): void => {
    Object.assign(ann.me, { roles: next });
  };
  /** Records in each store of the database itself. */
  async function stored(): Promise<Record<string, number>> {
    const name = getDatabase({
      tenant: ann.me.serviceProviderId,
      user: ann.me.id,
      actor: ann.me.id,
    });
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = idb.indexedDB.open(name);
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(new Error('the database does not open')));
    });
    const counts = await Promise.all(
      [...db.objectStoreNames].map(
        (store) =>
          new Promise<[string, number]>((resolve) => {
            const counting = db.transaction(store).objectStore(store).count();
            counting.addEventListener('success', () => resolve([store, counting.result]));
          }),
      ),
    );
    db.close();
    return Object.fromEntries(counts);
  }
  const inMemory = (api: WorkerApi): Record<string, number> => {
    const { engine, days, people } = getLoop(api).replica;
    return {
      ...Object.fromEntries(SMALL_TABLES.map((table) => [table, engine.all(table).length])),
      runs: engine.select(EVERYTHING, clock.now()).total,
      days: days.size,
      others: people.filter(({ id }) => id !== ann.me.id).length,
    };
  };

  roles(['operator']);
  const api = createWorkerApi(context);
  await until('the sign-in page', () => api.session.who.kind === 'out');
  await wait(api.signIn({ way: 'password', auth: 'db', username: 'ann', password: 'x' }));
  await until('all data', live(api));
  expect(await wait(api.read('lastSync', {}))).toMatchObject({ ok: true });
  // A note of Ann's that Bob's replaces: she is told so, with his name.
  const run = must(bad()[0]);
  await wait(
    api.send('changeExecution', {
      id: String(run),
      change: { kind: 'note', content: 'Ann was here' },
    }),
  );
  await until('her note', () => server.log.some(({ event }) => event.type === 'problem.noted@1'));
  const problem = must(server.rows.run.get(run)?.problem);
  server.append(
    [
      {
        company: must(server.rows.problem.get(problem)).company,
        event: { type: 'problem.noted@1', data: { problems: [problem], content: 'Bob was here' } },
      },
    ],
    { actor: { kind: 'user', id: all.bob.me.id }, commandId: null },
  );
  await until('the notice', () => getLoop(api).outbox.view().notices.length === 1);
  return { ...all, context, wire, api, roles, stored, inMemory, until, wait };
}

/** Nothing is left of what an operator may read. */
const EMPTY = {
  company: 0,
  job: 0,
  cause: 0,
  problem: 0,
  key: 0,
  view: 0,
  shift: 0,
  preference: 0,
  pin: 0,
  organization: 0,
  backupRepository: 0,
  backupProxy: 0,
  backupJob: 0,
  restoreSession: 0,
  lastSync: 0,
  runs: 0,
  days: 0,
  others: 0,
};

test('SYNC-6, G33: a role removed while the page is open: all its data leaves the memory, the database, the stored answers and the notices', async () => {
  const { server, wire, api, roles, stored, inMemory, until, wait } = await begin();
  expect(inMemory(api)).not.toMatchObject({ job: 0 });
  await expect.poll(stored).toMatchObject({ answers: 1, notices: 1 });
  await expect.poll(async () => (await stored())['segments']).toBeGreaterThan(0);
  const request = wire.asked.length;
  roles(['o365_admin']);
  server.poke({ kind: 'scope' });
  await until(
    'the forbidden pages',
    () => api.session.who.kind === 'in' && api.session.who.me.roles[0] === 'o365_admin',
  );
  await until('nothing', () => live(api)() && getLoop(api).replica.engine.size === 0);
  expect(inMemory(api)).toEqual(EMPTY);
  expect(getLoop(api).outbox.view()).toEqual({ entries: [], damaged: [], notices: [] });
  await expect.poll(stored).toMatchObject({
    books: 0,
    segments: 0,
    patches: 0,
    answers: 0,
    notices: 0,
    outbox: 0,
  });
  expect(wire.asked.slice(request).filter(({ path }) => path.includes('sync/runs/'))).toEqual([]);
  wire.up = false;
  expect(await wait(api.read('lastSync', {}))).toMatchObject({ ok: false });
});

test('SYNC-6, SYNC-13: a role removed while the browser was closed: all its data leaves at the next contact, without an event or a poke', async () => {
  const { server, wire, context, clock, story, api, roles, stored, inMemory, until } =
    await begin();
  getLoop(api).stop();
  wire.up = false;
  roles(['sub-sp']);
  story.finish(clock.now() - 1_000);
  const again = createWorkerApi(context);
  await until(
    'what it had',
    () =>
      again.session.who.kind === 'in' &&
      again.session.loop !== null &&
      getLoop(again).replica.engine.size > 0,
  );
  wire.up = true;
  await until('nothing', () => live(again)() && getLoop(again).replica.engine.size === 0);
  expect(inMemory(again)).toEqual(EMPTY);
  expect(again.session.who).toMatchObject({ me: { roles: ['sub-sp'] } });
  await expect.poll(stored).toMatchObject({
    books: 0,
    segments: 0,
    patches: 0,
    answers: 0,
    notices: 0,
  });
  // Opened once more with no network, there is nothing that could be shown.
  getLoop(again).stop();
  wire.up = false;
  const third = createWorkerApi(context);
  await until('its user', () => third.session.who.kind === 'in' && third.session.loop !== null);
  await clock.pass(5_000);
  expect(inMemory(third)).toEqual(EMPTY);
  // And with its role it has all of it again.
  wire.up = true;
  roles(['operator']);
  await until(
    'all data',
    () => live(third)() && getLoop(third).replica.engine.size === server.rows.run.size,
  );
});

test('SYNC-6: days refused during loading: the device starts with what it may read, and requests no more of them', async () => {
  const { clock, server, ann, annDevice } = scene();
  Object.assign(ann.me, { roles: ['operator'] });
  const handle = server.handle.bind(server);
  let refused = 0;
  server.handle = (request, cookie) => {
    if (request.url.includes('sync/runs/')) {
      Object.assign(ann.me, { roles: ['o365_admin'] });
      refused += 1;
    }
    return handle(request, cookie);
  };
  const api = annDevice.open();
  await clock.pass(5_000);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', left: 0 });
  expect([
    getLoop(api).replica.engine.size,
    getLoop(api).replica.engine.all('job').length,
    refused,
  ]).toEqual([0, 0, 1]);
});

test('SYNC-6: an account that changes while a start is written leaves no names of a former start on disk', async () => {
  const { clock, server, api, roles } = await begin();
  const { replica } = getLoop(api);
  const disk = replica.disk;
  const names = async (): Promise<readonly unknown[]> => (await disk.open())?.people ?? [];
  expect((await names()).length).toBeGreaterThan(1);
  // The user's new roles come with a token, between the write of the start and the memory.
  const { me, branding } = must(await disk.open());
  const written = disk.begin.bind(disk);
  const saved: Promise<void>[] = [];
  Object.assign(disk, {
    begin: (fresh: Parameters<typeof written>[0]) => {
      const start = written(fresh);
      saved.push(
        Promise.resolve().then(() => replica.saveUser({ ...me, roles: ['o365_admin'] }, branding)),
      );
      return start;
    },
  });
  roles(['o365_admin']);
  server.poke({ kind: 'scope' });
  for (let i = 0; i < 600 && saved.length === 0; i += 1) {
    await clock.pass(20);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  expect(saved).toHaveLength(1);
  await Promise.all(saved);
  expect(await disk.open()).toMatchObject({ me: { roles: ['o365_admin'] } });
  expect((await names()).length).toBeLessThanOrEqual(1);
});
