import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { claimObject, releaseObject } from '#server/engine/embedded/restore/stand-ins.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';

type Task = Parameters<typeof claimObject>[0];
const HOUR = 3_600_000;
const TEAM = { kind: 'team', id: 'team-1' } as Parameters<typeof claimObject>[1];

eachDatabase((kind, open) => {
  test(`RES-92, G13: one restore brings an object back, until it releases it, ten minutes pass, or its clock was wrong (${kind})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    let now = Date.UTC(2026, 10, 28, 12);
    const aTask = () =>
      ({ store, tenant, id: randomUUID(), clock: { now: () => now } }) as unknown as Task;
    const [first, second] = [aTask(), aTask()];
    expect(await claimObject(first, TEAM)).toBe(true);
    expect(await claimObject(second, TEAM)).toBe(false);
    expect(await claimObject(first, TEAM)).toBe(true);
    await releaseObject(second, TEAM);
    expect(await claimObject(second, TEAM)).toBe(false);
    await releaseObject(first, TEAM);
    expect(await claimObject(second, TEAM)).toBe(true);
    now += 10 * 60_000;
    expect(await claimObject(first, TEAM)).toBe(true);
    // The clock was six hours ahead when it was claimed.
    now -= 6 * HOUR;
    expect(await claimObject(second, TEAM)).toBe(true);
    expect(await claimObject(first, TEAM)).toBe(false);
  });
});
