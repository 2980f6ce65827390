import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ensureObject } from '#server/engine/embedded/index/objects.ts';
import { countWork, leaseWork, queueWork } from '#server/engine/embedded/sessions/work.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant } from '../db/drafts.ts';

const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;

eachDatabase((name, open) => {
  test(`G13: an object is worked on by one process, and a lease of a wrong clock bars nobody (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const session = randomUUID();
    const place = { repository: randomUUID(), organization: randomUUID() };
    const object = { kind: 'mailbox', id: 'u', name: 'Ann', address: 'ann@example.com' } as const;
    const lease = (owner: string, now: number) =>
      store.tenant(tenant, async (tx) => (await leaseWork(tx, { session, owner }, now))?.object);
    const { n } = await store.tenant(tenant, (tx) => ensureObject(tx, place, object));
    await store.tenant(tenant, (tx) => queueWork(tx, session, [n]));
    expect(await lease('first', NOW + 6 * HOUR)).toBe(n);
    expect(await lease('second', NOW + 6 * HOUR + 1)).toBeUndefined();
    // The clock was six hours ahead.
    expect(await lease('second', NOW)).toBe(n);
    expect(await lease('third', NOW + 1)).toBeUndefined();
  });

  test(`ENG-56: a process that could not renew its lease doesn't begin the same object beside itself (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const session = randomUUID();
    const place = { repository: randomUUID(), organization: randomUUID() };
    const object = { kind: 'mailbox', id: 'u', name: 'Ann', address: 'ann@example.com' } as const;
    const { n } = await store.tenant(tenant, (tx) => ensureObject(tx, place, object));
    await store.tenant(tenant, (tx) => queueWork(tx, session, [n]));
    const lease = (owner: string, now: number) =>
      store.tenant(tenant, async (tx) => (await leaseWork(tx, { session, owner }, now))?.object);
    expect(await lease('first', NOW)).toBe(n);
    // Its other workers look for more when the database is back.
    expect(await lease('first', NOW + HOUR)).toBeUndefined();
    expect(await lease('second', NOW + HOUR)).toBe(n);
  });

  test(`ENG-56: work that another session does is not free, and what a transaction holds for a moment is (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const [session, other] = [randomUUID(), randomUUID()];
    const place = { repository: randomUUID(), organization: randomUUID() };
    const object = { kind: 'mailbox', id: 'u', name: 'Ann', address: 'ann@example.com' } as const;
    const { n } = await store.tenant(tenant, (tx) => ensureObject(tx, place, object));
    const lease = (of: string) =>
      store.tenant(tenant, (tx) => leaseWork(tx, { session: of, owner: of }, NOW));
    const hasFree = async (now: number) =>
      (await store.tenant(tenant, (tx) => countWork(tx, session, now))).hasFree;
    for (const one of [session, other]) await store.tenant(tenant, (tx) => queueWork(tx, one, [n]));
    if (name === 'postgres') {
      const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = store.tenant(tenant, async ({ sql }) => {
        await sql
          .selectFrom('backup_object')
          .select('n')
          .where('tenant_id', '=', tenant)
          .where('n', '=', n)
          .forUpdate()
          .execute();
        held.resolve();
        await release.promise;
      });
      await held.promise;
      expect(await lease(session)).toBeUndefined();
      expect(await hasFree(NOW)).toBe(true);
      release.resolve();
      await holding;
    }
    expect((await lease(other))?.object).toBe(n);
    expect(await lease(session)).toBeUndefined();
    expect([await hasFree(NOW), await hasFree(NOW + HOUR)]).toEqual([false, true]);
  });
});
