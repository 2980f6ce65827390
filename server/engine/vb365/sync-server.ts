import type { Updateable } from 'kysely';
import type { EngineId } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Vb365Tables } from '#server/platform/db/database-vb365.ts';
import { byClock, type TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleJob } from '#server/platform/jobs/schedule.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import { findFeedEnd, orNull } from './feed.ts';
import { forgetStart, loadStarts } from './job-links.ts';
import { areLicensesDue, readLicensedUsers, storeLicensedUsers } from './licensed-users.ts';
import { vb365Messages as t } from './messages.en.ts';
import { type FoundOrganization, readOrganizations } from './organizations.ts';
import type { FinishRemoval } from './lost-removals.ts';
import { readOrganization, readRepositories } from './read-organization.ts';
import { listAddedRepositories } from './repository-links.ts';
import { shortenDueRetentions } from './shorten-retention.ts';
import { findServer, type ServerRow, type Vb365Servers } from './servers.ts';
import { InstanceShape } from './shapes.ts';
import { loadKnownJobs, storeOrganization } from './store-organization.ts';
import { getListsFingerprint, type ImportedSite, readServerChanges } from './sync-changes.ts';

const EVERY_MS: Ms = 5 * 60_000;
/** While a session runs. */
const RUNNING_MS: Ms = 20_000;
/** How long a server is read with its feed only: the feed has no sizes, and may have gaps. */
const WHOLE_MS: Ms = 6 * 60 * 60_000;
/** The wait after a failure doubles up to this. */
const LONGEST_WAIT_MS: Ms = 60 * 60_000;

/** Makes a server due, in the transaction that stores it or after a command to it. */
export const scheduleServer = (tx: TenantTx, server: EngineId, dueAt: Ms): Promise<void> =>
  scheduleJob(tx, 'vb365-server', server, { server }, dueAt);

