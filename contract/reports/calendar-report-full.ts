import type { Day } from '../ids.ts';
import {
  byCompany,
  calendarFacts,
  CELL_COUNTS,
  cellCounts,
  COMPUTER,
  dayCells,
  daysColumn,
  JOB,
  NO_JOBS,
  SHARE,
  shareOfLines,
  SOURCE,
  sumCounts,
  text,
} from './columns.ts';
import type { JobLine } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns = (days: readonly Day[]): readonly Column[] => [
  JOB,
  COMPUTER,
  SOURCE,
  text('type', 'Type', 0.7),
  daysColumn(days),
  SHARE,
  ...CELL_COUNTS,
];
export const rowsOf = (lines: readonly JobLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.jobName,
    line.computerName,
    line.source,
    line.type,
    dayCells(line, false),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const calendarReportFull: Template<'jobs'> = {
  key: 'calendarReportFull',
  prettyName: 'Calendar, full',
  templateName: 'calendar-full',
  customers: 'any',
  figures: 'jobs',
  description:
    'Every job by company with its computer, source and type, a mark for each day and what its days come to.',
  body: ({ days, lines }) => ({
    facts: calendarFacts(lines, lines.length),
    notices: [],
    sections:
      lines.length === 0
        ? [{ title: null, columns: columns(days), rows: [], total: null, none: NO_JOBS }]
        : byCompany(lines).map((group) => {
            const sum = sumCounts(group.lines);
            return {
              title: group.name,
              columns: columns(days),
              rows: rowsOf(group.lines),
              total: ['All jobs', '', '', '', null, shareOfLines(group.lines), ...cellCounts(sum)],
              none: NO_JOBS,
            };
          }),
  }),
};
