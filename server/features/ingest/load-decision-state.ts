import { CompiledQuery } from 'kysely';
import type { RowId } from '#contract/fold.ts';
import type { Tables } from '#contract/tables.ts';
import type { CauseN, JobN, KeyId, Ms, ProblemN, RunN } from '#contract/ids.ts';
import { type ResultFacts, getProblem } from '#contract/problems/judge.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { Lookup } from '../../platform/events/projection.ts';
import { ABANDONED, bodyUids, causeName, startName, getUid } from './decide.ts';
import type { DecisionState, NameMaps, NextNumbers } from './decision-state.ts';
import type { Normal } from './normalize.ts';

/**
 * The runs that a transaction has looked up and found. Each is queried once, and the transaction's
 * decisions update the result.
 */
interface LookupKeys {
  /**
   * Whether every ID is looked up. If not, a new run of a known job that begins after all known ones
   * counts as unknown without a query: if its ID is taken after all, storing it fails.
   */
  readonly isThorough: boolean;
  readonly uids: Map<KeyId, Found<RunN>>;
  readonly starts: Found<RunN>;
}
interface Found<N> {
  readonly names: Set<string>;
  readonly found: Map<string, N>;
}
const nothingFound = (): Found<RunN> => ({ names: new Set(), found: new Map() });
export const emptyLookupKeys = (isThorough: boolean): LookupKeys => ({
  isThorough,
  uids: new Map(),
  starts: nothingFound(),
});

/** A state whose names the decisions made from it are added to. */
export type LoadedState = DecisionState & NameMaps;

/**
 * Loads what the decision about results needs, with one query per table. It locks the head row
 * first: no other transaction changes this provider's rows until this one ends.
 */
export async function loadDecisionState(
  tx: TenantTx,
  request: LookupKeys,
  key: KeyId,
  executions: readonly Normal[],
  at: Ms,
): Promise<LoadedState> {
  const next = await lock(tx);
  const jobByUid = await jobsByUid(tx, key, executions);
  const jobs = new Set<JobN>();
  for (const { job } of executions) {
    const n = jobByUid.get(job.uid);
    if (n !== undefined) jobs.add(n);
  }
  await tx.load('job', jobs);
  await tx.load('stat', jobs);
  const { job, stat } = tx.loaded;
  const names = new Set<string>();
  const assumedNew: string[] = [];
  /** Results of known jobs that may match a run by its start. */
  const met: { readonly name: string; readonly n: JobN; readonly startedAt: Ms }[] = [];
  const unnamed: (typeof met)[number][] = [];
  const running = new Set<RunN>();
  for (const one of executions) {
    const { externalId, shortId, bodyId, startedAt } = one;
    const n = jobByUid.get(one.job.uid);
    const known = n === undefined ? undefined : stat.get(n);
    if (externalId !== null && !request.isThorough && isProbablyNew(one, known)) {
      assumedNew.push(externalId);
      continue;
    }
    if (externalId !== null) names.add(externalId);
    if (shortId !== undefined) names.add(shortId);
    if (bodyId != null) for (const uid of bodyUids(bodyId, at)) names.add(uid);
    if (n === undefined) continue;
    if (startedAt === null && known?.running != null) running.add(known.running);
    // A run with its own id can match by start only a run without one, which cannot have begun
    // after the last known start.
    if (externalId !== null && (startedAt ?? at) > (known?.lastStart ?? -1)) continue;
    const start = { name: getUid(n, startedAt ?? at), n, startedAt: startedAt ?? at };
    names.add(start.name);
    met.push(start);
    if (externalId === null && startedAt !== null) unnamed.push(start);
  }
  const runByUid = await runsByUid(tx, request, key, names);
  const nameless = unnamed.filter(({ name }) => !runByUid.has(name));
  const runByStart = await runsByStart(tx, request, nameless);
  for (const { name, n, startedAt } of met) {
    const run = runByUid.get(name);
    if (run !== undefined) runByStart.set(startName(n, startedAt), run);
  }
  const runs = new Set(running);
  for (const some of [names, assumedNew])
    for (const name of some) {
      const n = runByUid.get(name);
      if (n !== undefined) runs.add(n);
    }
  for (const { n, startedAt } of nameless) {
    const run = runByStart.get(startName(n, startedAt));
    if (run !== undefined) runs.add(run);
  }
  await tx.load('run', runs);
  await loadProblems(tx, jobs, runs);
  const causes = await causesByName(tx, getCauses(executions, job, jobByUid));
  return {
    ...tx.loaded,
    cause: causes,
    jobByUid,
    runByUid,
    runByStart,
    causeByName: causes.byName,
    logged: await loadLogs(tx, [...running]),
    next,
  };
}

/**
 * Returns whether a result with an ID is probably of a run that nobody has reported before: it began
 * after every known one of its job, none of which is running.
 */
const isProbablyNew = (
  { startedAt, shortId, listed }: Normal,
  stat: Tables['stat'] | undefined,
): boolean =>
  stat !== undefined &&
  stat.running === null &&
  stat.lastStart !== null &&
  startedAt !== null &&
  startedAt > stat.lastStart &&
  shortId === undefined &&
  listed === undefined;

