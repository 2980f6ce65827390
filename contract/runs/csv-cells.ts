import type { Ms, UserId } from '../ids.ts';
import type { Cell, ExportColumn, ExportColumnId, FileColumnId } from './csv.ts';
import { utcText, wallText } from './csv.ts';
import { toRequestedReview } from './review.ts';
import type { ProblemRow } from './rows.ts';
import { csvMessages as t } from './csv.messages.en.ts';

/** The value of a column before formatting. */
export type CellValue =
  | string
  | number
  | boolean
  | readonly [low: number, high: number]
  | null
  | undefined;
type Kind = 'text' | 'code' | 'number' | 'moment' | 'range';

/**
 * The type of each column, the same in every file of a list. `unit`: the unit of its numbers, shown
 * in the title.
 */
const COLUMNS: { readonly [Id in FileColumnId]: { readonly is: Kind; readonly unit?: string } } = {
  state: { is: 'code' },
  streak: { is: 'number' },
  company: { is: 'text' },
  job: { is: 'text' },
  computer: { is: 'text' },
  server: { is: 'text' },
  source: { is: 'code' },
  type: { is: 'code' },
  managed: { is: 'code' },
  schedule: { is: 'code' },
  kind: { is: 'code' },
  cause: { is: 'text' },
  message: { is: 'text' },
  started: { is: 'moment' },
  duration: { is: 'number', unit: 'seconds' },
  usualDuration: { is: 'range', unit: 'seconds' },
  bytes: { is: 'number', unit: 'bytes' },
  usualBytes: { is: 'range', unit: 'bytes' },
  lastGood: { is: 'moment' },
  review: { is: 'code' },
  reviewedBy: { is: 'text' },
  reviewedAt: { is: 'moment' },
  comment: { is: 'text' },
  snoozedUntil: { is: 'moment' },
  note: { is: 'text' },
  ticket: { is: 'text' },
  run: { is: 'number' },
  level: { is: 'code' },
  scheduledFor: { is: 'moment' },
  errorCount: { is: 'number' },
  warningCount: { is: 'number' },
};

/** Returns the header row. Titles include units; moments and ranges get two columns. */
export const getTitles = (columns: readonly ExportColumn<FileColumnId>[]): readonly string[] =>
  columns.flatMap(({ id, title }) => {
    const { is, unit } = COLUMNS[id];
    if (is === 'moment') return [title, t.withUnit({ title, unit: 'UTC' })];
    if (is === 'range')
      return [t.rangeFrom({ title, unit: unit ?? '' }), t.rangeTo({ title, unit: unit ?? '' })];
    return [unit === undefined ? title : t.withUnit({ title, unit })];
  });

/** Appends the cells of a column's value. */
export function putCells(
  cells: Cell[],
  { id, words }: ExportColumn<FileColumnId>,
  value: CellValue,
  timeZone: string,
): void {
  const { is } = COLUMNS[id];
  const known = value ?? null;
  if (is === 'range') {
    if (Array.isArray(known)) cells.push(Number(known[0]), Number(known[1]));
    else cells.push(null, null);
  } else if (is === 'moment') {
    if (typeof known === 'number') cells.push(wallText(known, timeZone), utcText(known));
    else cells.push(null, null);
  } else if (is === 'code')
    cells.push(words?.[String(known)] ?? (known === null ? null : String(known)));
  else cells.push(typeof known === 'string' || typeof known === 'number' ? known : null);
}

interface OfProblem {
  readonly problem: ProblemRow | null | undefined;
}
interface Around {
  readonly names: ReadonlyMap<UserId, string>;
  readonly now: Ms;
  readonly anomalies: boolean;
}

/** Columns that derive from a result's problem alone. */
export const PROBLEM_COLUMNS = {
  review: ({ problem }: OfProblem, { now, anomalies }: Around): CellValue =>
    toRequestedReview(problem, now, anomalies),
  reviewedBy: ({ problem }: OfProblem, { names }: Around): CellValue =>
    problem?.review && (names.get(problem.review.by) ?? ''),
  reviewedAt: ({ problem }: OfProblem): CellValue => problem?.review?.at,
  comment: ({ problem }: OfProblem): CellValue => problem?.review?.comment,
  snoozedUntil: ({ problem }: OfProblem, { now, anomalies }: Around): CellValue =>
    toRequestedReview(problem, now, anomalies) === 'snoozed' ? problem?.snooze?.until : null,
  note: ({ problem }: OfProblem): CellValue => problem?.note?.content,
  ticket: ({ problem }: OfProblem): CellValue => problem?.ticket,
} as const satisfies Partial<Record<ExportColumnId, unknown>>;
