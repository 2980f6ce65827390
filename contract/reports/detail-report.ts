import { COMPANY, COMPUTER, JOB, SOURCE, text } from './columns.ts';
import type { ResultLine, Results } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { REVIEW_WORDS } from './words.ts';

export const columns: readonly Column[] = [
  { id: 'started', title: 'Started', kind: 'moment' },
  { id: 'state', title: 'State', kind: 'state' },
  COMPANY,
  JOB,
  COMPUTER,
  SOURCE,
  { id: 'duration', title: 'Duration', kind: 'seconds' },
  { id: 'bytes', title: 'Transferred', kind: 'bytes' },
  text('message', 'Cause', 2.4),
  text('review', 'Review', 0.8),
  text('ticket', 'Ticket', 0.6),
];
export const rowsOf = (lines: readonly ResultLine[]): readonly ReportRow[] =>
  lines.map((one) => [
    one.startedAt,
    one.state,
    one.companyName,
    one.jobName,
    one.computerName,
    one.source,
    one.seconds,
    one.bytes,
    one.message,
    REVIEW_WORDS[one.review],
    one.ticket,
  ]);

/** Returns a notice if there are more results than a report can contain. */
export const cutNotice = ({ lines, count }: Results): readonly string[] =>
  count > lines.length
    ? [
        `The newest ${lines.length.toLocaleString('en-US')} of ${count.toLocaleString('en-US')} results. Choose fewer companies or a shorter time to see all.`,
      ]
    : [];

export const detailReport: Template<'results'> = {
  key: 'detailReport',
  prettyName: 'Results in detail',
  templateName: 'details',
  customers: 'any',
  figures: 'results',
  description:
    'Every result of the time, the newest first, with its duration, size, cause, review and ticket.',
  body: (results) => ({
    facts: [{ title: 'Results', kind: 'count', value: results.count }],
    notices: cutNotice(results),
    sections: [
      {
        title: null,
        columns,
        rows: rowsOf(results.lines),
        total: null,
        none: 'There were no results in this time.',
      },
    ],
  }),
};
