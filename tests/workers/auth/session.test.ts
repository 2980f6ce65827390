import 'fake-indexeddb/auto';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { ClientSessionState } from '#workers/api.ts';
import { memoryDisk, openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import type { WorkerContext } from '#workers/context.ts';
import { getLoop, scene } from '#tests/workers/scene.ts';

/**
 * A browser with a real (fake-indexeddb) database: what is closed and opened again is what was
 * written.
 */
function browser() {
  const all = scene();
  const idb = { indexedDB: new IDBFactory(), IDBKeyRange };
  const { context: base, wire } = all.annDevice;
  const context: WorkerContext = {
    ...base,
    openRegister: () => openProfiles(idb),
    openDisk: (held, register) => openDisk(held, register, idb),
    memoryDisk,
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 400 && !holds(); i++) {
      await all.clock.pass(20);
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    expect(holds()).toBe(true);
  };
  const wait = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    await until(() => done);
    return work;
  };
  return { ...all, idb, wire, context, until, wait };
}

const named = (username: string) =>
  ({ way: 'password', auth: 'db', username, password: 'x' }) as const;
const note = (run: number | undefined, content: string) => ({
  id: String(run),
  change: { kind: 'note' as const, content },
});

test('C7, SYNC-2: after one sign-in, a browser opens offline with its data until the limit; then it locks until the server answers', async () => {
  const { context, wire, clock, server, until, wait } = browser();
  server.offlineMs = 600_000;
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  expect(await wait(api.signIn(named('nobody')))).toMatchObject({
    ok: false,
    failure: { kind: 'wrong-credentials' },
  });
  expect(await wait(api.signIn(named('ann')))).toMatchObject({
    ok: true,
    value: { kind: 'in', me: { username: 'ann' } },
  });
  expect(api.session.who).toMatchObject({ kind: 'in', me: { username: 'ann' } });
  await until(() => getLoop(api).status().kind === 'live');
  getLoop(api).stop();
  wire.up = false;
  const again = createWorkerApi(context);
  const seen: ClientSessionState[] = [];
  await again.watch('who', {}, (who) => {
    seen.push(who);
  });
  await until(
    () =>
      again.session.who.kind === 'in' &&
      getLoop(again).replica.engine.size === server.rows.run.size,
  );
  expect(seen[0]).toEqual({ kind: 'starting' });
  await until(() => getLoop(again).status().kind === 'offline');
  expect(await wait(again.ask('lastSync', {}))).toMatchObject({
    ok: false,
    failure: { kind: 'needs-network' },
  });
  await clock.pass(660_000);
  await until(() => again.session.who.kind === 'out');
  expect(again.session.who).toMatchObject({ reason: 'expired' });
  expect(again.session.loop).toBeNull();
  wire.up = true;
  await clock.pass(61_000);
  await until(() => again.session.who.kind === 'in');
});

test('OFF-5: signed out and offline: the sign-in page shows it, and shows when the server answers again', async () => {
  const { context, wire, until } = browser();
  wire.up = false;
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out' && api.session.who.offline);
  expect(api.session.who).toMatchObject({ reason: 'none', branding: null });
  wire.up = true;
  await until(() => api.session.who.kind === 'out' && !api.session.who.offline);
  expect(api.session.who).toMatchObject({ branding: { timeZone: expect.any(String) } });
});

test('OUT-7, C9: signing out with unsent changes asks first; stored changes wait for their user, and nothing is readable after signing out', async () => {
  const { context, wire, server, bad, until, wait, idb } = browser();
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  wire.up = false;
  const [run, other] = bad();
  expect(await wait(api.send('changeExecution', note(run, 'kept')))).toMatchObject({ ok: true });
  expect(await wait(api.signOut('ask'))).toEqual({ ok: true, value: { out: false, unsent: 1 } });
  expect(api.session.who.kind).toBe('in');
  expect(await wait(api.signOut('keep'))).toEqual({ ok: true, value: { out: true, unsent: 1 } });
  expect(api.session.who).toMatchObject({ kind: 'out', reason: 'none' });
  expect(await api.send('changeExecution', note(other, 'nobody'))).toMatchObject({
    ok: false,
    failure: { kind: 'signed-out' },
  });
  const register = await openProfiles(idb);
  expect(await register.current(0)).toEqual({ kind: 'none' });
  register.close();
  wire.up = true;
  await wait(api.signIn(named('bob')));
  await until(() => getLoop(api).status().kind === 'live');
  // one identity's outbox is never another's
  expect(getLoop(api).outbox.view().entries).toEqual([]);
  expect(server.log.some(({ event }) => event.type === 'problem.noted@1')).toBe(false);
  expect(await wait(api.signOut('ask'))).toEqual({ ok: true, value: { out: true, unsent: 0 } });
  await wait(api.signIn(named('ann')));
  await until(() => server.log.some(({ event }) => event.type === 'problem.noted@1'));
});

