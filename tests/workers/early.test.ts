import { expect, test, vi } from 'vitest';
import { openDisk } from '#workers/disk/disk.ts';
import { openRegister } from '#workers/disk/register.ts';
import { openEarly } from '#workers/early.ts';
import { DiskFault } from '#workers/seams.ts';
import type { WorkerWorld } from '#workers/world.ts';
import { command, fresh } from './disk/sample.ts';
import { freshIdb, OWNER, placeIn } from './disk/places.ts';

/** A browser in which somebody is signed in, and what the worker opens of it. */
async function scene() {
  const place = await placeIn(freshIdb()), disk = await place.open();
  await disk.begin(fresh());
  disk.close();
  const opens = {
    openRegister: vi.fn<WorkerWorld['openRegister']>(() => openRegister(place.idb)),
    openDisk: vi.fn<WorkerWorld['openDisk']>((held, of) => openDisk(held, of, place.idb)),
  };
  return { place, opens };
}

test('COL-6: both databases are opened before anybody asks, once, and given to who asks first', async () => {
  const { opens } = await scene(), early = openEarly(opens, () => 0);
  await vi.waitFor(() => expect(opens.openDisk).toHaveBeenCalledTimes(1));
  const register = await early.openRegister(), present = await register.current(0);
  if (present.is !== 'in') throw new Error('nobody is in');
  const disk = await early.openDisk(present.held, register);
  expect(await disk.open()).toMatchObject({ epoch: 'e1' });
  expect(opens.openRegister.mock.calls.length + opens.openDisk.mock.calls.length).toBe(2);
  disk.close(); // signed out and in again: another one, that is open
  expect(await (await early.openDisk(present.held, register)).open()).toMatchObject({ epoch: 'e1' });
  expect(await (await early.openRegister()).current(0)).toMatchObject({ is: 'in' });
});

test('COL-6, OUT-7: where another user signs in meanwhile, nobody gets the first one\'s data, and its connection is closed', async () => {
  const { opens } = await scene(), early = openEarly(opens, () => 0);
  const register = await early.openRegister(), other = await register.enter({ ...OWNER, user: 'u2', actor: 'u2' }, 1_000);
  const disk = await early.openDisk(other, register);
  expect(await disk.open()).toBeNull();
  await disk.keepCommand(command('a'));
  await expect((await opens.openDisk.mock.results[0]?.value)?.open()).rejects.toMatchObject({ kind: 'unavailable' });
});

test('G16: what fails early is tried anew when it is asked for, and the caller is told how that went', async () => {
  const { place, opens } = await scene();
  opens.openDisk.mockRejectedValueOnce(new DiskFault('unavailable', 'not yet'));
  const early = openEarly(opens, () => 0), register = await early.openRegister();
  expect(await (await early.openDisk(place.held, register)).open()).toMatchObject({ epoch: 'e1' });
  const refused = openEarly({ ...opens, openRegister: () => Promise.reject(new DiskFault('unavailable', 'never')) }, () => 0);
  await expect(refused.openRegister()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(refused.openRegister()).rejects.toMatchObject({ kind: 'unavailable' });
});
