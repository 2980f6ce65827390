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
const COLUMNS: { readonly [Id in FileColumnId]: { readonly kind: Kind; readonly unit?: string } } =
  {
    state: { kind: 'code' },
    streak: { kind: 'number' },
    company: { kind: 'text' },
    job: { kind: 'text' },
    computer: { kind: 'text' },
    server: { kind: 'text' },
    source: { kind: 'code' },
    type: { kind: 'code' },
    managed: { kind: 'code' },
    schedule: { kind: 'code' },
    kind: { kind: 'code' },
    cause: { kind: 'text' },
    message: { kind: 'text' },
    started: { kind: 'moment' },
    duration: { kind: 'number', unit: 'seconds' },
    usualDuration: { kind: 'range', unit: 'seconds' },
    bytes: { kind: 'number', unit: 'bytes' },
    usualBytes: { kind: 'range', unit: 'bytes' },
    lastGood: { kind: 'moment' },
    review: { kind: 'code' },
    reviewedBy: { kind: 'text' },
    reviewedAt: { kind: 'moment' },
    comment: { kind: 'text' },
    snoozedUntil: { kind: 'moment' },
    note: { kind: 'text' },
    ticket: { kind: 'text' },
    run: { kind: 'number' },
    level: { kind: 'code' },
    scheduledFor: { kind: 'moment' },
    errorCount: { kind: 'number' },
    warningCount: { kind: 'number' },
  };

/** Returns the header row. Titles include units; moments and ranges get two columns. */
export const getTitles = (columns: readonly ExportColumn<FileColumnId>[]): readonly string[] =>
  columns.flatMap(({ id, title }) => {
    const { kind, unit } = COLUMNS[id];
    if (kind === 'moment') return [title, t.withUnit({ title, unit: 'UTC' })];
    if (kind === 'range')
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
  const { kind } = COLUMNS[id];
  const known = value ?? null;
  if (kind === 'range') {
    if (Array.isArray(known)) cells.push(Number(known[0]), Number(known[1]));
    else cells.push(null, null);
  } else if (kind === 'moment') {
    if (typeof known === 'number') cells.push(wallText(known, timeZone), utcText(known));
    else cells.push(null, null);
  } else if (kind === 'code')
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
