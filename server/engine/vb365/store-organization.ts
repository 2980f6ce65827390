import { isDeepStrictEqual } from 'node:util';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isSameName } from '#contract/backup/same-name.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { NewEvent } from '#contract/events.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  CompanyN,
  Ms,
  OrganizationId,
} from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { NewVb365Job, Vb365Detail } from '#server/platform/db/database-vb365.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { byClock, type TenantTx } from '#server/platform/db/store.ts';
import { loadZone } from '#server/platform/http/csv-response.ts';
import { setNotification } from '#server/platform/queries/job-recipients.ts';
import { CLAIM_MS, isClaim, isCreating } from './job-links.ts';
import { endFailedRemoval, type FinishRemoval, finishRemovals } from './lost-removals.ts';
import { type JobItems, type PortalTime, toJobSettings } from './map-job.ts';
import { toRepository } from './map-repository.ts';
import { getJobFingerprint } from './read-job.ts';
import type { StoredServerJob, ReadOrganization } from './read-organization.ts';
import { getCreated, getUpdated, isSameRepository } from './repository-events.ts';
import { chooseSighting, getClock, getSighting, type Sighting } from './server-clock.ts';
import type { Vb365Job, Vb365Repository } from './shapes.ts';
import { storeSessions } from './store-sessions.ts';

/** An organization whose jobs are stored as rows. */
export interface Site {
  readonly id: OrganizationId;
  readonly company: CompanyN;
}

/** Repositories and jobs of an organization by their ids on the server. */
interface Ids {
  job: BackupJobId;
  repository: BackupRepositoryId;
}
type Kind = keyof Ids;
type Known<K extends Kind = Kind> = ReadonlyMap<
  string,
  { readonly id: Ids[K]; readonly detail: Vb365Detail; readonly commandedAt: Ms }
>;

