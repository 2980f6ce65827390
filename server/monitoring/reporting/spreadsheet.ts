import type { GivesOf } from '#contract/calls.ts';
import type { CompanyN, JobN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { CalendarCell } from '#contract/monitoring/calendar.ts';
import { worst } from '#contract/monitoring/day.ts';
import { RUN_STATES } from '#contract/monitoring/query.ts';
import type { RunState } from '#contract/monitoring/query.ts';
import type { SpreadsheetOut } from '#contract/monitoring/reporting-rows.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/http/handler.ts';
import type { World } from '#server/world.ts';
import { byName, knownJobs, namedJobs } from './known-jobs.ts';
import type { Known } from './known-jobs.ts';
import { cut } from './lists.ts';
import { cellOf, eachMark, isBad, shareOf } from './marks.ts';
import { answer, daysOf } from './question.ts';
import { iso } from './told.ts';

const LAST_DAYS = 30;
type Line = SpreadsheetOut['rows'][number];
interface Cell { state: CalendarCell; runs: number; bad: number }
/** Jobs that share a row, and how its days are counted. */
interface Row { readonly jobs: readonly Known[]; readonly cells: Cell[]; readonly counts: Map<RunState | null, number> }

/** REP-6: a row for each job or company, a column for each day; the same cells as the calendar. */
export function spreadsheetHandlers(world: World): Pick<Handlers, 'spreadsheetReport' | 'spreadsheetStats'> {
  return {
    spreadsheetReport: ({ page = 1, pageSize = PAGE_SIZE, mode = 'worst', by = 'job', ...input }, ask) =>
      answer<GivesOf<'spreadsheetReport'>>(world, ask, MESSAGES.getReport, input, LAST_DAYS, async (tx, question) => {
        const jobs = byName(namedJobs(await knownJobs(tx, question), input.filters)), groups = by === 'job' ? jobs.map((one) => [one]) : companiesOf(jobs);
        const days = daysOf(question), rows = cut(groups, page, pageSize).map((of): Row => ({ jobs: of, cells: days.map(() => ({ state: null, runs: 0, bad: 0 })), counts: new Map() }));
        const rowOf = new Map<JobN, Row>(rows.flatMap((row) => row.jobs.map(({ job }) => [job.n, row])));
        await eachMark(tx, question, days, rowOf.keys(), (mark) => {
          const row = rowOf.get(mark.job), cell = row?.cells[mark.day];
          if (row && cell) put(row, cell, cellOf(mark, mode), mark.runs);
        });
        return ok({
          from: iso(question.from), to: iso(question.to), mode, by, days: days.map(({ date, from }) => ({ date, from: iso(from) })),
          rows: rows.map((row) => lineOf(row, by)), count: groups.length, page, pageSize,
        });
      }),

    spreadsheetStats: ({ mode = 'worst', ...input }, ask) => answer<GivesOf<'spreadsheetStats'>>(world, ask, MESSAGES.getStats, input, LAST_DAYS, async (tx, question) => {
      const jobs = namedJobs(await knownJobs(tx, question), input.filters), days = daysOf(question), counts = new Map<RunState | null, number>();
      let results = 0, filled = 0;
      await eachMark(tx, question, days, jobs.keys(), (mark) => {
        const state = cellOf(mark, mode);
        counts.set(state, (counts.get(state) ?? 0) + 1);
        results += mark.runs;
        filled += 1;
      });
      return ok({
        from: iso(question.from), to: iso(question.to), mode, days: days.length, jobs: jobs.size, companies: new Set([...jobs.values()].map(({ job }) => job.company)).size, results,
        share: shareOf(counts), cells: cellsOf(counts), empty: days.length * jobs.size - filled,
      });
    }),
  };
}

function put({ counts }: Row, cell: Cell, state: RunState | null, runs: number): void {
  counts.set(state, (counts.get(state) ?? 0) + 1);
  if (state !== null) cell.state = cell.state === null || cell.state === 'off' ? state : worst([cell.state, state], 'worst');
  cell.runs += runs;
  if (isBad(state)) cell.bad += 1;
}

function lineOf({ jobs, cells, counts }: Row, by: SpreadsheetOut['by']): Line {
  const [first] = jobs;
  if (!first) throw new RangeError('spreadsheet: a row without a job');
  const { job, companyName } = first, off = jobs.every((one) => !one.job.enabled);
  return {
    company: job.company, companyName, share: shareOf(counts), jobs: jobs.length,
    ...(by === 'job' ? { jobInstanceUid: job.uid, jobName: job.name, computerName: job.computer } : { jobInstanceUid: null, jobName: null, computerName: null }),
    cells: cells.map((cell) => ({ ...cell, state: cell.state ?? (off ? 'off' : null) })),
  };
}

/** In their order, which is by company. */
function companiesOf(jobs: readonly Known[]): readonly (readonly Known[])[] {
  const groups = new Map<CompanyN, Known[]>();
  for (const one of jobs) {
    const group = groups.get(one.job.company);
    if (group) group.push(one); else groups.set(one.job.company, [one]);
  }
  return [...groups.values()];
}

const cellsOf = (counts: ReadonlyMap<RunState | null, number>): GivesOf<'spreadsheetStats'>['cells'] =>
  Object.fromEntries(RUN_STATES.map((state) => [state, counts.get(state) ?? 0])) as { readonly [S in RunState]: number };
