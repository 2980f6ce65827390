import { slicePage } from '#server/platform/queries/slice-page.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { DidNotRunOut } from '#contract/reports/result-rows.ts';
import type { Ignored, ProblemRow, StatRow } from '#contract/runs/rows.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import {
  listJobsByName,
  getJobName,
  knownJobs,
  namedJobs,
} from '#server/platform/queries/known-jobs.ts';
import type { KnownJob } from '#server/platform/queries/known-jobs.ts';
import { getExpected } from '../../../platform/queries/expected-start.ts';
import { openProblems } from '#server/platform/queries/problems.ts';
import { answer } from '#server/platform/queries/query.ts';
import { countResults, findResults } from '#server/platform/queries/results.ts';
import {
  isoOrNull,
  getNote,
  loadAllUserNames,
  getResult,
  loadRunDetails,
} from '#server/platform/queries/run-details.ts';

const LAST_DAYS = 2;

/** REP-1, REP-4: paged lists of results and of jobs. */
export function listHandlers(
  context: AppContext,
): Pick<Handlers, 'listResults' | 'listJobNames' | 'listDidNotRun'> {
  return {
    listResults: ({ page = 1, pageSize = PAGE_SIZE, ...input }, ctx) =>
      answer<OutputOf<'listResults'>>(
        context,
        ctx,
        MESSAGES.getJobs,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const jobs = await knownJobs(tx, question);
          const count = await countResults(tx, question, jobs, input);
          const ns = await findResults(tx, question, jobs, input, {
            first: (page - 1) * pageSize,
            max: pageSize,
          });
          const names = await loadAllUserNames(tx);
          return ok({
            rows: (await loadRunDetails(tx, ns, jobs)).map((one) =>
              getResult(one, names, input.filters?.anomaly ?? true, question.now),
            ),
            count,
            page,
            pageSize,
          });
        },
      ),

    listJobNames: ({ page = 1, pageSize = PAGE_SIZE, filters }, ctx) =>
      answer<OutputOf<'listJobNames'>>(
        context,
        ctx,
        MESSAGES.getJobs,
        { filters },
        LAST_DAYS,
        async (tx, question) => {
          const jobs = listJobsByName(namedJobs(await knownJobs(tx, question), filters));
          return ok({
            rows: slicePage(jobs, page, pageSize).map(getJobName),
            count: jobs.length,
            page,
            pageSize,
          });
        },
      ),

    listDidNotRun: ({ page = 1, pageSize = PAGE_SIZE, scheduleState, ...input }, ctx) =>
      answer<OutputOf<'listDidNotRun'>>(
        context,
        ctx,
        MESSAGES.getJobs,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const jobs = namedJobs(await knownJobs(tx, question), input.filters);
          const disabled = scheduleState === 'Disabled';
          const missed = disabled
            ? []
            : (await openProblems(tx, question)).filter(
                ({ job, state, lastAt }) =>
                  state === 'Missed' &&
                  jobs.has(job) &&
                  (input.from === undefined || lastAt >= question.from) &&
                  (input.to === undefined || lastAt < question.to),
              );
          const rows: readonly {
            readonly known: KnownJob;
            readonly problem: ProblemRow | undefined;
          }[] = disabled
            ? listJobsByName(jobs)
                .filter(({ job }) => !job.enabled)
                .map((known) => ({ known, problem: undefined }))
            : missed
                .sort((a, b) => b.lastAt - a.lastAt || b.n - a.n)
                .flatMap((problem) => {
                  const known = jobs.get(problem.job);
                  return known ? [{ known, problem }] : [];
                });
          const shown = slicePage(rows, page, pageSize);
          const stats = await tx.rows(
            'stat',
            shown.map(({ known }) => known.job.n),
          );
          return ok({
            rows: shown.map(({ known, problem }) =>
              toMissedRow(known, problem, stats.get(known.job.n), question.now),
            ),
            count: rows.length,
            page,
            pageSize,
          });
        },
      ),
  };
}

function toMissedRow(
  known: KnownJob,
  problem: ProblemRow | undefined,
  stat: StatRow | undefined,
  now: number,
): DidNotRunOut {
  const id = problem ? String(problem.lastRun) : null;
  const said = problem ? known.job.missedIgnored : known.job.disabledIgnored;
  const ignored = holds(said, now) ? said : null;
  return {
    ...getJobName(known),
    _id: id,
    mongo_id: id,
    since: isoOrNull(problem?.openedAt),
    expectedAt: isoOrNull(problem?.lastAt),
    nextRun: isoOrNull(stat && getExpected(known.job, stat)),
    lastRunAt: isoOrNull(stat?.lastStart),
    lastSuccessAt: isoOrNull(stat?.lastSuccess),
    runs: problem?.runs ?? 0,
    ignored: ignored !== null,
    ignoredUntil: isoOrNull(ignored?.until),
    note: getNote(problem),
  };
}

const holds = (said: Ignored | null, now: number): boolean =>
  said !== null && (said.until === null || said.until > now);
