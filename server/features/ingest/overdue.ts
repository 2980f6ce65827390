import type { StartObstacle } from '#contract/backup/chains.ts';
import { obstacleText } from '#contract/backup/obstacle-text.ts';
import type { NewEvent } from '#contract/events.ts';
import type { JobN, KeyId, Ms, RunN, TenantId } from '#contract/ids.ts';
import { getExpectation, missedIgnoredUntil } from '#contract/problems/expectation.ts';
import type { Expectation } from '#contract/problems/expectation.ts';
import { getProblem, type JudgedProblem } from '#contract/problems/judge.ts';
import type { JobRow, RunRow, StatRow } from '#contract/runs/rows.ts';
import { DAY_MS, MINUTE_MS } from '#contract/time/durations.ts';
import { byClock, type TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { unreadConnections } from './unread-connections.ts';
import { ownDueTimes } from './own-due-times.ts';
import { cronNext } from '../../platform/jobs/cron.ts';
import { ABANDONED, decideResults, stepProblem } from './decide.ts';
import { type Deciding, makeDeciding } from './decision-state.ts';
import { loadDecisionStateOfJobs, lock } from './load-decision-state.ts';
import type { Normal } from './normalize.ts';
import { type RefusedTime, refusedTimes, wasRefused } from './quota.ts';
import { appendWithRules } from './append-with-rules.ts';

/**
 * RUN-3: marks the missed runs of `jobs`, once per expected time, and returns when each job is next
 * due. If all records of a source's last request were rejected, none of its jobs are marked, and
 * they are checked again in a minute. An expected run whose result may have been refused because of
 * the daily quota is skipped (ING-17).
 */
export function markMissed(
  context: AppContext,
  tenant: TenantId,
  jobs: readonly JobN[],
  bootedAt: Ms,
  now: Ms,
): Promise<Map<JobN, Ms>> {
  return context.store.tenant(tenant, async (tx) => {
    const state = await loadDecisionStateOfJobs(tx, jobs, [], MISSED);
    const rows = await tx.rows('job', jobs);
    const deciding = makeDeciding(state, byClock(now));
    const unheard = await unheardKeys(tx);
    const refused = await refusedTimes(tx);
    const next = new Map<JobN, Ms>(jobs.map((job) => [job, Infinity]));
    const own = await ownDueTimes(tx, rows.values());
    const uids = await missedUids(tx, rows, bootedAt, now);
    const companies = await tx.rows('company', [
      ...new Set([...rows.values()].map(({ company }) => company)),
    ]);
    for (const job of rows.values()) {
      const stat = deciding.stat.get(job.n);
      const expected = stat ? afterRefused(job, stat, refused, bootedAt, now) : null;
      if (!stat || !expected || companies.get(job.company)?.deletedAt !== undefined) continue;
      if (expected.dueAt > now) next.set(job.n, expected.dueAt);
      else if (!isOwnOverdue(own.get(job.n)?.at, expected.graceMs, bootedAt, now))
        next.set(job.n, Math.max(own.get(job.n)?.at ?? 0, now) + OWN_PAUSE_MS);
      else if (unheard.has(job.key)) next.set(job.n, now + MINUTE_MS);
      else {
        if (!uids.has(getMissedUid(job.n, expected.at)))
          miss(deciding, job, expected.at, stat.lastStart, own.get(job.n)?.obstacle);
        next.set(
          job.n,
          getExpectation(job, { ...stat, missedFor: expected.at }, bootedAt, cronNext)?.dueAt ??
            Infinity,
        );
      }
    }
    await appendWithRules(context, tx, deciding.decided(), now);
    return next;
  });
}

/**
 * Returns whether a job that Daybook runs itself is overdue by its own schedule, which knows backup
 * windows, retries and a session in progress. `due` undefined: another program runs the job.
 */
const isOwnOverdue = (due: Ms | null | undefined, graceMs: Ms, bootedAt: Ms, now: Ms): boolean =>
  due === undefined || (due !== null && Math.max(due, bootedAt) + graceMs <= now);

/** How long after its due time a job that Daybook runs itself is checked again. */
const OWN_PAUSE_MS: Ms = 15 * 60_000;

/**
 * DESK-4: ends the ignore period of a missed job after a success. It appends an event, so that
 * every device gets the change.
 */
export async function markRanAgain(
  context: AppContext,
  tenant: TenantId,
  jobs: readonly JobN[],
  now: Ms,
): Promise<void> {
  await context.store.tenant(tenant, async (tx) => {
    await lock(tx);
    const rows = await tx.rows('job', jobs);
    const stats = await tx.rows('stat', jobs);
    const again = [...rows.values()].filter((job) => {
      const stat = stats.get(job.n);
      return stat !== undefined && ranAgain(job, stat, now);
    });
    await tx.append(
      again.map(({ n, company }): NewEvent => ({
        event: { type: 'job.unignored@1', data: { n, what: 'missed' } },
        company,
        entity: `job:${n}`,
      })),
      byClock(now),
    );
  });
}

/** Returns whether a missed job is still ignored although it has succeeded since. */
export const ranAgain = (job: JobRow, stat: StatRow, now: Ms): boolean =>
  job.missedIgnored !== null &&
  (job.missedIgnored.until ?? 0) > now &&
  missedIgnoredUntil(job, stat) === null;

/** Fails runs that began and never ended. */
export async function markAbandoned(
  context: AppContext,
  tenant: TenantId,
  overlong: readonly { readonly run: RunN; readonly job: JobN }[],
  now: Ms,
): Promise<void> {
  await context.store.tenant(tenant, async (tx) => {
    const state = await loadDecisionStateOfJobs(
      tx,
      [...new Set(overlong.map(({ job }) => job))],
      overlong.map(({ run }) => run),
      LEFT,
    );
    const owners = await tx.rows(
      'job',
      overlong.map(({ job }) => job),
    );
    const keys = await tx.rows('key', [...new Set([...owners.values()].map(({ key }) => key))]);
    const refused = await refusedTimes(tx);
    const deciding = makeDeciding(state, byClock(now));
    for (const { run, job } of overlong) {
      const row = state.run.get(run);
      const owner = owners.get(job);
      const key = owner && keys.get(owner.key);
      // The end may have arrived since the query.
      if (
        row?.status === 'Running' &&
        owner &&
        key &&
        !wasRefused(refused, owner.key, now - DAY_MS, now)
      )
        decideResults(deciding, key, [abandoned(owner, row)], now);
    }
    await appendWithRules(context, tx, deciding.decided(), now);
  });
}

const MISSED: JudgedProblem = getProblem(
  { status: 'Missed', durationSec: null, bytes: null, files: null, message: null },
  [],
) ?? { state: 'Missed', template: 'Did not run', kind: 'silent' };
const LEFT: JudgedProblem = getProblem(
  { status: 'Failed', durationSec: null, bytes: null, files: null, message: ABANDONED },
  [],
) ?? { state: 'Failed', template: ABANDONED, kind: 'other' };
export const getMissedUid = (job: JobN, at: Ms): string =>
  `missed:${job}@${new Date(at).toISOString()}`;

export function miss(
  deciding: Deciding,
  job: JobRow,
  expectedAt: Ms,
  lastStart: Ms | null,
  obstacle: StartObstacle | null = null,
): void {
  const n = deciding.next.run++;
  const problem = stepProblem(deciding, job, n, expectedAt, MISSED, MISSED.kind);
  if (problem === null) return;
  const message = `Expected at ${minuteText(expectedAt)}; ${lastStart === null ? 'it has never run' : `last run at ${minuteText(lastStart)}`}.${obstacle === null ? '' : ` ${obstacleText(obstacle)}`}`;
  deciding.emit(job.company, `run:${n}`, {
    type: 'run.missed@1',
    data: {
      n,
      job: job.n,
      company: job.company,
      key: job.key,
      uid: getMissedUid(job.n, expectedAt),
      startedAt: expectedAt,
      problem,
      message,
    },
  });
}

const minuteText = (at: Ms): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const abandoned = (job: JobRow, run: RunRow): Normal => ({
  index: 0,
  job: { uid: job.uid, name: job.name },
  externalId: run.uid,
  status: 'Failed',
  startedAt: run.startedAt,
  endedAt: null,
  byArrival: true,
  durationSec: null,
  bytes: null,
  bytesProcessed: null,
  files: null,
  filesFailed: null,
  message: ABANDONED,
  exitCode: null,
  log: null,
  tasks: [],
  detail: {},
});

/** Returns the keys whose last request failed. */
async function unheardKeys(tx: TenantTx): Promise<ReadonlySet<KeyId>> {
  const rows = await tx.sql
    .selectFrom('source_health')
    .select(['key_id', 'last_heard_at', 'last_fault_at'])
    .where('tenant_id', '=', tx.tenant)
    .execute();
  const unread = await unreadConnections(tx);
  const collected =
    unread.size === 0
      ? []
      : (await tx.all('key')).filter(
          ({ connection }) => connection !== undefined && unread.has(connection),
        );
  return new Set([
    ...rows.flatMap((row) =>
      row.last_fault_at !== null && row.last_fault_at > (row.last_heard_at ?? 0)
        ? [row.key_id]
        : [],
    ),
    ...collected.map(({ id }) => id),
  ]);
}

/**
 * Returns the last of several passed expected times, so that a long downtime adds one missed run
 * instead of one per day.
 */
function expectedBy(job: JobRow, stat: StatRow, bootedAt: Ms, now: Ms): Expectation | null {
  const first = getExpectation(job, stat, bootedAt, cronNext);
  if (!first || first.dueAt > now) return first;
  const last = getExpectation(job, stat, Math.max(bootedAt, now - first.graceMs), cronNext);
  return last && last.dueAt <= now ? last : first;
}

/**
 * A result that was due while results were refused may be one of them, so this returns the next
 * expected time.
 */
function afterRefused(
  job: JobRow,
  stat: StatRow,
  refused: readonly RefusedTime[],
  bootedAt: Ms,
  now: Ms,
): Expectation | null {
  let expected = expectedBy(job, stat, bootedAt, now);
  while (
    expected &&
    expected.dueAt <= now &&
    wasRefused(refused, job.key, expected.at, expected.dueAt)
  ) {
    expected = getExpectation(job, { ...stat, missedFor: expected.at }, bootedAt, cronNext);
  }
  return expected;
}

/** A late result can restore an expected time that was already marked. */
async function missedUids(
  tx: TenantTx,
  jobs: ReadonlyMap<unknown, JobRow>,
  bootedAt: Ms,
  now: Ms,
): Promise<ReadonlySet<string>> {
  const wanted = [...jobs.values()].flatMap((job) => {
    const stat = tx.loaded.stat.get(job.n);
    const expected = stat ? expectedBy(job, stat, bootedAt, now) : null;
    return expected ? [getMissedUid(job.n, expected.at)] : [];
  });
  if (wanted.length === 0) return new Set();
  const rows = await tx.sql
    .selectFrom('run')
    .select('uid')
    .where('tenant_id', '=', tx.tenant)
    .where('uid', 'in', wanted)
    .execute();
  return new Set(rows.map(({ uid }) => uid));
}
