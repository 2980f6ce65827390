import type { BackupJobId, BackupRepositoryId, BackupSessionId, Ms } from '#contract/ids.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import type { FeedChanges } from './feed.ts';
import type { JobItems } from './map-job.ts';
import { readItems, readUsage } from './read-organization.ts';
import { endForgotten, readDetails, readServerSession, type ReadSession } from './read-sessions.ts';
import { JobShape, type Vb365Job } from './shapes.ts';

/** A job of a server that has a row. `version`: of its items. */
export interface LinkedJob {
  readonly id: BackupJobId;
  /** The organization's id on the server. */
  readonly organization: string;
  readonly version: number | null;
}

/** What is stored of a server's organizations, by ids there. */
export interface Stored {
  readonly organizations: ReadonlySet<string>;
  readonly jobs: ReadonlyMap<string, LinkedJob>;
  readonly repositories: ReadonlyMap<string, ReadonlyMap<string, BackupRepositoryId>>;
  /** The sessions that run, with the jobs that they are of. */
  readonly running: ReadonlyMap<BackupSessionId, string>;
  /** Of the sessions that changed, those that are known to have ended. */
  readonly ended: ReadonlySet<string>;
  /** A job or repository is being created or removed, or the answer to that was lost. */
  readonly hasClaims: boolean;
}

/** What changed of one organization. */
export interface ChangedOrganization {
  readonly jobs: readonly { readonly job: Vb365Job; readonly items: JobItems | null }[];
  readonly sessions: readonly { readonly job: BackupJobId; readonly session: ReadSession }[];
  /** What it uses of its repositories; null: no session has ended. */
  readonly used: ReadonlyMap<string, number> | null;
}

/** So many changed jobs are requested one by one; more are read with all others. */
const MAX_JOBS = 50;
/** Of this many jobs of other organizations it is remembered that they are. */
const MAX_FOREIGN = 100_000;

/**
 * Reads what a feed names, and the sessions that run, by the organizations' ids on the server. Null:
 * jobs or repositories are new, gone or being created, so everything has to be read. `foreignJobs`: jobs of other
 * organizations, as far as they are known; more are added.
 */
export async function readChanges(
  client: Vb365Client,
  changes: FeedChanges,
  stored: Stored,
  foreignJobs: Set<string>,
  now: Ms,
): Promise<ReadonlyMap<string, ChangedOrganization> | null> {
  if (stored.hasClaims) return null;
  const jobs = await readChangedJobs(client, changes, stored, foreignJobs);
  if (jobs === null) return null;
  const sessions = await readChangedSessions(client, changes, stored, now);
  if (sessions === null) return null;
  const organizations = new Set([
    ...jobs.map(({ job }) => stored.jobs.get(job.id)?.organization),
    ...sessions.map(({ job }) => stored.jobs.get(job)?.organization),
  ]);
  const found = new Map<string, ChangedOrganization>();
  for (const key of organizations) {
    if (key === undefined) continue;
    const isOwn = (job: string): boolean => stored.jobs.get(job)?.organization === key;
    const own = sessions.filter(({ job }) => isOwn(job));
    const used = own.some(({ session }) => session.end !== null)
      ? await readUsage(client, key)
      : null;
    const known = stored.repositories.get(key);
    if (used !== null && [...used.keys()].some((id) => known?.has(id) !== true)) return null;
    found.set(key, {
      jobs: jobs.filter(({ job }) => isOwn(job.id)),
      sessions: own.flatMap(({ job, session }) => {
        const id = stored.jobs.get(job)?.id;
        return id === undefined ? [] : [{ job: id, session }];
      }),
      used,
    });
  }
  return found;
}

async function readChangedJobs(
  client: Vb365Client,
  changes: FeedChanges,
  stored: Stored,
  foreignJobs: Set<string>,
): Promise<ChangedOrganization['jobs'] | null> {
  // Version 7 has no feed of jobs.
  if ((await client.findVersion()) === 'v7') return [];
  const rows = await readNamedJobs(client, changes, stored, foreignJobs);
  if (rows === null) return null;
  const jobs: { job: Vb365Job; items: JobItems | null }[] = [];
  for (const job of rows) {
    const known = stored.jobs.get(job.id);
    const repository = job.repositoryId ?? '';
    if (!known || stored.repositories.get(known.organization)?.has(repository) !== true)
      return null;
    const isSame = job.eTag != null && known.version === job.eTag && !changes.items.has(job.id);
    jobs.push({ job, items: isSame ? null : await readItems(client, job) });
  }
  return jobs;
}

/** The known jobs that changed. Null: some are new or gone, or they are many. */
async function readNamedJobs(
  client: Vb365Client,
  changes: FeedChanges,
  { jobs: known, organizations }: Stored,
  foreignJobs: Set<string>,
): Promise<readonly Vb365Job[] | null> {
  const named = new Set([...changes.jobs, ...changes.items]);
  for (const { job } of changes.sessions.values())
    if (job !== null && !known.has(job)) named.add(job);
  const wanted = [...named].filter((id) => known.has(id) || !foreignJobs.has(id));
  if (wanted.length > MAX_JOBS) return null;
  const jobs: Vb365Job[] = [];
  for (const id of wanted) {
    const job = await readJob(client, id);
    if (known.has(id)) {
      if (job === null) return null;
      jobs.push(job);
    } else if (job !== null && organizations.has(job.organizationId ?? '')) return null;
    else if (foreignJobs.size < MAX_FOREIGN) foreignJobs.add(id);
  }
  return jobs;
}

async function readJob(client: Vb365Client, id: string): Promise<Vb365Job | null> {
  try {
    return await client.read(`Jobs/${encodeURIComponent(id)}`, JobShape);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  }
}

async function readChangedSessions(
  client: Vb365Client,
  { sessions }: FeedChanges,
  { jobs, running, ended }: Stored,
  now: Ms,
): Promise<readonly { readonly job: string; readonly session: ReadSession }[] | null> {
  const found: { job: string; session: ReadSession }[] = [];
  const wanted = new Map([...running].map(([id, job]) => [id as string, job]));
  for (const [id, { job }] of sessions) {
    const own = job ?? wanted.get(id) ?? null;
    // Whose session it is isn't known.
    if (own === null) return null;
    if (jobs.has(own) && !ended.has(id)) wanted.set(id, own);
  }
  for (const [id, job] of wanted) {
    const row = sessions.get(id)?.row ?? (await readServerSession(client, id));
    const isRunning = running.has(id as BackupSessionId);
    const session =
      row === null
        ? isRunning
          ? endForgotten(id as BackupSessionId, now)
          : null
        : await readDetails(client, row, now);
    if (session !== null) found.push({ job, session });
  }
  return found;
}