/** Loads the same state for known jobs without a posted result, for decisions of the clock. */
export async function loadDecisionStateOfJobs(
  tx: TenantTx,
  jobs: readonly JobN[],
  runs: readonly RunN[],
  cause: NamedCause,
): Promise<LoadedState> {
  const next = await lock(tx);
  const jobRows = await tx.rows('job', jobs);
  await tx.load('stat', jobs);
  const runRows = await tx.rows('run', runs);
  await loadProblems(tx, jobs, runs);
  const causes = await causesByName(tx, new Map([[causeName(cause.kind, cause.template), cause]]));
  return {
    ...tx.loaded,
    cause: causes,
    causeByName: causes.byName,
    next,
    runByStart: new Map(),
    logged: await loadLogs(tx, runs),
    jobByUid: new Map([...jobRows.values()].map(({ uid, n }) => [uid, n])),
    runByUid: new Map([...runRows.values()].map(({ uid, n }) => [uid, n])),
  };
}

/** Loads the open problems of jobs, those of runs, and their causes. */
async function loadProblems(
  tx: TenantTx,
  jobs: Iterable<JobN>,
  runs: Iterable<RunN>,
): Promise<void> {
  const problems = new Set<ProblemN>();
  const add = (row: { readonly problem: ProblemN | null } | undefined): void => {
    if (row?.problem != null) problems.add(row.problem);
  };
  for (const n of jobs) add(tx.loaded.job.get(n));
  for (const n of runs) add(tx.loaded.run.get(n));
  await tx.load('problem', problems);
  const causes = new Set<CauseN>();
  for (const n of problems) {
    const problem = tx.loaded.problem.get(n);
    if (problem) causes.add(problem.cause);
  }
  await tx.load('cause', causes);
}

async function loadLogs(tx: TenantTx, runs: readonly RunN[]): Promise<Map<RunN, string>> {
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
export async function lock(tx: TenantTx): Promise<NextNumbers> {
  const { job, run, problem, cause } = await tx.lock();
  return { job, run, problem, cause };
}

/**
 * Returns a key's jobs by uid: the requested ones that exist, and others in the cache. The decision
 * adds new ones.
 */
async function jobsByUid(
  tx: TenantTx,
  key: KeyId,
  executions: readonly Normal[],
): Promise<Map<string, JobN>> {
  const all = tx.memory('jobs by uid', () => new Map<KeyId, Map<string, JobN>>());
  const known = all.get(key) ?? new Map<string, JobN>();
  all.set(key, known);
  const missing = new Set<string>();
  for (const { job } of executions) if (!known.has(job.uid)) missing.add(job.uid);
  if (missing.size === 0) return known;
  const rows = await ask<{ uid: string; n: JobN }>(
    tx,
    `select x.uid, j.n from json_to_recordset($2::text::json) as x(uid text)
    cross join lateral (select n from job where tenant_id = $1 and key_id = $3 and uid = x.uid offset 0) as j`,
    [...missing].map((uid) => ({ uid })),
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
  request: LookupKeys,
  key: KeyId,
  uids: ReadonlySet<string>,
): Promise<Map<string, RunN>> {
  const { names, found } = request.uids.get(key) ?? nothingFound();
  request.uids.set(key, { names, found });
  const missing: string[] = [];
  for (const uid of uids) if (!names.has(uid) && !found.has(uid)) missing.push(uid);
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
  request: LookupKeys,
  starts: readonly { n: JobN; startedAt: Ms }[],
): Promise<Map<string, RunN>> {
  const { names, found } = request.starts;
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
    missing.map(({ n, startedAt }) => ({ n, startedAt })),
    [],
  );
  for (const { job, started_at, n } of rows) found.set(startName(job, started_at), n);
  return found;
}

/**
 * Returns the causes that the executions can have, by name, as far as the executions alone
 * determine them.
 */
export function getCauses(
  executions: readonly Normal[],
  jobs: DecisionState['job'] = EMPTY,
  jobByUid: DecisionState['jobByUid'] = EMPTY,
): Map<string, NamedCause> {
  const causes = new Map<string, NamedCause>();
  for (const one of executions) {
    if (one.status === 'Running' || one.status === 'Success') continue;
    const n = jobByUid.get(one.job.uid);
    const known = n === undefined ? undefined : jobs.get(n);
    const names = [
      one.job.computer ?? known?.computer ?? '',
      one.job.server ?? known?.server ?? '',
    ];
    const facts: ResultFacts = {
      status: one.status,
      durationSec: null,
      bytes: null,
      files: null,
      message: one.message,
      names,
    };
    const trouble = getProblem(facts, []);
    if (trouble !== null) causes.set(causeName(trouble.kind, trouble.template), trouble);
  }
  return causes;
}

const EMPTY = new Map<never, never>();

type NamedCause = Pick<Tables['cause'], 'kind' | 'template'>;

/**
 * Returns causes by name: the requested ones that exist, all causes of anomalies (a handful), and
 * the cause of an abandoned start. The decision adds new ones.
 */
async function causesByName(
  tx: TenantTx,
  causes: ReadonlyMap<string, NamedCause>,
): Promise<Causes> {
  const memory = tx.memory('causes by name', () => ({
    byName: new Map<string, CauseN>(),
    rows: new Map<RowId, Tables['cause']>(),
    begun: false,
  }));
  const keep = (rows: readonly Tables['cause'][]): void => {
    for (const { n, kind, template } of rows) {
      memory.byName.set(causeName(kind, template), n);
      memory.rows.set(n, { n, kind, template });
    }
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
  return {
    byName: memory.byName,
    get: (n) => memory.rows.get(n) ?? tx.loaded.cause.get(n),
  };
}

interface Causes extends Lookup<RowId, Tables['cause']> {
  readonly byName: Map<string, CauseN>;
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
