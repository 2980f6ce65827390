import { isDeepStrictEqual } from 'node:util';
import 'fake-indexeddb/auto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { LastSync } from '#contract/sync/calls.ts';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import type { WorkerContext } from '#workers/context.ts';
import { getLoop, scene } from '#tests/workers/scene.ts';

type WorkerApi = ReturnType<typeof createWorkerApi>;

const GOOD: LastSync = {
  status: 'SUCCEEDED',
  at: 1_000,
  failed: [],
  sources: [{ source: 'vbr', keys: 1, failed: 0, at: 1_000 }],
};
const BAD: LastSync = {
  status: 'FAILED',
  at: 1_000,
  failed: [
    {
      entity: 'Head office: Jobs',
      at: 2_000,
      message: 'HTTP 500',
      kind: 'connection',
      id: null,
      name: 'Head office',
      company: 'Harbor Dental',
    },
  ],
  sources: [{ source: 'vbr', keys: 1, failed: 1, at: 1_000 }],
};

/** Ann's browser with a database of its own, in which tabs are opened. */
async function begin() {
  const all = scene();
  const idb = { indexedDB: new IDBFactory(), IDBKeyRange };
  const { clock, server, ann, annDevice } = all;
  const context: WorkerContext = {
    ...annDevice.context,
    openRegister: () => openProfiles(idb),
    openDisk: (held, register) => openDisk(held, register, idb),
    memoryDisk,
  };
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 600 && !holds(); i++) {
      await clock.pass(20);
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    expect([what, holds()]).toEqual([what, true]);
  };
  /** A tab, and what its page was given last. */
  const tab = async (): Promise<{
    readonly api: WorkerApi;
    readonly seen: (LastSync | null)[];
  }> => {
    const api = createWorkerApi(context);
    const seen: (LastSync | null)[] = [];
    await api.watch('lastSync', {}, (value) => {
      seen.push(value);
    });
    return { api, seen };
  };
  const first = await tab();
  await until('the sign-in page', () => first.api.session.who.kind === 'out');
  void first.api.signIn({ way: 'password', auth: 'db', username: 'ann', password: 'x' });
  await until(
    'signed in',
    () =>
      first.api.session.loop !== null &&
      getLoop(first.api).status().kind === 'live' &&
      getLoop(first.api).status().left === 0,
  );
  return { ...all, server, ann, wire: annDevice.wire, first, tab, until };
}

const has = (seen: readonly (LastSync | null)[], value: LastSync | null) => (): boolean =>
  isDeepStrictEqual(seen.at(-1), value);

test('SYNC-14: the last sync of sources comes with the first load, and changes arrive without an event or a separate call', async () => {
  const { server, wire, first, until } = await begin();
  await until('the first load', () => first.seen.at(-1)?.status === 'SUCCEEDED');
  expect(first.seen.at(-1)?.failed).toEqual([]);
  const cursor = getLoop(first.api).replica.cursor;
  for (const value of [BAD, GOOD]) {
    server.sync(value);
    await until(value.status, has(first.seen, value));
  }
  expect(getLoop(first.api).replica.cursor).toBe(cursor);
  expect(wire.asked.filter(({ path }) => path.includes('last-sync'))).toEqual([]);
});

test('SYNC-7, SYNC-14: another tab has it immediately and keeps receiving it', async () => {
  const { server, tab, until } = await begin();
  server.sync(BAD);
  const second = await tab();
  await until('the second tab', has(second.seen, BAD));
  expect(getLoop(second.api).status().follower).toBe(true);
  server.sync(GOOD);
  await until('recovered in the second tab', has(second.seen, GOOD));
});

test('SYNC-14: a page reopened offline shows the last stored data', async () => {
  const { server, wire, first, tab, until } = await begin();
  server.sync(BAD);
  await until('it failed', has(first.seen, BAD));
  getLoop(first.api).stop();
  wire.up = false;
  const later = await tab();
  await until('offline', has(later.seen, BAD));
  await until('no answer', () => getLoop(later.api).status().kind === 'offline');
  expect(later.seen.at(-1)).toEqual(BAD);
});

test('SYNC-6, SYNC-14: it leaves the device with the permission to read it, and returns with it', async () => {
  const { server, ann, first, tab, until } = await begin();
  server.sync(BAD);
  await until('it failed', has(first.seen, BAD));
  Object.assign(ann.me, { roles: ['o365_admin'] });
  server.poke({ kind: 'scope' });
  await until('gone', has(first.seen, null));
  const later = await tab();
  await until(
    'the later tab is there',
    () => later.api.session.who.kind === 'in' && later.seen.length > 0,
  );
  expect(later.seen).not.toContainEqual(expect.objectContaining({ status: 'FAILED' }));
  Object.assign(ann.me, { roles: ['operator'] });
  server.poke({ kind: 'scope' });
  await until('back', has(first.seen, BAD));
});
