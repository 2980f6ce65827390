import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { JobN, RunN } from '#contract/ids.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { ResultFilters, ResultSort, SortedBy } from '#contract/runs/result-filters.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isNamed, getKey, meantJobs } from './known-jobs.ts';
import type { KnownJob, KnownJobs } from './known-jobs.ts';
import { reviewIn } from './problems.ts';
import { byJob, ofJob, getRuns, STATE } from './query.ts';
import type { Question } from './query.ts';

/** Which results, in which order. `note`: words in the problem's note. */
export interface Wanted {
  readonly filters?: ResultFilters | undefined;
  readonly note?: string | undefined;
  readonly sort?: ResultSort | undefined;
}
export interface Window {
  readonly first: number;
  readonly max: number;
}

const NEWEST: ResultSort = { by: 'startTime', descending: true };
/** The list on devices has whole seconds. */
const NEWEST_FIRST = sql`run.started_at / 1000 desc, run.n desc`;

/**
 * Returns the numbers of results in order. The statement reads only the runs of the time range, by
 * the index of starts.
 */
export async function findResults(
  tx: TenantTx,
  question: Question,
  jobs: KnownJobs,
  wanted: Wanted,
  { first, max }: Window,
): Promise<readonly RunN[]> {
  const { sort = NEWEST } = wanted;
  const order = buildOrder(sort, jobs);
  const { rows } = await sql<{
    readonly n: RunN;
  }>`select run.n ${buildFrom(tx, question, jobs, wanted)} order by ${order ?? getTime(sort)} limit ${max} offset ${first}`.execute(
    tx.sql,
  );
  return rows.map(({ n }) => n);
}

export async function countResults(
  tx: TenantTx,
  question: Question,
  jobs: KnownJobs,
  wanted: Wanted,
): Promise<number> {
  const { rows } = await sql<{
    readonly count: number;
  }>`select count(*) as count ${buildFrom(tx, question, jobs, wanted)}`.execute(tx.sql);
  return rows[0]?.count ?? 0;
}

function buildFrom(
  tx: TenantTx,
  question: Question,
  jobs: KnownJobs,
  { filters = {}, note }: Wanted,
): RawBuilder<unknown> {
  const { status = [], state = null, ignored = null, anomaly = true } = filters;
  const meant = meantJobs(jobs, filters);
  const text = getKey(filters.text);
  const said = getKey(note);
  const ofProblem = state !== null || ignored !== null || said !== '';
  const conditions = [
    getRuns(tx.tenant, question, question.from, question.to),
    ...(meant === null ? [] : [sql`${ofJob(toSqlList([...meant.keys()]))} = 1`]),
    ...(status.length === 0 ? [] : [sql`${STATE} = any(${`{${status.join(',')}}`}::text[])`]),
    ...(state === null ? [] : [sql`${reviewIn(question.now, anomaly)} = ${state}`]),
    ...(ignored === null
      ? []
      : [sql`(${reviewIn(question.now, anomaly)} = 'snoozed') = ${ignored}`]),
    ...(said === '' ? [] : [sql`position(${said} in lower(problem.row->'note'->>'content')) > 0`]),
    ...(text === ''
      ? []
      : [
          sql`(coalesce(${ofJob(toSqlList([...(meant ?? jobs)].filter(([, one]) => isNamed(one, text)).map(([n]) => n)))}, 0) = 1 or position(${text} in lower(run.row->>'message')) > 0)`,
        ]),
  ];
  return sql`from run ${ofProblem ? sql`left join problem on problem.tenant_id = ${tx.tenant} and problem.n = run.problem_n` : sql``} where ${sql.join(conditions, sql` and `)}`;
}

const toSqlList = (jobs: readonly JobN[]): string => byJob(jobs.map((n) => [n, 1]));

const NUMBERS = {
  durationSec: sql`(run.row->>'durationSec')::bigint`,
  bytesTransferred: sql`(run.row->>'bytes')::bigint`,
} as const;
const NAMES = {
  jobName: ({ job }) => job.name,
  companyName: (one) => one.companyName,
  computerName: ({ job }) => job.computer,
  source: ({ job }) => job.source,
  type: ({ job }) => job.type,
} as const satisfies Partial<Record<SortedBy, (known: KnownJob) => string>>;
const isName = (by: SortedBy): by is keyof typeof NAMES => by in NAMES;

const way = (descending: boolean): RawBuilder<unknown> => (descending ? sql`desc` : sql`asc`);
const getTime = ({ descending }: ResultSort): RawBuilder<unknown> =>
  descending ? NEWEST_FIRST : sql`run.started_at / 1000, run.n`;

/**
 * Returns null if the order is by time alone. Names sort naturally: ignoring case and accents,
 * numbers by value.
 */
function buildOrder({ by, descending }: ResultSort, jobs: KnownJobs): RawBuilder<unknown> | null {
  if (by === 'startTime') return null;
  if (by === 'status')
    return sql`array_position(array[${sql.join(RUN_STATES)}]::text[], ${STATE}) ${way(descending)}, ${NEWEST_FIRST}`;
  if (!isName(by)) return sql`${NUMBERS[by]} ${way(descending)} nulls last, ${NEWEST_FIRST}`;
  const getName = NAMES[by];
  const names = [...jobs.values()]
    .map((known) => ({ n: known.job.n, name: getName(known) }))
    .sort((a, b) => AS_READ.compare(a.name, b.name));
  let rank = 0;
  const ranks = names.map(({ name }, i) => {
    const before = names[i - 1];
    if (before && AS_READ.compare(before.name, name) !== 0) rank += 1;
    return rank;
  });
  return sql`${ofJob(byJob(names.map(({ n }, i) => [n, ranks[i] ?? 0])))} ${way(descending)} nulls last, ${NEWEST_FIRST}`;
}
const AS_READ = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
