import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CauseN, JobN, Ms, ProblemN, RunN } from '#contract/ids.ts';
import type { FoundOut, FoundResult } from '#contract/search/calls.ts';
import { getCoverage } from '#server/platform/queries/cover.ts';
import {
  byJob,
  getDays,
  arrayText,
  ofJob,
  ofReach,
  getRuns,
} from '#server/platform/queries/query.ts';
import type { Question, OperationalDay } from '#server/platform/queries/query.ts';
import type { JobHit, Seek } from './names.ts';
import { getFullScore, pickBest, getBits, byFit, getCount } from './match-words.ts';
import type { Bits } from './match-words.ts';

type Results = NonNullable<FoundOut['results']>;
/** The scope of a search in a period. `late` returns whether it has taken too long. */
export interface Sift {
  readonly seek: Seek;
  readonly hits: readonly JobHit[];
  readonly question: Question;
  readonly late: () => boolean;
}

/** For longer periods no single day is read; only problems and daily totals are used. */
export const MAX_DAYS_READ = 31;
/**
 * The maximum number of best matching jobs, of best matching causes, and of their newest problems.
 */
const MAX_JOBS = 50;
const MAX_CAUSES = 200;
const MAX_PROBLEMS = 2_000;
/** The maximum number of days without totals, which are read one by one. */
const MAX_UNSUMMED = 3;

/**
 * SEEK-3: finds results by the names of their job and the words of their cause, within a period.
 * For a month or less, each day is read, newest first, and problems come first within a day. For
 * longer periods, returns the last result of each problem, and then other results of jobs whose
 * name matches all words.
 */
export async function loadResults(sift: Sift): Promise<Results> {
  const {
    seek: { limit, words },
    question,
  } = sift;
  const days = getDays(question);
  const causes = await causeBits(sift);
  const ns =
    days.length > MAX_DAYS_READ ? await ofLongTime(sift, causes) : await ofDays(sift, causes, days);
  return words.length > 0 && sift.hits.length + causes.size === 0
    ? { rows: [], more: false }
    : { rows: await loadRunResults(sift, ns.slice(0, limit)), more: ns.length > limit };
}

/** Returns causes that contain a word, best match first. Placeholders do not count as words. */
async function causeBits({ seek: { tx, words } }: Sift): Promise<ReadonlyMap<CauseN, Bits>> {
  if (words.length === 0) return new Map();
  const { rows } = await sql<{
    n: CauseN;
    bits: Bits;
  }>`select n, bits from (select n, ${getBits(sql`key`, words)} as bits from (
      select n, lower(regexp_replace(template, '‹[a-z]+›', ' ', 'g')) as key from cause where tenant_id = ${tx.tenant} offset 0) as one offset 0) as hit where bits > 0`.execute(
    tx.sql,
  );
  return new Map(
    rows
      .sort((a, b) => getCount(b.bits) - getCount(a.bits) || b.n - a.n)
      .slice(0, MAX_CAUSES)
      .map(({ n, bits }) => [n, bits]),
  );
}

/** Reads the newest day first, and stops once there are enough results. */
async function ofDays(
  sift: Sift,
  causes: ReadonlyMap<CauseN, Bits>,
  days: readonly OperationalDay[],
): Promise<readonly RunN[]> {
  const {
    seek: { tx, words, limit },
    hits,
    question,
    late,
  } = sift;
  const all = getFullScore(words);
  const found: RunN[] = [];
  const ofBits = new Map<Bits, CauseN[]>();
  for (const [n, bits] of causes) ofBits.set(bits, [...(ofBits.get(bits) ?? []), n]);
  const max = hits.reduce((bits, one) => Math.max(bits, getCount(one.bits)), 0);
  const jobs = sql`coalesce(${ofJob(byJob(hits.map(({ n, bits }) => [n, bits])))}, 0)`;
  const ways: RawBuilder<boolean>[] = hits.some(({ bits }) => bits === all)
    ? [sql`${jobs} = ${sql.lit(all)}`]
    : [];
  for (const [bits, ns] of ofBits)
    if (getCount(bits) + max >= words.length)
      ways.push(
        sql`(problem.cause_n = any(${arrayText(ns)}::text::bigint[]) and ${jobs} | ${sql.lit(bits)} = ${sql.lit(all)})`,
      );
  if (words.length > 0 && ways.length === 0) return [];
  for (const { from, to } of days.toReversed()) {
    const { rows } = await sql<{
      n: RunN;
    }>`select run.n from run left join problem on problem.tenant_id = ${tx.tenant} and problem.n = run.problem_n
      where ${getRuns(tx.tenant, question, from, to)} ${ways.length === 0 ? sql`` : sql`and (${sql.join(ways, sql` or `)})`}
      order by (run.problem_n is null), run.started_at desc, run.n desc limit ${limit + 1 - found.length}`.execute(
      tx.sql,
    );
    found.push(...rows.map(({ n }) => n));
    if (found.length > limit || late()) break;
  }
  return found;
}

interface Problem {
  readonly n: ProblemN;
  readonly job: JobN;
  readonly cause: CauseN;
  readonly at: Ms;
}

