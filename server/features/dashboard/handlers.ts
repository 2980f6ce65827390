import { sql } from 'kysely';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RankedOut } from '#contract/reports/result-rows.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { countsAsBackup, ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import type { SessionContext, Handlers } from '#server/platform/http/handler.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { knownJobs, namedJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJob, KnownJobs } from '#server/platform/queries/known-jobs.ts';
import { getReview } from '#contract/runs/review.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { openProblems } from '#server/platform/queries/problems.ts';
import { answer, bad, getDays } from '#server/platform/queries/query.ts';
import type { Question } from '#server/platform/queries/query.ts';
import {
  heaps,
  isJudgedClass,
  splitClass,
  getTally,
  loadTotals,
  wholeClass,
} from '#server/platform/queries/totals.ts';
import type { ClassOf, Summed, Total } from '#server/platform/queries/totals.ts';

const iso = (at: Ms): string => new Date(at).toISOString();
const MAX_HOURS = 7 * 24 + 1;
const LAST_DAYS = 7;
const RANKED = 5;

/** REP-3, REP-5: the dashboard's numbers for API clients. */
export function overviewHandlers(
  context: AppContext,
): Pick<
  Handlers,
  'overviewStats' | 'chartResults' | 'rankFailures' | 'rankDuration' | 'rankTransferred'
> {
  return {
    overviewStats: (input, ctx) =>
      answer<OutputOf<'overviewStats'>>(
        context,
        ctx,
        MESSAGES.getStats,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const { from, to, now } = question;
          const jobs = namedJobs(await knownJobs(tx, question), input.filters);
          const counts = countsAsBackup(input.filters?.type ?? []);
          const all = await loadTotals(
            tx,
            question,
            [from - (to - from), from, to],
            new Map(
              [...jobs].map(([n, { job }]) => [
                n,
                splitClass(ENTITY_GROUPS.indexOf(job.group), counts(job.type)),
              ]),
            ),
            ['bytes'],
          );
          const by = (stretch: number, place: number | null = null) =>
            getTally(
              all.filter(
                (one) =>
                  one.stretch === stretch && (place === null || wholeClass(one.class) === place),
              ),
              isJudgedClass,
            );
          const ran = await ranOnce(tx);
          const rows = [...jobs.values()].map(({ job }) => job);
          const open = (await openProblems(tx, question)).filter(({ job }) => jobs.has(job));
          const groups = input.filters?.entityGroup ?? [];
          return ok({
            from: iso(from),
            to: iso(to),
            now: by(1),
            before: by(0),
            groups: ENTITY_GROUPS.flatMap((entityGroup, place) =>
              groups.length > 0 && !groups.includes(entityGroup)
                ? []
                : [{ entityGroup, now: by(1, place), before: by(0, place) }],
            ),
            jobs: {
              all: rows.length,
              disabled: rows.filter(({ enabled }) => !enabled).length,
              companies: new Set(rows.map(({ company }) => company)).size,
              neverRan: rows.filter(({ n, enabled }) => enabled && !ran.has(n)).length,
            },
            pending: open.filter((one) => getReview(one, now) === 'pending').length,
            didntRun: open.filter(({ state }) => state === 'Missed').length,
          });
        },
      ),

    chartResults: ({ every = 'day', ...input }, ctx) =>
      answer<OutputOf<'chartResults'>>(
        context,
        ctx,
        MESSAGES.getJobHistory,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const { from, to } = question;
          if (every === 'hour' && to - from > MAX_HOURS * HOUR_MS)
            return failed(bad('every', MESSAGES.hoursTooLong));
          const starts =
            every === 'day'
              ? getDays(question).map((day) => ({ date: day.date, from: day.from }))
              : getHours(question);
          const jobs = classed(await knownJobs(tx, question), input.filters);
          const byColumn = heaps(
            await loadTotals(tx, question, [...starts.map((one) => one.from), to], jobs, ['bytes']),
            ({ stretch }) => stretch,
          );
          return ok({
            from: iso(from),
            to: iso(to),
            every,
            columns: starts.map(({ date, from: start }, place) => ({
              date,
              from: iso(start),
              ...getTally(byColumn.get(place) ?? [], isJudgedClass),
            })),
          });
        },
      ),

    rankFailures: (input, ctx) =>
      ranking(context, ctx, input, [], (totals) =>
        sum(
          totals.filter(({ state }) => state === 'Failed' || state === 'Error'),
          ({ runs }) => runs,
        ),
      ),
    rankDuration: (input, ctx) =>
      ranking(context, ctx, input, ['seconds'], (totals) => {
        const finished = sum(totals, (one) => one.finished);
        return finished === 0 ? 0 : Math.round(sum(totals, ({ seconds }) => seconds) / finished);
      }),
    rankTransferred: (input, ctx) =>
      ranking(context, ctx, input, ['bytes'], (totals) => sum(totals, ({ bytes }) => bytes)),
  };
}

