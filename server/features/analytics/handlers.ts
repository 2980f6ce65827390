import type { OutputOf } from '#contract/calls.ts';
import type { JobN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { AnalyticsBy, PointOut } from '#contract/reports/result-rows.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { knownJobs, namedJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJob, KnownJobs } from '#server/platform/queries/known-jobs.ts';
import { answer, getDays } from '#server/platform/queries/query.ts';
import type { Question, OperationalDay } from '#server/platform/queries/query.ts';
import { toIsoTime } from '#server/platform/queries/run-details.ts';
import { heaps, judgedJobs, getTally, loadTotals } from '#server/platform/queries/totals.ts';
import type { Total } from '#server/platform/queries/totals.ts';

const LAST_DAYS = 30;
const WORST = 10;
interface Part {
  readonly key: string;
  readonly name: string;
}

const PART_OF: Readonly<Record<AnalyticsBy, (known: KnownJob) => Part>> = {
  company: ({ job, companyName }) => ({ key: String(job.company), name: companyName }),
  type: ({ job }) => ({ key: job.type, name: job.type }),
  source: ({ job }) => ({ key: job.source, name: SOURCE_NAMES[job.source] }),
};

/**
 * REP-7: failures and warnings over time, by company, type or source, and the previous period of
 * equal length.
 */
export function analyticsHandlers(
  context: AppContext,
): Pick<Handlers, 'analytics' | 'chartFailures'> {
  return {
    analytics: (input, ctx) =>
      answer<OutputOf<'analytics'>>(
        context,
        ctx,
        MESSAGES.getTrends,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const { from, to } = question;
          const begins = from - (to - from);
          const jobs = namedJobs(await knownJobs(tx, question), input.filters);
          const totals = (
            await loadTotals(tx, question, [begins, from, to], null, ['bytes'])
          ).filter((one) => jobs.has(one.class));
          const isJudged = judgedJobs(jobs, input.filters?.type ?? []);
          const parts = (by: AnalyticsBy) => {
            const { places, parts: all } = getClasses(jobs, by);
            const byPart = heaps(totals, (one) => places.get(one.class) ?? -1);
            return all
              .flatMap((part, place) => {
                const some = byPart.get(place);
                return some ? [{ ...part, ...beside(some, isJudged) }] : [];
              })
              .sort(
                (a, b) =>
                  b.now.failed + b.now.warning - a.now.failed - a.now.warning ||
                  (a.name < b.name ? -1 : 1),
              );
          };
          return ok({
            from: toIsoTime(from),
            to: toIsoTime(to),
            before: { from: toIsoTime(begins), to: toIsoTime(from) },
            all: beside(totals, isJudged),
            companies: parts('company'),
            types: parts('type'),
            sources: parts('source'),
          });
        },
      ),

    chartFailures: ({ by, ...input }, ctx) =>
      answer<OutputOf<'chartFailures'>>(
        context,
        ctx,
        MESSAGES.getChart,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const { from, to } = question;
          const days = getDays(question);
          const before = getDays({ ...question, from: from - (to - from), to: from });
          const jobs = namedJobs(await knownJobs(tx, question), input.filters);
          const worst = by === undefined ? [] : await loadWorst(tx, question, getClasses(jobs, by));
          // One query for all series: each of the worst parts is a class, and all other jobs share
          // one class.
          const classes = new Map([...jobs.keys()].map((n) => [n, worst.length]));
          const starts = [...before, ...days].map((one) => one.from);
          worst.forEach(({ own }, nth) => {
            for (const n of own) classes.set(n, nth);
          });
          const totals = await loadTotals(tx, question, [...starts, to], classes, []);
          const byDay = heaps(totals, ({ stretch }) => stretch);
          const byPart = heaps(
            totals.filter(({ stretch }) => stretch >= before.length),
            (one) => one.class,
          );
          const getPoint = (day: OperationalDay, place: number): PointOut =>
            pointAt(day, byDay.get(place) ?? []);
          return ok({
            from: toIsoTime(from),
            to: toIsoTime(to),
            days: days.map((day, i) => getPoint(day, before.length + i)),
            before: before.map(getPoint),
            series: worst.map(({ part }, nth) => ({
              ...part,
              ...getSeries(byPart.get(nth) ?? [], before.length, days.length),
            })),
          });
        },
      ),
  };
}

/**
 * Returns the parts with the most failures and warnings, and their jobs. Its query is not split by
 * day: for a thousand companies that would be a quarter of a million numbers.
 */
async function loadWorst(
  tx: TenantTx,
  question: Question,
  { places, parts }: Classes,
): Promise<readonly { readonly part: Part; readonly own: readonly JobN[] }[]> {
  const bad = heaps(
    (await loadTotals(tx, question, [question.from, question.to], places, [])).filter(({ state }) =>
      isBad(state),
    ),
    (one) => one.class,
  );
  return parts
    .map((part, place) => ({
      part,
      place,
      bad: (bad.get(place) ?? []).reduce((all, { runs }) => all + runs, 0),
    }))
    .filter((one) => one.bad > 0)
    .sort((a, b) => b.bad - a.bad || (a.part.name < b.part.name ? -1 : 1))
    .slice(0, WORST)
    .map(({ part, place }) => ({
      part,
      own: [...places].flatMap(([n, of]) => (of === place ? [n] : [])),
    }));
}

/** Returns the tallies of the current (stretch 1) and the previous period (stretch 0). */
const beside = (some: readonly Total[], isJudged: (n: JobN) => boolean) => ({
  now: getTally(
    some.filter(({ stretch }) => stretch === 1),
    isJudged,
  ),
  before: getTally(
    some.filter(({ stretch }) => stretch === 0),
    isJudged,
  ),
});

interface Classes {
  readonly places: ReadonlyMap<JobN, number>;
  readonly parts: readonly Part[];
}
/** Returns the parts that the jobs belong to, and for each job the index of its part. */
function getClasses(jobs: KnownJobs, by: AnalyticsBy): Classes {
  const known = new Map<string, number>();
  const places = new Map<JobN, number>();
  const parts: Part[] = [];
  for (const [n, job] of jobs) {
    const part = PART_OF[by](job);
    let place = known.get(part.key);
    if (place === undefined) known.set(part.key, (place = parts.push(part) - 1));
    places.set(n, place);
  }
  return { places, parts };
}

function pointAt(
  { date, from }: { readonly date: string; readonly from: Ms },
  totals: readonly Total[],
): PointOut {
  const { runs, failed, warning, missed, judged: ended } = getTally(totals, () => true);
  return {
    date,
    from: toIsoTime(from),
    runs,
    failures: failed,
    warnings: warning,
    missed,
    failureRate: ended === 0 ? null : failed / ended,
    warningRate: ended === 0 ? null : warning / ended,
  };
}

const isFailure = (state: RunState): boolean => state === 'Failed' || state === 'Error';
const isBad = (state: RunState): boolean => isFailure(state) || state === 'Warning';

function getSeries(
  totals: readonly Total[],
  first: number,
  days: number,
): { readonly failures: number[]; readonly warnings: number[] } {
  const failures = Array.from({ length: days }, () => 0);
  const warnings = [...failures];
  for (const { state, stretch, runs } of totals) {
    const into = isFailure(state) ? failures : state === 'Warning' ? warnings : null;
    if (into !== null) into[stretch - first] = (into[stretch - first] ?? 0) + runs;
  }
  return { failures, warnings };
}
