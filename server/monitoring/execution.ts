import { sql } from 'kysely';
import type { EventType } from '#contract/events.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { Execution } from '#contract/monitoring/calls.ts';
import type { ProblemRow, RunRow } from '#contract/monitoring/rows.ts';
import type { TenantTx } from '#server/store/store.ts';
import { expectedOf } from './expected.ts';

const iso = (at: Ms): string => new Date(at).toISOString();
const isoOrNull = (at: Ms | null): string | null => (at === null ? null : iso(at));

/** One run in full, as the API writes it. `companies`: whose it may tell of where it says "the same cause elsewhere"; null for all. */
export async function executionOf(tx: TenantTx, run: RunRow, companies: readonly CompanyN[] | null, now: Ms): Promise<Execution> {
  const job = (await tx.rows('job', [run.job])).get(run.job);
  const stat = (await tx.rows('stat', [run.job])).get(run.job);
  const company = (await tx.rows('company', [run.company])).get(run.company);
  const problem = run.problem === null ? undefined : (await tx.rows('problem', [run.problem])).get(run.problem);
  const log = run.hasLog
    ? await tx.sql.selectFrom('run_log').select('body').where('tenant_id', '=', tx.tenant).where('run_n', '=', run.n).executeTakeFirst()
    : undefined;
  if (!job) throw new Error(`run ${run.n} names no job`);
  return {
    _id: String(run.n), mongo_id: String(run.n), jobInstanceUid: job.uid, jobName: job.name, companyName: company?.name ?? '',
    computerName: job.computer, serverName: job.server, source: job.source, type: job.type, entityGroup: job.group, managed: job.managed,
    status: run.status, startTime: iso(run.startedAt), endTime: isoOrNull(run.endedAt), durationSec: run.durationSec,
    bytesTransferred: run.bytes, bytesProcessed: run.bytesProcessed, filesTotal: run.files, filesFailed: run.filesFailed,
    exitCode: run.exitCode, message: run.message, anomaly: [...run.anomaly],
    note: problem?.note ? { content: problem.note.content, authorId: problem.note.by, at: iso(problem.note.at) } : null,
    ignoredUntil: isoOrNull(problem?.snooze?.until ?? null), ignoredReason: problem?.snooze?.reason ?? null,
    state: stateOf(problem, now),
    problem: problem ? await problemOf(tx, problem, companies) : null,
    expectedAt: isoOrNull(stat ? expectedOf(job, stat) : null),
    lastSuccessAt: isoOrNull(stat?.lastSuccess ?? null),
    detail: run.detail, log: log?.body ?? null,
    history: problem ? await historyOf(tx, problem.n) : [],
  };
}

function stateOf(problem: ProblemRow | undefined, now: Ms): Execution['state'] {
  if (!problem || (problem.closedAt !== null && problem.review === null)) return 'none';
  if (problem.review !== null) return 'cleared';
  return problem.snooze !== null && problem.snooze.until > now ? 'snoozed' : 'pending';
}

async function problemOf(tx: TenantTx, problem: ProblemRow, companies: readonly CompanyN[] | null): Promise<Execution['problem']> {
  const cause = (await tx.rows('cause', [problem.cause])).get(problem.cause);
  const elsewhere = await tx.sql.selectFrom('problem').innerJoin('company', (join) => join
    .onRef('company.tenant_id', '=', 'problem.tenant_id').onRef('company.n', '=', 'problem.company_n'))
    .select([sql<string>`company.row->>'name'`.as('company'), (e) => e.fn.count<number>('problem.job_n').distinct().as('jobs')])
    .where('problem.tenant_id', '=', tx.tenant).where('company.tenant_id', '=', tx.tenant)
    .where('problem.cause_n', '=', problem.cause).where('problem.closed_at', 'is', null).where('problem.job_n', '<>', problem.job)
    .$if(companies !== null, (query) => query.where('problem.company_n', 'in', companies === null || companies.length === 0 ? [0] : [...companies]))
    .groupBy(sql`company.row->>'name'`).orderBy('jobs', 'desc').limit(20).execute();
  return {
    state: problem.state, kind: cause?.kind ?? 'other', cause: cause?.template ?? '', openedAt: iso(problem.openedAt),
    closedAt: isoOrNull(problem.closedAt), runs: problem.runs, elsewhere: elsewhere.map(({ company, jobs }) => ({ company, jobs })),
  };
}

const DONE: Partial<Record<EventType, string>> = {
  'problem.reviewed@1': 'Reviewed', 'problem.reopened@1': 'Taken back to check', 'problem.snoozed@1': 'Snoozed', 'problem.woken@1': 'Snooze ended',
  'problem.noted@1': 'Note', 'problem.ticketed@1': 'Ticket', 'problem.opened@1': 'Began', 'problem.closed@1': 'Over',
};

/** Who did what to the problem, newest first. */
async function historyOf(tx: TenantTx, problem: number): Promise<Execution['history']> {
  const events = await tx.sql.selectFrom('event').select(['type', 'at', 'actor', 'data'])
    .where('tenant_id', '=', tx.tenant).where('type', 'in', Object.keys(DONE))
    .where('entity', 'in', [`problem:${problem}`, 'problem:*']).where('entity', 'not like', 'run:%')
    .where(sql<boolean>`(data->>'n' = ${String(problem)} or data::jsonb->'problems' @> to_jsonb(${problem}::bigint))`)
    .orderBy('seq', 'desc').limit(100).execute();
  const names = new Map((await tx.sql.selectFrom('person').select(['id', 'name']).where('tenant_id', '=', tx.tenant).execute()).map(({ id, name }) => [id, name]));
  return events.map(({ type, at, actor, data }) => ({
    at: iso(at), who: actor.is === 'user' ? names.get(actor.id) ?? 'A former user' : actor.is === 'source' ? 'The source' : 'The clock',
    what: DONE[type as EventType] ?? type, comment: commentOf(data),
  }));
}

function commentOf(data: unknown): string | null {
  const { comment, content, reason, ticket } = data as { comment?: string | null; content?: string | null; reason?: string; ticket?: string | null };
  return comment ?? content ?? reason ?? ticket ?? null;
}
