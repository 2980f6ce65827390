import type { CalendarCell, CalendarLine } from '#contract/calendar/calendar.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import type { CompanySection } from './list.ts';
import type { Marks } from './marks.ts';

/** By cell: nothing, then the states. */
export const NO_COUNTS: readonly number[] = Array.from({ length: RUN_STATES.length + 1 }, () => 0);

export function jobLine(
  { n, name, computer, enabled }: JobRow,
  days: readonly Marks[],
  table: Uint8Array,
  from: number,
  to: number,
): Extract<CalendarLine, { kind: 'job' }> {
  const counts = [...NO_COUNTS];
  const cells: CalendarCell[] = [];
  days.forEach((marks, day) => {
    const cell = table[marks[n] ?? 0] ?? 0;
    counts[cell] = (counts[cell] ?? 0) + 1;
    if (day >= from && day < to)
      cells.push(cell === 0 ? (enabled ? null : 'off') : (RUN_STATES[cell - 1] ?? null));
  });
  return {
    kind: 'job',
    job: n,
    name,
    computer,
    share: getSuccessRate(counts),
    cells,
    counts: counts.slice(1),
  };
}

export function companyLine(
  { company, name, jobs }: CompanySection,
  folded: boolean,
  days: readonly Marks[],
  table: Uint8Array,
  from: number,
  to: number,
  countsAs: (type: JobType) => boolean,
): Extract<CalendarLine, { kind: 'company' }> {
  const counts = [...NO_COUNTS];
  const bad: number[] = [];
  const own = jobs.map(({ job: { n, type } }) => ({ n, isJudged: countsAs(type) }));
  days.forEach((marks, day) => {
    let sum = 0;
    for (const { n, isJudged } of own) {
      const cell = table[marks[n] ?? 0] ?? 0;
      if (isJudged) counts[cell] = (counts[cell] ?? 0) + 1;
      sum += BAD[cell] ?? 0;
    }
    if (day >= from && day < to) bad.push(sum);
  });
  return {
    kind: 'company',
    company,
    name,
    jobs: jobs.length,
    share: getSuccessRate(counts),
    bad,
    folded,
  };
}

const getCell = (state: (typeof RUN_STATES)[number]): number => RUN_STATES.indexOf(state) + 1;
const BAD_CELLS = (['Failed', 'Error', 'Missed'] as const).map(getCell);
const GOOD_CELLS = (['Success', 'Warning', 'Anomaly'] as const).map(getCell);
/** By cell, which is the index of its state plus one: 1 for a day that did not succeed. */
const BAD = Uint8Array.from({ length: RUN_STATES.length + 1 }, (_, cell) =>
  BAD_CELLS.includes(cell) ? 1 : 0,
);

/** Like `successShare` of the overview, over days instead of runs. `counts`: by cell. */
export function getSuccessRate(counts: readonly number[]): number | null {
  const sum = (cells: readonly number[]): number =>
    cells.reduce((all, cell) => all + (counts[cell] ?? 0), 0);
  const good = sum(GOOD_CELLS);
  const all = good + sum(BAD_CELLS);
  return all === 0 ? null : good / all;
}