/** Loads what is stored of the jobs of an organization, to read what has changed since. */
export async function loadKnownJobs(
  tx: TenantTx,
  organization: OrganizationId,
): Promise<ReadonlyMap<string, StoredServerJob>> {
  const { sql: db, tenant } = tx;
  const jobs = await loadObjects(tx, organization, 'job');
  const sessions = await db
    .selectFrom('backup_session')
    .select(['id', 'job_id', 'state', 'ended_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .execute();
  const byJob = Map.groupBy(sessions, ({ job_id }) => job_id);
  return new Map(
    [...jobs].map(([key, { id, detail }]) => {
      const own = byJob.get(id) ?? [];
      const ends = own.flatMap(({ ended_at: at }) => at ?? []);
      return [
        key,
        {
          version: detail.version ?? null,
          sessions: {
            running: own.find(({ state }) => state !== 'done')?.id ?? null,
            newestEnd: ends.length === 0 ? null : Math.max(...ends),
            ended: new Set(own.filter(({ state }) => state === 'done').map((one) => one.id)),
          },
        },
      ];
    }),
  );
}

/**
 * Makes the rows of an organization's repositories, jobs and sessions those that the server has.
 * `readAt`: when reading began. `isPart`: it was read of some known jobs only, so others aren't gone.
 * Returns whether no session has to wait for the end of another one.
 */
export async function storeOrganization(
  tx: TenantTx,
  context: AppContext,
  site: Site,
  {
    repositories,
    jobs,
    readAt,
    isPart = false,
  }: ReadOrganization & { readonly readAt: Ms; readonly isPart?: boolean },
  finishRemoval: FinishRemoval,
): Promise<boolean> {
  await tx.lock();
  const now = context.clock.now();
  const timeZone = await loadZone(tx);
  const knownRepositories = await loadObjects(tx, site.id, 'repository');
  const knownJobs = await loadObjects(tx, site.id, 'job');
  const drafts: NewEvent[] = [];

  const repositoryRows = await tx.rows('backupRepository', getIds(knownRepositories));
  const repositoryIds = new Map<string, BackupRepositoryId>();
  if (isPart) for (const [key, { id }] of knownRepositories) repositoryIds.set(key, id);
  for (const { repository, usedBytes } of repositories) {
    const known = knownRepositories.get(repository.id);
    const id = known?.id ?? (context.chance.uuid() as BackupRepositoryId);
    repositoryIds.set(repository.id, id);
    const stored = known && (await endFailedRemoval(tx, known.id, known.detail, readAt));
    const detail = { ...stored, usedBytes };
    await storeObject(tx, site, 'repository', { id, key: repository.id, detail });
    // It has changed since it was read: the next reading has it.
    if (known !== undefined && known.commandedAt >= readAt) continue;
    const event = getRepositoryEvent(site, { id, repository, detail }, repositoryRows.get(id));
    if (event) drafts.push(event);
  }

  const jobRows = await tx.rows('backupJob', getIds(knownJobs));
  const jobIds = new Map<string, BackupJobId>();
  const sightings = new Map<string, Sighting>();
  if (isPart)
    for (const [key, { id, detail }] of knownJobs) {
      jobIds.set(key, id);
      if (detail.clock !== undefined) sightings.set(key, detail.clock);
    }
  for (const { job } of jobs) {
    const sighting = getSighting(job, now) ?? knownJobs.get(job.id)?.detail.clock;
    if (sighting !== undefined) sightings.set(job.id, sighting);
  }
  /** Their rows are made by the requests that create them. */
  const skipped = new Set<string>();
  for (const { job, items } of jobs) {
    const repository = repositoryIds.get(job.repositoryId ?? '');
    if (repository === undefined) continue;
    const known = knownJobs.get(job.id);
    // It has changed since it was read: the next reading has it.
    if (known !== undefined && known.commandedAt >= readAt) {
      jobIds.set(job.id, known.id);
      continue;
    }
    const read = { job, items, readAt };
    const found = known ?? findClaim(knownJobs, read, new Set(jobIds.values()));
    const creating =
      found === undefined || jobRows.has(found.id) ? undefined : found.detail.creating;
    if (found !== undefined && isCreating(creating, found.commandedAt, readAt)) {
      if (known !== undefined) jobIds.set(job.id, known.id);
      skipped.add(job.id);
      continue;
    }
    const isRemoved = known !== undefined && (jobRows.get(known.id)?.removedAt ?? null) !== null;
    // A deleted job that the server has nevertheless is another one.
    if (isRemoved) await deleteObjects(tx, [known.id]);
    const id = (isRemoved ? undefined : found?.id) ?? (context.chance.uuid() as BackupJobId);
    jobIds.set(job.id, id);
    const sighting = sightings.get(job.id);
    const detail = {
      ...(job.eTag != null && { version: job.eTag }),
      ...(sighting !== undefined && { clock: sighting }),
      ...(found?.detail.runNow && { runNow: found.detail.runNow }),
      ...(creating?.runNow && { runNow: creating.user ?? ('nobody' as const) }),
    };
    await storeObject(tx, site, 'job', { id, key: job.id, detail });
    const shown = chooseSighting(sightings, job.id);
    const place = { timeZone, now, clock: shown && getClock(shown, timeZone) };
    drafts.push(...getJobEvents(site, { id, repository, job, items }, jobRows.get(id), place));
    if (creating !== undefined) drafts.push(...(await adopt(tx, context, site, id, creating)));
  }

  const linked = new Set(jobIds.values());
  const goneJobs = listGone<'job'>(
    new Map(
      [...knownJobs].filter(
        ([key, { id, commandedAt }]) =>
          !linked.has(id) && commandedAt < readAt - (isClaim(key) ? CLAIM_MS : 0),
      ),
    ),
    jobIds,
  );
  const goneRepositories = listGone<'repository'>(
    new Map(
      [...knownRepositories].filter(
        ([key, { commandedAt }]) => commandedAt < readAt - (isClaim(key) ? CLAIM_MS : 0),
      ),
    ),
    repositoryIds,
  );
  await deleteObjects(tx, [...goneJobs, ...goneRepositories]);
  await finishRemovals(
    tx,
    context,
    { known: knownRepositories, gone: goneRepositories, rows: repositoryRows },
    finishRemoval,
  );
  drafts.push(
    ...goneJobs.flatMap((id) =>
      jobRows.get(id)?.removedAt === null
        ? [about(site, 'job', id, { type: 'backupjob.deleted@1', data: { id } })]
        : [],
    ),
    ...goneRepositories.flatMap((id) =>
      repositoryRows.get(id)?.removedAt === null
        ? [about(site, 'repository', id, { type: 'backuprepository.deleted@1', data: { id } })]
        : [],
    ),
  );
  if (drafts.length > 0) await tx.append(drafts, byClock(now));
  let isComplete = true;
  for (const { job, sessions } of jobs) {
    const id = jobIds.get(job.id);
    const repository = repositoryIds.get(job.repositoryId ?? '');
    const isRemoved = id !== undefined && (jobRows.get(id)?.removedAt ?? null) !== null;
    if (id === undefined || repository === undefined || isRemoved || skipped.has(job.id)) continue;
    const isStored = await storeSessions(tx, { ...site, job: id, repository }, sessions);
    isComplete &&= isStored;
  }
  return isComplete;
}

const getIds = <K extends Kind>(known: Known<K>): Ids[K][] =>
  [...known.values()].map(({ id }) => id);

/**
 * Returns the request that has made a job: one whose answer was lost, and which had sent just that, or
 * one that still runs. A job that only has the name of such a request is someone else's.
 */
function findClaim(
  known: Known<'job'>,
  {
    job,
    items,
    readAt,
  }: { readonly job: Vb365Job; readonly items: JobItems | null; readonly readAt: Ms },
  taken: ReadonlySet<BackupJobId>,
) {
  const print = items && getJobFingerprint(job, items);
  return [...known].find(
    ([
      key,
      {
        id,
        commandedAt,
        detail: { creating },
      },
    ]) =>
      isClaim(key) &&
      !taken.has(id) &&
      isSameName(creating?.name ?? '', job.name ?? '') &&
      (isCreating(creating, commandedAt, readAt) || creating?.sent === print),
  )?.[1];
}

/** Does for a job what the request that created it couldn't do any more. Returns its events. */
async function adopt(
  tx: TenantTx,
  context: AppContext,
  { company }: Site,
  id: BackupJobId,
  { origin, notification }: NewVb365Job,
): Promise<readonly NewEvent[]> {
  if (origin !== null)
    await auditOrigin(tx, context, {
      what: 'backupjob.created',
      user: null,
      detail: { job: id },
      at: context.clock.now(),
      origin,
    });
  return notification === null ? [] : [await setNotification(tx, { id, company }, notification)];
}

/** The ids of what the server doesn't have any more. */
const listGone = <K extends Kind>(
  known: Known<K>,
  current: ReadonlyMap<string, Ids[K]>,
): Ids[K][] => [...known].flatMap(([key, { id }]) => (current.has(key) ? [] : [id]));

const about = (
  { company }: Site,
  kind: Kind,
  id: Ids[Kind],
  event: NewEvent['event'],
): NewEvent => ({
  event,
  company,
  entity: `${kind === 'job' ? 'backupjob' : 'backuprepository'}:${id}`,
});

/** Returns the event that makes a repository's row what the server says; null if it is. */
function getRepositoryEvent(
  site: Site,
  {
    id,
    repository,
    detail,
  }: {
    readonly id: BackupRepositoryId;
    readonly repository: Vb365Repository;
    readonly detail: Vb365Detail;
  },
  row: BackupRepositoryRow | undefined,
): NewEvent | null {
  const found = { id, ...toRepository(repository), shortened: detail.shortened ?? null };
  if (row === undefined) return getCreated(site, found);
  const event = getUpdated(site, found);
  return isSameRepository(row, found) ? null : event;
}

/** Returns the events that make a job's row what the server says. */
function getJobEvents(
  site: Site,
  {
    id,
    repository,
    job,
    items,
  }: {
    readonly id: BackupJobId;
    readonly repository: BackupRepositoryId;
    readonly job: Vb365Job;
    readonly items: JobItems | null;
  },
  row: BackupJobRow | undefined,
  place: PortalTime,
): NewEvent[] {
  const read = toJobSettings(job, items ?? { selected: [], excluded: [] }, place);
  const settings =
    items === null && row !== undefined
      ? {
          ...read,
          selectedItems: row.selectedItems,
          excludedItems: row.excludedItems,
          isTeamsChatsEnabled: row.isTeamsChatsEnabled,
        }
      : read;
  const fields = {
    ...settings,
    selectedItems: copyItems(settings.selectedItems),
    excludedItems: copyItems(settings.excludedItems),
    repository,
    proxy: null,
  };
  const enabled = job.isEnabled ?? true;
  if (row === undefined)
    return [
      about(site, 'job', id, {
        type: 'backupjob.created@1',
        data: { id, company: site.company, organization: site.id, enabled, ...fields },
      }),
    ];
  const stored = Object.fromEntries(
    Object.keys(fields).map((key) => [key, row[key as keyof typeof fields]]),
  );
  return [
    ...(isDeepStrictEqual(stored, fields)
      ? []
      : [about(site, 'job', id, { type: 'backupjob.updated@1', data: { id, ...fields } })]),
    ...(row.enabled === enabled
      ? []
      : [
          about(site, 'job', id, {
            type: enabled ? 'backupjob.enabled@1' : 'backupjob.disabled@1',
            data: { id },
          }),
        ]),
  ];
}

const copyItems = (items: BackupJobRow['selectedItems']) =>
  items.map((item) => ({ ...item, parts: [...item.parts] }));

/** The ids of the organization's jobs by their id on the server. */
export async function loadJobIds(
  tx: TenantTx,
  organization: OrganizationId,
): Promise<ReadonlyMap<string, BackupJobId>> {
  const jobs = await loadObjects(tx, organization, 'job');
  return new Map([...jobs].map(([key, { id }]) => [key, id]));
}

async function loadObjects<K extends Kind>(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
  kind: K,
): Promise<Known<K>> {
  const rows = await db
    .selectFrom('vb365_object')
    .select(['id', 'server_key', 'detail', 'commanded_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', kind)
    .execute();
  return new Map(
    rows.map(({ id, server_key: key, detail, commanded_at: commandedAt }) => [
      key,
      { id: id as Ids[K], detail, commandedAt },
    ]),
  );
}

async function storeObject(
  { sql: db, tenant }: TenantTx,
  site: Site,
  kind: Kind,
  {
    id,
    key,
    detail,
  }: { readonly id: Ids[Kind]; readonly key: string; readonly detail: Vb365Detail },
): Promise<void> {
  await db
    .insertInto('vb365_object')
    .values({
      tenant_id: tenant,
      organization_id: site.id,
      kind,
      id,
      server_key: key,
      detail: JSON.stringify(detail),
    })
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'id'])
        .doUpdateSet({ server_key: key, detail: JSON.stringify(detail) }),
    )
    .execute();
}

async function deleteObjects(
  { sql: db, tenant }: TenantTx,
  ids: readonly Ids[Kind][],
): Promise<void> {
  if (ids.length === 0) return;
  await db
    .deleteFrom('vb365_object')
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...ids])
    .execute();
}
