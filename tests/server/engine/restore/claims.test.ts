import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { claimObject, releaseObject } from '#server/engine/embedded/restore/stand-ins.ts';
import { eachDatabase } from '../../db/databases.ts';
import { aTenant } from '../../db/drafts.ts';

type Task = Parameters<typeof claimObject>[0];
const TEAM = { kind: 'team', id: 'team-1' } as const;

eachDatabase((kind, open) => {
  test(`RES-92: one restore brings an object back, until it releases it or ends, whatever the clock says (${kind})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const aTask = async (): Promise<Task> => {
      const id = randomUUID();
      await store.tenant(tenant, ({ sql: db }) =>
        sql`
        insert into engine_task (tenant_id, id, organization_id, kind, state, request, user_id, created_at)
        values (${tenant}, ${id}, ${randomUUID()}, 'restore', 'running', '{}', ${randomUUID()}, 0)`.execute(
          db,
        ),
      );
      return { store, tenant, id };
    };
    const [first, second] = [await aTask(), await aTask()];
    const setState = (task: Task, state: string) =>
      store.tenant(tenant, ({ sql: db }) =>
        sql`update engine_task set state = ${state} where id = ${task.id}::uuid`.execute(db),
      );
    expect(await claimObject(first, TEAM)).toBe(true);
    expect(await claimObject(second, TEAM)).toBe(false);
    expect(await claimObject(first, TEAM)).toBe(true);
    await releaseObject(second, TEAM);
    expect(await claimObject(second, TEAM)).toBe(false);
    await releaseObject(first, TEAM);
    expect(await claimObject(second, TEAM)).toBe(true);
    for (const state of ['queued', 'running', 'stopping']) {
      await setState(second, state);
      expect(await claimObject(first, TEAM)).toBe(false);
    }
    await setState(second, 'done');
    expect(await claimObject(first, TEAM)).toBe(true);
  });
});
