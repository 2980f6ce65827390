import { expect, test, vi } from 'vitest';
import { connectTo } from '#workers/disk/connection.ts';
import { diskOn } from '#workers/disk/disk.ts';
import { openProfiles } from '#workers/disk/profiles.ts';
import type { StoredProfile, Profiles } from '#workers/disk/profiles.ts';
import { preopen } from '#workers/startup/preopen.ts';
import type { Opens } from '#workers/startup/preopen.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';
import { command, fresh } from '../disk/sample.ts';
import { freshIdb, OWNER, placeIn } from '../disk/places.ts';

/** A browser in which somebody is signed in, and what the worker opens of it. */
async function scene() {
  const place = await placeIn(freshIdb());
  const disk = await place.open();
  await disk.begin(fresh());
  disk.close();
  const opens = {
    openRegister: vi.fn<Opens['openRegister']>(() => openProfiles(place.idb)),
    connect: vi.fn<Opens['connect']>((held) => connectTo(held, place.idb)),
  };
  const openWith = async (early: Opens, held: StoredProfile, register: Profiles) =>
    diskOn(await early.connect(held), held, register, place.idb);
  return { place, opens, openWith };
}

test('COL-6: both databases are opened ahead, once, and given to the first caller', async () => {
  const { opens, openWith } = await scene();
  const early = preopen(opens, () => 0);
  await expect.poll(() => opens.connect.mock.calls.length).toBe(1);
  const register = await early.openRegister();
  const present = await register.current(0);
  if (present.kind !== 'in') throw new Error('nobody is in');
  const disk = await openWith(early, present.profile, register);
  expect(await disk.open()).toMatchObject({ epoch: 'e1' });
  expect(opens.openRegister.mock.calls.length + opens.connect.mock.calls.length).toBe(2);
  disk.close(); // signed out and in again: another one, that is open
  expect(await (await openWith(early, present.profile, register)).open()).toMatchObject({
    epoch: 'e1',
  });
  expect(await (await early.openRegister()).current(0)).toMatchObject({ kind: 'in' });
});

test("COL-6, OUT-7: if another user signs in meanwhile, nobody gets the first user's data, and its connection is closed", async () => {
  const { opens, openWith } = await scene();
  const early = preopen(opens, () => 0);
  const register = await early.openRegister();
  const other = await register.enter({ ...OWNER, user: 'u2', actor: 'u2' }, 1_000);
  const disk = await openWith(early, other, register);
  expect(await disk.open()).toBeNull();
  await disk.keepCommand(command('a'));
  const first = await opens.connect.mock.results[0]?.value;
  expect(() => first?.db.transaction('meta')).toThrow(
    expect.objectContaining({ name: 'InvalidStateError' }),
  );
});

test('G16: an early failure is retried on request, and the caller gets that result', async () => {
  const { place, opens, openWith } = await scene();
  opens.connect.mockRejectedValueOnce(new DiskError('unavailable', 'not yet'));
  const early = preopen(opens, () => 0);
  const register = await early.openRegister();
  expect(await (await openWith(early, place.held, register)).open()).toMatchObject({ epoch: 'e1' });
  const refused = preopen(
    { ...opens, openRegister: () => Promise.reject(new DiskError('unavailable', 'never')) },
    () => 0,
  );
  await expect(refused.openRegister()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(refused.openRegister()).rejects.toMatchObject({ kind: 'unavailable' });
});

test('COL-6, C9: the current user is read once for the first caller, and again if the session ended or changed here', async () => {
  const { place, opens } = await scene();
  const until = place.held.offlineUntil;
  const begin = async () => {
    const reads = { count: 0 };
    const early = preopen(
      {
        ...opens,
        openRegister: async () => {
          const there = await openProfiles(place.idb);
          return {
            ...there,
            current: (at) => {
              reads.count += 1;
              return there.current(at);
            },
          };
        },
      },
      () => 0,
    );
    return { reads, register: await early.openRegister() };
  };
  const once = await begin();
  expect(await once.register.current(1)).toMatchObject({ kind: 'in', profile: OWNER });
  expect(once.reads.count).toBe(1);
  await once.register.current(1);
  expect(once.reads.count).toBe(2);
  const left = await begin();
  await left.register.leave(OWNER, false);
  expect(await left.register.current(1)).toEqual({ kind: 'none' });
  await left.register.enter(OWNER, until);
  const late = await begin();
  expect(await late.register.current(until)).toMatchObject({ kind: 'expired' });
});
