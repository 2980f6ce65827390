import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, JobN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { getDay, dayText, startOfDay } from '#contract/time/day.ts';
import type { DayN } from '#contract/time/day.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import type { JobFilters } from '#contract/runs/result-filters.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { describeError } from '#server/platform/http/serve-call.ts';
import type { SessionContext, Principal } from '#server/platform/http/handler.ts';
import { StoreError } from '#server/platform/db/retry.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { STATE_SQL } from '#server/platform/events/totals.ts';
import { toScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';

/** The provider's time zone and start of day, which bound operational days. */
export interface DayBounds {
  readonly timeZone: string;
  readonly dayBeginsHour: number;
}
/** Whose results to read. `companies` null: all except those in `without`. */
export interface QueryScope {
  readonly companies: readonly CompanyN[] | null;
  readonly without: readonly CompanyN[];
}
/** A time range, `to` exclusive, and whose results to read. */
export interface Question extends QueryScope {
  readonly from: Ms;
  readonly to: Ms;
  readonly wall: DayBounds;
  readonly now: Ms;
}
export interface OperationalDay {
  readonly n: DayN;
  readonly date: string;
  readonly from: Ms;
  readonly to: Ms;
}

interface Given {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly filters?: Pick<JobFilters, 'companyIds'> | undefined;
}

/** The time limit of a report query. */
const MAX_MS = 25_000;

/**
 * Queries the database in its own snapshot. `sentence`: the message if the query fails; `days`: the
 * number of days if the caller names none.
 */
export async function answer<T>(
  context: AppContext,
  ctx: SessionContext,
  sentence: string,
  { from, to, filters }: Given,
  days: number,
  work: (tx: TenantTx, question: Question) => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await context.store.tenant(
      ctx.tenant,
      async (tx) => {
        await sql`select set_config('statement_timeout', ${String(MAX_MS)}, true), set_config('work_mem', '32MB', true)`.execute(
          tx.sql,
        );
        const wall = await loadCompanyLimit(tx);
        const reach = getScope(ctx, {
          companyIds: await companyNumbers(tx, filters?.companyIds ?? []),
        });
        const time = getTime(from, to, days, wall, ctx.now);
        return time.ok ? work(tx, { ...time.value, ...reach, wall, now: ctx.now }) : time;
      },
      { readOnly: true },
    );
  } catch (error) {
    if (error instanceof StoreError) throw error;
    context.log.error('a report failed', describeError(error));
    return failed({ kind: 'server-error', message: sentence });
  }
}

export const loadCompanyLimit = async ({ sql: db, tenant }: TenantTx): Promise<DayBounds> => {
  const {
    branding: { timeZone, dayBeginsHour },
  } = await db
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return { timeZone, dayBeginsHour };
};

/** Returns the requested companies, limited to those that the user sees. */
export function getScope(
  { session }: { readonly session: Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted'> },
  filters: { readonly companyIds: readonly CompanyN[] } | undefined,
): QueryScope {
  const { companies, deleted } = toScope(session);
  const requested = filters?.companyIds ?? [];
  const seen = companies === null ? null : [...companies];
  const meant =
    requested.length === 0
      ? seen
      : requested.filter((n) => !deleted.has(n) && (companies === null || companies.has(n)));
  return { companies: meant, without: [...deleted] };
}

/** A number that no company has, so that an unknown id matches nothing instead of everything. */
const UNKNOWN: CompanyN = -1;

/** Returns the numbers of a filter's companies. */
async function companyNumbers(
  tx: TenantTx,
  ids: readonly (CompanyN | string)[],
): Promise<readonly CompanyN[]> {
  if (ids.every((id) => typeof id === 'number')) return ids;
  const numbers = new Map((await tx.all('company')).map(({ id, n }) => [id.toLowerCase(), n]));
  return ids.map((id) => (typeof id === 'number' ? id : (numbers.get(id) ?? UNKNOWN)));
}

/** Without an end, until the end of today; without a start, this many days before the end. */
function getTime(
  from: Ms | undefined,
  to: Ms | undefined,
  days: number,
  { timeZone, dayBeginsHour }: DayBounds,
  now: Ms,
): Result<{ readonly from: Ms; readonly to: Ms }> {
  const start = (day: DayN): Ms => startOfDay(day, timeZone, dayBeginsHour);
  const end = to ?? start(getDay(now, timeZone, dayBeginsHour) + 1);
  const first = from ?? start(getDay(end - 1, timeZone, dayBeginsHour) - days + 1);
  if (end <= first) return failed(bad('to', MESSAGES.evidenceEmpty));
  return end - first > MAX_REPORT_DAYS * DAY_MS
    ? failed(bad('from', MESSAGES.evidenceTooLong))
    : ok({ from: first, to: end });
}

export const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});

