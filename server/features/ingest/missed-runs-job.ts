import { CompiledQuery } from 'kysely';
import { listStoredTypes } from '#contract/former-events.ts';
import type { JobN, Ms, RunN, TenantId } from '#contract/ids.ts';
import { abandonedAt, getExpectation } from '#contract/problems/expectation.ts';
import type { JobRow, StatRow } from '#contract/runs/rows.ts';
import type { JobHandler } from '../../platform/jobs/job-types.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { cronNext } from '../../platform/jobs/cron.ts';
import { markAbandoned, markMissed, markRanAgain, ranAgain } from './overdue.ts';

/** The pause before jobs that are still due, and the longest time between two checks. */
const PAUSE: Ms = 10_000;
const FALLBACK: Ms = 15 * 60_000;
/** The number of jobs marked in one transaction. */
const BATCH_SIZE = 500;

/**
 * When each job of a provider is due, as of `seq` of its log, and which jobs are ignored: a success
 * brings their due time forward (DESK-4).
 */
interface Watch {
  seq: number;
  readonly due: Map<JobN, Ms>;
  readonly ignored: Set<JobN>;
}

/**
 * RUN-3: marks missed runs, and fails runs that began and never ended. Due times stay in memory, and
 * a turn reads only the jobs that changed since the last one. A run only postpones its job's due
 * time, unless the job is ignored, so a stored time is valid until it is reached. The marking
 * transaction then decides by the rows, so two servers on one database mark a run once.
 */
export function missedRuns(context: AppContext): JobHandler<'missed-runs'> {
  const bootedAt = context.clock.now();
  const watches = new Map<TenantId, Watch>();
  return async ({ tenant, now }) => {
    try {
      return await markOverdue(context, tenant, getWatch(watches, tenant), bootedAt, now);
    } catch (error) {
      watches.delete(tenant);
      throw error;
    }
  };
}

function getWatch(watches: Map<TenantId, Watch>, tenant: TenantId): Watch {
  let watch = watches.get(tenant);
  if (!watch) watches.set(tenant, (watch = { seq: -1, due: new Map(), ignored: new Set() }));
  return watch;
}

/** Returns when the next job or run is due. */
async function markOverdue(
  context: AppContext,
  tenant: TenantId,
  watch: Watch,
  bootedAt: Ms,
  now: Ms,
): Promise<Ms> {
  const { head, again, running } = await context.store.tenant(
    tenant,
    async (tx) => {
      const { seq } = await tx.head();
      return {
        head: seq,
        again: seq === watch.seq ? [] : await learn(tx, watch, bootedAt, now),
        running: await runningUntil(tx, bootedAt),
      };
    },
    { readOnly: true },
  );
  watch.seq = head;
  if (again.length > 0) await markRanAgain(context, tenant, again, now);
  const abandoned = running.filter(({ until }) => until <= now);
  if (abandoned.length > 0) {
    await markAbandoned(context, tenant, abandoned, now);
    for (const { job } of abandoned) watch.due.delete(job);
  }
  const due = [...watch.due].flatMap(([job, at]) => (at <= now ? [job] : []));
  for (let from = 0; from < due.length; from += BATCH_SIZE) {
    for (const [job, at] of await markMissed(
      context,
      tenant,
      due.slice(from, from + BATCH_SIZE),
      bootedAt,
      now,
    ))
      watch.due.set(job, at);
  }
  const next = [...watch.due.values(), ...running.map(({ until }) => until)]
    .filter((at) => at > now)
    .reduce((first, at) => Math.min(first, at), now + FALLBACK);
  const isUnfinished = [...watch.due.values()].some((at) => at <= now) || abandoned.length > 0;
  return isUnfinished ? Math.min(next, now + PAUSE) : next;
}

/**
 * Loads the changes since the last turn, or everything the first time. Returns the ignored jobs
 * that have run again.
 */
async function learn(tx: TenantTx, watch: Watch, bootedAt: Ms, now: Ms): Promise<readonly JobN[]> {
  const again: JobN[] = [];
  const take = (job: JobRow, stat: StatRow | undefined): void => {
    watch.due.set(job.n, missedDueAt(job, stat, bootedAt));
    if (job.missedIgnored === null) watch.ignored.delete(job.n);
    else watch.ignored.add(job.n);
    if (stat && ranAgain(job, stat, now)) again.push(job.n);
  };
  if (watch.seq < 0) {
    const stats = new Map((await tx.all('stat')).map((stat) => [stat.n, stat]));
    for (const job of await tx.all('job')) take(job, stats.get(job.n));
    return again;
  }
  const changed = await changedJobs(tx, watch.seq);
  // After a run, only ignored jobs and those without a due time need an update.
  const jobs = [...changed].flatMap(([job, itself]) =>
    itself || watch.ignored.has(job) || (watch.due.get(job) ?? NEVER) === NEVER ? [job] : [],
  );
  const stats = await tx.rows('stat', jobs);
  for (const job of (await tx.rows('job', jobs)).values()) take(job, stats.get(job.n));
  return again;
}

const NEVER = Infinity;

export const missedDueAt = (job: JobRow, stat: StatRow | undefined, bootedAt: Ms): Ms =>
  (stat ? getExpectation(job, stat, bootedAt, cronNext)?.dueAt : undefined) ?? NEVER;

const STORED_TYPES = listStoredTypes([
  'run.started@1',
  'run.finished@1',
  'run.missed@1',
  'job.found@1',
  'job.updated@1',
  'job.ignored@1',
  'job.unignored@1',
])
  .map((type) => `'${type}'`)
  .join(', ');

/** Returns the jobs that events are about, and whether an event changed the job itself. */
async function changedJobs(tx: TenantTx, after: number): Promise<Map<JobN, boolean>> {
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(
      `select coalesce(data->>'job', data->>'n')::bigint as job, bool_or(type like 'job.%') as itself
    from event where tenant_id = $1 and seq > $2 and type in (${STORED_TYPES}) group by 1`,
      [tx.tenant, after],
    ),
  );
  return new Map(
    (rows as { job: JobN; itself: boolean }[]).map(({ job, itself }) => [job, itself]),
  );
}

/** Returns the oldest running runs, and until when each may run. */
async function runningUntil(
  tx: TenantTx,
  bootedAt: Ms,
): Promise<{ readonly run: RunN; readonly job: JobN; readonly until: Ms }[]> {
  const rows = await tx.sql
    .selectFrom('run')
    .select(['n', 'job_n', 'started_at'])
    .where('tenant_id', '=', tx.tenant)
    .where('status', '=', 'Running')
    .orderBy('started_at')
    .limit(1_000)
    .execute();
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ job_n }) => job_n))];
  const jobs = await tx.rows('job', ids);
  const stats = await tx.rows('stat', ids);
  return rows.flatMap(({ n, job_n, started_at }) => {
    const job = jobs.get(job_n);
    const stat = stats.get(job_n);
    return job && stat
      ? [{ run: n, job: job_n, until: abandonedAt(started_at, job, stat, bootedAt) }]
      : [];
  });
}
