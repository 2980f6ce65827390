import type { Day } from '../ids.ts';
import {
  CELL_COUNTS,
  cellCounts,
  COMPUTER,
  dayCells,
  daysColumn,
  JOB,
  NO_JOBS,
  SHARE,
  shareOfLines,
  sumCounts,
  tallyFacts,
  text,
} from './columns.ts';
import { cutNotice } from './detail-report.ts';
import type { JobLine, ResultLine } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { REVIEW_WORDS } from './words.ts';

export const columns = (days: readonly Day[]): readonly Column[] => [
  JOB,
  COMPUTER,
  daysColumn(days),
  SHARE,
  ...CELL_COUNTS,
];
export const rowsOf = (lines: readonly JobLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.jobName,
    line.computerName,
    dayCells(line, false),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const troubleColumns: readonly Column[] = [
  { id: 'started', title: 'Started', kind: 'moment' },
  { id: 'state', title: 'State', kind: 'state' },
  JOB,
  text('message', 'Cause', 3),
  text('review', 'Review', 0.8),
  text('ticket', 'Ticket', 0.6),
];
export const troubleRows = (lines: readonly ResultLine[]): readonly ReportRow[] =>
  lines.map((one) => [
    one.startedAt,
    one.state,
    one.jobName,
    one.message,
    REVIEW_WORDS[one.review],
    one.ticket,
  ]);

export const calendarReportCompanyFull: Template<'company'> = {
  key: 'calendarReportCompanyFull',
  prettyName: 'Calendar of a company, full',
  templateName: 'company-full',
  customers: 'one',
  figures: 'company',
  description:
    'One company, to send to it: its jobs with a mark for each day, and every result that was not good with its cause and what was done.',
  body({ days, lines, tally, troubles }) {
    const sum = sumCounts(lines);
    return {
      facts: tallyFacts(tally),
      notices: cutNotice(troubles),
      sections: [
        {
          title: 'Jobs and days',
          columns: columns(days),
          rows: rowsOf(lines),
          total:
            lines.length === 0
              ? null
              : ['All jobs', '', null, shareOfLines(lines), ...cellCounts(sum)],
          none: NO_JOBS,
        },
        {
          title: 'What was not good',
          columns: troubleColumns,
          rows: troubleRows(troubles.lines),
          total: null,
          none: 'Nothing failed, nothing was missed and nothing warned.',
        },
      ],
    };
  },
};
