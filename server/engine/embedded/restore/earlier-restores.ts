import { type RawBuilder, sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { done, failed } from '../../result.ts';
import type { RunningTask } from './running-task.ts';

/** How long a restore waits before it looks again. */
const WAIT_MS: Ms = 20_000;

type Task = Pick<RunningTask, 'store' | 'tenant' | 'id' | 'request' | 'organization'>;

/**
 * Of restores that write the same items to the same target, the first is done with them before the
 * others begin. These find the items there, and write none twice. Called when the items of a restore
 * are stored. `busy`: it has to wait.
 */
export async function waitForEarlierRestores(task: Task): Promise<EngineResult<void>> {
  const { store, tenant, request } = task;
  if (request.kind !== 'restore' || request.input.dryRun) return done;
  await store.tenant(tenant, (tx) => takeNumber(tx, task));
  const mustWait = await store.tenant(tenant, (tx) => hasEarlier(tx, task), { readOnly: true });
  return mustWait ? failed('busy', t.othersRestore, { waitMs: WAIT_MS }) : done;
}

/** Restores are numbered one after the other, so that each sees the items of all before it. */
async function takeNumber(
  { sql: db, tenant }: TenantTx,
  { id, organization }: Task,
): Promise<void> {
  await db
    .selectFrom('head')
    .select('tenant_id')
    .where('tenant_id', '=', tenant)
    .forUpdate()
    .execute();
  const { rows } = await sql<{ readonly last: number | null }>`
    select max(${getNumber(sql`progress`)}) as last from engine_task
    where tenant_id = ${tenant} and organization_id = ${organization}::uuid and state = 'running'`.execute(
    db,
  );
  const number = JSON.stringify({ number: (rows[0]?.last ?? 0) + 1 });
  await sql`
    update engine_task set progress = progress || ${number}::text::jsonb
    where tenant_id = ${tenant} and id = ${id}::uuid and ${getNumber(sql`progress`)} is null`.execute(
    db,
  );
}

/** Whether a running restore with a smaller number has yet to write an item of this one. */
async function hasEarlier({ sql: db, tenant }: TenantTx, { id, organization }: Task) {
  const { rows } = await sql`
    select t.id from engine_task as own
    join engine_task as t on t.tenant_id = ${tenant} and t.organization_id = ${organization}::uuid
      and t.state = 'running' and t.kind = 'restore'
      and t.request #> '{input,target}' = own.request #> '{input,target}'
      and ${getNumber(sql`t.progress`)} < ${getNumber(sql`own.progress`)}
    where own.tenant_id = ${tenant} and own.id = ${id}::uuid and exists (
      select from restore_item as mine
      join item as i on i.tenant_id = ${tenant} and i.object_n = mine.object_n and i.n = mine.item_n
      join item as o on o.tenant_id = ${tenant} and o.object_n = i.object_n and o.key = i.key
      join restore_item as other on other.tenant_id = ${tenant} and other.task_id = t.id
        and other.object_n = o.object_n and other.item_n = o.n
      where mine.tenant_id = ${tenant} and mine.task_id = ${id}::uuid
        and mine.state <> 'done' and other.state <> 'done')
    limit 1`.execute(db);
  return rows.length > 0;
}

const getNumber = (progress: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql`(${progress} ->> 'number')::bigint`;
