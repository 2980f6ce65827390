import { sql } from 'kysely';
import * as v from 'valibot';
import type { ObjectKind } from '#contract/engine/engine.ts';
import type { Ms, TaskId } from '#contract/ids.ts';
import type { SourceObject, StandInRecorder, StandIns } from '../types.ts';
import { parseTeamKey } from '../sources/deleted-team.ts';
import type { RunningTask } from './running-task.ts';

// What a restore creates in place of a deleted object is stored as its folder at the top.

const TOP = '[]';
/** Random, so that nobody can have a group of this alias before the restore creates it. */
const ALIAS_BYTES = 16;

const Noted = v.object({
  standIn: v.optional(
    v.object({ alias: v.string(), owners: v.array(v.string()), group: v.nullable(v.string()) }),
  ),
  waitsSince: v.optional(v.number()),
  /** Absent: begun by a version whose aliases could be guessed. */
  isRandom: v.optional(v.boolean()),
});

/** Returns what this and earlier restores have created in place of an object, or have begun to. */
export async function loadStandIns(
  { store, tenant, id, request }: RunningTask,
  { kind, id: object }: SourceObject,
): Promise<StandIns> {
  const isUndo = request.kind === 'undo';
  const own = isUndo ? request.task : id;
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ key: string | null; object: unknown; isOwn: boolean }>`
      select f.key, f.object, f.task_id = ${own}::uuid as "isOwn" from restore_folder as f
      join engine_task as t on t.tenant_id = f.tenant_id and t.id = f.task_id
      where f.tenant_id = ${tenant} and f.kind = ${kind} and f.object_id = ${object} and f.path = ${TOP}
      order by "isOwn" desc, t.created_at desc, t.id`.execute(db),
    { readOnly: true },
  );
  // What another restore created is not what an undo takes back.
  const noted = rows
    .filter(({ isOwn }) => isOwn || !isUndo)
    .map((row) => ({ ...row, ...v.parse(Noted, row.object) }));
  const unfinished = noted.find(({ isOwn, key }) => isOwn && key === null);
  return {
    own: unfinished?.standIn ?? null,
    created: noted.flatMap(({ key, standIn }) => {
      const group = key === null ? (standIn?.group ?? null) : parseTeamKey(key);
      return group === null ? [] : [group];
    }),
    begun: noted.flatMap(({ key, standIn }) =>
      key === null && standIn?.group === null ? [standIn] : [],
    ),
    isUnfinished: unfinished !== undefined,
    hasOldAlias:
      unfinished !== undefined && unfinished.standIn === undefined && unfinished.isRandom !== true,
  };
}

type Claimant = Pick<RunningTask, 'store' | 'tenant' | 'id'>;
/** A deleted object, or a channel that restores write to in turns. */
export interface Claimed {
  readonly kind: ObjectKind | 'channel';
  readonly id: string;
}

/**
 * Claims an object or a channel, so that only one restore at a time creates it or writes to it.
 * Returns false if another restore has the claim. It has it until it releases it or ends; one that was
 * killed is continued.
 */
export async function claimObject(
  { store, tenant, id }: Claimant,
  { kind, id: object }: Claimed,
): Promise<boolean> {
  return store.tenant(tenant, async ({ sql: db }) => {
    // Citus refuses a query in the condition of a conflict. This locks the row for the next statement.
    const { rows: held } = await sql<{ readonly task_id: TaskId }>`
      insert into restore_claim (tenant_id, kind, object_id, task_id)
      values (${tenant}, ${kind}, ${object}, ${id}::uuid)
      on conflict (tenant_id, kind, object_id) do update set task_id = restore_claim.task_id
      returning task_id`.execute(db);
    if (held[0]?.task_id === id) return true;
    const { rows } = await sql`
      update restore_claim as c set task_id = ${id}::uuid
      where c.tenant_id = ${tenant} and c.kind = ${kind} and c.object_id = ${object} and not exists (
        select from engine_task as t
        where t.tenant_id = ${tenant} and t.id = c.task_id and t.state <> 'done'
      )
      returning task_id`.execute(db);
    return rows.length > 0;
  });
}

/** Releases the channels that a former process of this restore had claimed when it was killed. */
export async function releaseChannels({ store, tenant, id }: Claimant): Promise<void> {
  await store.tenant(tenant, ({ sql: db }) =>
    db
      .deleteFrom('restore_claim')
      .where('tenant_id', '=', tenant)
      .where('kind', '=', 'channel')
      .where('task_id', '=', id)
      .execute(),
  );
}

export async function releaseObject(
  { store, tenant, id }: Claimant,
  { kind, id: object }: Claimed,
): Promise<void> {
  await store.tenant(tenant, ({ sql: db }) =>
    sql`
    delete from restore_claim
    where tenant_id = ${tenant} and kind = ${kind} and object_id = ${object} and task_id = ${id}::uuid`.execute(
      db,
    ),
  );
}

/** Stores what stands in for an object before a restore creates it, its id, and that it is done. */
export function recordStandIn(task: RunningTask, object: SourceObject): StandInRecorder {
  const note = (value: v.InferOutput<typeof Noted>) => noteTop(task, object, value);
  return {
    async before(owners, begun) {
      if (!(await claimObject(task, object))) return null;
      const random = Buffer.from(task.chance.bytes(ALIAS_BYTES)).toString('hex');
      const standIn = {
        alias: begun?.alias ?? `restored-${random}`,
        owners: [...new Set([...(begun?.owners ?? []), ...owners])],
        group: null,
      };
      await note({ standIn });
      return standIn;
    },
    created: (standIn, group) =>
      note({ standIn: { ...standIn, owners: [...standIn.owners], group } }),
    async after(key) {
      await task.store.tenant(task.tenant, ({ sql: db }) =>
        sql`
        update restore_folder set key = ${key}
        where tenant_id = ${task.tenant} and task_id = ${task.id}::uuid and kind = ${object.kind} and object_id = ${object.id} and path = ${TOP}`.execute(
          db,
        ),
      );
    },
  };
}

/** Returns since when a restore waits for an object to come back. */
export async function noteWaitForStandIn(task: RunningTask, object: SourceObject): Promise<Ms> {
  const { store, tenant, id } = task;
  await noteTop(task, object, {});
  const { rows } = await store.tenant(tenant, ({ sql: db }) =>
    sql<{ since: Ms }>`
    update restore_folder set object = jsonb_build_object('waitsSince', ${task.clock.now()}::bigint) || object
    where tenant_id = ${tenant} and task_id = ${id}::uuid and kind = ${object.kind} and object_id = ${object.id} and path = ${TOP}
    returning (object ->> 'waitsSince')::bigint as since`.execute(db),
  );
  return rows[0]?.since ?? task.clock.now();
}

const noteTop = async (
  { store, tenant, id }: RunningTask,
  object: SourceObject,
  value: v.InferOutput<typeof Noted>,
): Promise<void> => {
  await store.tenant(tenant, ({ sql: db }) =>
    sql`
    insert into restore_folder (tenant_id, task_id, kind, object_id, path, object, key)
    values (${tenant}, ${id}::uuid, ${object.kind}, ${object.id}, ${TOP}, ${JSON.stringify({ ...object, ...value, isRandom: true })}::text::jsonb, null)
    on conflict (tenant_id, task_id, kind, object_id, path)
    do update set object = restore_folder.object || ${JSON.stringify(value)}::text::jsonb`.execute(
      db,
    ),
  );
};
