import { CompiledQuery } from 'kysely';
import type { RowId } from '#contract/fold.ts';
import type { Tables } from '#contract/tables.ts';
import type { Ms, RunN } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { causeName } from '../features/ingest/decide.ts';
import { lock } from '../features/ingest/load-decision-state.ts';
import { keepLogs, keepTasks } from '../features/ingest/run-details.ts';
import type { TenantTx } from '../platform/db/store.ts';
import type { AppContext } from '../platform/app-context.ts';
import { type SeedActors, generateHistory, type WholeState } from './generate-history.ts';
import { PAST_DAYS, type ProviderPlan } from './plan.ts';
import { loadSeedActors, getHistoryStart } from './provision.ts';

/** The name of the server setting that stores how far a provider's demo data is written. */
export const getHistoryKey = (plan: Pick<ProviderPlan, 'id'>): string => `estate ${plan.id}`;

/** Jobs × days in one transaction. */
const BATCH_SIZE = 25_000;
const MAX_DAYS = 8;

/** The progress, in `days` of `of` days. */
export interface LoadProgress {
  readonly provider: string;
  readonly days: number;
  readonly of: number;
  readonly runs: number;
}

/**
 * Writes the history of a provider up to `until`, from where the last write ended. Each transaction
 * stores its end, so an interrupted load continues at the next start and writes nothing twice.
 * After a longer pause it writes only the last thirty days. Returns how many runs it added.
 */
export async function loadHistory(
  context: AppContext,
  plan: ProviderPlan,
  until: Ms,
  onProgress: (progress: LoadProgress) => void,
): Promise<number> {
  const mark = await markAt(context, plan);
  const begun = Math.max(mark ?? 0, until - PAST_DAYS * DAY_MS, getHistoryStart(plan));
  const cast = await loadSeedActors(
    context,
    plan,
    until,
    mark !== null && begun > mark ? begun : 0,
  );
  let last: { readonly rows: WholeState; readonly seq: number } | null = null;
  let runs = 0;
  for (let from = begun; from < until;) {
    const to = Math.min(until, getHistoryEnd(plan, from));
    const known: typeof last = last;
    // The transaction changes this state. If it fails, the state must be loaded again.
    last = null;
    const done: { readonly rows: WholeState; readonly seq: number; readonly runs: number } =
      await context.store.tenant(
        plan.id,
        async (tx) => {
          const next = await lock(tx);
          const head = await tx.head();
          const rows = known?.seq === head.seq ? known.rows : await loadHistoryState(tx, from);
          rows.next = next;
          const past = generateHistory(plan, cast, rows, from, to);
          const logged = await tx.append(past.drafts, past.by, {
            job: rows.next.job - next.job,
            run: rows.next.run - next.run,
            problem: rows.next.problem - next.problem,
            cause: rows.next.cause - next.cause,
          });
          await keepLogs(tx, past.logs);
          await keepTasks(tx, past.tasks);
          await noteHeard(tx, cast, to);
          await tx.sql
            .insertInto('server_setting')
            .values({ name: getHistoryKey(plan), value: String(to) })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(to) }))
            .execute();
          return { rows, seq: logged.at(-1)?.seq ?? head.seq, runs: past.runs };
        },
        { long: true },
      );
    forget(done.rows);
    last = done;
    runs += done.runs;
    from = to;
    onProgress({
      provider: plan.branding.name,
      days: Math.round((to - begun) / DAY_MS),
      of: Math.round((until - begun) / DAY_MS),
      runs,
    });
  }
  return runs;
}

/** Returns up to when the provider's demo data is written; null if nothing is. */
export const markAt = (context: AppContext, plan: Pick<ProviderPlan, 'id'>): Promise<Ms | null> =>
  context.store.system(async (sql) => {
    const row = await sql
      .selectFrom('server_setting')
      .select('value')
      .where('name', '=', getHistoryKey(plan))
      .executeTakeFirst();
    return row === undefined ? null : Number(row.value);
  });