test('OUT-7: "send" sends all changes before the session ends; "discard" leaves none', async () => {
  const { context, wire, server, bad, until, wait, idb } = browser();
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  const [run, other] = bad();
  wire.up = false;
  await wait(api.send('changeExecution', note(run, 'sent')));
  expect(getLoop(api).outbox.unsent).toBe(1);
  wire.up = true;
  expect(await wait(api.signOut('send'))).toEqual({ ok: true, value: { out: true, unsent: 0 } });
  expect(server.log.filter(({ event }) => event.type === 'problem.noted@1')).toHaveLength(1);
  await until(() => wire.asked.some(({ path }) => path.endsWith('logout')));
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  wire.up = false;
  await wait(api.send('changeExecution', note(other, 'discarded')));
  expect(await wait(api.signOut('discard'))).toMatchObject({ value: { out: true } });
  expect((await idb.indexedDB.databases()).map(({ name }) => name)).toEqual(['daybook']);
});

test('C9: signing out in a tab without an access token ends the session on the server too', async () => {
  const { context, wire, server, until, wait } = browser();
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  getLoop(api).stop();
  wire.up = false;
  const again = createWorkerApi(context);
  await until(() => again.session.who.kind === 'in');
  expect(await wait(again.signOut('keep'))).toMatchObject({ value: { out: true } });
  expect(server.sessions.size).toBeGreaterThan(0);
  wire.up = true;
  await until(() => server.sessions.size === 0);
  expect(again.session.who.kind).toBe('out');
});

test('A11: a session that the server ended locks the screen and keeps unsent changes for its user', async () => {
  const { context, server, bad, until, wait, clock } = browser();
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  server.ended = true;
  await wait(api.send('changeExecution', note(bad()[0], 'later')));
  await until(() => api.session.who.kind === 'out');
  expect(api.session.who).toMatchObject({ reason: 'expired' });
  server.ended = false;
  await wait(api.signIn(named('ann')));
  await until(() => server.log.some(({ event }) => event.type === 'problem.noted@1'));
  await clock.pass(100);
  expect(getLoop(api).status()).toMatchObject({ waiting: 0, refused: 0 });
});

test('G42, A10: signing in as another user switches data and outbox in every tab; going back restores the own ones, with unsent changes', async () => {
  const { context, wire, server, ann, bob, bad, until, wait, clock } = browser();
  const api = createWorkerApi(context);
  const second = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out' && second.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => api.session.loop?.status().kind === 'live' && second.session.who.kind === 'in');
  const [run, other] = bad();
  expect(
    await wait(api.impersonate({ userId: bob.me.id, reason: 'a look at the list' })),
  ).toMatchObject({
    ok: true,
    value: { kind: 'in', me: { username: 'bob', impersonator: { username: 'ann' } } },
  });
  await until(
    () =>
      getLoop(api).status().kind === 'live' &&
      second.session.who.kind === 'in' &&
      second.session.who.me.username === 'bob',
  );
  expect(getLoop(second).outbox.view().entries).toEqual([]);
  wire.up = false;
  await wait(api.send('changeExecution', note(run, 'as bob')));
  await clock.pass(15_000);
  expect(getLoop(api).status().kind).toBe('offline');
  expect(await wait(api.stopImpersonation('ask'))).toMatchObject({
    failure: { kind: 'needs-network' },
  });
  wire.up = true;
  await api.syncNow();
  await until(() => getLoop(api).status().kind === 'live');
  expect(await wait(api.stopImpersonation('ask'))).toMatchObject({
    value: { kind: 'in', me: { username: 'ann', impersonator: null } },
  });
  expect(
    server.log.filter(({ event }) => event.type === 'problem.noted@1').map(({ actor }) => actor),
  ).toEqual([{ kind: 'user', id: bob.me.id }]);
  await until(() => second.session.who.kind === 'in' && second.session.who.me.username === 'ann');
  // Another browser window changed whose cookie it is: the first answer that says so stops this
  // loop before anything is sent.
  wire.up = false;
  await wait(api.send('changeExecution', note(other, 'as ann')));
  wire.cookie = bob.me.id;
  wire.up = true;
  server.sessions.clear();
  await clock.pass(server.tokenMs);
  await until(() => api.session.who.kind === 'in' && api.session.who.me.username === 'bob');
  expect(server.log.filter(({ event }) => event.type === 'problem.noted@1')).toHaveLength(1);
  expect(ann.me.impersonator).toBeNull();
});

test('PAGE-6, A11: after signing in again, the user is the one that the server names, not the one that the device stored', async () => {
  const { context, server, ann, bad, until, wait } = browser();
  const api = createWorkerApi(context);
  await until(() => api.session.who.kind === 'out');
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  server.ended = true;
  await wait(api.send('changeExecution', note(bad()[0], 'later')));
  await until(() => api.session.who.kind === 'out');
  server.ended = false;
  ann.me.passwordReset = true;
  const seen: ClientSessionState[] = [];
  await api.watch('who', {}, (who) => {
    seen.push(who);
  });
  await wait(api.signIn(named('ann')));
  await until(() => getLoop(api).status().kind === 'live');
  expect(seen.filter((who) => who.kind === 'in').map((who) => who.me.passwordReset)).not.toContain(
    false,
  );
  expect(api.session.who).toMatchObject({ kind: 'in', me: { passwordReset: true } });
});