async function ofLongTime(sift: Sift, causes: ReadonlyMap<CauseN, Bits>): Promise<readonly RunN[]> {
  const {
    seek: { tx, words, limit, names },
    hits,
    late,
  } = sift;
  const all = getFullScore(words);
  const order = byFit(words);
  const bitsOfJob = new Map(hits.map(({ n, bits }) => [n, bits]));
  const best = pickBest(
    hits,
    MAX_JOBS,
    (a, b) =>
      getCount(b.bits) - getCount(a.bits) ||
      order(a.name, b.name) ||
      order(names.get(a.company) ?? '', names.get(b.company) ?? '') ||
      a.n - b.n,
  );
  const some = [
    ...(await loadProblems(
      sift,
      'job_n',
      best.map(({ n }) => n),
    )),
    ...(late() ? [] : await loadProblems(sift, 'cause_n', [...causes.keys()])),
  ];
  const problems = pickBest(
    new Map(
      some
        .filter(({ job, cause }) => ((bitsOfJob.get(job) ?? 0) | (causes.get(cause) ?? 0)) === all)
        .map((one) => [one.n, one]),
    ).values(),
    limit + 1,
    (a, b) => b.at - a.at || b.n - a.n,
  );
  const rows = await tx.rows(
    'problem',
    problems.map(({ n }) => n),
  );
  const found = new Set(problems.flatMap(({ n }) => rows.get(n)?.lastRun ?? []));
  const whole = best.filter(({ bits }) => bits === all).map(({ n }) => n);
  if (found.size > limit || whole.length === 0 || late()) return [...found];
  for (const n of await plain(sift, whole, limit + 1)) found.add(n);
  return [...found];
}

/** Returns the newest problems of each job or each cause whose last result is in the period. */
async function loadProblems(
  { seek: { tx, limit }, question }: Sift,
  by: 'job_n' | 'cause_n',
  of: readonly number[],
): Promise<readonly Problem[]> {
  if (of.length === 0) return [];
  const { rows } =
    await sql<Problem>`select own.n, own.job, own.cause, own.at from unnest(${arrayText(of)}::text::bigint[]) as it cross join lateral (
      select n, job_n as job, cause_n as cause, last_at as at from problem where ${ofReach('problem', tx.tenant, question)} and ${sql.ref(`problem.${by}`)} = it and last_at >= ${question.from} and last_at < ${question.to}
      order by last_at desc limit ${Math.max(limit + 1, Math.floor(MAX_PROBLEMS / of.length))}) as own`.execute(
      tx.sql,
    );
  return rows;
}

/**
 * Returns the newest results of some jobs: finds their newest days by the totals, and reads the
 * results of those days.
 */
async function plain(
  { seek: { tx }, question, late }: Sift,
  jobs: readonly JobN[],
  max: number,
): Promise<readonly RunN[]> {
  const { days, gaps } = await getCoverage(tx, [question.from, question.to]);
  const first = days[0]?.day;
  const last = days.at(-1)?.day;
  const found: RunN[] = [];
  const these = sql`${arrayText(jobs)}::text::bigint[]`;
  const times: Pick<OperationalDay, 'from' | 'to'>[] = gaps
    .flatMap(({ edges }) =>
      getDays({ from: edges[0] ?? 0, to: edges.at(-1) ?? 0, wall: question.wall }),
    )
    .slice(-MAX_UNSUMMED);
  if (first !== undefined && last !== undefined) {
    const { rows } = await sql<{
      from: Ms;
      to: Ms;
    }>`select from_at as "from", to_at as "to" from run_total_day where tenant_id = ${tx.tenant} and day in (
      select day from unnest(${these}) as job cross join lateral (
        select day from run_total where run_total.tenant_id = ${tx.tenant} and job_n = job and runs > 0 and day between ${first}::int and ${last}::int order by day desc limit ${max}) as own
      group by day order by day desc limit ${max})`.execute(tx.sql);
    times.push(...rows);
  }
  for (const { from, to } of times.sort((a, b) => b.from - a.from)) {
    const { rows } = await sql<{
      n: RunN;
    }>`select run.n from run where ${getRuns(tx.tenant, question, from, to)} and run.job_n = any(${these})
      order by (run.problem_n is null), run.started_at desc, run.n desc limit ${max - found.length}`.execute(
      tx.sql,
    );
    found.push(...rows.map(({ n }) => n));
    if (found.length >= max || late()) break;
  }
  return found;
}

async function loadRunResults(
  { seek: { tx, names } }: Sift,
  ns: readonly RunN[],
): Promise<FoundResult[]> {
  const runs = await tx.rows('run', ns);
  const jobs = await tx.rows('job', [...new Set([...runs.values()].map(({ job }) => job))]);
  return ns.flatMap((n): FoundResult[] => {
    const run = runs.get(n);
    const job = run && jobs.get(run.job);
    return run && job
      ? [
          {
            n,
            job: run.job,
            jobName: job.name,
            computer: job.computer,
            company: run.company,
            companyName: names.get(run.company) ?? '',
            startedAt: run.startedAt,
            state: run.status === 'Success' && run.anomaly.length > 0 ? 'Anomaly' : run.status,
            message: run.message,
          },
        ]
      : [];
  });
}
