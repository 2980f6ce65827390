import type { ExportColumn, ExportColumnId } from '#contract/runs/csv.ts';
import { STATES } from '#src/ui/states.ts';
import type { ColumnId } from '../runs/columns.ts';
import { PROBLEM_KIND_LABELS, REVIEW_WORDS } from '../runs/labels.ts';
import { exportMessages as t } from './messages.en.ts';

const STATE_WORDS = Object.fromEntries(
  Object.entries(STATES).map(([code, { label }]) => [code, label]),
);

/** Export columns of each grid column. The 14-day strip is graphical and has none. */
const OF: Readonly<Record<ColumnId, readonly ExportColumn[]>> = {
  st: [
    { id: 'state', title: t.state, words: STATE_WORDS },
    { id: 'streak', title: t.problemDays },
  ],
  co: [{ id: 'company', title: t.company }],
  job: [
    { id: 'job', title: t.job },
    { id: 'schedule', title: t.schedule },
  ],
  pc: [{ id: 'computer', title: t.computer }],
  ca: [
    { id: 'message', title: t.cause },
    { id: 'kind', title: t.kindOfProblem, words: PROBLEM_KIND_LABELS },
  ],
  days: [],
  at: [{ id: 'started', title: t.started }],
  du: [
    { id: 'duration', title: t.duration },
    { id: 'usualDuration', title: t.typicalDuration },
  ],
  tr: [
    { id: 'bytes', title: t.transferred },
    { id: 'usualBytes', title: t.typicalTransferred },
  ],
  last: [{ id: 'lastGood', title: t.lastGood }],
  tk: [{ id: 'ticket', title: t.ticket }],
  note: [{ id: 'note', title: t.note }],
};

/** The review column is always visible, so its fields are always exported. */
const RAIL: readonly ExportColumn[] = [
  { id: 'review', title: t.review, words: REVIEW_WORDS },
  { id: 'reviewedBy', title: t.reviewedBy },
  { id: 'reviewedAt', title: t.reviewed },
  { id: 'comment', title: t.comment },
  { id: 'snoozedUntil', title: t.snoozedUntil },
];

/** Returns the columns of a file: those of the grid, in its order. */
export const getExportColumns = (shown: readonly ColumnId[]): readonly ExportColumn[] => {
  const chosen = [...shown.flatMap((id) => OF[id]), ...RAIL];
  const had = new Set<ExportColumnId>();
  return chosen.filter(({ id }) => !had.has(id) && had.add(id));
};
