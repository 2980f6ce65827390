import type { Ms, ProblemN, UserId } from '#contract/ids.ts';
import type { LeanRun } from '#contract/monitoring/columns.ts';
import type { Cell, ExportColumn, ExportColumnId } from '#contract/monitoring/csv.ts';
import { utcText, wallText } from '#contract/monitoring/csv.ts';
import { dayOf } from '#contract/monitoring/day.ts';
import type { ProblemRow } from '#contract/monitoring/rows.ts';
import type { Usual } from '#workers/columns/history.ts';
import { managedOf, sourceOf, stateOf, typeOf } from '#workers/columns/kinds.ts';
import { reviewOf } from '#workers/columns/problems.ts';
import type { Engine } from '#workers/seams.ts';
import { JobHistories } from './histories.ts';

/** Where the cells of a run come from. Histories are made where a column asks for them. */
interface Source {
  readonly engine: Engine;
  readonly names: ReadonlyMap<UserId, string>;
  readonly now: Ms;
  /** False: an anomaly asks for no review. */
  readonly anomalies: boolean;
  readonly histories: JobHistories | null;
}
interface Told { readonly run: LeanRun; readonly problem: ProblemRow | undefined; readonly usual: () => Usual | undefined }

type Is = 'text' | 'code' | 'number' | 'moment' | 'range';
interface Column { readonly is: Is; readonly unit?: string; readonly of: (told: Told, from: Source) => string | number | boolean | readonly [number, number] | null | undefined }

const COLUMNS: { readonly [Id in ExportColumnId]: Column } = {
  state: { is: 'code', of: ({ run }) => stateOf(run.kind) },
  streak: { is: 'number', of: ({ problem }, from) => problem && streakOf(problem, from) },
  company: { is: 'text', of: ({ run }, { engine }) => engine.row('company', run.company)?.name },
  job: { is: 'text', of: ({ run }, { engine }) => engine.row('job', run.job)?.name },
  computer: { is: 'text', of: ({ run }, { engine }) => engine.row('job', run.job)?.computer },
  server: { is: 'text', of: ({ run }, { engine }) => engine.row('job', run.job)?.server },
  source: { is: 'code', of: ({ run }) => sourceOf(run.kind) },
  type: { is: 'code', of: ({ run }) => typeOf(run.kind) },
  managed: { is: 'code', of: ({ run }) => managedOf(run.kind) },
  kind: { is: 'code', of: ({ problem }, { engine }) => problem && (engine.row('cause', problem.cause)?.kind ?? 'other') },
  cause: { is: 'text', of: ({ problem }, { engine }) => problem && engine.row('cause', problem.cause)?.template },
  message: { is: 'text', of: ({ run }) => run.message },
  started: { is: 'moment', of: ({ run }) => run.startSec * 1000 },
  duration: { is: 'number', unit: 'seconds', of: ({ run }) => run.elapsedSec },
  usualDuration: { is: 'range', unit: 'seconds', of: ({ usual }) => usual()?.duration },
  bytes: { is: 'number', unit: 'bytes', of: ({ run }) => run.bytes },
  usualBytes: { is: 'range', unit: 'bytes', of: ({ usual }) => usual()?.bytes },
  lastGood: { is: 'moment', of: ({ run }, { histories }) => histories?.lastGoodAt(run.job) },
  review: { is: 'code', of: ({ problem }, { now, anomalies }) => (!problem || (!anomalies && problem.state === 'Anomaly') ? 'none' : reviewOf(problem, now)) },
  reviewedBy: { is: 'text', of: ({ problem }, { names }) => problem?.review && (names.get(problem.review.by) ?? '') },
  reviewedAt: { is: 'moment', of: ({ problem }) => problem?.review?.at },
  comment: { is: 'text', of: ({ problem }) => problem?.review?.comment },
  snoozedUntil: { is: 'moment', of: ({ problem }, { now }) => (problem && reviewOf(problem, now) === 'snoozed' ? problem.snooze?.until : null) },
  note: { is: 'text', of: ({ problem }) => problem?.note?.content },
  ticket: { is: 'text', of: ({ problem }) => problem?.ticket },
  run: { is: 'number', of: ({ run }) => run.n },
};
const WITH_HISTORY = new Set<ExportColumnId>(['usualDuration', 'usualBytes', 'lastGood']);

/** The first line: units stand in the titles, moments and ranges make two columns. */
export const titlesOf = (columns: readonly ExportColumn[]): readonly string[] => columns.flatMap(({ id, title }) => {
  const { is, unit } = COLUMNS[id];
  if (is === 'moment') return [title, `${title} (UTC)`];
  if (is === 'range') return [`${title} from (${unit ?? ''})`, `${title} to (${unit ?? ''})`];
  return [unit === undefined ? title : `${title} (${unit})`];
});

/** Makes the cells of one run after the other. */
export function makeCells(
  engine: Engine, names: ReadonlyMap<UserId, string>, columns: readonly ExportColumn[], anomalies: boolean, now: Ms,
): (run: LeanRun) => readonly Cell[] {
  const needsHistory = columns.some(({ id }) => WITH_HISTORY.has(id)), { timeZone } = engine.wall;
  const chosen = columns.map(({ id, words }) => ({ ...COLUMNS[id], words }));
  const source: Source = { engine, names, now, anomalies, histories: needsHistory ? new JobHistories(engine) : null };
  return (run) => {
    let usual: Usual | undefined;
    const told: Told = { run, problem: problemOf(engine, run.problem), usual: () => (usual ??= source.histories?.usualBefore(run)) };
    const cells: Cell[] = [];
    for (const { is, of, words } of chosen) putCells(cells, is, of(told, source) ?? null, words, timeZone);
    return cells;
  };
}

function putCells(cells: Cell[], is: Is, value: ReturnType<Column['of']>, words: ExportColumn['words'], timeZone: string): void {
  if (is === 'range') {
    if (Array.isArray(value)) cells.push(value[0], value[1]); else cells.push(null, null);
  } else if (is === 'moment') {
    if (typeof value === 'number') cells.push(wallText(value, timeZone), utcText(value)); else cells.push(null, null);
  } else if (is === 'code') cells.push(words?.[String(value)] ?? (value === null ? null : String(value)));
  else cells.push(typeof value === 'string' || typeof value === 'number' ? value : null);
}

const problemOf = (engine: Engine, n: ProblemN | null): ProblemRow | undefined => (n === null ? undefined : engine.problem(n));

const streakOf = ({ openedAt, closedAt }: ProblemRow, { engine: { wall }, now }: Source): number =>
  Math.max(1, dayOf(closedAt ?? now, wall.timeZone, wall.dayBeginsHour) - dayOf(openedAt, wall.timeZone, wall.dayBeginsHour) + 1);
