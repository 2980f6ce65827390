import * as v from 'valibot';
import type { Entity } from '#contract/connections/connection.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Ms } from '#contract/ids.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import type { EntityGroup, JobType } from '#contract/runs/vocabulary.ts';
import { recordRepositories } from '../ingest/inventory.ts';
import { loadChannel, loadLinks } from './channels.ts';
import {
  deliverJobs,
  fitRecords,
  type JobFacts,
  type JobFound,
  type StoredJob,
  recordRuns,
  retireGone,
} from './deliver.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { loadFound, keepFound, type RoundResult, type CollectTask } from './task.ts';
import { walk } from './read-pages.ts';
import { cutText } from '#contract/stored-text.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { checkedRepository } from '../ingest/check-records.ts';
import { outcomeMessages } from './outcome.messages.en.ts';

const text = v.optional(v.nullable(v.string()));
const count = v.optional(v.nullable(v.number()));
const flag = v.optional(v.nullable(v.boolean()));
const list = <S extends v.GenericSchema>(row: S) =>
  v.object({ data: v.array(row), pagination: v.optional(v.nullable(v.object({ total: count }))) });

/** The schemas for the REST API 1.3 of Veeam Backup & Replication. */
const StateList = list(
  v.object({
    id: v.string(),
    name: text,
    type: text,
    status: text,
    lastRun: text,
    lastResult: text,
    nextRun: text,
    nextRunPolicy: text,
    workload: text,
    repositoryName: text,
    objectsCount: count,
  }),
);
export type JobState = v.InferOutput<typeof StateList>['data'][number];
const SessionList = list(
  v.object({
    id: v.string(),
    name: text,
    jobId: text,
    sessionType: text,
    creationTime: text,
    endTime: text,
    state: text,
    platformName: text,
    algorithm: text,
    result: v.optional(v.nullable(v.object({ result: text, message: text, isCanceled: flag }))),
    progress: v.optional(
      v.nullable(
        v.object({
          bottleneck: text,
          processedSize: count,
          readSize: count,
          transferredSize: count,
        }),
      ),
    ),
  }),
);
export type VbrSession = v.InferOutput<typeof SessionList>['data'][number];
const RepositoryList = list(
  v.object({
    id: v.string(),
    name: text,
    type: text,
    hostName: text,
    path: text,
    capacityGB: count,
    freeGB: count,
    usedSpaceGB: count,
    isOnline: flag,
  }),
);
const Licence = v.object({
  instances: v.optional(
    v.nullable(
      v.object({
        licensedInstancesNumber: count,
        usedInstancesNumber: count,
        newInstancesNumber: count,
        rentalInstancesNumber: count,
      }),
    ),
  ),
  edition: text,
  expirationDate: text,
  status: text,
});

const PER_PAGE = 200;
const GB = 1_073_741_824;
const FIRST_MS: Ms = 7 * DAY_MS;

const TYPES: Readonly<Record<string, JobType>> = {
  BackupCopy: 'BackupCopy',
  SimpleBackupCopyPolicy: 'BackupCopy',
  LegacyBackupCopy: 'BackupCopy',
  VSphereReplica: 'Replication',
  HyperVReplica: 'Replication',
  EntraIDAuditLogBackup: 'LogBackup',
  FileBackup: 'FileShare',
  FileBackupCopy: 'BackupCopy',
  ObjectStorageBackup: 'ObjectStorage',
  ObjectStorageBackupCopy: 'BackupCopy',
  WindowsAgentBackup: 'Agent',
  LinuxAgentBackup: 'Agent',
  MacAgentBackup: 'Agent',
  SureBackup: 'SureBackup',
};
/** Session types that are runs of jobs. Restores and infrastructure tasks are not. */
const RUNS =
  /^(?:BackupJob|ReplicaJob|BackupCopyJob|SimpleBackupCopyJob|AgentBackup|AgentPolicy|EndpointBackup|PlatformBackupJob|FileServerSave|SureBackup|\w*LogBackup|UnstructuredDataBackupCopy|ArchiveBackup|ConfigurationBackup)$/;

