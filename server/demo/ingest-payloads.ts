import type { NewEvent } from '#contract/events.ts';
import type { CompanyN, KeyId } from '#contract/ids.ts';
import type { ComputerIn, RepositoryIn } from '#contract/ingest/calls.ts';
import type { ReportedJob, Normal } from '../features/ingest/normalize.ts';
import type { SimulatedEvent } from './simulate-runs.ts';
import { makeLog } from './make-logs.ts';
import { getObjects } from './make-objects.ts';
import type { JobPlan, MachinePlan, ProviderPlan, RepositoryPlan } from './plan.ts';
import { usedShare } from './make-runs.ts';

/** What a source reports for a job, by result. */
export const getJobFields = (job: JobPlan): ReportedJob => ({
  uid: job.uid,
  name: job.name,
  source: job.source,
  type: job.type,
  group: job.group,
  computer: job.computer,
  server: job.server,
  managed: job.managed,
  enabled: true,
  schedule: job.schedule,
  graceSec: job.graceSec,
});

/** Returns a start or an end in the form that ingest accepts. */
export function makePayload(
  { kind, job, run, at }: Extract<SimulatedEvent, { kind: 'start' | 'finish' }>,
  index = 0,
): Normal {
  const unknown = {
    endedAt: null,
    durationSec: null,
    bytes: null,
    bytesProcessed: null,
    files: null,
    filesFailed: null,
    message: null,
    exitCode: null,
    log: null,
    tasks: [],
    detail: {},
  };
  // The end of a run must not re-enable its job if a user disabled it meanwhile.
  const begun = {
    index,
    job: { ...getJobFields(job), enabled: !(job.habit.kind === 'forgotten' && job.habit.at <= at) },
    externalId: run.id,
    startedAt: run.startedAt,
    byArrival: false,
  };
  if (kind === 'start') return { ...begun, ...unknown, status: 'Running' };
  return {
    ...begun,
    status: run.status,
    endedAt: run.endedAt,
    durationSec: run.durationSec,
    bytes: run.bytes,
    bytesProcessed: run.processed,
    files: run.files,
    filesFailed: run.files === null ? null : run.filesFailed,
    message: run.message,
    exitCode: run.exitCode,
    log: run.logged ? makeLog(job, run) : null,
    tasks: run.logged ? getObjects(job, run) : [],
    ...(run.level !== null && { level: run.level }),
    detail: run.detail,
  };
}

export function getSample(
  plan: Pick<ProviderPlan, 'bornAt'>,
  repository: RepositoryPlan,
  at: number,
): RepositoryIn {
  const { name, uid, type, hostName, path, capacity } = repository;
  const usedBytes = Math.round(capacity * usedShare(plan, repository, at));
  return {
    name,
    uid,
    type,
    hostName,
    path,
    capacityBytes: capacity,
    usedBytes,
    freeBytes: capacity - usedBytes,
    at: new Date(at).toISOString(),
  };
}

export const getComputer = ({ name, os, osType, ip }: MachinePlan): ComputerIn => ({
  hostName: name,
  os,
  osType,
  ipAddresses: [ip],
});

/**
 * Rows as `recordRepositories` and `recordComputers` write them, for a history that is written at
 * once.
 */
export function sampled(
  plan: ProviderPlan,
  repository: RepositoryPlan,
  key: KeyId,
  company: CompanyN,
  at: number,
): NewEvent {
  const {
    uid = '',
    name,
    type = null,
    hostName = null,
    path = null,
    capacityBytes = null,
    freeBytes = null,
    usedBytes = null,
  } = getSample(plan, repository, at);
  const id = `${key}/${uid}`;
  return {
    company,
    entity: `repository:${id}`,
    event: {
      type: 'repository.sampled@1',
      data: {
        id,
        key,
        company,
        uid,
        name,
        type,
        hostName,
        path,
        capacityBytes,
        freeBytes,
        usedBytes,
        at,
      },
    },
  };
}

export function seen(machine: MachinePlan, key: KeyId, company: CompanyN): NewEvent {
  const id = `${key}/${machine.name.toLowerCase()}`;
  return {
    company,
    entity: `computer:${id}`,
    event: {
      type: 'computer.seen@1',
      data: {
        id,
        key,
        company,
        hostName: machine.name,
        os: machine.os,
        osType: machine.osType,
        ipAddresses: [machine.ip],
      },
    },
  };
}
