import { sql, type Transaction } from 'kysely';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
import type { Database } from '../db/database.ts';
import type { ProxyProcessTable } from '../db/database-jobs.ts';
import { isPresent, isServerPresent } from '../db/presence.ts';
import type { TenantTx } from '../db/store.ts';
import { ROUTED_JOB_NAMES, type RoutedJobName } from './job-types.ts';
import { BUILT_IN, mayTake } from './places.ts';

type Sql = Transaction<Database>;

/** Takes a name for a process. Returns whether it has it: not while another one with it lives. */
export async function claimProxyName(
  db: Sql,
  process: Pick<ProxyProcessTable, 'name' | 'owner' | 'host_name' | 'version' | 'has_folder'>,
  now: Ms,
): Promise<boolean> {
  const { name, owner, host_name, version, has_folder } = process;
  const former = await db
    .selectFrom('proxy_process')
    .select('owner')
    .where('name', '=', name)
    .executeTakeFirst();
  if (former !== undefined && (await isServerPresent(db, former.owner))) return false;
  // Nobody else took the name meanwhile.
  const { rows } = await sql`
    insert into proxy_process as p (name, owner, host_name, version, has_folder, state, began_at, seen_at)
    values (${name}, ${owner}, ${host_name}, ${version}, ${has_folder}, 'online', ${now}, ${now})
    on conflict (name) do update set owner = excluded.owner, host_name = excluded.host_name, version = excluded.version,
      has_folder = excluded.has_folder, state = 'online', began_at = excluded.began_at, seen_at = excluded.seen_at
    where p.owner = ${former?.owner ?? null} returning name`.execute(db);
  return rows.length > 0;
}

/** Stores that a process lives. Returns false if another one has taken its name. */
export async function storeProxyState(
  db: Sql,
  { name, owner }: Pick<ProxyProcessTable, 'name' | 'owner'>,
  state: ProxyProcessTable['state'],
  now: Ms,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('proxy_process')
    .set({ state, seen_at: now })
    .where('name', '=', name)
    .where('owner', '=', owner)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the providers at which no proxy has this name. */
export const listProvidersWithout = async (db: Sql, name: string): Promise<readonly TenantId[]> =>
  (
    await db
      .selectFrom('tenant_list as t')
      .leftJoin('proxy_member as m', (on) =>
        on.onRef('m.tenant_id', '=', 't.tenant_id').on('m.name', '=', name),
      )
      .where('m.name', 'is', null)
      .select('t.tenant_id')
      .execute()
  ).map(({ tenant_id }) => tenant_id);

/** Stores for the runners which pool a proxy of the provider is in, and whether it takes work. */
export async function storeProxyMember(
  tx: TenantTx,
  member: { readonly name: string; readonly pool: string | null; readonly maintenance: boolean },
): Promise<void> {
  await tx.sql
    .insertInto('proxy_member')
    .values({ tenant_id: tx.tenant, ...member })
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'name'])
        .doUpdateSet({ pool: member.pool, maintenance: member.maintenance }),
    )
    .execute();
}

export type ProxyHealth = Pick<ProxyProcessTable, 'name' | 'version' | 'has_folder' | 'seen_at'> & {
  readonly state: 'online' | 'draining' | 'offline';
};

/** Returns how the processes are that have run as proxies. The embedded database has none. */
export async function listProxyHealth({ sql: db }: TenantTx): Promise<readonly ProxyHealth[]> {
  const { rows } = await sql<ProxyHealth>`
    select p.name, p.version, p.has_folder, p.seen_at,
      case when p.state = 'left' or not ${isPresent(sql`p.owner`)} then 'offline' else p.state end as state
    from proxy_process as p`.execute(db);
  return rows;
}

/** A job that a process works on now. `name`: of the proxy. */
export interface RunningJob {
  readonly name: string;
  readonly type: RoutedJobName;
  readonly repository: BackupRepositoryId;
  readonly since: Ms;
}

/** Returns what proxies and servers do for repositories of the provider, the longest first. */
export async function listRunningJobs({
  sql: db,
  tenant,
}: TenantTx): Promise<readonly RunningJob[]> {
  const { rows } = await sql<RunningJob>`
    select coalesce(p.name, ${BUILT_IN}) as name, j.type, j.repository, j.began_at as since from background_job as j
    left join proxy_process as p on p.owner = j.lease_owner
    where j.tenant_id = ${tenant} and j.lease_owner is not null and j.repository is not null and j.began_at is not null
      and j.type = any(${`{${ROUTED_JOB_NAMES.join(',')}}`}::text[])
    order by j.began_at, j.key`.execute(db);
  return rows;
}

/** Forgets a proxy of the provider. */
export const deleteProxyMember = async (tx: TenantTx, name: string): Promise<void> =>
  void (await tx.sql
    .deleteFrom('proxy_member')
    .where('tenant_id', '=', tx.tenant)
    .where('name', '=', name)
    .execute());

/** Work that is due and that no living process may take. `place`: for which proxy or pool it is. */
export interface StrandedJob {
  readonly tenant: TenantId;
  readonly type: RoutedJobName;
  readonly key: string;
  readonly place: string | null;
}

/** `dueBefore`: later work may just be about to begin. */
export async function listStrandedJobs(
  db: Sql,
  kind: 'pglite' | 'postgres',
  dueBefore: Ms,
): Promise<readonly StrandedJob[]> {
  // The embedded database has only its server.
  const proxies =
    kind === 'pglite'
      ? sql``
      : sql`union all select p.name, p.has_folder from proxy_process as p where p.state = 'online' and ${isPresent(sql`p.owner`)}`;
  const { rows } = await sql<StrandedJob>`
    with worker as materialized (select ${BUILT_IN}::text as name, true as has_folder ${proxies})
    select j.tenant_id as tenant, j.type, j.key, j.place from background_job as j
    where j.type = any(${`{${ROUTED_JOB_NAMES.join(',')}}`}::text[]) and j.lease_owner is null and j.due_at <= ${dueBefore}
      and not exists (select from worker as w where ${mayTake(sql`w.name`, sql`w.has_folder`)})
    order by j.due_at limit ${MAX_STRANDED}`.execute(db);
  return rows;
}
/** The rest is found when these continue. */
const MAX_STRANDED = 500;