/** Pieces end at midnight UTC, when no simulated technician works. */
function getHistoryEnd(plan: ProviderPlan, from: Ms): Ms {
  const days = Math.max(
    1,
    Math.min(MAX_DAYS, Math.floor(BATCH_SIZE / Math.max(1, plan.jobs.length) / 1.6)),
  );
  return (Math.floor(from / DAY_MS) + days) * DAY_MS;
}

/**
 * Loads the decision state of a whole provider. Runs: recent ones that may be reported again,
 * running ones, and open anomalies.
 */
async function loadHistoryState(tx: TenantTx, from: Ms): Promise<WholeState> {
  const [job, stat, cause] = [
    byNumber(await tx.all('job')),
    byNumber(await tx.all('stat')),
    byNumber(await tx.all('cause')),
  ];
  const problem = byNumber(
    await rowsWhere<Tables['problem']>(
      tx,
      'select row from problem where tenant_id = $1 and closed_at is null',
    ),
  );
  const strange = [...problem.values()]
    .filter(({ state }) => state === 'Anomaly')
    .map(({ lastRun }) => lastRun);
  const run = byNumber([
    ...(await rowsWhere<Tables['run']>(
      tx,
      `select row from run where tenant_id = $1 and (status = 'Running' or (started_at >= $2 and status <> 'Missed'))`,
      [from - 2 * DAY_MS],
    )),
    ...(await tx.rows('run', strange)).values(),
  ]);
  const missed = await tx.sql
    .selectFrom('run')
    .select('uid')
    .where('tenant_id', '=', tx.tenant)
    .where('status', '=', 'Missed')
    .where('started_at', '>=', from - PAST_DAYS * DAY_MS)
    .execute();
  return {
    job,
    stat,
    cause,
    problem,
    run,
    missed: new Set(missed.map(({ uid }) => uid)),
    key: new Map(),
    logged: new Map(),
    runByStart: new Map(),
    next: { job: 0, run: 0, problem: 0, cause: 0 },
    jobByUid: new Map([...job.values()].map(({ uid, n }) => [uid, n])),
    runByUid: new Map([...run.values()].map(({ uid, n }) => [uid, n])),
    causeByName: new Map(
      [...cause.values()].map(({ kind, template, n }) => [causeName(kind, template), n]),
    ),
  };
}

/** Removes rows that no later piece needs. */
function forget({ run, runByUid, runByStart, problem }: WholeState): void {
  const stored = new Set<RunN>();
  for (const [n, one] of problem) {
    if (one.closedAt !== null) problem.delete(n);
    else if (one.state === 'Anomaly') stored.add(one.lastRun);
  }
  for (const [n, one] of run) if (one.status !== 'Running' && !stored.has(one.n)) run.delete(n);
  runByStart.clear();
  for (const [uid, n] of runByUid) if (run.get(n)?.status !== 'Running') runByUid.delete(uid);
}

const byNumber = <R extends { readonly n: number }>(rows: readonly R[]): Map<RowId, R> =>
  new Map(rows.map((row) => [row.n, row]));

async function rowsWhere<R>(
  tx: TenantTx,
  statement: string,
  more: readonly unknown[] = [],
): Promise<R[]> {
  const { rows } = await tx.sql.executeQuery(CompiledQuery.raw(statement, [tx.tenant, ...more]));
  return (rows as { readonly row: R }[]).map(({ row }) => row);
}

/** Marks all keys as used until `at`. */
async function noteHeard(tx: TenantTx, cast: SeedActors, at: Ms): Promise<void> {
  await tx.sql.executeQuery(
    CompiledQuery.raw(
      `insert into source_health (tenant_id, key_id, last_heard_at) select h.tenant_id, key_id, $3::bigint from head as h, json_array_elements_text($2::text::json) as x(key_id)
    where h.tenant_id = $1
    on conflict (tenant_id, key_id) do update set last_heard_at = greatest(source_health.last_heard_at, excluded.last_heard_at)`,
      [tx.tenant, JSON.stringify([...cast.heard]), at],
    ),
  );
}
