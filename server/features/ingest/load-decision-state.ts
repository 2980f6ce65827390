import { CompiledQuery } from 'kysely';
import type { Id } from '#contract/fold.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { CauseN, JobN, KeyId, Ms, RunN } from '#contract/ids.ts';
import { type Facts, problemOf } from '#contract/problems/judge.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { ABANDONED, bodyUids, causeName, type DecisionState, startName, uidOf } from './decide.ts';
import type { Normal } from './normalize.ts';

/**
 * The runs that a transaction has looked up and found. Each is queried once, and the transaction's
 * decisions update the result.
 */
export interface LookupKeys {
  readonly uids: Map<KeyId, Found<RunN>>;
  readonly starts: Found<RunN>;
}
interface Found<N> {
  readonly names: Set<string>;
  readonly found: Map<string, N>;
}
const nothingFound = (): Found<RunN> => ({ names: new Set(), found: new Map() });
export const emptyLookupKeys = (): LookupKeys => ({ uids: new Map(), starts: nothingFound() });

/**
 * Loads what the decision about results needs, with one query per table. It locks the head row
 * first: no other transaction changes this provider's rows until this one ends.
 */
export async function loadDecisionState(
  tx: TenantTx,
  asked: LookupKeys,
  key: KeyId,
  executions: readonly Normal[],
  at: Ms,
): Promise<DecisionState> {
  const next = await lock(tx);
  const uids = [...new Set(executions.map(({ job }) => job.uid))];
  const jobByUid = await jobsByUid(tx, key, uids);
  const job = await rowsOf(
    tx,
    'job',
    uids.flatMap((uid) => jobByUid.get(uid) ?? []),
  );
  const stat = await rowsOf(tx, 'stat', [...job.keys()]);
  const known = executions.flatMap((one) => {
    const n = jobByUid.get(one.job.uid);
    return n === undefined ? [] : [{ one, n }];
  });
  // A run with its own id can match by start only a run without one, which cannot have begun after
  // the last known start.
  const met = known.filter(
    ({ one, n }) =>
      one.externalId === null || (one.startedAt ?? at) <= (stat.get(n)?.lastStart ?? -1),
  );
  const bodies = executions.flatMap(({ bodyId }) => (bodyId == null ? [] : bodyUids(bodyId, at)));
  const ids = executions.flatMap(({ externalId, shortId }) =>
    [externalId ?? [], shortId ?? []].flat(),
  );
  const names = [
    ...new Set([...ids, ...bodies, ...met.map(({ one, n }) => uidOf(n, one.startedAt ?? at))]),
  ];
  const runByUid = await runsByUid(tx, asked, key, names);
  const nameless = known.filter(
    ({ one, n }) =>
      one.externalId === null && one.startedAt !== null && !runByUid.has(uidOf(n, one.startedAt)),
  );
  const runByStart = await runsByStart(
    tx,
    asked,
    nameless.map(({ one, n }) => ({ n, startedAt: one.startedAt ?? at })),
  );
  for (const { one, n } of met) {
    const startedAt = one.startedAt ?? at;
    const run = runByUid.get(uidOf(n, startedAt));
    if (run !== undefined) runByStart.set(startName(n, startedAt), run);
  }
  const running = known.some(({ one }) => one.startedAt === null)
    ? [...stat.values()].flatMap(({ running }) => running ?? [])
    : [];
  const begun = nameless.flatMap(
    ({ one, n }) => runByStart.get(startName(n, one.startedAt ?? at)) ?? [],
  );
  const run = await rowsOf(tx, 'run', [
    ...new Set([...names.flatMap((name) => runByUid.get(name) ?? []), ...begun, ...running]),
  ]);
  const problem = await rowsOf(
    tx,
    'problem',
    [...job.values()].flatMap(({ problem }) => problem ?? []),
  );
  const cause = await rowsOf(tx, 'cause', [
    ...new Set([...problem.values()].map((one) => one.cause)),
  ]);
  const causeByName = await causesByName(tx, causesOf(executions, job, jobByUid));
  return {
    job,
    stat,
    run,
    problem,
    cause,
    jobByUid,
    runByUid,
    runByStart,
    causeByName,
    logged: await logsOf(tx, running),
    next,
  };
}

