import type { BackupJobRow } from './jobs.ts';
import type { Schedule } from './schedule.ts';

/** A job as far as chains need it. */
export interface ChainedJob {
  readonly id: string;
  readonly schedulePolicy: { readonly schedule: Schedule };
}

/** Returns the id of the job that a chained one follows; null if it follows none. */
export const getChainedAfter = ({ schedulePolicy: { schedule } }: ChainedJob): string | null =>
  schedule.type === 'Chained' ? schedule.chainedAfter : null;

/**
 * Returns whether a job would, with this schedule, run after itself through a chain of jobs.
 */
export function makesCycle(id: string, schedule: Schedule, jobs: readonly ChainedJob[]): boolean {
  const others = new Map(jobs.map((job) => [job.id, job]));
  return listChain({ id, schedulePolicy: { schedule } }, others).isCycle;
}

/**
 * Returns a job, the one it follows, the one which that one follows, and so on. It ends with a job
 * that follows none, before one that isn't known, or before one that is in it already.
 */
export function listChain<T extends ChainedJob>(
  job: T,
  jobs: ReadonlyMap<string, T>,
): { readonly chain: readonly [T, ...T[]]; readonly isCycle: boolean } {
  const chain: [T, ...T[]] = [job];
  const seen = new Set([job.id]);
  for (let at: T | undefined = job; at !== undefined;) {
    const before = getChainedAfter(at);
    if (before === null) break;
    if (seen.has(before)) return { chain, isCycle: true };
    seen.add(before);
    at = jobs.get(before);
    if (at !== undefined) chain.push(at);
  }
  return { chain, isCycle: false };
}

/** Returns the jobs that start after a job. */
export const listFollowers = <T extends ChainedJob & { readonly removedAt: number | null }>(
  id: string,
  jobs: Iterable<T>,
): T[] => [...jobs].filter((job) => job.removedAt === null && getChainedAfter(job) === id);

/** Returns the job that a chained one follows; null if it follows none, or that one was deleted. */
export function getPreviousJob<T extends ChainedJob & { readonly removedAt: number | null }>(
  job: T,
  jobs: ReadonlyMap<string, T>,
): T | null {
  const before = jobs.get(getChainedAfter(job) ?? '');
  return before?.removedAt === null ? before : null;
}

export const START_OBSTACLES = ['job-deleted', 'job-disabled', 'cycle', 'window-closed'] as const;
/**
 * Why the schedule of an enabled job never starts it. `jobName`: of the job in question, which it
 * follows directly or through others; null if it isn't known, or it is the job itself.
 */
export interface StartObstacle {
  readonly kind: (typeof START_OBSTACLES)[number];
  readonly jobName: string | null;
}
/** A job as far as its obstacles need it. */
export type ObstructedJob = ChainedJob &
  Pick<BackupJobRow, 'name' | 'enabled' | 'removedAt' | 'schedulePolicy'>;

/** Returns why the schedule of a job never starts it; null if it does, or the job is disabled. */
export function findStartObstacle<T extends ObstructedJob>(
  job: T,
  jobs: ReadonlyMap<string, T>,
): StartObstacle | null {
  if (!job.enabled || job.schedulePolicy.schedule.type === 'Disabled') return null;
  const { chain, isCycle } = listChain(job, jobs);
  for (const one of chain) {
    const jobName = one === job ? null : one.name;
    if (one.removedAt !== null) return { kind: 'job-deleted', jobName };
    if (!one.enabled) return { kind: 'job-disabled', jobName };
    if (one.schedulePolicy.backupWindow?.includes('1') === false)
      return { kind: 'window-closed', jobName };
  }
  if (isCycle) return { kind: 'cycle', jobName: null };
  const first = chain.at(-1) ?? job;
  return getChainedAfter(first) === null ? null : { kind: 'job-deleted', jobName: null };
}
