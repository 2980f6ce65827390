import type { JobN, Ms, UserId } from '#contract/ids.ts';
import type { Cell, ExportColumn, FileColumnId } from '#contract/runs/csv.ts';
import { PROBLEM_COLUMNS, putCells } from '#contract/runs/csv-cells.ts';
import type { CellValue } from '#contract/runs/csv-cells.ts';
import { MIN_SPREAD, getUsualRange } from '#contract/problems/judge.ts';
import { getStreak } from '#contract/runs/review.ts';
import type { StatRow } from '#contract/runs/rows.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import type { DayBounds } from '#server/platform/queries/query.ts';
import type { RunDetails } from '#server/platform/queries/run-details.ts';

/**
 * The data for cells besides the result. `stats`: the usual values now. `lastGood`: the latest
 * start of a successful run.
 */
export interface Around {
  readonly names: ReadonlyMap<UserId, string>;
  readonly stats: ReadonlyMap<unknown, StatRow>;
  readonly lastGood: ReadonlyMap<JobN, Ms>;
  readonly anomalies: boolean;
  readonly wall: DayBounds;
  readonly now: Ms;
}

const COLUMNS: {
  readonly [Id in FileColumnId]: (details: RunDetails, around: Around) => CellValue;
} = {
  state: ({ run }) => (run.status === 'Success' && run.anomaly.length > 0 ? 'Anomaly' : run.status),
  streak: ({ problem }, around) => problem && getStreak(problem, around.wall, around.now),
  company: ({ known }) => known.companyName,
  job: ({ known }) => known.job.name,
  computer: ({ known }) => known.job.computer,
  server: ({ known }) => known.job.server,
  source: ({ known }) => known.job.source,
  type: ({ known }) => known.job.type,
  managed: ({ known }) => known.job.managed,
  schedule: ({ known }) => getScheduleState(known.job),
  kind: ({ problem, cause }) => problem && (cause?.kind ?? 'other'),
  cause: ({ cause }) => cause?.template,
  message: ({ run }) => run.message,
  started: ({ run }) => run.startedAt,
  duration: ({ run }) => run.durationSec,
  usualDuration: ({ run }, { stats }) =>
    getUsualRange(stats.get(run.job)?.durations ?? [], MIN_SPREAD.duration),
  bytes: ({ run }) => run.bytes,
  usualBytes: ({ run }, { stats }) =>
    getUsualRange(stats.get(run.job)?.bytes ?? [], MIN_SPREAD.bytes),
  lastGood: ({ run }, { lastGood }) => lastGood.get(run.job),
  ...PROBLEM_COLUMNS,
  run: ({ run }) => run.n,
  level: ({ run }) => run.level,
  scheduledFor: ({ run }) => run.scheduledFor,
  errorCount: ({ run }) => run.errorCount,
  warningCount: ({ run }) => run.warningCount,
};

export function getCells(
  details: RunDetails,
  columns: readonly ExportColumn<FileColumnId>[],
  around: Around,
): readonly Cell[] {
  const cells: Cell[] = [];
  for (const column of columns)
    putCells(cells, column, COLUMNS[column.id](details, around), around.wall.timeZone);
  return cells;
}