/** Reads Veeam Backup & Replication. All results belong to the connection's company. */
export const VBR: Readonly<Partial<Record<Entity, (task: CollectTask) => Promise<RoundResult>>>> = {
  async jobs(task) {
    const link = await loadLink(task);
    const rows = await pages(task, 'jobs/states', StateList, async (some) => {
      await deliverJobs(
        task,
        some.map((row): JobFound => ({
          uid: row.id,
          company: link,
          facts: getFacts(row),
          run: null,
          more: {},
        })),
      );
    });
    await retireGone(task);
    return { rows, unlinked: link === null ? rows : 0 };
  },

  /**
   * Sorted by creation time. If a session is still running, the next round begins with it to read
   * its end.
   */
  async sessions(task) {
    const { context, tenant, connection } = task;
    const now = context.clock.now();
    const link = await loadLink(task);
    const jobs = new Map(
      (
        await context.store.tenant(tenant, (tx) => loadFound(tx, connection.id, ['jobs']), {
          readOnly: true,
        })
      ).map(({ uid, row }) => [uid, row as unknown as StoredJob]),
    );
    const after = task.cursor['from'] ?? now - FIRST_MS;
    let next = Math.max(after, now - DAY_MS);
    let unlinked = 0;
    const rows = await pages(
      task,
      `sessions?createdAfterFilter=${encodeURIComponent(new Date(after).toISOString())}&orderColumn=CreationTime&orderAsc=true`,
      SessionList,
      async (some) => {
        const runs = some.filter(({ sessionType }) => RUNS.test(sessionType ?? ''));
        for (const { state, creationTime } of runs)
          if (state !== 'Stopped')
            next = Math.min(next, Math.max(after, Date.parse(creationTime ?? '') || after));
        const good = runs.flatMap((session) => {
          const execution = getVbrRun(session, jobs.get(session.jobId ?? '')?.facts);
          return execution === null ? [] : [{ execution }];
        });
        if (link === null) unlinked += good.length;
        else
          await recordRuns(
            task,
            good,
            await loadChannel(task.context, task.tenant, task.connection, link),
          );
      },
      { from: after },
    );
    return { rows, unlinked, cursor: { from: next } };
  },

  async repositories(task) {
    const link = await loadLink(task);
    const at = new Date(task.since).toISOString();
    const rows = await pages(
      task,
      'backupInfrastructure/repositories/states',
      RepositoryList,
      async (some) => {
        const key =
          link === null
            ? null
            : await loadChannel(task.context, task.tenant, task.connection, link);
        if (key === null) return;
        await recordRepositories(
          task.context,
          task.tenant,
          key,
          fitRecords(
            task,
            some.map(
              ({ id: uid, name, type, hostName, path, capacityGB, freeGB, usedSpaceGB }, index) =>
                checkedRepository(
                  {
                    uid,
                    name: short(name) ?? uid,
                    at,
                    capacityBytes: bytes(capacityGB),
                    freeBytes: bytes(freeGB),
                    usedBytes: bytes(usedSpaceGB),
                    ...input({
                      type: short(type),
                      hostName: short(hostName),
                      path: short(path, 500),
                    }),
                  },
                  index,
                ),
            ),
          ),
          task.context.clock.now(),
        );
      },
    );
    return { rows, unlinked: link === null ? rows : 0 };
  },

  async licences(task) {
    const { edition, status, expirationDate, instances } = await task.client.read(
      'license',
      Licence,
    );
    const row = {
      product: 'BackupAndReplication',
      workload: edition ?? null,
      unitType: 'Instances',
      status: status ?? null,
      until: expirationDate ?? null,
      licensed: instances?.licensedInstancesNumber ?? null,
      usedCount: instances?.usedInstancesNumber ?? null,
      newCount: instances?.newInstancesNumber ?? null,
      rentalCount: instances?.rentalInstancesNumber ?? null,
    };
    await task.context.store.tenant(task.tenant, (tx) =>
      keepFound(tx, task, [
        { uid: 'licence', name: task.connection.name, company: task.connection.company_n, row },
      ]),
    );
    return { rows: 1, unlinked: 0 };
  },
};

const loadLink = ({ context, tenant, connection }: CollectTask): Promise<number | null> =>
  context.store.tenant(tenant, async (tx) => (await loadLinks(tx, connection))(null), {
    readOnly: true,
  });