/** Loads the same state for known jobs without a posted result, for decisions of the clock. */
export async function loadDecisionStateOfJobs(
  tx: TenantTx,
  jobs: readonly JobN[],
  runs: readonly RunN[],
  cause: NamedCause,
): Promise<DecisionState> {
  const next = await lock(tx);
  const job = await rowsOf(tx, 'job', jobs);
  const stat = await rowsOf(tx, 'stat', jobs);
  const run = await rowsOf(tx, 'run', runs);
  const problem = await rowsOf(
    tx,
    'problem',
    [...job.values()].flatMap(({ problem }) => problem ?? []),
  );
  const causes = await rowsOf(tx, 'cause', [
    ...new Set([...problem.values()].map((one) => one.cause)),
  ]);
  const causeByName = await causesByName(
    tx,
    new Map([[causeName(cause.kind, cause.template), cause]]),
  );
  return {
    job,
    stat,
    run,
    problem,
    cause: causes,
    causeByName,
    next,
    runByStart: new Map(),
    logged: await logsOf(tx, runs),
    jobByUid: new Map([...job.values()].map(({ uid, n }) => [uid, n])),
    runByUid: new Map([...run.values()].map(({ uid, n }) => [uid, n])),
  };
}

async function logsOf(tx: TenantTx, runs: readonly RunN[]): Promise<Map<RunN, string>> {
  if (runs.length === 0) return new Map();
  const rows = await tx.sql
    .selectFrom('run_log')
    .select(['run_n', 'body'])
    .where('tenant_id', '=', tx.tenant)
    .where('run_n', 'in', runs)
    .execute();
  return new Map(rows.map(({ run_n, body }) => [run_n, body]));
}

/** Locks the head row and returns the next free numbers. */
export async function lock(tx: TenantTx): Promise<DecisionState['next']> {
  const { job, run, problem, cause } = await tx.lock();
  return { job, run, problem, cause };
}

/** Returns how many numbers a decision used. They are taken when its events are appended. */
export const usedOf = (
  before: DecisionState['next'],
  after: DecisionState['next'],
): DecisionState['next'] => ({
  job: after.job - before.job,
  run: after.run - before.run,
  problem: after.problem - before.problem,
  cause: after.cause - before.cause,
});

/** Returns a copy, because the decision modifies it. */
export const rowsOf = async <T extends TableName>(
  tx: TenantTx,
  table: T,
  ids: readonly Id[],
): Promise<Map<Id, Tables[T]>> =>
  ids.length === 0 ? new Map<Id, Tables[T]>() : new Map(await tx.rows(table, ids));

/**
 * Returns a key's jobs by uid: the requested ones that exist, and others in the cache. The decision
 * adds new ones.
 */
async function jobsByUid(
  tx: TenantTx,
  key: KeyId,
  uids: readonly string[],
): Promise<Map<string, JobN>> {
  const all = tx.memory('jobs by uid', () => new Map<KeyId, Map<string, JobN>>());
  const known = all.get(key) ?? new Map<string, JobN>();
  all.set(key, known);
  const missing = uids.filter((uid) => !known.has(uid));
  if (missing.length === 0) return known;
  const rows = await ask<{ uid: string; n: JobN }>(
    tx,
    `select x.uid, j.n from json_to_recordset($2::text::json) as x(uid text)
    cross join lateral (select n from job where tenant_id = $1 and key_id = $3 and uid = x.uid offset 0) as j`,
    missing.map((uid) => ({ uid })),
    [key],
  );
  for (const { uid, n } of rows) known.set(uid, n);
  return known;
}

/**
 * Finds each run by the index, whatever the planner estimates: as a plain join it read all runs of
 * the key. `offset 0` prevents it from merging the subquery.
 */
export const RUNS_BY_UID = `select x.uid, r.n from json_to_recordset($2::text::json) as x(uid text)
  cross join lateral (select n from run where tenant_id = $1 and key_id = $3 and uid = x.uid offset 0) as r`;

