import { afterEach, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { listen } from '#server/platform/http/listen.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '#tests/server/db/databases.ts';
import { freshIdb } from '#tests/workers/disk/places.ts';
import { openDisk } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import { createWorkerApi } from '#workers/queries/live-queries.ts';
import { CALM, ChaosWire } from './chaos-wire.ts';
import { TestClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { makeChance } from './random.ts';
import { PASSWORD, RealServer } from './real-server.ts';

let store: Store;
beforeAll(async () => {
  await import('#workers/disk/dexie-stores.ts');
});

let stop: (() => Promise<void>) | null = null;
afterEach(async () => {
  await stop?.();
  stop = null;
});

/** A signed-in device, whose requests pass through a proxy before the real server. */
async function signedInDevice() {
  const waiting: { settle: () => Promise<void> } = { settle: () => Promise.resolve() };
  const clock = new TestClock(Date.UTC(2026, 5, 15, 6), () => waiting.settle());
  const server = new RealServer(store, clock);
  const listening = await listen(server.app, 0, '127.0.0.1', { checkMs: 600_000 });
  const wire = await ChaosWire.open(listening.port, clock);
  waiting.settle = async () => {
    for (let quiet = 0; quiet < 2;) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 1);
      });
      quiet = wire.isIdle && server.isIdle ? quiet + 1 : 0;
    }
  };
  await server.begin(['ann']);
  const line = wire.line('ann', server.host, 1);
  const idb = freshIdb();
  const device = new SimDevice(
    clock,
    makeChance(2),
    line,
    { me: { id: '' } },
    false,
    server.tenant,
  );
  const open = () =>
    createWorkerApi({
      ...device.context,
      openRegister: () => openProfiles(idb),
      openDisk: (profile, register) => openDisk(profile, register, idb),
    });
  const page = { api: open() };
  stop = async () => {
    device.kill(page.api);
    await wire.close();
    await listening.stop(0);
  };
  await clock.pass(100);
  const answer = page.api.signIn({
    way: 'password',
    auth: 'db',
    username: 'ann',
    password: PASSWORD,
  });
  await clock.pass(3_000);
  expect(await answer).toMatchObject({ ok: true });
  const reload = (): void => {
    device.kill(page.api);
    page.api = open();
  };
  /** Returns how the device is when it has come back by itself, or else after five minutes. */
  const settled = async (): Promise<readonly (string | undefined)[]> => {
    const { session } = page.api;
    for (let waits = 0; waits < 150 && session.loop?.status().kind !== 'live'; waits += 1)
      await clock.pass(2_000);
    return [session.who.kind, session.loop?.status().kind];
  };
  await settled();
  return { clock, line, reload, settled };
}

anyDatabase((name, open) => {
  test(`G40: a device whose answers are lost for a minute, after the server renewed its tokens, stays signed in (${name})`, async () => {
    store = await open();
    const { clock, line, settled } = await signedInDevice();
    line.chaos = { ...CALM, cutAfter: 1_000 };
    await clock.pass(LIMITS.accessMs + 60_000);
    line.chaos = CALM;
    expect(await settled()).toEqual(['in', 'live']);
  });

  test(`G40: a page that is loaded again and again before its answers come stays signed in (${name})`, async () => {
    store = await open();
    const { clock, line, reload, settled } = await signedInDevice();
    line.chaos = { ...CALM, cutAfter: 1_000 };
    for (let load = 0; load < 4; load += 1) {
      reload();
      await clock.pass(LIMITS.refreshGraceMs + 2_000);
    }
    line.chaos = CALM;
    reload();
    expect(await settled()).toEqual(['in', 'live']);
  });
});
