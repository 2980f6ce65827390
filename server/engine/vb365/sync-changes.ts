import { createHash } from 'node:crypto';
import type {
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  Ms,
  OrganizationId,
  TenantId,
} from '#contract/ids.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { canonical } from '#server/platform/db/canonical.ts';
import type { Vb365Feed } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Vb365Client } from './client.ts';
import { type FeedChanges, readFeed } from './feed.ts';
import { isClaim } from './job-links.ts';
import type { FinishRemoval } from './lost-removals.ts';
import { toRepository } from './map-repository.ts';
import { type FoundOrganization, readOrganizations } from './organizations.ts';
import {
  type ChangedOrganization,
  type LinkedJob,
  readChanges,
  type Stored,
} from './read-changes.ts';
import { readRepositories } from './read-organization.ts';
import { findServer } from './servers.ts';
import { JobShape, type Vb365Repository } from './shapes.ts';
import { storeOrganization } from './store-organization.ts';
import { storeSessions } from './store-sessions.ts';

/** An organization that was imported from a server. `key`: its id there. */
export interface ImportedSite {
  readonly organization: OrganizationRow;
  readonly key: string;
}

interface ChangesTask {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly client: Vb365Client;
  /** Jobs of the server that belong to none of the organizations. */
  readonly foreignJobs: Set<string>;
  readonly finishRemoval: FinishRemoval;
}

/** What was read of a server with its feed. */
export interface ReadChanges {
  readonly feed: Vb365Feed;
  /** A session runs. */
  readonly isRunning: boolean;
  /** Stores what changed. Returns whether all of it could be stored. Null: nothing changed. */
  readonly store: ((tx: TenantTx) => Promise<boolean>) | null;
}

/** What a server has no feed of. */
interface Lists {
  readonly organizations: readonly FoundOrganization[];
  readonly repositories: ReadonlyMap<string, Vb365Repository>;
}

/**
 * Returns a fingerprint of the lists of a server: its organizations, repositories without their sizes
 * and, in version 7, the settings of its jobs.
 */
export async function getListsFingerprint(
  client: Vb365Client,
  { organizations, repositories }: Lists,
): Promise<string> {
  const jobs = (await client.findVersion()) === 'v7' ? await readSettings(client) : [];
  return createHash('sha256')
    .update(
      canonical([
        organizations.map(({ key, facts }) => [key, facts]).toSorted(byKey),
        [...repositories.values()]
          .map((row) => [row.id, row.organizationId ?? null, toRepository(row)])
          .toSorted(byKey),
        jobs.toSorted(byKey),
      ]),
    )
    .digest('base64url');
}

async function readSettings(client: Vb365Client): Promise<(readonly unknown[])[]> {
  const jobs: (readonly unknown[])[] = [];
  for await (const rows of client.readPages('Jobs', JobShape))
    for (const { lastRun: _last, nextRun: _next, lastStatus: _status, ...settings } of rows)
      jobs.push([settings.id, settings]);
  return jobs;
}

const byKey = ([a]: readonly unknown[], [b]: readonly unknown[]): number =>
  String(a) < String(b) ? -1 : 1;

/**
 * Reads what changed on a server since its feed was read the last time. Null: everything has to be
 * read, because the feed can't be followed from there, or because something is new or gone.
 */
export async function readServerChanges(
  { context, tenant, client, foreignJobs, finishRemoval }: ChangesTask,
  sites: readonly ImportedSite[],
  feed: Vb365Feed,
): Promise<ReadChanges | null> {
  const readAt = context.clock.now();
  const changes = await readFeed(client, feed);
  if (changes === null) return null;
  const repositories = await readRepositories(client);
  const organizations = await readOrganizations(client);
  const lists = await getListsFingerprint(client, { organizations, repositories });
  if (lists !== feed.lists) return null;
  const stored = await context.store.tenant(tenant, (tx) => loadStored(tx, sites, changes), {
    readOnly: true,
  });
  const found = await readChanges(client, changes, stored, foreignJobs, readAt);
  if (found === null) return null;
  const stillRunning = new Set(stored.running.keys());
  for (const { sessions } of found.values())
    for (const { session } of sessions)
      if (session.end === null) stillRunning.add(session.id);
      else stillRunning.delete(session.id);
  return {
    feed: { ...changes.cursor, lists },
    isRunning: stillRunning.size > 0,
    store:
      found.size === 0
        ? null
        : async (tx) => {
            await tx.lock();
            let isComplete = true;
            for (const { organization, key } of sites) {
              const changed = found.get(key);
              if (changed === undefined) continue;
              const row = (await tx.rows('organization', [organization.id])).get(organization.id);
              // It was deleted meanwhile, or is being deleted.
              if (row?.removedAt !== null || (await findServer(tx, row.id)) === null) continue;
              const isStored = await storeChanges(
                tx,
                context,
                row,
                { ...changed, repositories, readAt },
                finishRemoval,
              );
              isComplete &&= isStored;
            }
            return isComplete;
          },
  };
}