async function runsByUid(
  tx: TenantTx,
  asked: LookupKeys,
  key: KeyId,
  uids: readonly string[],
): Promise<Map<string, RunN>> {
  const { names, found } = asked.uids.get(key) ?? nothingFound();
  asked.uids.set(key, { names, found });
  const missing = uids.filter((uid) => !names.has(uid) && !found.has(uid));
  if (missing.length === 0) return found;
  for (const uid of missing) names.add(uid);
  for (const { uid, n } of await ask<{ uid: string; n: RunN }>(
    tx,
    RUNS_BY_UID,
    missing.map((uid) => ({ uid })),
    [key],
  ))
    found.set(uid, n);
  return found;
}

/** Excludes missed runs: a run that begins exactly at the expected time is a different one. */
async function runsByStart(
  tx: TenantTx,
  asked: LookupKeys,
  starts: readonly { n: JobN; startedAt: Ms }[],
): Promise<Map<string, RunN>> {
  const { names, found } = asked.starts;
  const missing = starts.filter(({ n, startedAt }) => {
    const name = startName(n, startedAt);
    return !names.has(name) && !found.has(name);
  });
  if (missing.length === 0) return found;
  for (const { n, startedAt } of missing) names.add(startName(n, startedAt));
  const rows = await ask<{ job: JobN; started_at: Ms; n: RunN }>(
    tx,
    `select r.job_n as job, r.started_at, r.n
    from json_to_recordset($2::text::json) as x(n bigint, "startedAt" bigint)
    cross join lateral (select job_n, started_at, n from run where tenant_id = $1 and started_at = x."startedAt" and job_n = x.n and status <> 'Missed' offset 0) as r`,
    missing,
    [],
  );
  for (const { job, started_at, n } of rows) found.set(startName(job, started_at), n);
  return found;
}

/**
 * Returns the causes that the executions can have, by name, as far as the executions alone
 * determine them.
 */
export function causesOf(
  executions: readonly Normal[],
  jobs: DecisionState['job'] = new Map(),
  jobByUid: DecisionState['jobByUid'] = new Map(),
): Map<string, NamedCause> {
  const causes = new Map<string, NamedCause>();
  for (const one of executions) {
    if (one.status === 'Running' || one.status === 'Success') continue;
    const known = jobs.get(jobByUid.get(one.job.uid) ?? 0);
    const names = [
      one.job.computer ?? known?.computer ?? '',
      one.job.server ?? known?.server ?? '',
    ];
    const facts: Facts = {
      status: one.status,
      durationSec: null,
      bytes: null,
      files: null,
      message: one.message,
      names,
    };
    const trouble = problemOf(facts, []);
    if (trouble !== null) causes.set(causeName(trouble.kind, trouble.template), trouble);
  }
  return causes;
}

type NamedCause = Pick<Tables['cause'], 'kind' | 'template'>;

/**
 * Returns causes by name: the requested ones that exist, all causes of anomalies (a handful), and
 * the cause of an abandoned start. The decision adds new ones.
 */
async function causesByName(
  tx: TenantTx,
  causes: ReadonlyMap<string, NamedCause>,
): Promise<Map<string, CauseN>> {
  const memory = tx.memory('causes by name', () => ({
    byName: new Map<string, CauseN>(),
    begun: false,
  }));
  const keep = (rows: readonly (NamedCause & { readonly n: CauseN })[]): void => {
    for (const { n, kind, template } of rows) memory.byName.set(causeName(kind, template), n);
  };
  if (!memory.begun) {
    keep(
      await ask(
        tx,
        `select n, kind, template from cause where tenant_id = $1 and (kind = 'unusual' or template = ($2::text::json)->>0)`,
        [ABANDONED],
        [],
      ),
    );
    memory.begun = true;
  }
  const missing = [...causes].flatMap(([name, { kind, template }]) =>
    memory.byName.has(name) ? [] : [{ kind, template }],
  );
  if (missing.length > 0) {
    keep(
      await ask(
        tx,
        `select c.n, x.kind, x.template from json_to_recordset($2::text::json) as x(kind text, template text)
      cross join lateral (select n from cause where tenant_id = $1 and kind = x.kind and template = x.template offset 0) as c`,
        missing,
        [],
      ),
    );
  }
  return memory.byName;
}

async function ask<R>(
  tx: TenantTx,
  statement: string,
  records: readonly unknown[],
  more: readonly unknown[],
): Promise<R[]> {
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(statement, [tx.tenant, JSON.stringify(records), ...more]),
  );
  return rows as R[];
}
