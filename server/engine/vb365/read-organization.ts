import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Vb365Client } from './client.ts';
import type { JobItems } from './map-job.ts';
import { type StoredServerSessions, type ReadSession, readSessions } from './read-sessions.ts';
import {
  JobItemShape,
  JobShape,
  RepositoryShape,
  UsageShape,
  type Vb365Job,
  type Vb365JobItem,
  type Vb365Repository,
} from './shapes.ts';

/** What is stored of an organization's jobs, by their ids on the server. */
export interface StoredServerJob {
  readonly version: number | null;
  readonly sessions: StoredServerSessions;
}

/** What a server has of an organization. `items` null: the job has not changed. */
export interface ReadOrganization {
  readonly repositories: readonly {
    readonly repository: Vb365Repository;
    readonly usedBytes: number;
  }[];
  readonly jobs: readonly {
    readonly job: Vb365Job;
    readonly items: JobItems | null;
    readonly sessions: readonly ReadSession[];
  }[];
}

export async function readRepositories(
  client: Vb365Client,
): Promise<ReadonlyMap<string, Vb365Repository>> {
  const found = new Map<string, Vb365Repository>();
  for await (const rows of client.readPages('BackupRepositories', RepositoryShape))
    for (const row of rows) found.set(row.id, row);
  return found;
}

/** Reads what changed of an organization's jobs and sessions, and what it uses of repositories. */
export async function readOrganization(
  client: Vb365Client,
  key: string,
  {
    repositories,
    known,
    added,
    now,
  }: {
    readonly repositories: ReadonlyMap<string, Vb365Repository>;
    readonly known: ReadonlyMap<string, StoredServerJob>;
    /** Repositories that it may not use yet. */
    readonly added: readonly string[];
    readonly now: Ms;
  },
): Promise<ReadOrganization> {
  const used = await readUsage(client, key);
  const jobs: ReadOrganization['jobs'][number][] = [];
  for (const job of await readJobs(client, key)) {
    const before = known.get(job.id);
    jobs.push({
      job,
      items: job.eTag != null && before?.version === job.eTag ? null : await readItems(client, job),
      sessions: await readSessions(client, job, before?.sessions ?? NO_SESSIONS, now),
    });
  }
  const keys = new Set([
    ...used.keys(),
    ...jobs.flatMap(({ job }) => job.repositoryId ?? []),
    ...added.filter((id) => repositories.has(id)),
    ...[...repositories.values()].flatMap((one) => (one.organizationId === key ? [one.id] : [])),
  ]);
  return {
    repositories: [...keys].slice(0, LIMITS.backupRepositories).map((id) => ({
      repository: repositories.get(id) ?? { ...UNKNOWN_REPOSITORY, id },
      usedBytes: used.get(id) ?? 0,
    })),
    jobs,
  };
}

const NO_SESSIONS: StoredServerSessions = { running: null, newestEnd: null, ended: new Set() };
/** Of a repository that the server doesn't list for this user. */
const UNKNOWN_REPOSITORY: Omit<Vb365Repository, 'id'> = {};

export const JOBS = 'Jobs';
/** Version 7: the jobs of an organization. */
export const getJobsPath = (key: string): string =>
  `Organizations/${encodeURIComponent(key)}/${JOBS}`;

/** Version 8 lists all jobs; version 7 has them below their organization. */
export async function readJobs(client: Vb365Client, key: string): Promise<Vb365Job[]> {
  const path =
    (await client.findVersion()) === 'v8'
      ? `${JOBS}?organizationId=${encodeURIComponent(key)}`
      : getJobsPath(key);
  const jobs: Vb365Job[] = [];
  for await (const rows of client.readPages(path, JobShape)) jobs.push(...rows);
  return jobs.slice(0, LIMITS.backupJobs);
}

export async function readItems(client: Vb365Client, job: Vb365Job): Promise<JobItems> {
  if ((await client.findVersion()) === 'v7')
    return { selected: job.selectedItems ?? [], excluded: job.excludedItems ?? [] };
  const read = async (list: string): Promise<Vb365JobItem[]> => {
    const items: Vb365JobItem[] = [];
    const path = `Jobs/${encodeURIComponent(job.id)}/${list}`;
    for await (const rows of client.readPages(path, JobItemShape)) {
      items.push(...rows);
      if (items.length >= LIMITS.backupJobItems) break;
    }
    return items;
  };
  return {
    selected: job.backupType === 'SelectedItems' ? await read('SelectedItems') : [],
    excluded: await read('ExcludedItems'),
  };
}

export async function readUsage(
  client: Vb365Client,
  key: string,
): Promise<ReadonlyMap<string, number>> {
  const used = new Map<string, number>();
  const path = `Organizations/${encodeURIComponent(key)}/usedRepositories`;
  for await (const rows of client.readPages(path, UsageShape))
    for (const {
      repositoryId,
      usedSpaceBytes,
      objectStorageUsedSpaceBytes,
      _links: links,
    } of rows) {
      const id =
        repositoryId ??
        Object.values(links ?? {})
          .map(({ href }) => /\/BackupRepositories\/([\w-]{1,100})/i.exec(href ?? '')?.[1])
          .find((one) => one !== undefined);
      // Data in object storage is counted there; the rest is its cache.
      if (id) used.set(id, Math.max(0, objectStorageUsedSpaceBytes ?? usedSpaceBytes ?? 0));
    }
  return used;
}
