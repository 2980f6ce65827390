import type { CalendarQuery, CalendarLine, CalendarView } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { getDay, dayText } from '#contract/time/day.ts';
import { countsAsBackup } from '#contract/runs/vocabulary.ts';
import { daysIn } from '#workers/periods/days.ts';
import type { DayWindow } from '#workers/periods/days.ts';
import { isHere, storedFrom } from '#workers/periods/available-days.ts';
import type { AvailableDays } from '#workers/periods/available-days.ts';
import type { ColumnStore } from '#workers/types.ts';
import { companyLine, jobLine } from './lines.ts';
import { keepJobs, makeJobList } from './list.ts';
import type { CompanySection } from './list.ts';
import { getCells, DayMarks, PROBLEM_BITS } from './marks.ts';
import type { Marks } from './marks.ts';
import { cellFigures, getSheet } from './sheet.ts';
import type { CellFigures } from './sheet.ts';

/** The data that a calendar is built from. */
export interface CalendarStore {
  readonly engine: ColumnStore;
  readonly days: AvailableDays;
}

/**
 * A job × day grid (CAL-1 to CAL-5). Packs the results of each job and day once, and again only
 * when a run of that day changes. An update then reads the visible lines and counts the others.
 */
export function makeCalendar(): (
  store: CalendarStore | null,
  ask: CalendarQuery,
  now: Ms,
) => Omit<CalendarView, 'version'> | null {
  const marks = new DayMarks();
  const listSections = makeJobList();
  let engine: ColumnStore | null = null;
  let troubled: {
    readonly key: string;
    readonly all: readonly CompanySection[];
    readonly sections: readonly CompanySection[];
  } | null = null;
  let counted: {
    readonly key: string;
    readonly of: readonly CompanySection[];
    readonly figures: CellFigures;
  } | null = null;
  /** The totals of all cells; they don't change while scrolling. */
  const getFigures = (
    sections: readonly CompanySection[],
    days: readonly Marks[],
    key: string,
    ask: CalendarQuery,
  ): CellFigures => {
    if (counted?.key !== key || counted.of !== sections)
      counted = { key, of: sections, figures: cellFigures(sections, days, ask) };
    return counted.figures;
  };
  return (store, ask, now) => {
    if (engine !== store?.engine) marks.clear();
    engine = store?.engine ?? null;
    if (!store) return null;
    const spans = daysIn(ask.from, ask.to, store.engine.wall);
    const days = marks.of(store.engine, spans, store.engine.maxJob);
    const all = listSections(store.engine, ask);
    let sections = all;
    if (ask.problemsOnly) {
      const key = `${marks.version} ${spans[0]?.n ?? 0} ${spans.length}`;
      if (troubled?.key !== key || troubled.all !== all)
        troubled = { key, all, sections: withProblems(all, days, store.engine.maxJob) };
      ({ sections } = troubled);
    }
    const shown =
      ask.lines === undefined
        ? getLines(sections, days, ask)
        : getSheet(
            sections,
            days,
            ask,
            getFigures(
              sections,
              days,
              `${marks.version} ${spans[0]?.n ?? 0} ${spans.length} ${ask.mode}`,
              ask,
            ),
          );
    return { ...shown, days: getHeads(spans, store, now), keptFrom: storedFrom(store.days) };
  };
}

function withProblems(
  sections: readonly CompanySection[],
  days: readonly Marks[],
  maxJob: number,
): readonly CompanySection[] {
  const bits = new Uint16Array(maxJob + 1);
  for (const marks of days)
    for (let job = 0; job < marks.length; job++) bits[job] = (bits[job] ?? 0) | (marks[job] ?? 0);
  return keepJobs(sections, ({ job: { n } }) => ((bits[n] ?? 0) & PROBLEM_BITS) !== 0);
}

function getHeads(
  spans: readonly DayWindow[],
  { engine, days }: CalendarStore,
  now: Ms,
): CalendarView['days'] {
  const today = getDay(now, engine.wall.timeZone, engine.wall.dayBeginsHour);
  return spans.map(({ n, from, to }) => ({
    day: dayText(n),
    from,
    to,
    weekend: WEEKEND.has(n % 7),
    today: n === today,
    here: isHere(days, from, to),
  }));
}
/** Day 0 was a Thursday. */
const WEEKEND = new Set([2, 3]);

/** Builds only the lines within the window. */
function getLines(
  sections: readonly CompanySection[],
  days: readonly Marks[],
  ask: CalendarQuery,
): Pick<CalendarView, 'lines' | 'total' | 'jobs' | 'first'> {
  const first = Math.max(0, ask.rows.first);
  const end = first + Math.max(0, ask.rows.count);
  const lines: CalendarLine[] = [];
  const folded = new Set(ask.folded);
  const cells = getCells(ask.mode);
  const from = Math.max(0, ask.days.first);
  const to = Math.min(days.length, from + Math.max(0, ask.days.count));
  let total = 0;
  let jobs = 0;
  for (const section of sections) {
    const isFolded = folded.has(section.company);
    if (total >= first && total < end)
      lines.push(companyLine(section, isFolded, days, cells, from, to, countsAsBackup(ask.types)));
    if (!isFolded) {
      const head = total + 1;
      for (const { job } of section.jobs.slice(Math.max(0, first - head), Math.max(0, end - head)))
        lines.push(jobLine(job, days, cells, from, to));
      total += section.jobs.length;
    }
    total += 1;
    jobs += section.jobs.length;
  }
  return { lines, total, jobs, first };
}
