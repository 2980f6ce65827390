import { expect, test } from 'vitest';
import { openProfiles } from '#workers/disk/profiles.ts';
import { freshIdb, OWNER } from './places.ts';

const BO = { tenant: 't1', user: 'u2', actor: 'u2' };

test('A11: a signed-in user stays signed in until the offline limit; then the data key is destroyed and the outbox key stays', async () => {
  const idb = freshIdb();
  const register = await openProfiles(idb);
  expect(await register.current(0)).toEqual({ kind: 'none' });
  const held = await register.enter(OWNER, 100);
  expect(await register.current(99)).toMatchObject({
    kind: 'in',
    profile: { ...OWNER, device: held.device, offlineUntil: 100 },
  });
  await register.extend(OWNER, 200);
  expect(await register.current(199)).toMatchObject({ kind: 'in', profile: { offlineUntil: 200 } });
  expect(await register.current(200)).toEqual({ kind: 'expired', owner: OWNER, offlineUntil: 200 });
  // a clock put back brings no key back
  expect(await register.current(0)).toMatchObject({ kind: 'expired' });
  await register.extend(OWNER, 900);
  expect(await register.current(0)).toMatchObject({ kind: 'expired' });

  const again = await register.enter(OWNER, 1000);
  expect(again.device).toBe(held.device);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: new Uint8Array(12) },
    held.outboxKey,
    new Uint8Array([7]),
  );
  expect(
    new Uint8Array(
      await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: new Uint8Array(12) },
        again.outboxKey,
        sealed,
      ),
    ),
  ).toEqual(new Uint8Array([7]));
  await expect(
    crypto.subtle.decrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, again.key, sealed),
  ).rejects.toMatchObject({ name: 'OperationError' });
});

test('G52: signing in again renews with the same keys, and two tabs that sign in at once agree on them', async () => {
  const idb = freshIdb();
  const one = await openProfiles(idb);
  const two = await openProfiles(idb);
  const [a, b] = await Promise.all([one.enter(OWNER, 100), two.enter(OWNER, 100)]);
  expect(b.device).toBe(a.device);
  const iv = new Uint8Array(12);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, a.key, new Uint8Array([1]));
  expect((await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, b.key, sealed)).byteLength).toBe(1);
});

test('OUT-7: a user who leaves takes nothing from another, and the last one to sign in is the current one', async () => {
  const register = await openProfiles(freshIdb());
  await register.enter(OWNER, 100);
  await register.enter(BO, 100);
  expect(await register.current(0)).toMatchObject({ kind: 'in', profile: BO });
  await register.leave(OWNER, false);
  expect(await register.current(0)).toMatchObject({ kind: 'in', profile: BO });
  await register.leave(BO, false);
  expect(await register.current(0)).toEqual({ kind: 'none' });
});