/** Makes a server due, which is read as a whole: not all that changed has a feed. */
export async function scheduleWhole(
  tx: TenantTx,
  server: EngineId,
  now: Ms,
  dueAt: Ms,
): Promise<void> {
  await tx.sql
    .updateTable('vb365_server')
    .set({ whole_wanted_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', server)
    .execute();
  await scheduleServer(tx, server, dueAt);
}

/** Has a server read a few seconds after a command to it: it may show the effect late. */
export const refreshSoon = (
  context: AppContext,
  { tenant }: { readonly tenant: TenantId },
  { server }: { readonly server: Pick<ServerRow, 'id'> },
): Promise<void> =>
  context.store.tenant(tenant, (tx) => {
    const now = context.clock.now();
    return scheduleWhole(tx, server.id, now, now + SOON_MS);
  });
/** How soon a server is read after a command. */
export const SOON_MS: Ms = 5_000;

/** Makes servers without a job due: those from a backup. */
export async function scheduleServers(tx: TenantTx, now: Ms): Promise<void> {
  const servers = await tx.sql
    .selectFrom('vb365_server')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(hasNoJob(tx, 'vb365-server', 'vb365_server.id'))
    .execute();
  for (const { id } of servers) await scheduleServer(tx, id, now);
}

/**
 * Reads the organizations that were imported from a server: their jobs, sessions and repositories;
 * as a whole at first, after a problem and now and then, else what its feed names. A server that
 * doesn't answer is retried with growing delays, with the reason stored.
 */
export const vb365Server = (
  context: AppContext,
  servers: Vb365Servers,
  finishRemoval: FinishRemoval,
): JobHandler<'vb365-server'> => {
  /** By server: the jobs of organizations that weren't imported. */
  const foreignJobs = new Map<EngineId, Set<string>>();
  return async ({ tenant, signal, payload: { server: id } }) => {
    const server = await context.store.tenant(tenant, (tx) => loadServer(tx, id), {
      readOnly: true,
    });
    if (server === null) {
      foreignJobs.delete(id);
      return null;
    }
    const client = await servers.openServer(tenant, server);
    const now = context.clock.now();
    if (!client.ok) return noteProblem(context, tenant, server, client.error.message, null);
    const task: Task = {
      context,
      tenant,
      server,
      client: client.value,
      signal,
      foreignJobs: foreignJobs.get(id) ?? new Set(),
      finishRemoval,
    };
    foreignJobs.set(id, task.foreignJobs);
    try {
      const isRunning = await syncServer(task, now);
      return now + (isRunning ? RUNNING_MS : EVERY_MS);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return noteProblem(context, tenant, server, error.message, error.waitMs);
    }
  };
};

export const loadServer = async (
  { sql: db, tenant }: TenantTx,
  id: EngineId,
): Promise<ServerRow | null> =>
  (await db
    .selectFrom('vb365_server')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) ?? null;

/** Returns when the server is read next. */
async function noteProblem(
  context: AppContext,
  tenant: TenantId,
  { id, failures }: ServerRow,
  problem: string,
  waitMs: Ms | null,
): Promise<Ms> {
  await context.store.tenant(tenant, ({ sql: db }) =>
    db
      .updateTable('vb365_server')
      .set({ failures: failures + 1, problem })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute(),
  );
  const wait = Math.min(LONGEST_WAIT_MS, EVERY_MS * 2 ** Math.min(failures, 10));
  return context.clock.now() + Math.max(wait, Math.min(waitMs ?? 0, LONGEST_WAIT_MS));
}

interface Task {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly server: ServerRow;
  readonly client: Vb365Client;
  readonly signal: AbortSignal;
  readonly foreignJobs: Set<string>;
  readonly finishRemoval: FinishRemoval;
}

/** Returns whether a session runs. */
async function syncServer(task: Task, now: Ms): Promise<boolean> {
  const { context, tenant, server, client } = task;
  const sites = await context.store.tenant(tenant, (tx) => loadSites(tx, server.id), {
    readOnly: true,
  });
  const problems: string[] = [];
  for (const { organization } of sites)
    problems.push(...(await shortenDueRetentions(context, tenant, client, organization)));
  const { feed } = server;
  const changes =
    feed === null || problems.length > 0 || isWholeDue(server, now)
      ? null
      : await orNull(readServerChanges(task, sites, feed));
  if (changes === null) return syncWhole(task, sites, problems, now);
  const read = { read_at: now, failures: 0, problem: null, feed: JSON.stringify(changes.feed) };
  // Changes are stored together with the position in the feed: after a kill in between, the next
  // sync reads them again.
  await context.store.tenant(tenant, async (tx) => {
    const isComplete = changes.store === null || (await changes.store(tx));
    await updateServer(tx, server.id, { ...read, ...(!isComplete && { feed: null }) });
  });
  for (const { organization } of sites) await startAdopted(context, tenant, organization.id);
  return changes.isRunning;
}

/** Whether everything has to be read: commands, imports and problems want it, and time passes. */
const isWholeDue = (
  { whole_at: at, whole_wanted_at: wantedAt, failures, problem }: ServerRow,
  now: Ms,
): boolean =>
  at === null ||
  failures > 0 ||
  problem !== null ||
  wantedAt >= at ||
  now < at ||
  now - at >= WHOLE_MS;

/** Reads everything. The feed continues from before it, so that nothing is missed in between. */
async function syncWhole(
  { context, tenant, server, client, signal, foreignJobs, finishRemoval }: Task,
  sites: readonly ImportedSite[],
  problems: string[],
  now: Ms,
): Promise<boolean> {
  const { version } = await client.read('ServiceInstance', InstanceShape);
  const cursor = await findFeedEnd(client, server.feed);
  const organizations = await readOrganizations(client);
  const found = new Map(organizations.map((one) => [one.key, one]));
  const readAt = context.clock.now();
  const repositories = await readRepositories(client);
  const lists =
    cursor === null
      ? null
      : await orNull(getListsFingerprint(client, { organizations, repositories }));
  foreignJobs.clear();
  let isRunning = false;
  let isComplete = true;
  const gone: string[] = [];
  for (const { organization, key } of sites) {
    // Another reading begins as a whole again.
    if (signal.aborted) return isRunning;
    const organizationFound = found.get(key);
    if (organizationFound === undefined) {
      gone.push(organization.name);
      continue;
    }
    const before = await context.store.tenant(
      tenant,
      async (tx) => ({
        known: await loadKnownJobs(tx, organization.id),
        added: await listAddedRepositories(tx, organization.id),
        isLicensingDue: await areLicensesDue(tx, organization.id, now),
      }),
      { readOnly: true },
    );
    const readNow = context.clock.now();
    const read = await readOrganization(client, key, { repositories, ...before, now: readNow });
    // Without the right to see licenses, everything else is read nevertheless.
    const users = before.isLicensingDue
      ? await orNull(readLicensedUsers(client, key, readNow))
      : null;
    isRunning ||= read.jobs.some(({ sessions }) => sessions.some(({ end }) => end === null));
    await context.store.tenant(tenant, async (tx) => {
      await tx.lock();
      const row = (await tx.rows('organization', [organization.id])).get(organization.id);
      // It was deleted meanwhile, or is being deleted.
      if (row?.removedAt !== null || (await findServer(tx, row.id)) === null) return;
      await updateFacts(tx, row, organizationFound, readNow);
      const isStored = await storeOrganization(
        tx,
        context,
        row,
        { ...read, readAt },
        finishRemoval,
      );
      isComplete &&= isStored;
      if (users !== null) await storeLicensedUsers(tx, organization.id, users, readNow);
    });
    await startAdopted(context, tenant, organization.id);
  }
  if (gone.length > 0) problems.push(t.organizationGone({ name: gone.join(', ') }));
  const feed =
    cursor === null || lists === null || !isComplete ? null : JSON.stringify({ ...cursor, lists });
  await context.store.tenant(tenant, (tx) =>
    updateServer(tx, server.id, {
      version: version.slice(0, 50),
      read_at: now,
      failures: 0,
      problem: problems.length === 0 ? null : problems.join(' '),
      feed,
      whole_at: now,
    }),
  );
  return isRunning;
}

const updateServer = (
  { sql: db, tenant }: TenantTx,
  id: EngineId,
  values: Updateable<Vb365Tables['vb365_server']>,
) =>
  db
    .updateTable('vb365_server')
    .set(values)
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();

/** Starts the jobs that were to run at once when they were created, but whose creation was lost. */
async function startAdopted(
  context: AppContext,
  tenant: TenantId,
  organization: OrganizationId,
): Promise<void> {
  const jobs = await context.store.tenant(tenant, (tx) => loadStarts(tx, organization), {
    readOnly: true,
  });
  for (const { id: job, user } of jobs) {
    const started = await context.vb365Engine.jobs.start(
      { tenant, organization, user },
      { job, reason: 'manual' },
    );
    if (started.ok || started.error.kind !== 'unreachable')
      await context.store.tenant(tenant, (tx) => forgetStart(tx, job));
  }
}

async function loadSites(tx: TenantTx, server: EngineId): Promise<ImportedSite[]> {
  const links = await tx.sql
    .selectFrom('vb365_organization')
    .select(['organization_id', 'server_key'])
    .where('tenant_id', '=', tx.tenant)
    .where('server_id', '=', server)
    .execute();
  const rows = await tx.rows(
    'organization',
    links.map(({ organization_id: id }) => id),
  );
  return links.flatMap(({ organization_id: id, server_key: key }) => {
    const organization = rows.get(id);
    return organization?.removedAt === null ? [{ organization, key }] : [];
  });
}

/** The name of an organization is the portal's own. */
async function updateFacts(
  tx: TenantTx,
  row: OrganizationRow,
  { facts }: FoundOrganization,
  now: Ms,
): Promise<void> {
  const isSame = Object.entries(facts).every(
    ([key, value]) => row[key as keyof typeof facts] === value,
  );
  if (isSame) return;
  const { id, name, company, sharePointSaveAllWebParts } = row;
  await tx.append(
    [
      {
        event: {
          type: 'organization.updated@1',
          data: { id, name, certificate: null, sharePointSaveAllWebParts, ...facts },
        },
        company,
        entity: `organization:${id}`,
      },
    ],
    byClock(now),
  );
}