async function storeChanges(
  tx: TenantTx,
  context: AppContext,
  site: Pick<OrganizationRow, 'id' | 'company'>,
  {
    jobs,
    sessions,
    used,
    repositories,
    readAt,
  }: ChangedOrganization & {
    readonly repositories: ReadonlyMap<string, Vb365Repository>;
    readonly readAt: Ms;
  },
  finishRemoval: FinishRemoval,
): Promise<boolean> {
  if (jobs.length > 0 || used !== null)
    await storeOrganization(
      tx,
      context,
      site,
      {
        jobs: jobs.map((one) => ({ ...one, sessions: [] })),
        repositories: [...(used ?? [])].flatMap(([key, usedBytes]) => {
          const repository = repositories.get(key);
          return repository === undefined ? [] : [{ repository, usedBytes }];
        }),
        readAt,
        isPart: true,
      },
      finishRemoval,
    );
  const byJob = Map.groupBy(sessions, ({ job }) => job);
  const rows = await tx.rows('backupJob', [...byJob.keys()]);
  let isComplete = true;
  for (const [id, own] of byJob) {
    const row = rows.get(id);
    if (row?.removedAt !== null) continue;
    const isStored = await storeSessions(
      tx,
      { id: site.id, company: site.company, job: id, repository: row.repository },
      own.map(({ session }) => session),
    );
    isComplete &&= isStored;
  }
  return isComplete;
}

async function loadStored(
  { sql: db, tenant }: TenantTx,
  sites: readonly ImportedSite[],
  { sessions }: FeedChanges,
): Promise<Stored> {
  const keys = new Map(sites.map(({ organization: { id }, key }) => [id, key]));
  const jobs = new Map<string, LinkedJob>();
  const jobKeys = new Map<BackupJobId, string>();
  const repositories = new Map<string, Map<string, BackupRepositoryId>>();
  const running = new Map<BackupSessionId, string>();
  const ended = new Set<string>();
  const organizations = new Set(keys.values());
  let hasClaims = false;
  if (keys.size === 0) return { organizations, jobs, repositories, running, ended, hasClaims };
  const ids = [...keys.keys()] as OrganizationId[];
  const objects = await db
    .selectFrom('vb365_object')
    .select(['organization_id', 'kind', 'id', 'server_key', 'detail'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', ids)
    .execute();
  for (const { organization_id: owner, kind, id, server_key: key, detail } of objects) {
    const organization = keys.get(owner);
    hasClaims ||= isClaim(key) || detail.removing !== undefined;
    if (organization === undefined || isClaim(key)) continue;
    if (kind === 'job') {
      jobs.set(key, { id: id as BackupJobId, organization, version: detail.version ?? null });
      jobKeys.set(id as BackupJobId, key);
    } else {
      const own = repositories.get(organization) ?? new Map<string, BackupRepositoryId>();
      repositories.set(organization, own.set(key, id as BackupRepositoryId));
    }
  }
  const named = [...sessions.keys()].filter((id) => UUID.test(id)) as BackupSessionId[];
  const known = await db
    .selectFrom('backup_session')
    .select(['id', 'job_id', 'state'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', ids)
    .where((where) =>
      where.or([
        where('state', '!=', 'done'),
        ...(named.length === 0 ? [] : [where('id', 'in', named)]),
      ]),
    )
    .execute();
  for (const { id, job_id: job, state } of known) {
    const key = jobKeys.get(job);
    if (state === 'done') ended.add(id);
    else if (key !== undefined) running.set(id, key);
  }
  return { organizations, jobs, repositories, running, ended, hasClaims };
}

/** Other ids are no sessions that could be stored. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