/** Returns the jobs that have any run other than missed ones. */
async function ranOnce(tx: TenantTx): Promise<ReadonlySet<JobN>> {
  const { rows } = await sql<{
    readonly n: JobN;
  }>`select n from stat where tenant_id = ${tx.tenant} and row->>'lastStart' is not null`.execute(
    tx.sql,
  );
  return new Set(rows.map(({ n }) => n));
}

const sum = (totals: readonly Total[], of: (total: Total) => number): number =>
  totals.reduce((all, one) => all + of(one), 0);

/** Puts the jobs that count for the success rate in one class, and the others in another. */
function classed(jobs: KnownJobs, filters: ParsedInputOf<'overviewStats'>['filters']): ClassOf {
  const counts = countsAsBackup(filters?.type ?? []);
  return new Map(
    [...namedJobs(jobs, filters)].map(([n, { job }]) => [n, splitClass(0, counts(job.type))]),
  );
}

/** Returns the hours of a period; the first and the last are cut to it. */
function getHours({
  from,
  to,
}: Pick<Question, 'from' | 'to'>): readonly { readonly date: string; readonly from: Ms }[] {
  const first = Math.floor(from / HOUR_MS);
  const last = Math.floor((to - 1) / HOUR_MS);
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Math.max(from, (first + i) * HOUR_MS),
  ).map((start) => ({ date: iso(start), from: start }));
}

/** Returns the jobs with the highest value above 0; of equal ones the older job comes first. */
const ranking = (
  context: AppContext,
  ctx: SessionContext,
  { limit = RANKED, ...input }: ParsedInputOf<'rankFailures'>,
  summed: readonly Summed[],
  getValue: (totals: readonly Total[]) => number,
): Promise<Result<RankedOut[]>> =>
  answer(context, ctx, MESSAGES.getRanking, input, LAST_DAYS, async (tx, question) => {
    const jobs = namedJobs(await knownJobs(tx, question), input.filters);
    const byJob = heaps(
      await loadTotals(tx, question, [question.from, question.to], null, summed),
      (one) => one.class,
    );
    const rows = [...byJob].flatMap(([n, totals]) => {
      const known = jobs.get(n);
      const value = getValue(totals);
      return known && value > 0
        ? [{ known, value, executions: sum(totals, ({ runs }) => runs) }]
        : [];
    });
    return ok(
      rows
        .sort((a, b) => b.value - a.value || a.known.job.n - b.known.job.n)
        .slice(0, limit)
        .map(({ known, value, executions }) => ({ ...rankedJob(known), value, executions })),
    );
  });

const rankedJob = ({ job, companyName }: KnownJob): Omit<RankedOut, 'value' | 'executions'> => ({
  jobInstanceUid: job.uid,
  jobName: job.name,
  company: job.company,
  companyName,
  computerName: job.computer,
  source: job.source,
  type: job.type,
});
