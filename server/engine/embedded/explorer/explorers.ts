import { EXPLORER_IDLE_MS } from '../../shared/explorer-idle.ts';
import { getOperator } from '../../shared/role-scope.ts';
import { sql, type RawBuilder } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  Explorer,
  ExplorerInput,
  ObjectKind,
  RestorePoint,
  Workload,
} from '#contract/engine/engine.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  ExplorerId,
  Ms,
  OrganizationId,
  PointId,
} from '#contract/ids.ts';
import type { Chance } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getOperatorScope, type OperatorRef } from '../../shared/role-scope.ts';
import { failed, ok } from '../../result.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';

export const KINDS: Readonly<Record<Workload, readonly ObjectKind[]>> = {
  outlook: ['mailbox', 'archive'],
  onedrive: ['drive'],
  sharepoint: ['site'],
  teams: ['team'],
};
export const getWorkload = (kind: ObjectKind): Workload =>
  kind === 'mailbox' || kind === 'archive' ? 'outlook' : OTHER_WORKLOADS[kind];
const OTHER_WORKLOADS = { drive: 'onedrive', site: 'sharepoint', team: 'teams' } as const;

/** An open explorer: what its reads may see. */
export interface OpenExplorer {
  readonly id: ExplorerId;
  readonly organization: OrganizationId;
  readonly job: BackupJobId | null;
  readonly kinds: readonly ObjectKind[];
  readonly workload: Workload;
  readonly pointId: PointId;
  readonly repository: BackupRepositoryId;
  readonly at: Ms;
  readonly showDeleted: boolean;
  /** Null: everything of the organization. */
  readonly operator: OperatorRef | null;
}

export interface Moment {
  readonly now: Ms;
  readonly chance: Chance;
}

/**
 * The point `p` has a mailbox, a drive or whatever else the workload consists of, that the operator
 * sees.
 */
export const hasWorkload = (
  tenant: string,
  workload: Workload | null,
  operator: OperatorRef | null,
): RawBuilder<boolean> =>
  workload === null && operator === null
    ? sql`true`
    : sql`exists (
  select from object_point as s join backup_object as o on o.tenant_id = s.tenant_id and o.n = s.object_n
  where s.tenant_id = ${tenant} and s.point_id = p.id
    and ${workload === null ? sql`true` : sql`o.kind in (${sql.join(KINDS[workload])})`}
    and ${operator === null ? sql`true` : sql`o.n in (select n from (${getOperatorScope(tenant, operator)}) as seen)`})`;

/** What a point says about objects that an operator may not see is left out. */
export const getShownPoint = <P extends Pick<RestorePoint, 'changes' | 'lacks'>>(
  point: P,
  operator: OperatorRef | null,
): P => (operator === null ? point : { ...point, changes: 0, lacks: [] });

/** Opens the newest point at or before a moment. A user may have several explorers open. */
export async function openExplorer(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  { workload, job, at, showDeleted }: ExplorerInput,
  { now, chance }: Moment,
): Promise<EngineResult<Explorer>> {
  const { organization, user } = scope;
  if (user === null) throw new Error('Only users open explorers.');
  const operator = getOperator(scope);
  const {
    rows: [point],
  } = await sql<RestorePoint>`
    select p.id, p.job_id as job, p.at, p.changes, coalesce(p.result, 'success') as result, p.lacks from restore_point as p
    where p.tenant_id = ${tenant} and p.organization_id = ${organization} and p.complete and p.at <= ${at}
      and (${job}::uuid is null or p.job_id = ${job})
      and ${hasWorkload(tenant, workload, operator)}
    order by p.at desc, p.id desc limit 1`.execute(db);
  if (point === undefined) return failed('missing', t.noPoint);
  const id = chance.uuid() as ExplorerId;
  await db
    .insertInto('explorer')
    .values({
      tenant_id: tenant,
      id,
      user_id: user,
      organization_id: organization,
      job_id: job,
      workload,
      point_id: point.id,
      show_deleted: showDeleted,
      opened_at: now,
      used_at: now,
      stopped_at: null,
      operator_id: operator?.object ?? null,
    })
    .execute();
  return ok({
    id,
    workload,
    point: getShownPoint(point, operator),
    endsAt: now + EXPLORER_IDLE_MS,
  });
}

/** Finds an explorer of the user for a read, and notes that it is used. */
export async function useExplorer(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  id: ExplorerId,
  now: Ms,
): Promise<EngineResult<OpenExplorer>> {
  const { organization, user } = scope;
  const operator = getOperator(scope);
  const {
    rows: [row],
  } = await sql<
    Omit<OpenExplorer, 'kinds' | 'operator'> & {
      readonly usedAt: Ms;
      readonly stoppedAt: Ms | null;
    }
  >`
    select e.id, e.organization_id as organization, e.job_id as job, e.workload, e.point_id as "pointId", p.repository_id as repository, p.at,
      e.show_deleted as "showDeleted", e.used_at as "usedAt", e.stopped_at as "stoppedAt"
    from explorer as e join restore_point as p on p.tenant_id = e.tenant_id and p.id = e.point_id
    where e.tenant_id = ${tenant} and e.id = ${id}::uuid and e.organization_id = ${organization} and e.user_id = ${user}
      and e.operator_id is not distinct from ${operator?.object ?? null}::text`.execute(db);
  if (row === undefined) return failed('missing', t.noSession);
  const { usedAt, stoppedAt, ...explorer } = row;
  if (stoppedAt !== null || now - usedAt > EXPLORER_IDLE_MS) return failed('ended', t.sessionEnded);
  // Once a minute is enough for an hour, and reads stay reads.
  if (now - usedAt > 60_000)
    await sql`update explorer set used_at = ${now} where tenant_id = ${tenant} and id = ${id}::uuid`.execute(
      db,
    );
  return ok({ ...explorer, kinds: KINDS[explorer.workload], operator });
}

/** Ends an explorer, and returns what it showed. One that has ended stays ended. */
export async function stopExplorer(
  { sql: db, tenant }: TenantTx,
  { organization, user, operator }: EngineScope,
  id: ExplorerId,
  now: Ms,
): Promise<EngineResult<Workload>> {
  const {
    rows: [row],
  } = await sql<{ workload: Workload }>`
    update explorer set stopped_at = coalesce(stopped_at, ${now})
    where tenant_id = ${tenant} and id = ${id}::uuid and organization_id = ${organization} and user_id = ${user}
      and operator_id is not distinct from ${operator ?? null}::text
    returning workload`.execute(db);
  return row === undefined ? failed('missing', t.noSession) : ok(row.workload);
}
