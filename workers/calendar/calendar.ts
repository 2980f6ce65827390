import type { CalendarAsk, CalendarCell, CalendarLine, CalendarView } from '#contract/monitoring/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { dayOf, dayText } from '#contract/monitoring/day.ts';
import { RUN_STATES } from '#contract/monitoring/query.ts';
import type { JobRow } from '#contract/monitoring/rows.ts';
import { daysIn } from '#workers/overview/days.ts';
import type { Span } from '#workers/overview/days.ts';
import { isHere, keptFrom } from '#workers/overview/kept.ts';
import type { KeptDays } from '#workers/overview/kept.ts';
import type { Engine } from '#workers/seams.ts';
import { keepJobs, makeJobList } from './list.ts';
import type { Section } from './list.ts';
import { cellsOf, DayMarks, PROBLEM_BITS } from './marks.ts';
import type { Marks } from './marks.ts';

/** What a calendar is made from. */
export interface CalendarStore { readonly engine: Engine; readonly days: KeptDays }

/**
 * A job × day grid (CAL-1 to CAL-5). What the results of each job and day are is packed once and kept until a run of that day changes;
 * an answer then looks at the lines in sight, and counts the others.
 */
export function makeCalendar(): (store: CalendarStore | null, ask: CalendarAsk, now: Ms) => Omit<CalendarView, 'version'> | null {
  const marks = new DayMarks(), listOf = makeJobList();
  let engine: Engine | null = null;
  let troubled: { readonly key: string; readonly all: readonly Section[]; readonly sections: readonly Section[] } | null = null;
  return (store, ask, now) => {
    if (engine !== store?.engine) marks.clear();
    engine = store?.engine ?? null;
    if (!store) return null;
    const spans = daysIn(ask.from, ask.to, store.engine.wall);
    const days = marks.of(store.engine, spans, store.engine.mostJob), all = listOf(store.engine, ask);
    let sections = all;
    if (ask.problemsOnly) {
      const key = `${marks.version} ${spans[0]?.n ?? 0} ${spans.length}`;
      if (troubled?.key !== key || troubled.all !== all) troubled = { key, all, sections: withProblems(all, days, store.engine.mostJob) };
      ({ sections } = troubled);
    }
    return { ...linesOf(sections, days, ask), days: headsOf(spans, store, now), keptFrom: keptFrom(store.days) };
  };
}

function withProblems(sections: readonly Section[], days: readonly Marks[], mostJob: number): readonly Section[] {
  const bits = new Uint16Array(mostJob + 1);
  for (const marks of days) for (let job = 0; job < marks.length; job++) bits[job] = (bits[job] ?? 0) | (marks[job] ?? 0);
  return keepJobs(sections, ({ job: { n } }) => ((bits[n] ?? 0) & PROBLEM_BITS) !== 0);
}

function headsOf(spans: readonly Span[], { engine, days }: CalendarStore, now: Ms): CalendarView['days'] {
  const today = dayOf(now, engine.wall.timeZone, engine.wall.dayBeginsHour);
  return spans.map(({ n, from, to }) => ({ day: dayText(n), from, to, weekend: WEEKEND.has(n % 7), today: n === today, here: isHere(days, from, to) }));
}
/** Day 0 was a Thursday. */
const WEEKEND = new Set([2, 3]);

/** Only the lines within the window are made. */
function linesOf(sections: readonly Section[], days: readonly Marks[], ask: CalendarAsk): Pick<CalendarView, 'lines' | 'total' | 'jobs' | 'first'> {
  const first = Math.max(0, ask.rows.first), end = first + Math.max(0, ask.rows.count), lines: CalendarLine[] = [];
  const folded = new Set(ask.folded), cells = cellsOf(ask.mode);
  const from = Math.max(0, ask.days.first), to = Math.min(days.length, from + Math.max(0, ask.days.count));
  let total = 0, jobs = 0;
  for (const section of sections) {
    const isFolded = folded.has(section.company);
    if (total >= first && total < end) lines.push(companyLine(section, isFolded, days, cells, from, to));
    if (!isFolded) {
      const head = total + 1;
      for (const { job } of section.jobs.slice(Math.max(0, first - head), Math.max(0, end - head))) lines.push(jobLine(job, days, cells, from, to));
      total += section.jobs.length;
    }
    total += 1;
    jobs += section.jobs.length;
  }
  return { lines, total, jobs, first };
}

/** By cell: nothing, then the states. */
const NO_COUNTS: readonly number[] = Array.from({ length: RUN_STATES.length + 1 }, () => 0);

function jobLine({ n, name, computer, enabled }: JobRow, days: readonly Marks[], table: Uint8Array, from: number, to: number): CalendarLine {
  const counts = [...NO_COUNTS], cells: CalendarCell[] = [];
  days.forEach((marks, day) => {
    const cell = table[marks[n] ?? 0] ?? 0;
    counts[cell] = (counts[cell] ?? 0) + 1;
    if (day >= from && day < to) cells.push(cell === 0 ? (enabled ? null : 'off') : RUN_STATES[cell - 1] ?? null);
  });
  return { is: 'job', job: n, name, computer, share: shareOf(counts), cells, counts: counts.slice(1) };
}

function companyLine({ company, name, jobs }: Section, folded: boolean, days: readonly Marks[], table: Uint8Array, from: number, to: number): CalendarLine {
  const counts = new Uint32Array(RUN_STATES.length + 1), bad: number[] = [];
  days.forEach((marks, day) => {
    let sum = 0;
    for (const { job: { n } } of jobs) {
      const cell = table[marks[n] ?? 0] ?? 0;
      counts[cell] = (counts[cell] ?? 0) + 1;
      sum += BAD[cell] ?? 0;
    }
    if (day >= from && day < to) bad.push(sum);
  });
  return { is: 'company', company, name, jobs: jobs.length, share: shareOf([...counts]), bad, folded };
}

const cellOf = (state: (typeof RUN_STATES)[number]): number => RUN_STATES.indexOf(state) + 1;
const BAD_CELLS = (['Failed', 'Error', 'Missed'] as const).map(cellOf), GOOD_CELLS = (['Success', 'Warning', 'Anomaly'] as const).map(cellOf);
/** By cell, which is the place of its state plus one: 1 for a day that did not succeed. */
const BAD = Uint8Array.from({ length: RUN_STATES.length + 1 }, (_, cell) => (BAD_CELLS.includes(cell) ? 1 : 0));

/** As `successShare` of the overview, over days in place of runs. */
function shareOf(counts: readonly number[]): number | null {
  const sum = (cells: readonly number[]): number => cells.reduce((all, cell) => all + (counts[cell] ?? 0), 0);
  const good = sum(GOOD_CELLS), all = good + sum(BAD_CELLS);
  return all === 0 ? null : good / all;
}
