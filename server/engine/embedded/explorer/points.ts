import { sql } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  ListPointsInput,
  EnginePage,
  RestorePoint,
} from '#contract/engine/engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ok } from '../../result.ts';
import { cursorAfter, readCursor } from '../../shared/cursor.ts';
import { getShownPoint, hasWorkload } from './explorers.ts';
import { getOperator } from '../../shared/role-scope.ts';

/** Lists the restore points of an organization, newest first. Unfinished ones don't exist yet. */
export async function listPoints(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  { job, from, to, cursor, limit, workload = null }: ListPointsInput,
): Promise<EngineResult<EnginePage<RestorePoint>>> {
  const { organization } = scope;
  const operator = getOperator(scope);
  const read = readCursor(cursor);
  if (!read.ok) return read;
  const after = read.value;
  const { rows } = await sql<RestorePoint & { readonly all: number }>`
    select p.id, p.job_id as job, p.at, p.changes, coalesce(p.result, 'success') as result, p.lacks, count(*) over () as "all"
    from restore_point as p
    where p.tenant_id = ${tenant} and p.organization_id = ${organization} and p.complete
      and (${job}::uuid is null or p.job_id = ${job}) and (${from}::bigint is null or p.at >= ${from}) and (${to}::bigint is null or p.at <= ${to})
      and ${hasWorkload(tenant, workload, operator)}
      and (${after?.key ?? null}::bigint is null or (p.at, p.id) < (${after?.key ?? null}::bigint, ${after?.n ?? null}::uuid))
    order by p.at desc, p.id desc limit ${limit + 1}`.execute(db);
  const points = rows
    .slice(0, limit)
    .map(({ id, job: of, at, changes, result, lacks }) =>
      getShownPoint({ id, job: of, at, changes, result, lacks }, operator),
    );
  const last = points.at(-1);
  return ok({
    rows: points,
    next: rows.length > limit && last ? cursorAfter({ key: last.at, n: last.id }) : null,
    count: after === null ? (rows[0]?.all ?? 0) : null,
  });
}
