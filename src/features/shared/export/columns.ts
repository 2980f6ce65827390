import type { ExportColumn, ExportColumnId } from '#contract/runs/csv.ts';
import { STATES } from '#src/ui/states.ts';
import type { ColumnId } from '../runs/columns.ts';
import { KIND_WORDS, REVIEW_WORDS } from '../runs/labels.ts';

const STATE_WORDS = Object.fromEntries(
  Object.entries(STATES).map(([code, { word }]) => [code, word]),
);

/** What a column of the grid is in a file. What is drawn (the 14 days) has no words. */
const OF: Readonly<Record<ColumnId, readonly ExportColumn[]>> = {
  st: [
    { id: 'state', title: 'State', words: STATE_WORDS },
    { id: 'streak', title: 'Days of the problem' },
  ],
  co: [{ id: 'company', title: 'Company' }],
  job: [
    { id: 'job', title: 'Job' },
    { id: 'schedule', title: 'Schedule' },
  ],
  pc: [{ id: 'computer', title: 'Computer' }],
  ca: [
    { id: 'message', title: 'Cause' },
    { id: 'kind', title: 'Kind of problem', words: KIND_WORDS },
  ],
  days: [],
  at: [{ id: 'started', title: 'Started' }],
  du: [
    { id: 'duration', title: 'Duration' },
    { id: 'usualDuration', title: 'Usual duration' },
  ],
  tr: [
    { id: 'bytes', title: 'Transferred' },
    { id: 'usualBytes', title: 'Usually transferred' },
  ],
  last: [{ id: 'lastGood', title: 'Last good' }],
  tk: [{ id: 'ticket', title: 'Ticket' }],
  note: [{ id: 'note', title: 'Note' }],
};

/** The review rail stands always, and so does what it says. */
const RAIL: readonly ExportColumn[] = [
  { id: 'review', title: 'Review', words: REVIEW_WORDS },
  { id: 'reviewedBy', title: 'Reviewed by' },
  { id: 'reviewedAt', title: 'Reviewed' },
  { id: 'comment', title: 'Comment' },
  { id: 'snoozedUntil', title: 'Snoozed until' },
];

/** The columns of a file: those that the grid shows, in its order. */
export const exportColumnsOf = (shown: readonly ColumnId[]): readonly ExportColumn[] => {
  const chosen = [...shown.flatMap((id) => OF[id]), ...RAIL];
  const had = new Set<ExportColumnId>();
  return chosen.filter(({ id }) => !had.has(id) && had.add(id));
};
