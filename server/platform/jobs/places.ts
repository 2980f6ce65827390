import { type RawBuilder, sql } from 'kysely';
import type { ProxyChoice } from '#contract/backup/repositories.ts';
import type { TenantTx } from '../db/store.ts';

/** The name of the proxy that every server is. */
export const BUILT_IN = 'Built-in';

/** A process that takes work for repositories. `hasFolder`: it has the folder of the servers' repositories. */
export interface Worker {
  readonly name: string;
  readonly hasFolder: boolean;
}

/** Where a job may run. `place`: a proxy or a pool as `getPlace` writes it; null: anywhere. */
export interface JobRoute {
  readonly repository: string;
  readonly organization: string | null;
  readonly place: string | null;
  readonly needsFolder: boolean;
}

/** Finds where the work of a repository runs. `proxy`: the one that a backup job names. */
export async function findRoute(
  tx: TenantTx,
  repository: string,
  proxy: string | null = null,
): Promise<JobRoute> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  return {
    repository,
    organization: row?.organization ?? null,
    place: await getPlace(tx, proxy === null ? (row?.proxy ?? null) : { kind: 'proxy', id: proxy }),
    needsFolder: row?.target.type !== 'S3',
  };
}

async function getPlace(tx: TenantTx, choice: ProxyChoice): Promise<string | null> {
  if (choice === null) return null;
  if (choice.kind === 'pool') return `pool ${choice.id}`;
  const proxy = (await tx.rows('backupProxy', [choice.id])).get(choice.id);
  // Names are unique among the proxies of a provider.
  return `proxy ${proxy?.name ?? choice.id}`;
}

/** Reads what `getPlace` has written. */
export function parseJobPlace(place: string): {
  readonly kind: 'proxy' | 'pool';
  readonly name: string;
} {
  const [kind = '', ...name] = place.split(' ');
  return { kind: kind === 'pool' ? 'pool' : 'proxy', name: name.join(' ') };
}

/** A condition: the worker may take the job `j`. */
export const mayTake = (
  name: RawBuilder<string>,
  hasFolder: RawBuilder<boolean>,
): RawBuilder<boolean> => sql<boolean>`(
  (not j.needs_folder or ${hasFolder})
  and not exists (select from proxy_member as m where m.tenant_id = j.tenant_id and m.name = ${name} and m.maintenance)
  and (j.place is null or j.place = 'proxy ' || ${name} or exists (
    select from proxy_member as m where m.tenant_id = j.tenant_id and m.name = ${name} and j.place = 'pool ' || m.pool)))`;

/**
 * Sends the jobs of a repository to the proxies that it names from now on, except the sessions of backup jobs that
 * name a proxy.
 */
export async function rerouteJobs(
  tx: TenantTx,
  repository: string,
  choice: ProxyChoice,
): Promise<void> {
  const place = await getPlace(tx, choice);
  const moved = await listMovableSessions(tx, repository);
  await sql`
    update background_job as j set place = ${place}
    where j.tenant_id = ${tx.tenant} and (j.repository = ${repository} or j.type like 'repository-%' and j.key = ${repository})
      and (j.type <> 'backup-session' or j.key = any(${moved}::text[]))`.execute(tx.sql);
  tx.wakeJobs(0);
}

/**
 * Returns the sessions of a repository that are due and follow its choice of a proxy. A query of its own:
 * Citus refuses it in the change of a table that all nodes have.
 */
async function listMovableSessions(tx: TenantTx, repository: string): Promise<readonly string[]> {
  const { sql: db, tenant } = tx;
  const due = await db
    .selectFrom('background_job')
    .select('key')
    .where('tenant_id', '=', tenant)
    .where('repository', '=', repository)
    .where('type', '=', 'backup-session')
    .execute();
  const keys = due.map(({ key }) => key);
  const { rows: sessions } = await sql<{
    readonly id: string;
    readonly job: string;
    readonly state: string;
  }>`
    select id, job_id as job, state from backup_session
    where tenant_id = ${tenant} and id = any(${keys}::uuid[])`.execute(db);
  const jobs = await tx.rows('backupJob', [...new Set(sessions.map(({ job }) => job))]);
  const staying = new Set(
    sessions
      .filter(({ job, state }) => state === 'stopping' || (jobs.get(job)?.proxy ?? null) !== null)
      .map(({ id }) => id),
  );
  return keys.filter((id) => !staying.has(id));
}
