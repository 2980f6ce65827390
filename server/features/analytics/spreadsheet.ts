import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { countsAsBackup } from '#contract/runs/vocabulary.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { SpreadsheetOut } from '#contract/reports/result-rows.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { listJobsByName, knownJobs, namedJobs } from '#server/platform/queries/known-jobs.ts';
import { getCell, countMarks, getSuccessRate } from '#server/platform/queries/marks.ts';
import { answer, getDays } from '#server/platform/queries/query.ts';
import { groupByCompany, loadSheet } from '#server/platform/queries/sheet.ts';
import type { SheetRow } from '#server/platform/queries/sheet.ts';
import { toIsoTime } from '#server/platform/queries/run-details.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { slicePage } from '#server/platform/queries/slice-page.ts';

const LAST_DAYS = 30;

/** REP-6: a row for each job or company, a column for each day; the same cells as the calendar. */
export function spreadsheetHandlers(
  context: AppContext,
): Pick<Handlers, 'spreadsheetReport' | 'spreadsheetStats'> {
  return {
    spreadsheetReport: (
      { page = 1, pageSize = PAGE_SIZE, mode = 'worst', by = 'job', ...input },
      ctx,
    ) =>
      answer<OutputOf<'spreadsheetReport'>>(
        context,
        ctx,
        MESSAGES.getReport,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const jobs = listJobsByName(namedJobs(await knownJobs(tx, question), input.filters));
          const groups = by === 'job' ? jobs.map((one) => [one]) : groupByCompany(jobs);
          const days = getDays(question);
          const countsAs = by === 'job' ? undefined : countsAsBackup(input.filters?.type ?? []);
          const rows = await loadSheet(
            tx,
            question,
            days,
            slicePage(groups, page, pageSize),
            mode,
            countsAs,
          );
          return ok({
            from: toIsoTime(question.from),
            to: toIsoTime(question.to),
            mode,
            by,
            days: days.map(({ date, from }) => ({ date, from: toIsoTime(from) })),
            rows: rows.map((row) => getLine(row, by)),
            count: groups.length,
            page,
            pageSize,
          });
        },
      ),

    spreadsheetStats: ({ mode = 'worst', ...input }, ctx) =>
      answer<OutputOf<'spreadsheetStats'>>(
        context,
        ctx,
        MESSAGES.getStats,
        input,
        LAST_DAYS,
        async (tx, question) => {
          const jobs = namedJobs(await knownJobs(tx, question), input.filters);
          const days = getDays(question);
          const counts = new Map<RunState | null, number>();
          let results = 0;
          let filled = 0;
          const judged = new Map<RunState | null, number>();
          const countsAs = countsAsBackup(input.filters?.type ?? []);
          const halves = Map.groupBy(jobs.keys(), (n) =>
            countsAs(jobs.get(n)?.job.type ?? 'Other'),
          );
          for (const [isJudged, some] of halves) {
            await countMarks(tx, question, days, some, (mark, cells) => {
              const state = getCell(mark, mode);
              counts.set(state, (counts.get(state) ?? 0) + cells);
              if (isJudged) judged.set(state, (judged.get(state) ?? 0) + cells);
              results += mark.runs;
              filled += cells;
            });
          }
          return ok({
            from: toIsoTime(question.from),
            to: toIsoTime(question.to),
            mode,
            days: days.length,
            jobs: jobs.size,
            companies: new Set([...jobs.values()].map(({ job }) => job.company)).size,
            results,
            share: getSuccessRate(judged),
            cells: getCells(counts),
            empty: days.length * jobs.size - filled,
          });
        },
      ),
  };
}

function getLine(
  { jobs, cells, share }: SheetRow,
  by: SpreadsheetOut['by'],
): SpreadsheetOut['rows'][number] {
  const [first] = jobs;
  if (!first) throw new RangeError('spreadsheet: a row without a job');
  const { job, companyName } = first;
  return {
    company: job.company,
    companyName,
    share,
    jobs: jobs.length,
    cells: [...cells],
    ...(by === 'job'
      ? { jobInstanceUid: job.uid, jobName: job.name, computerName: job.computer }
      : { jobInstanceUid: null, jobName: null, computerName: null }),
  };
}

const getCells = (
  counts: ReadonlyMap<RunState | null, number>,
): OutputOf<'spreadsheetStats'>['cells'] =>
  Object.fromEntries(RUN_STATES.map((state) => [state, counts.get(state) ?? 0])) as {
    readonly [S in RunState]: number;
  };
