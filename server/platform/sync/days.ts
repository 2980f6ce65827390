import { sql } from 'kysely';
import type { CompanyN, Day } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { encodeColumns, toLeanRun } from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { HeadPosition, TenantTx } from '#server/platform/db/store.ts';
import { isCompanyInScope } from './scope.ts';
import type { SyncScope } from './scope.ts';

export interface DayInfo {
  readonly day: Day;
  readonly rows: number;
  readonly tag: string;
}

/**
 * Returns the days of the window that have runs of the scope, newest first. A day's tag changes
 * when any of its runs does, and when a job changes its kind.
 */
export async function loadDays(
  tx: TenantTx,
  scope: SyncScope,
  from: Day,
  head: HeadPosition,
): Promise<DayInfo[]> {
  const days = await changedDays(tx, scope, from);
  const changed = days.length === 0 ? 0 : await loadLastKindChange(tx, scope);
  return days.map(({ day, rows, seq, left }) => ({
    day,
    rows,
    tag: getEntityTag(head.epoch, day, Math.max(seq, changed), scope, left),
  }));
}

/**
 * SYNC-11: returns the last event that changed the kind of a job in the scope; 0 if there is none.
 */
async function loadLastKindChange(tx: TenantTx, scope: SyncScope): Promise<number> {
  const kinds = await tx.sql
    .selectFrom('job_kind')
    .select(['company_n', 'seq'])
    .where('tenant_id', '=', tx.tenant)
    .execute();
  return Math.max(
    0,
    ...kinds.flatMap(({ company_n: company, seq }) =>
      isCompanyInScope(scope, company) ? [seq] : [],
    ),
  );
}

/** `left`: the day's results of deleted companies. */
interface ChangedDay {
  readonly day: Day;
  readonly rows: number;
  readonly seq: number;
  readonly left?: boolean;
}

async function changedDays(tx: TenantTx, scope: SyncScope, from: Day): Promise<ChangedDay[]> {
  if (scope.companies === null) {
    const days = await tx.sql
      .selectFrom('run_day')
      .select(['day', 'rows', 'seq'])
      .where('tenant_id', '=', tx.tenant)
      .where('day', '>=', from)
      .where('rows', '>', 0)
      .orderBy('day', 'desc')
      .execute();
    const gone = scope.deleted.size === 0 ? null : await deletedRuns(tx, scope, from);
    return gone === null
      ? days
      : days
          .map((one) => {
            const less = gone.get(one.day) ?? 0;
            return { ...one, rows: one.rows - less, left: less > 0 };
          })
          .filter(({ rows }) => rows > 0);
  }
  if (scope.companies.size === 0) return [];
  return await tx.sql
    .selectFrom('run')
    .select([
      RUN_DAY.as('day'),
      (e) => e.fn.countAll<number>().as('rows'),
      (e) => e.fn.max('seq').as('seq'),
    ])
    .where('tenant_id', '=', tx.tenant)
    .where('company_n', 'in', [...scope.companies])
    .where('started_at', '>=', Date.parse(from))
    .groupBy(RUN_DAY)
    .orderBy(RUN_DAY, 'desc')
    .execute();
}

const RUN_DAY = sql<Day>`to_char(to_timestamp(started_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`;

/** Returns how many results of deleted companies each day has, by their jobs. */
async function deletedRuns(
  tx: TenantTx,
  { deleted }: SyncScope,
  from: Day,
): Promise<ReadonlyMap<Day, number>> {
  const rows = await tx.sql
    .selectFrom('run')
    .select([RUN_DAY.as('day'), (e) => e.fn.countAll<number>().as('rows')])
    .where('tenant_id', '=', tx.tenant)
    .where('started_at', '>=', Date.parse(from))
    .where('job_n', 'in', (e) =>
      e
        .selectFrom('job')
        .select('n')
        .where('tenant_id', '=', tx.tenant)
        .where('company_n', 'in', [...deleted]),
    )
    .groupBy(RUN_DAY)
    .execute();
  return new Map(rows.map(({ day, rows: count }) => [day, count]));
}

export async function tagOfDay(
  tx: TenantTx,
  scope: SyncScope,
  day: Day,
  head: HeadPosition,
): Promise<string> {
  const [info] = (await loadDays(tx, scope, day, head)).filter((one) => one.day === day);
  return info?.tag ?? getEntityTag(head.epoch, day, 0, scope);
}

const getEntityTag = (
  epoch: string,
  day: Day,
  seq: number,
  { companies, deleted }: SyncScope,
  left = false,
): string =>
  `"${epoch.slice(0, 8)}-${day}-${seq}${companies === null ? '' : `-${inOrder(companies)}`}${left ? `-x${inOrder(deleted)}` : ''}"`;
const inOrder = (companies: ReadonlySet<CompanyN>): string =>
  [...companies].sort((a, b) => a - b).join('.');

/** Returns the day's runs as framed pages (`getDayRuns` in the contract), newest first. */
export async function loadPages(
  tx: TenantTx,
  scope: SyncScope,
  day: Day,
): Promise<Uint8Array<ArrayBuffer>> {
  const from = Date.parse(day);
  let query = tx.sql
    .selectFrom('run')
    .innerJoin('job', (join) =>
      join.onRef('job.tenant_id', '=', 'run.tenant_id').onRef('job.n', '=', 'run.job_n'),
    )
    .select([
      'run.row as run',
      sql<
        Pick<JobRow, 'managed' | 'source' | 'type'>
      >`json_build_object('managed', job.row->'managed', 'source', job.row->'source', 'type', job.row->'type')`.as(
        'job',
      ),
    ])
    .where('run.tenant_id', '=', tx.tenant)
    .where('job.tenant_id', '=', tx.tenant)
    .where('run.started_at', '>=', from)
    .where('run.started_at', '<', from + DAY_MS);
  if (scope.companies !== null)
    query = query.where(
      'run.company_n',
      'in',
      scope.companies.size === 0 ? [0] : [...scope.companies],
    );
  else if (scope.deleted.size > 0)
    query = query.where('run.company_n', 'not in', [...scope.deleted]);
  const rows = await query
    .orderBy(sql`run.started_at / 1000`, 'desc')
    .orderBy('run.n', 'desc')
    .execute();
  return frame(rows.map(({ run, job }) => toLeanRun(run, job)));
}

export function frame(runs: readonly LeanRun[]): Uint8Array<ArrayBuffer> {
  const pages: Uint8Array[] = [];
  for (let at = 0; at < runs.length; at += LIMITS.pageRows)
    pages.push(encodeColumns(runs.slice(at, at + LIMITS.pageRows)));
  const whole = new Uint8Array(pages.reduce((sum, page) => sum + 4 + page.length, 0));
  const view = new DataView(whole.buffer);
  let at = 0;
  for (const page of pages) {
    view.setUint32(at, page.length, true);
    whole.set(page, at + 4);
    at += 4 + page.length;
  }
  return whole;
}
