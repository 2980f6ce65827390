import type { Ms, ProblemN, UserId } from '#contract/ids.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { Cell, ExportColumn, ExportColumnId } from '#contract/runs/csv.ts';
import { PROBLEM_COLUMNS, putCells } from '#contract/runs/csv-cells.ts';
import type { CellValue } from '#contract/runs/csv-cells.ts';
import { getStreak } from '#contract/runs/review.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import type { UsualValues } from '#workers/columns/history.ts';
import { isManagedKind, getSource, getState, getType } from '#workers/columns/kinds.ts';
import type { ColumnStore } from '#workers/types.ts';
import { JobHistories } from './histories.ts';

/** The data for the cells of a run. Histories are built if a column needs them. */
interface Source {
  readonly engine: ColumnStore;
  readonly names: ReadonlyMap<UserId, string>;
  readonly now: Ms;
  /** False: an anomaly needs no review. */
  readonly anomalies: boolean;
  readonly histories: JobHistories | null;
}
interface CellInput {
  readonly run: LeanRun;
  readonly problem: ProblemRow | undefined;
  readonly usual: () => UsualValues | undefined;
}

type Value = (details: CellInput, from: Source) => CellValue;

const COLUMNS: { readonly [Id in ExportColumnId]: Value } = {
  state: ({ run }) => getState(run.kind),
  streak: ({ problem }, from) => problem && getStreak(problem, from.engine.wall, from.now),
  company: ({ run }, { engine }) => engine.row('company', run.company)?.name,
  job: ({ run }, { engine }) => engine.row('job', run.job)?.name,
  computer: ({ run }, { engine }) => engine.row('job', run.job)?.computer,
  server: ({ run }, { engine }) => engine.row('job', run.job)?.server,
  source: ({ run }) => getSource(run.kind),
  type: ({ run }) => getType(run.kind),
  managed: ({ run }) => isManagedKind(run.kind),
  schedule: ({ run }, { engine }) => {
    const job = engine.row('job', run.job);
    return job && getScheduleState(job);
  },
  kind: ({ problem }, { engine }) =>
    problem && (engine.row('cause', problem.cause)?.kind ?? 'other'),
  cause: ({ problem }, { engine }) => problem && engine.row('cause', problem.cause)?.template,
  message: ({ run }) => run.message,
  started: ({ run }) => run.startSec * 1000,
  duration: ({ run }) => run.elapsedSec,
  usualDuration: ({ usual }) => usual()?.duration,
  bytes: ({ run }) => run.bytes,
  usualBytes: ({ usual }) => usual()?.bytes,
  lastGood: ({ run }, { histories }) => histories?.lastGoodAt(run.job),
  ...PROBLEM_COLUMNS,
  run: ({ run }) => run.n,
};
const WITH_HISTORY = new Set<ExportColumnId>(['usualDuration', 'usualBytes', 'lastGood']);

/** Builds the cells of one run after the other. */
export function makeCells(
  engine: ColumnStore,
  names: ReadonlyMap<UserId, string>,
  columns: readonly ExportColumn[],
  anomalies: boolean,
  now: Ms,
): (run: LeanRun) => readonly Cell[] {
  const needsHistory = columns.some(({ id }) => WITH_HISTORY.has(id));
  const { timeZone } = engine.wall;
  const source: Source = {
    engine,
    names,
    now,
    anomalies,
    histories: needsHistory ? new JobHistories(engine) : null,
  };
  return (run) => {
    let usual: UsualValues | undefined;
    const details: CellInput = {
      run,
      problem: getProblem(engine, run.problem),
      usual: () => (usual ??= source.histories?.usualBefore(run)),
    };
    const cells: Cell[] = [];
    for (const column of columns)
      putCells(cells, column, COLUMNS[column.id](details, source), timeZone);
    return cells;
  };
}

const getProblem = (engine: ColumnStore, n: ProblemN | null): ProblemRow | undefined =>
  n === null ? undefined : engine.problem(n);