/** Returns the operational days that overlap a time range, oldest first, cut to the range. */
export function getDays({
  from,
  to,
  wall: { timeZone, dayBeginsHour },
}: Pick<Question, 'from' | 'to' | 'wall'>): readonly OperationalDay[] {
  const first = getDay(from, timeZone, dayBeginsHour);
  const last = getDay(to - 1, timeZone, dayBeginsHour);
  const starts = Array.from({ length: last - first + 2 }, (_, i) =>
    startOfDay(first + i, timeZone, dayBeginsHour),
  );
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    n: first + i,
    date: dayText(first + i),
    from: Math.max(from, starts[i] ?? from),
    to: Math.min(to, starts[i + 1] ?? to),
  }));
}

/** Devices store runs by whole seconds, so a run is in a time range if its second is. */
export const second = (at: Ms): Ms => Math.ceil(at / 1000) * 1000;
export const arrayText = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;
export const getEdges = (edges: readonly Ms[]): string => arrayText(edges.map(second));

/** Returns the condition for rows of a table with `company_n`. */
export const ofReach = (
  table: 'run' | 'run_total' | 'job' | 'problem' | 'repository' | 'computer' | 'ticket',
  tenant: string,
  { companies, without }: QueryScope,
): RawBuilder<boolean> => {
  const of = sql.ref(`${table}.tenant_id`);
  const n = sql.ref(`${table}.company_n`);
  if (companies !== null)
    return sql`${of} = ${tenant} and ${n} = any(${arrayText(companies)}::text::bigint[])`;
  return without.length === 0
    ? sql`${of} = ${tenant}`
    : sql`${of} = ${tenant} and ${n} <> all(${arrayText(without)}::text::bigint[])`;
};

/** Returns the condition for runs of a time range, by the index of starts. */
export const getRuns = (tenant: string, reach: QueryScope, from: Ms, to: Ms): RawBuilder<boolean> =>
  sql`${ofReach('run', tenant, reach)} and run.started_at >= ${second(from)} and run.started_at < ${second(to)}`;

/**
 * Returns one array with a number per job, indexed by job number; 0 for jobs without one. With a
 * join or `any(…)`, PostgreSQL compared ten thousand jobs one by one with every run, because the
 * planner can't know how many there are.
 */
export function byJob(of: Iterable<readonly [JobN, number]>): string {
  const numbers: number[] = [];
  for (const [n, one] of of) {
    while (numbers.length < n) numbers.push(0);
    numbers[n - 1] = one;
  }
  return arrayText(numbers);
}
/**
 * Returns the array's value for a run's job. The plan evaluates the array once, as a value, not as
 * a table that it may read again for every run.
 */
export const ofJob = (numbers: string, table: 'run' | 'run_total' = 'run'): RawBuilder<number> =>
  sql`((select ${numbers}::text::int[]))[${sql.ref(`${table}.job_n`)}]`;
/** Returns the index of the stretch between edges in which a run began, from 0. */
export const buildStretch = (edges: readonly Ms[]): RawBuilder<number> =>
  sql`width_bucket(run.started_at, (select ${getEdges(edges)}::text::bigint[])) - 1`;

export const STATE = sql.raw<string>(STATE_SQL);
