import { CompiledQuery } from 'kysely';
import type { JobN, Ms, ProblemN, RunN } from '#contract/ids.ts';
import type { RuleTested } from '#contract/rules/calls.ts';
import {
  getMatcher,
  type RuleResult,
  type RuleDoes,
  type RuleWhen,
  sets,
  SETTLED,
} from '#contract/rules/rules.ts';
import type { ProblemState } from '#contract/runs/vocabulary.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { type SyncScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import { listActiveRules } from './active-rules.ts';

const DAYS_30: Ms = 30 * 86_400_000;
/** The maximum number of results checked, newest first. */
const MAX_RESULTS = 20_000;
const ROWS = 50;

interface Past {
  readonly n: RunN;
  readonly job: JobN;
  readonly company: number;
  readonly at: Ms;
  readonly message: string | null;
  readonly seconds: number | null;
  readonly bytes: number | null;
  readonly problem: ProblemN;
  readonly state: ProblemState;
  readonly cause: string;
  readonly runs: number;
}

const RESULTS = `select r.n, r.job_n as job, r.company_n as company, r.started_at as at, r.row->>'message' as message, (r.row->>'durationSec')::float8 as seconds, (r.row->>'bytes')::float8 as bytes,
    r.problem_n as problem, p.row->>'state' as state, c.template as cause, (p.row->>'runs')::int as runs
  from run r join problem p on p.tenant_id = r.tenant_id and p.n = r.problem_n join cause c on c.tenant_id = p.tenant_id and c.n = p.cause_n
  where r.tenant_id = $1 and r.started_at >= $2 and r.started_at <= $3 and r.problem_n is not null and r.status <> 'Running'
  order by r.started_at desc, r.n desc limit ${MAX_RESULTS + 1}`;

/**
 * RULES-4: returns what a rule would have matched in the last 30 days, and which other enabled
 * rules match the same results. `streak` is computed back from the current number of results of
 * each problem.
 */
export async function tryOut(
  tx: TenantTx,
  scope: SyncScope,
  {
    id,
    when,
    does,
  }: { readonly id: string | null; readonly when: RuleWhen; readonly does: RuleDoes },
  now: Ms,
): Promise<RuleTested> {
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(RESULTS, [tx.tenant, now - DAYS_30, now]),
  );
  const past = (rows as Past[]).slice(0, MAX_RESULTS);
  const jobs = await tx.rows('job', [...new Set(past.map(({ job }) => job))]);
  const existing = (await listActiveRules(tx)).filter(({ removedAt }) => removedAt === null);
  const rank = existing.find((rule) => rule.id === id)?.rank ?? Infinity;
  const others = existing
    .filter((rule) => rule.enabled && rule.id !== id && (rule.to === null || rule.to > now))
    .map((rule) => ({ rule, matches: getMatcher(rule.when), count: 0 }));
  const matches = getMatcher(when);
  const newer = new Map<ProblemN, number>();
  const found: Past[] = [];
  let count = 0;
  for (const one of past) {
    const job = jobs.get(one.job);
    const after = newer.get(one.problem) ?? 0;
    newer.set(one.problem, after + 1);
    if (!job || !isCompanyInScope(scope, one.company)) continue;
    const result: RuleResult = {
      source: job.source,
      type: job.type,
      state: one.state,
      company: one.company,
      job: job.name,
      computer: job.computer,
      durationSec: one.seconds,
      bytes: one.bytes,
      streak: Math.max(1, one.runs - after),
      startedAt: one.at,
      texts: [...(one.message === null ? [] : [one.message]), one.cause],
    };
    if (!matches(result)) continue;
    count += 1;
    if (found.length < ROWS) found.push(one);
    for (const other of others) if (other.matches(result)) other.count += 1;
  }
  const companies = await tx.rows('company', [...new Set(found.map(({ company }) => company))]);
  return {
    count,
    looked: past.length,
    all: rows.length <= MAX_RESULTS,
    rows: found.map(({ n, job, company, at, message, state, cause }) => ({
      run: n,
      startedAt: at,
      job: jobs.get(job)?.name ?? '',
      computer: jobs.get(job)?.computer ?? '',
      company: companies.get(company)?.name ?? '',
      state,
      message: message ?? cause,
    })),
    conflicts: others
      .filter((other) => other.count > 0)
      .map(({ rule, count: shared }) => ({
        _id: rule.id,
        name: rule.name,
        count: shared,
        above: rule.rank < rank,
        same: SETTLED.filter((what) => sets(rule.does, what) && sets(does, what)),
      })),
  };
}
