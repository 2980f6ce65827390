import { CompiledQuery } from 'kysely';
import type { Id, TableName, Tables } from '#contract/fold.ts';
import type { JobN, KeyId, Ms, RunN } from '#contract/ids.ts';
import { type Facts, problemOf } from '#contract/monitoring/judge.ts';
import type { TenantTx } from '../store/store.ts';
import { ABANDONED, causeName, type Ground, startName, uidOf } from './decide.ts';
import type { Normal } from './normal.ts';

/**
 * What the decision about some results needs, one query a table. The head row is locked first: from then on nobody else changes rows of
 * this provider, and what is read here stays true until the end of the transaction.
 */
export async function groundFor(tx: TenantTx, key: KeyId, executions: readonly Normal[], at: Ms): Promise<Ground> {
  const next = await lock(tx);
  const job = await jobsByUid(tx, key, [...new Set(executions.map(({ job }) => job.uid))]);
  const jobByUid = new Map([...job.values()].map(({ uid, n }) => [uid, n]));
  const stat = await rowsOf(tx, 'stat', [...job.keys()]);
  const known = executions.flatMap((one) => { const n = jobByUid.get(one.job.uid); return n === undefined ? [] : [{ one, n }]; });
  const starts = known.map(({ one, n }) => ({ n, startedAt: one.startedAt ?? at }));
  const names = [...executions.flatMap(({ externalId }) => externalId ?? []), ...starts.map(({ n, startedAt }) => uidOf(n, startedAt))];
  const runByUid = await runsByUid(tx, key, [...new Set(names)]);
  const nameless = known.filter(({ one, n }) => one.externalId === null && one.startedAt !== null && !runByUid.has(uidOf(n, one.startedAt)));
  const runByStart = await runsByStart(tx, nameless.map(({ one, n }) => ({ n, startedAt: one.startedAt ?? at })));
  for (const { n, startedAt } of starts) {
    const run = runByUid.get(uidOf(n, startedAt));
    if (run !== undefined) runByStart.set(startName(n, startedAt), run);
  }
  const running = known.some(({ one }) => one.startedAt === null) ? [...stat.values()].flatMap(({ running }) => running ?? []) : [];
  const run = await rowsOf(tx, 'run', [...new Set([...runByUid.values(), ...runByStart.values(), ...running])]);
  const problem = await rowsOf(tx, 'problem', [...job.values()].flatMap(({ problem }) => problem ?? []));
  const cause = await rowsOf(tx, 'cause', [...new Set([...problem.values()].map((one) => one.cause))]);
  const causeByName = await causesByName(tx, templatesOf(executions, job, jobByUid));
  return { job, stat, run, problem, cause, jobByUid, runByUid, runByStart, causeByName, logged: await logsOf(tx, running), next };
}

/** The same for jobs that are known, of which nobody posted anything: what the clock decides on. */
export async function groundOfJobs(tx: TenantTx, jobs: readonly JobN[], runs: readonly RunN[], template: string): Promise<Ground> {
  const next = await lock(tx);
  const job = await rowsOf(tx, 'job', jobs);
  const stat = await rowsOf(tx, 'stat', jobs);
  const run = await rowsOf(tx, 'run', runs);
  const problem = await rowsOf(tx, 'problem', [...job.values()].flatMap(({ problem }) => problem ?? []));
  const cause = await rowsOf(tx, 'cause', [...new Set([...problem.values()].map((one) => one.cause))]);
  const causeByName = await causesByName(tx, new Set([template]));
  return {
    job, stat, run, problem, cause, causeByName, next, runByStart: new Map(), logged: await logsOf(tx, runs),
    jobByUid: new Map([...job.values()].map(({ uid, n }) => [uid, n])), runByUid: new Map([...run.values()].map(({ uid, n }) => [uid, n])),
  };
}

async function logsOf(tx: TenantTx, runs: readonly RunN[]): Promise<Map<RunN, string>> {
  if (runs.length === 0) return new Map();
  const rows = await tx.sql.selectFrom('run_log').select(['run_n', 'body']).where('tenant_id', '=', tx.tenant).where('run_n', 'in', runs).execute();
  return new Map(rows.map(({ run_n, body }) => [run_n, body]));
}

