import { CompiledQuery } from 'kysely';
import type { ProblemN } from '#contract/ids.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AuditRecord, EvidenceLine } from './evidence-log.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

/** Returns lines of the log as a person reads them. */
export async function toEvidence(
  tx: TenantTx,
  lines: readonly EvidenceLine[],
): Promise<Evidence[]> {
  if (lines.length === 0) return [];
  const problemByLine = await problemsOfJobs(tx, lines);
  const named = lines.map((line) => ({
    line,
    problem: line.problem ?? problemByLine.get(line) ?? null,
  }));
  const problems = await tx.rows('problem', unique(named.map(({ problem }) => problem)));
  const jobs = await tx.rows(
    'job',
    unique(named.map(({ line, problem }) => line.job ?? problems.get(problem ?? 0)?.job ?? null)),
  );
  const causes = await tx.rows('cause', unique([...problems.values()].map(({ cause }) => cause)));
  const companies = await tx.rows(
    'company',
    unique([...jobs.values()].map(({ company }) => company)),
  );
  const people = await loadPeople(tx);
  return named.map(({ line: { record: action, what, job: about }, problem }): Evidence => {
    const row = problems.get(problem ?? 0);
    const job = jobs.get(about ?? row?.job ?? 0);
    if (!job) throw new Error(`event ${action.seq} names no job`);
    return {
      at: action.at,
      who: getActorName(action, people),
      what,
      company: companies.get(job.company)?.name ?? '',
      job: job.name,
      computer: job.computer,
      source: job.source,
      type: job.type,
      state: row?.state ?? getState(action),
      cause: causes.get(row?.cause ?? 0)?.template ?? '',
      runs: row?.runs ?? 0,
      ...getCommentAndUntil(action),
    };
  });
}

const unique = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.flatMap((id) => id ?? [])),
];

/** Returns the comment and the end date of an action. */
function getCommentAndUntil({ event: { data } }: AuditRecord): Pick<Evidence, 'comment' | 'until'> {
  const { comment, content, reason, ticket, until } = data as {
    comment?: string | null;
    content?: string | null;
    reason?: string;
    ticket?: string | null;
    until?: number | null;
  };
  return { comment: comment ?? content ?? reason ?? ticket ?? null, until: until ?? null };
}

const getState = ({ event }: AuditRecord): string =>
  'what' in event.data && event.data.what === 'disabled' ? 'Disabled' : '';

const getActorName = (
  { actor, subject }: AuditRecord,
  people: ReadonlyMap<string, string>,
): string =>
  subject !== null
    ? (people.get(subject) ?? actorMessages.formerUser)
    : actor.kind === 'user'
      ? (people.get(actor.id) ?? actorMessages.formerUser)
      : actor.kind === 'source'
        ? actorMessages.source
        : actor.kind === 'rule'
          ? actorMessages.rule({ name: actor.name })
          : actorMessages.system;

async function loadPeople(tx: TenantTx): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.sql
    .selectFrom('person')
    .select(['id', 'name'])
    .where('tenant_id', '=', tx.tenant)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/**
 * Selects each problem by its job's index, and its beginning by its entity name in the log. The
 * name is computed in the subquery: computed in the comparison, the table's row-level security
 * policy prevents the index lookup. A problem whose beginning the log no longer has began before all
 * actions.
 */
export const PROBLEMS_THEN = `select x.i, p.n from json_to_recordset($2::text::json) as x(i int, job bigint, seq bigint, at bigint, missed boolean)
  cross join lateral (
    select n from (
      select n, 'problem:' || n as name from problem
      where tenant_id = $1 and job_n = x.job and (not x.missed or (row->>'state' = 'Missed' and (closed_at is null or closed_at >= x.at))) offset 0
    ) as own
    where coalesce((select case type when 'problem.opened@1' then seq else 0 end from event where tenant_id = $1 and entity = own.name and entity not like 'run:%' order by seq limit 1), 0) < x.seq
    order by n desc limit 1
  ) as p`;

/**
 * Returns the problem that an action on a job was about. For "mark as normal" it is the newest
 * problem that had begun by then. For an ignored missed job it is the missed-run problem open at
 * that time. A disabled job has no such problem.
 */
async function problemsOfJobs(
  tx: TenantTx,
  lines: readonly EvidenceLine[],
): Promise<ReadonlyMap<EvidenceLine, ProblemN>> {
  const lookUps = lines.flatMap((line, index) => {
    const { event } = line.record;
    if (line.job === null || ('what' in event.data && event.data.what === 'disabled')) return [];
    return [
      {
        i: index,
        job: line.job,
        seq: line.record.seq,
        at: line.record.at,
        missed: event.type !== 'job.calibrated@1',
      },
    ];
  });
  const found = await select<{ i: number; n: ProblemN }>(tx, PROBLEMS_THEN, lookUps);
  return new Map(
    found.flatMap(({ i, n }) => {
      const line = lines[i];
      return line ? [[line, n] as const] : [];
    }),
  );
}

async function select<R>(
  tx: TenantTx,
  statement: string,
  records: readonly object[],
): Promise<readonly R[]> {
  if (records.length === 0) return [];
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(statement, [tx.tenant, JSON.stringify(records)]),
  );
  return rows as R[];
}
