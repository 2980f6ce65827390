import type { CompanyN, JobN } from '#contract/ids.ts';
import type { CalendarCell, CalendarMode } from '#contract/calendar/calendar.ts';
import { worst } from '#contract/time/day.ts';
import type { RunState } from '#contract/runs/query.ts';
import { isBackupType } from '#contract/runs/vocabulary.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { KnownJob } from './known-jobs.ts';
import { getCell, eachMark, isBad, countJudged, getSuccessRate } from './marks.ts';
import type { QueryScope, OperationalDay } from './query.ts';

interface Cell {
  state: CalendarCell;
  runs: number;
  bad: number;
}
/** Jobs that share a row, and which of them count for its result. */
export interface SheetRow {
  readonly jobs: readonly KnownJob[];
  readonly cells: readonly Cell[];
  readonly counts: ReadonlyMap<RunState | null, number>;
  readonly share: number | null;
  /** Judged and good days of backup jobs, or of the jobs that `countsAs` names (OVER-7). */
  readonly judged: number;
  readonly good: number;
}

/**
 * Returns a row for each group of jobs, in order, with a cell per day, as in the calendar. A row of
 * several jobs shows the worst of them. `countsAs`: which jobs' success makes a cell green (CAL-6)
 * and whose days count for the share (OVER-7); without it, each row is one job that counts for
 * itself.
 */
export async function loadSheet(
  tx: TenantTx,
  reach: QueryScope,
  days: readonly OperationalDay[],
  groups: readonly (readonly KnownJob[])[],
  mode: CalendarMode,
  countsAs?: (type: JobType) => boolean,
): Promise<readonly SheetRow[]> {
  const rows = groups.map((jobs) => ({
    jobs,
    cells: days.map((): Cell => ({ state: null, runs: 0, bad: 0 })),
    counts: new Map<RunState | null, number>(),
    judged: new Map<RunState | null, number>(),
  }));
  const isJudged = countsAs ?? isBackupType;
  const typeByJob = new Map(groups.flat().map(({ job }) => [job.n, job.type]));
  const rowByJob = new Map(
    rows.flatMap((row) => row.jobs.map(({ job }): [JobN, typeof row] => [job.n, row])),
  );
  await eachMark(tx, reach, days, rowByJob.keys(), (mark) => {
    const row = rowByJob.get(mark.job);
    const cell = row?.cells[mark.day];
    if (!row || !cell) return;
    const state = getCell(mark, mode);
    const type = typeByJob.get(mark.job) ?? 'Other';
    row.counts.set(state, (row.counts.get(state) ?? 0) + 1);
    if (isJudged(type)) row.judged.set(state, (row.judged.get(state) ?? 0) + 1);
    const shows = state !== 'Success' || countsAs === undefined || countsAs(type);
    if (state !== null && shows)
      cell.state =
        cell.state === null || cell.state === 'off' ? state : worst([cell.state, state], 'worst');
    cell.runs += mark.runs;
    if (isBad(state)) cell.bad += 1;
  });
  return rows.map(({ jobs, cells, counts, judged }) => {
    const off = jobs.every((one) => !one.job.enabled);
    return {
      jobs,
      counts,
      share: getSuccessRate(countsAs === undefined ? counts : judged),
      ...countJudged(judged),
      cells: cells.map((cell) => ({ ...cell, state: cell.state ?? (off ? 'off' : null) })),
    };
  });
}

/** Groups jobs by company, keeping their order, which must be by company. */
export function groupByCompany(jobs: readonly KnownJob[]): readonly (readonly KnownJob[])[] {
  const groups = new Map<CompanyN, KnownJob[]>();
  for (const one of jobs) {
    const group = groups.get(one.job.company);
    if (group) group.push(one);
    else groups.set(one.job.company, [one]);
  }
  return [...groups.values()];
}