async function pages<R extends { readonly id: string }>(
  task: CollectTask,
  path: string,
  schema: v.GenericSchema<
    unknown,
    { data: R[]; pagination?: { total?: number | null | undefined } | null | undefined }
  >,
  take: (rows: readonly R[]) => Promise<void>,
  more: Readonly<Record<string, number>> = {},
): Promise<number> {
  const walked = await walk<R>(
    {
      page: async (skip) => {
        const { data, pagination } = await task.client.read(
          `${path}${path.includes('?') ? '&' : '?'}skip=${skip}&limit=${PER_PAGE}`,
          schema,
        );
        return { rows: data, total: pagination?.total ?? null };
      },
      uid: ({ id }) => id,
      async take(rows, next) {
        await take(rows);
        await task.keep({ ...more, offset: next });
      },
    },
    task.cursor['offset'] ?? 0,
  );
  if (walked.whole) return walked.seen;
  await task.keep({ ...more, offset: 0 });
  throw new SourceError(
    'busy',
    outcomeMessages.listChanged({ seen: walked.seen, total: walked.total }),
  );
}

/**
 * Instead of a next run time, the server reports in words that a job follows another (`After
 * [Job]`) or runs continuously.
 */
const getSchedule = (policy: string | null | undefined): JobFacts['schedule'] =>
  /^<?after\b/i.test(policy ?? '')
    ? { type: 'kind', kind: 'Chained' }
    : /^<?continuous/i.test(policy ?? '')
      ? { type: 'kind', kind: 'Continuously' }
      : null;

export function getFacts({ id, name, type, status, workload, nextRunPolicy }: JobState): JobFacts {
  const kind = TYPES[type ?? ''] ?? (/Agent/.test(type ?? '') ? 'Agent' : 'Backup');
  const group: EntityGroup =
    kind === 'Agent'
      ? 'monitored-agents'
      : kind === 'FileShare' || kind === 'ObjectStorage'
        ? 'file-share-jobs'
        : workload === 'CloudVm'
          ? 'public-cloud-vms'
          : 'managed-servers';
  return {
    job: short(name) ?? id,
    jobInstanceUid: id,
    source: 'vbr',
    type: kind,
    entityGroup: group,
    managed: true,
    enabled: status !== 'Disabled',
    schedule: getSchedule(nextRunPolicy),
    graceSec: null,
  };
}

/**
 * Returns a session as a run with the session's id; null if its state is unknown. A session of a
 * deleted job still counts as a run of that job.
 */
export function getVbrRun(session: VbrSession, facts: JobFacts | undefined): ExecutionIn | null {
  const started = Date.parse(session.creationTime ?? '');
  const ended = Date.parse(session.endTime ?? '');
  if (!(started > 0)) return null;
  const { result, message, isCanceled } = session.result ?? {};
  const status =
    session.state !== 'Stopped'
      ? 'Running'
      : isCanceled === true
        ? 'Failed'
        : result === 'Success' || result === 'Warning' || result === 'Failed'
          ? result
          : null;
  if (status === null) return null;
  const job = facts ?? {
    job: short(session.name) ?? session.id,
    jobInstanceUid: session.jobId ?? session.id,
    source: 'vbr' as const,
  };
  if (status === 'Running')
    return { ...job, externalId: session.id, status, startTime: new Date(started).toISOString() };
  const said =
    isCanceled === true
      ? 'The session was cancelled.'
      : status === 'Success'
        ? ''
        : cutText((message ?? '').trim(), 20_000);
  return {
    ...job,
    externalId: session.id,
    status,
    startTime: new Date(started).toISOString(),
    ...(ended >= started ? { endTime: new Date(ended).toISOString() } : {}),
    bytesTransferred: whole(session.progress?.transferredSize),
    bytesProcessed: whole(session.progress?.processedSize),
    ...(said === '' ? {} : { message: said }),
    detail: input({
      session: short(session.sessionType),
      algorithm: short(session.algorithm),
      platform: short(session.platformName),
      bottleneck: short(session.progress?.bottleneck),
    }),
  };
}

const short = (said: string | null | undefined, max: number = LIMITS.nameChars): string | null =>
  cutText((said ?? '').trim(), max).trim() || null;
const whole = (size: number | null | undefined): number | null =>
  size == null || !(size >= 0) ? null : Math.floor(size);
const bytes = (gb: number | null | undefined): number | null =>
  gb == null || !(gb >= 0) ? null : Math.round(gb * GB);
const input = <N extends string>(
  fields: Readonly<Record<N, string | null>>,
): Partial<Record<N, string>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<
    Record<N, string>
  >;
