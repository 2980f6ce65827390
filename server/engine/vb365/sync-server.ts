import type { Id } from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { byClock, type TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleJob } from '#server/platform/jobs/schedule.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import { forgetStart, loadStarts } from './job-links.ts';
import { vb365Messages as t } from './messages.en.ts';
import { type FoundOrganization, readOrganizations } from './organizations.ts';
import type { FinishRemoval } from './lost-removals.ts';
import { readOrganization, readRepositories } from './read-organization.ts';
import { listAddedRepositories } from './repository-links.ts';
import { shortenDueRetentions } from './shorten-retention.ts';
import { findServer, type ServerRow, type Vb365Servers } from './servers.ts';
import { InstanceShape } from './shapes.ts';
import { loadKnownJobs, storeOrganization } from './store-organization.ts';

const EVERY_MS: Ms = 5 * 60_000;
/** While a session runs. */
const RUNNING_MS: Ms = 20_000;
/** The wait after a failure doubles up to this. */
const LONGEST_WAIT_MS: Ms = 60 * 60_000;

/** Makes a server due, in the transaction that stores it or after a command to it. */
export const scheduleServer = (tx: TenantTx, server: Id, dueAt: Ms): Promise<void> =>
  scheduleJob(tx, 'vb365-server', server, { server }, dueAt);

/** Has a server read a few seconds after a command to it: it may show the effect late. */
export const refreshSoon = (
  context: AppContext,
  { tenant }: { readonly tenant: TenantId },
  { server }: { readonly server: Pick<ServerRow, 'id'> },
): Promise<void> =>
  context.store.tenant(tenant, (tx) =>
    scheduleServer(tx, server.id, context.clock.now() + SOON_MS),
  );
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
 * Reads the organizations that were imported from a server: their jobs, sessions and repositories. A
 * server that doesn't answer is asked again after growing waits, with the reason stored.
 */
export const vb365Server =
  (
    context: AppContext,
    servers: Vb365Servers,
    finishRemoval: FinishRemoval,
  ): JobHandler<'vb365-server'> =>
  async ({ tenant, signal, payload: { server: id } }) => {
    const server = await context.store.tenant(tenant, (tx) => loadServer(tx, id), {
      readOnly: true,
    });
    if (server === null) return null;
    const client = await servers.openServer(tenant, server);
    const now = context.clock.now();
    if (!client.ok) return noteProblem(context, tenant, server, client.error.message, null);
    try {
      const { isRunning, problem } = await syncServer(context, tenant, server, client.value, {
        signal,
        finishRemoval,
      });
      await context.store.tenant(tenant, ({ sql: db }) =>
        db
          .updateTable('vb365_server')
          .set({ read_at: now, failures: 0, problem })
          .where('tenant_id', '=', tenant)
          .where('id', '=', id)
          .execute(),
      );
      return now + (isRunning ? RUNNING_MS : EVERY_MS);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return noteProblem(context, tenant, server, error.message, error.waitMs);
    }
  };

export const loadServer = async (
  { sql: db, tenant }: TenantTx,
  id: Id,
): Promise<ServerRow | null> =>
  (await db
    .selectFrom('vb365_server')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst()) ?? null;

/** Returns when the server is asked again. */
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

async function syncServer(
  context: AppContext,
  tenant: TenantId,
  server: ServerRow,
  client: Vb365Client,
  {
    signal,
    finishRemoval,
  }: { readonly signal: AbortSignal; readonly finishRemoval: FinishRemoval },
): Promise<{ readonly isRunning: boolean; readonly problem: string | null }> {
  const { version } = await client.read('ServiceInstance', InstanceShape);
  const found = new Map((await readOrganizations(client)).map((one) => [one.key, one]));
  const sites = await context.store.tenant(tenant, (tx) => loadSites(tx, server.id), {
    readOnly: true,
  });
  const problems: string[] = [];
  for (const { organization } of sites)
    problems.push(...(await shortenDueRetentions(context, tenant, client, organization)));
  const readAt = context.clock.now();
  const repositories = await readRepositories(client);
  let isRunning = false;
  const gone: string[] = [];
  for (const { organization, key } of sites) {
    if (signal.aborted) break;
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
      }),
      { readOnly: true },
    );
    const now = context.clock.now();
    const read = await readOrganization(client, key, { repositories, ...before, now });
    isRunning ||= read.jobs.some(({ sessions }) => sessions.some(({ end }) => end === null));
    await context.store.tenant(tenant, async (tx) => {
      await tx.lock();
      const row = (await tx.rows('organization', [organization.id])).get(organization.id);
      // It was deleted meanwhile, or is being deleted.
      if (row?.removedAt !== null || (await findServer(tx, row.id)) === null) return;
      await updateFacts(tx, row, organizationFound, now);
      await storeOrganization(tx, context, row, { ...read, readAt }, finishRemoval);
    });
    await startAdopted(context, tenant, organization.id);
  }
  await context.store.tenant(tenant, ({ sql: db }) =>
    db
      .updateTable('vb365_server')
      .set({ version: version.slice(0, 50) })
      .where('tenant_id', '=', tenant)
      .where('id', '=', server.id)
      .execute(),
  );
  if (gone.length > 0) problems.push(t.organizationGone({ name: gone.join(', ') }));
  return { isRunning, problem: problems.length === 0 ? null : problems.join(' ') };
}

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

async function loadSites(
  tx: TenantTx,
  server: Id,
): Promise<{ readonly organization: OrganizationRow; readonly key: string }[]> {
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
