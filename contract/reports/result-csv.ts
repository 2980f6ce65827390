import type { ExportColumn, ExportColumnId, FileColumnId } from '../runs/csv.ts';
import {
  CSV_KINDS,
  MANAGED,
  resultColumns,
  CSV_REVIEWS,
  CSV_STATES,
} from './result-csv.messages.en.ts';

const WORDS: Partial<Readonly<Record<FileColumnId, ExportColumn['words']>>> = {
  state: CSV_STATES,
  managed: MANAGED,
  kind: CSV_KINDS,
  review: CSV_REVIEWS,
};
/** The same columns as in a file from the portal's list. */
const USUAL: readonly ExportColumnId[] = [
  'state',
  'streak',
  'company',
  'job',
  'schedule',
  'computer',
  'message',
  'kind',
  'started',
  'duration',
  'usualDuration',
  'bytes',
  'usualBytes',
  'lastGood',
  'ticket',
  'note',
  'review',
  'reviewedBy',
  'reviewedAt',
  'comment',
  'snoozedUntil',
];

/**
 * Returns the columns of a file with titles and labels, without duplicates. Defaults to the columns
 * of a file from the portal.
 */
export const reportColumns = <Id extends FileColumnId = ExportColumnId>(
  chosen?: readonly Id[],
): readonly ExportColumn<Id | ExportColumnId>[] =>
  [...new Set<Id | ExportColumnId>(chosen ?? USUAL)].map((id) => {
    const words = WORDS[id];
    return { id, title: resultColumns[id], ...(words && { words }) };
  });
