import type { JobN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { successShare, sumTallies } from '#contract/dashboard/overview.ts';
import type { Tally } from '#contract/dashboard/overview.ts';
import type { SlaLine } from '#contract/sla/calls.ts';
import { getAge } from '#contract/sla/sla.ts';
import type { SlaJob } from '#contract/sla/sla.ts';
import { ok } from '#contract/result.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { listJobsByName, knownJobs, namedJobs } from '#server/platform/queries/known-jobs.ts';
import type { KnownJob } from '#server/platform/queries/known-jobs.ts';
import { answer } from '#server/platform/queries/query.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getBackups, lastSuccesses, slaJobs, loadTallies } from './judge.ts';

const DAYS = 30;

/** SLA-4: the alarms' formulas for any period, by job or by company. */
export const slaReport =
  (context: AppContext): Handlers['slaReport'] =>
  (
    { from, to, filters, by = 'job', minSuccessPct, maxAgeHours, page = 1, pageSize = PAGE_SIZE },
    ctx,
  ) =>
    answer(context, ctx, MESSAGES.getReport, { from, to, filters }, DAYS, async (tx, question) => {
      const named = namedJobs(await knownJobs(tx, question), filters);
      const known = getBackups(named, filters?.type ?? []);
      const tallies = await loadTallies(tx, question, [question.from, question.to]);
      const jobs = new Map(
        slaJobs(known, await lastSuccesses(tx), tallies, question.now).map((one) => [one.n, one]),
      );
      const targets = { minSuccessPct: minSuccessPct ?? null, maxAgeHours: maxAgeHours ?? null };
      const groups =
        by === 'job'
          ? listJobsByName(known).map((one) => [one])
          : [...Map.groupBy(listJobsByName(known), ({ job }) => job.company).values()];
      const lines = groups
        .map((group) => getLine(group, jobs, targets, by, question.now))
        .toSorted(
          (a, b) => (a.share ?? 2) - (b.share ?? 2) || (b.ageHours ?? -1) - (a.ageHours ?? -1),
        );
      const total = sumTallies([...jobs.values()].map(({ tally }) => tally));
      return ok({
        rows: lines.slice((page - 1) * pageSize, page * pageSize),
        count: lines.length,
        page,
        pageSize,
        total: {
          ...getFigures(total),
          met: lines.filter(({ met }) => met === true).length,
          missedTarget: lines.filter(({ met }) => met === false).length,
        },
      });
    });

const getFigures = (tally: Tally) => ({
  runs: tally.runs - tally.running,
  success: tally.success,
  warning: tally.warning + tally.anomaly,
  failed: tally.failed,
  missed: tally.missed,
  share: successShare(tally),
});

function getLine(
  group: readonly KnownJob[],
  jobs: ReadonlyMap<JobN, SlaJob>,
  {
    minSuccessPct,
    maxAgeHours,
  }: { readonly minSuccessPct: number | null; readonly maxAgeHours: number | null },
  by: 'job' | 'company',
  now: Ms,
): SlaLine {
  const [first] = group;
  const own = group.flatMap(({ job }) => jobs.get(job.n) ?? []);
  const figures = getFigures(sumTallies(own.map(({ tally }) => tally)));
  const ages = own.flatMap((job) => getAge(job, now) ?? []);
  const oldest = ages.length === 0 ? null : Math.max(...ages);
  const good = own.flatMap(({ quiet, lastSuccess }) =>
    quiet || lastSuccess === null ? [] : [lastSuccess],
  );
  const shareMet =
    minSuccessPct === null || figures.share === null ? null : figures.share * 100 >= minSuccessPct;
  const ageMet = maxAgeHours === null || oldest === null ? null : oldest <= maxAgeHours * HOUR_MS;
  return {
    company: first?.job.company ?? 0,
    companyName: first?.companyName ?? '',
    jobInstanceUid: by === 'job' ? (first?.job.uid ?? null) : null,
    jobName: by === 'job' ? (first?.job.name ?? null) : null,
    jobs: own.length,
    ...figures,
    lastSuccessAt: good.length === 0 ? null : Math.min(...good),
    ageHours: oldest === null ? null : Math.floor(oldest / HOUR_MS),
    met: shareMet === null && ageMet === null ? null : shareMet !== false && ageMet !== false,
  };
}
