import { type EstimateCalls } from '../../shared/calls.ts';
import { sql } from 'kysely';
import type { ItemKind, ObjectKind } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TaskId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import type { GraphConnections } from '../organizations/access.ts';
import { estimateTime, type MeasuredRestore, type ObjectWork } from './estimate-time.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { getTask } from '../../shared/task-rows.ts';

/** RES-83: how long the restore of a dry run takes at the current limits. */
export const makeEstimateCalls = (
  context: () => AppContext,
  connections: GraphConnections,
): EstimateCalls => ({
  async estimate(scope, { task }) {
    const { store, clock } = context();
    const loaded = await store.tenant(
      scope.tenant,
      async (tx) => {
        const found = await getTask(tx, scope, task);
        if (!found.ok) return found;
        const { kind, state, workload } = found.value;
        if (kind !== 'dry-run' || state !== 'done' || workload === null)
          return failed('conflict', t.noDryRun);
        const work = await loadWork(tx, task);
        const restores = await loadRestores(tx, scope.organization, workload, clock.now());
        return ok({ work, restores });
      },
      { readOnly: true },
    );
    if (!loaded.ok) return loaded;
    const ports = await connections.open(scope.tenant, scope.organization);
    if (!ports.ok) return ports;
    const { work, restores } = loaded.value;
    return ok({
      ...estimateTime(work, restores, (lane) => ports.value.governor.getLimit(lane)),
      items: work.reduce((sum, { written }) => sum + sumCounts(written), 0),
      bytes: work.reduce((sum, { bytes }) => sum + bytes, 0),
    });
  },
});

const sumCounts = (written: ObjectWork['written']): number =>
  Object.values(written).reduce((sum, count) => sum + count, 0);

/** What a task has written, or its dry run would write, by mailbox, drive, site or team. */
async function loadWork(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
): Promise<readonly ObjectWork[]> {
  const { rows } = await sql<{
    readonly object: string;
    readonly objectKind: ObjectKind;
    readonly kind: ItemKind;
    readonly isWritten: boolean;
    readonly items: number;
    readonly bytes: number;
  }>`
    select o.directory_id as object, o.kind as "objectKind", i.kind, r.outcome in ('restored', 'merged') as "isWritten", count(*) as items, coalesce(sum(i.bytes), 0)::bigint as bytes
    from restore_item as r
    join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
    join backup_object as o on o.tenant_id = ${tenant} and o.n = r.object_n
    where r.tenant_id = ${tenant} and r.task_id = ${task}::uuid and r.outcome is not null
    group by 1, 2, 3, 4`.execute(db);
  return [
    ...Map.groupBy(rows, ({ object, objectKind }) => `${objectKind} ${object}`).values(),
  ].flatMap((parts): ObjectWork[] => {
    const [first] = parts;
    if (first === undefined) return [];
    const written = parts.filter(({ isWritten }) => isWritten);
    return [
      {
        kind: first.objectKind,
        object: first.object,
        written: Object.fromEntries(written.map(({ kind, items }) => [kind, items])),
        skipped: parts.reduce((sum, part) => sum + (part.isWritten ? 0 : part.items), 0),
        bytes: written.reduce((sum, { bytes }) => sum + bytes, 0),
      },
    ];
  });
}

/** The speed of an organization is measured by its last restores that are new and large enough. */
const MAX_RESTORES = 5;
const MIN_ITEMS = 10;
const RECENT_MS: Ms = 30 * 24 * 60 * 60_000;

async function loadRestores(
  tx: TenantTx,
  organization: OrganizationId,
  workload: string,
  now: Ms,
): Promise<readonly MeasuredRestore[]> {
  const { rows } = await sql<{ readonly id: TaskId; readonly durationMs: Ms }>`
    select t.id, t.ended_at - t.started_at as "durationMs" from engine_task as t
    cross join lateral (select (t.request -> 'input' ->> 'explorer')::uuid as id offset 0) as x
    join explorer as e on e.tenant_id = t.tenant_id and e.id = x.id
    where t.tenant_id = ${tx.tenant} and t.organization_id = ${organization} and t.kind = 'restore' and t.state = 'done'
      and t.result in ('success', 'warning') and t.ended_at > ${now - RECENT_MS} and t.ended_at > t.started_at and e.workload = ${workload}
      and (t.progress #>> '{items,done}')::bigint >= ${MIN_ITEMS}
    order by t.ended_at desc, t.id desc limit ${MAX_RESTORES}`.execute(tx.sql);
  const restores: MeasuredRestore[] = [];
  for (const { id, durationMs } of rows)
    restores.push({ durationMs, work: await loadWork(tx, id) });
  return restores;
}