/** Locks the head row and answers the numbers that are free. */
export async function lock(tx: TenantTx): Promise<Ground['next']> {
  await tx.take('run', 0);
  const row = await tx.sql.selectFrom('head').select(['next_job as job', 'next_run as run', 'next_problem as problem', 'next_cause as cause'])
    .where('tenant_id', '=', tx.tenant).executeTakeFirstOrThrow();
  return { ...row };
}

/** Takes the numbers that a decision used. */
export async function settle(tx: TenantTx, before: Ground['next'], after: Ground['next']): Promise<void> {
  for (const counter of ['job', 'run', 'problem', 'cause'] as const) {
    const used = after[counter] - before[counter];
    if (used > 0 && (await tx.take(counter, used)) !== before[counter]) throw new Error(`Numbers of ${counter} were given twice.`);
  }
}

/** A copy: the decision folds on it. */
export const rowsOf = async <T extends TableName>(tx: TenantTx, table: T, ids: readonly Id[]): Promise<Map<Id, Tables[T]>> =>
  (ids.length === 0 ? new Map<Id, Tables[T]>() : new Map(await tx.rows(table, ids)));

async function jobsByUid(tx: TenantTx, key: KeyId, uids: readonly string[]): Promise<Map<Id, Tables['job']>> {
  const rows = await ask<{ n: JobN; row: Tables['job'] }>(tx, `select j.n, j.row from json_to_recordset($2::text::json) as x(uid text)
    join job j on j.tenant_id = $1 and j.key_id = $3 and j.uid = x.uid`, uids.map((uid) => ({ uid })), [key]);
  return new Map(rows.map(({ n, row }) => [n, row]));
}

async function runsByUid(tx: TenantTx, key: KeyId, uids: readonly string[]): Promise<Map<string, RunN>> {
  const rows = await ask<{ uid: string; n: RunN }>(tx, `select r.uid, r.n from json_to_recordset($2::text::json) as x(uid text)
    join run r on r.tenant_id = $1 and r.key_id = $3 and r.uid = x.uid`, uids.map((uid) => ({ uid })), [key]);
  return new Map(rows.map(({ uid, n }) => [uid, n]));
}

/** A missed run is no run: one that begins at the very time at which it was expected is another. */
async function runsByStart(tx: TenantTx, starts: readonly { n: JobN; startedAt: Ms }[]): Promise<Map<string, RunN>> {
  if (starts.length === 0) return new Map();
  const rows = await ask<{ job: JobN; started_at: Ms; n: RunN }>(tx, `select r.job_n as job, r.started_at, r.n
    from json_to_recordset($2::text::json) as x(n bigint, "startedAt" bigint)
    join run r on r.tenant_id = $1 and r.job_n = x.n and r.started_at = x."startedAt" where r.status <> 'Missed'`, starts, []);
  return new Map(rows.map(({ job, started_at, n }) => [startName(job, started_at), n]));
}

function templatesOf(executions: readonly Normal[], jobs: Ground['job'], jobByUid: Ground['jobByUid']): Set<string> {
  const templates = new Set<string>();
  for (const one of executions) {
    if (one.status === 'Running' || one.status === 'Success') continue;
    const known = jobs.get(jobByUid.get(one.job.uid) ?? 0);
    const names = [one.job.computer ?? known?.computer ?? '', one.job.server ?? known?.server ?? ''];
    const facts: Facts = { status: one.status, durationSec: null, bytes: null, files: null, message: one.message, names };
    const template = problemOf(facts, [])?.template;
    if (template !== undefined) templates.add(template);
  }
  // A start that was left alone fails by the next one.
  return templates.add(ABANDONED);
}

/** Causes by what they say, and all that anomalies may have: those are a handful. */
async function causesByName(tx: TenantTx, templates: ReadonlySet<string>): Promise<Map<string, number>> {
  const rows = await ask<{ n: number; kind: string; template: string }>(tx, `select c.n, c.kind, c.template from cause c
    where c.tenant_id = $1 and (c.kind = 'unusual' or c.template in (select x.template from json_to_recordset($2::text::json) as x(template text)))`,
  [...templates].map((template) => ({ template })), []);
  return new Map(rows.map(({ n, kind, template }) => [causeName(kind, template), n]));
}

async function ask<R>(tx: TenantTx, statement: string, records: readonly unknown[], more: readonly unknown[]): Promise<R[]> {
  const { rows } = await tx.sql.executeQuery(CompiledQuery.raw(statement, [tx.tenant, JSON.stringify(records), ...more]));
  return rows as R[];
}
