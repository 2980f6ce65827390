import { CompiledQuery } from 'kysely';
import type { JobN, Ms, RunN, TenantId } from '#contract/ids.ts';
import { abandonedAt, expectationOf } from '#contract/problems/expectation.ts';
import type { JobRow, StatRow } from '#contract/runs/rows.ts';
import { faultOf } from '../../platform/http/serve-call.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { cronNext } from '../../platform/jobs/cron.ts';
import { markAbandoned, markMissed, markRanAgain, ranAgain } from './overdue.ts';

const EVERY: Ms = 10_000;
/** The number of jobs marked in one transaction. */
const AT_ONCE = 500;

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
 * RUN-3, every ten seconds: marks missed runs, and fails runs that began and never ended. Due times
 * stay in memory, and a tick reads only the jobs that changed since the last one. A run only
 * postpones its job's due time, unless the job is ignored, so a stored time is valid until it is
 * reached. The marking transaction then decides by the rows, so two servers on one database mark a
 * run once.
 */
export function startClock(world: AppContext): { stop(): void; tick(now: Ms): Promise<void> } {
  const bootedAt = world.clock.now();
  const watches = new Map<TenantId, Watch>();
  let timer: { cancel(): void } | null = null;
  let last: Promise<void> = Promise.resolve();
  let stopped = false;

  async function work(now: Ms): Promise<void> {
    for (const tenant of await world.store.tenants()) {
      if (stopped) return;
      try {
        await tickTenant(world, tenant, watchOf(watches, tenant), bootedAt, now);
      } catch (error) {
        watches.delete(tenant);
        world.log.error('the clock could not look after a provider', { tenant, ...faultOf(error) });
      }
    }
  }

  /** Ticks run one at a time, so a slow one is never overtaken. */
  function tick(now: Ms): Promise<void> {
    const mine = last.then(() => work(now));
    last = mine.catch(() => undefined);
    return mine;
  }

  function wait(): void {
    timer = world.clock.after(EVERY, () => {
      tick(world.clock.now())
        .catch((error: unknown) => {
          world.log.error('the clock failed', faultOf(error));
        })
        .finally(() => {
          if (!stopped) wait();
        });
    });
  }
  wait();
  return {
    tick,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

function watchOf(watches: Map<TenantId, Watch>, tenant: TenantId): Watch {
  let watch = watches.get(tenant);
  if (!watch) watches.set(tenant, (watch = { seq: -1, due: new Map(), ignored: new Set() }));
  return watch;
}

async function tickTenant(
  world: AppContext,
  tenant: TenantId,
  watch: Watch,
  bootedAt: Ms,
  now: Ms,
): Promise<void> {
  const { head, again, running } = await world.store.tenant(
    tenant,
    async (tx) => {
      const { seq } = await tx.head();
      return {
        head: seq,
        again: seq === watch.seq ? [] : await learn(tx, watch, bootedAt, now),
        running: await overlong(tx, bootedAt, now),
      };
    },
    { readOnly: true },
  );
  watch.seq = head;
  if (again.length > 0) await markRanAgain(world, tenant, again, now);
  if (running.length > 0) {
    await markAbandoned(world, tenant, running, now);
    for (const { job } of running) watch.due.delete(job);
  }
  const due = [...watch.due].flatMap(([job, at]) => (at <= now ? [job] : []));
  for (let from = 0; from < due.length; from += AT_ONCE) {
    for (const [job, at] of await markMissed(
      world,
      tenant,
      due.slice(from, from + AT_ONCE),
      bootedAt,
      now,
    ))
      watch.due.set(job, at);
  }
}

/**
 * Loads the changes since the last tick, or everything the first time. Returns the ignored jobs
 * that have run again.
 */
async function learn(tx: TenantTx, watch: Watch, bootedAt: Ms, now: Ms): Promise<readonly JobN[]> {
  const again: JobN[] = [];
  const take = (job: JobRow, stat: StatRow | undefined): void => {
    watch.due.set(job.n, dueAt(job, stat, bootedAt));
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

export const dueAt = (job: JobRow, stat: StatRow | undefined, bootedAt: Ms): Ms =>
  (stat ? expectationOf(job, stat, bootedAt, cronNext)?.dueAt : undefined) ?? NEVER;

/** Returns the jobs that events are about, and whether an event changed the job itself. */
async function changedJobs(tx: TenantTx, after: number): Promise<Map<JobN, boolean>> {
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(
      `select coalesce(data->>'job', data->>'n')::bigint as job, bool_or(type like 'job.%') as itself
    from event where tenant_id = $1 and seq > $2 and type in ('run.started@1', 'run.finished@1', 'run.missed@1', 'job.found@1', 'job.changed@1', 'job.ignored@1', 'job.heeded@1') group by 1`,
      [tx.tenant, after],
    ),
  );
  return new Map(
    (rows as { job: JobN; itself: boolean }[]).map(({ job, itself }) => [job, itself]),
  );
}

/** Returns the runs that exceed their maximum running time. */
async function overlong(
  tx: TenantTx,
  bootedAt: Ms,
  now: Ms,
): Promise<{ readonly run: RunN; readonly job: JobN }[]> {
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
    return job && stat && abandonedAt(started_at, job, stat, bootedAt) <= now
      ? [{ run: n, job: job_n }]
      : [];
  });
}
