import { sql } from 'kysely';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { failed } from '../../result.ts';
import type { PathPart, WriteInput } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { makeContentReader, type RunningTask } from './running-task.ts';

/**
 * Returns the members and settings that a dry run has found it would put back: a restore does that
 * before it creates channels for those who are members then.
 */
export const getReturning =
  (task: RunningTask, object: number): WriteInput['content'] =>
  async (as, name) => {
    const { store, tenant, id, request } = task;
    if (request.kind !== 'restore' || request.input.flags.team?.members === false)
      return failed('missing', t.noContent);
    const row = await store.tenant(
      tenant,
      async ({ sql: db }) => {
        const { rows } = await sql<{ parts: readonly StoredPart[] }>`
          select i.parts from restore_item as r
          join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
          where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid and r.object_n = ${object}
            and i.kind = 'settings' and r.outcome = 'merged'
          limit 1`.execute(db);
        return rows[0];
      },
      { readOnly: true },
    );
    return row === undefined
      ? failed('missing', t.noContent)
      : makeContentReader(task, row.parts)(as, name);
  };

/**
 * Returns the settings of an object as they were when the backup had the top folder of a path last,
 * by the restore point at the latest. Never later ones: they may name people who came since.
 */
export const getSettingsAt =
  (task: RunningTask, object: number, [top]: readonly PathPart[]): WriteInput['content'] =>
  async (as, name) => {
    const { store, tenant, request } = task;
    if (request.kind !== 'restore' || top === undefined) return failed('missing', t.noContent);
    const { explorer } = request.input;
    const row = await store.tenant(
      tenant,
      async ({ sql: db }) => {
        const { rows } = await sql<{ parts: readonly StoredPart[] }>`
          with opened as (
            select s.point from explorer as e
            join restore_point as p on p.tenant_id = e.tenant_id and p.id = e.point_id
            join object_point as s on s.tenant_id = e.tenant_id and s.object_n = ${object} and s.at <= p.at
            join restore_point as own on own.tenant_id = s.tenant_id and own.id = s.point_id and own.complete
              and (e.job_id is null or own.job_id = e.job_id)
            where e.tenant_id = ${tenant} and e.id = ${explorer}::uuid
            order by s.point desc limit 1
          ), last as (
            select coalesce((
              select least(f.to_point, o.point) from folder as f
              where f.tenant_id = ${tenant} and f.object_n = ${object} and f.parent_key is null
                and lower(f.name) = lower(${top.name}) and f.well_known is not distinct from ${top.wellKnown}::text
                and f.from_point <= o.point
              order by f.from_point desc limit 1), o.point) as point from opened as o
          )
          select i.parts from item as i join last as l on i.from_point <= l.point
          where i.tenant_id = ${tenant} and i.object_n = ${object} and i.kind = 'settings'
          order by i.from_point desc limit 1`.execute(db);
        return rows[0];
      },
      { readOnly: true },
    );
    return row === undefined
      ? failed('missing', t.noContent)
      : makeContentReader(task, row.parts)(as, name);
  };
