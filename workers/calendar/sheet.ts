import type { CalendarQuery, CalendarCell, CalendarView } from '#contract/calendar/calendar.ts';
import { worst } from '#contract/time/day.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { countsAsBackup } from '#contract/runs/vocabulary.ts';
import { companyLine, jobLine, NO_COUNTS, getSuccessRate } from './lines.ts';
import type { CompanySection } from './list.ts';
import { getCells } from './marks.ts';
import type { Marks } from './marks.ts';

const CELLS = RUN_STATES.length + 1;
const SUCCESS = RUN_STATES.indexOf('Success') + 1;
/** By two cells (index of the state plus one, 0 for nothing): the worse one. */
const WORSE = Uint8Array.from({ length: CELLS * CELLS }, (_, at) => {
  const states = [Math.floor(at / CELLS), at % CELLS].flatMap((cell) => RUN_STATES[cell - 1] ?? []);
  const shown = worst(states, 'worst');
  return shown === null ? 0 : RUN_STATES.indexOf(shown) + 1;
});

/**
 * TREND-5: returns the calendar's cells as a spreadsheet: a line per job, or per company with the
 * worst of its jobs, and the totals of all cells.
 */
export function getSheet(
  sections: readonly CompanySection[],
  days: readonly Marks[],
  ask: CalendarQuery,
  figures: CellFigures,
): Pick<CalendarView, 'lines' | 'total' | 'jobs' | 'first' | 'counts' | 'share'> {
  const first = Math.max(0, ask.rows.first);
  const end = first + Math.max(0, ask.rows.count);
  const table = getCells(ask.mode);
  const jobs = sections.reduce((all, one) => all + one.jobs.length, 0);
  const from = Math.max(0, ask.days.first);
  const to = Math.min(days.length, from + Math.max(0, ask.days.count));
  const countsAs = countsAsBackup(ask.types);
  if (ask.lines === 'company') {
    const lines = sections.slice(first, end).map((section) => ({
      ...companyLine(section, false, days, table, from, to, countsAs),
      cells: pickWorst(section, days.slice(from, to), table, countsAs),
    }));
    return { lines, total: sections.length, jobs, first, ...figures };
  }
  const lines: CalendarView['lines'][number][] = [];
  let passed = 0;
  for (const { company, name, jobs: own } of sections) {
    for (const { job } of own.slice(Math.max(0, first - passed), Math.max(0, end - passed)))
      lines.push({ ...jobLine(job, days, table, from, to), of: { company, name } });
    passed += own.length;
  }
  return { lines, total: jobs, jobs, first, ...figures };
}

function pickWorst(
  { jobs }: CompanySection,
  days: readonly Marks[],
  table: Uint8Array,
  isGood: ReturnType<typeof countsAsBackup>,
): readonly CalendarCell[] {
  const off = jobs.every(({ job }) => !job.enabled);
  const own = jobs.map(({ job: { n, type } }) => ({ n, counts: isGood(type) }));
  return days.map((marks) => {
    let cell = 0;
    for (const { n, counts } of own) {
      const shown = table[marks[n] ?? 0] ?? 0;
      if (counts || shown !== SUCCESS) cell = WORSE[cell * CELLS + shown] ?? 0;
    }
    return cell === 0 ? (off ? 'off' : null) : (RUN_STATES[cell - 1] ?? null);
  });
}

/** The totals of all cells, as in `CalendarView`. */
export type CellFigures = Required<Pick<CalendarView, 'counts' | 'share'>>;

/**
 * Counts all days of all jobs by state, then those with nothing, and the share of the jobs that
 * count (OVER-7).
 */
export function cellFigures(
  sections: readonly CompanySection[],
  days: readonly Marks[],
  { mode, types }: Pick<CalendarQuery, 'mode' | 'types'>,
): CellFigures {
  const counts = [...NO_COUNTS];
  const judged = [...NO_COUNTS];
  const table = getCells(mode);
  const countsAs = countsAsBackup(types);
  const own = sections.flatMap(({ jobs }) =>
    jobs.map(({ job: { n, type } }) => ({ n, isJudged: countsAs(type) })),
  );
  for (const marks of days) {
    for (const { n, isJudged } of own) {
      const cell = table[marks[n] ?? 0] ?? 0;
      counts[cell] = (counts[cell] ?? 0) + 1;
      if (isJudged) judged[cell] = (judged[cell] ?? 0) + 1;
    }
  }
  return { counts: [...counts.slice(1), counts[0] ?? 0], share: getSuccessRate(judged) };
}
