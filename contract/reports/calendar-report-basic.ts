import type { Day } from '../ids.ts';
import { calendarFacts, COMPANY, dayCells, daysColumn, JOB, NO_JOBS, SHARE } from './columns.ts';
import type { JobLine } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns = (days: readonly Day[]): readonly Column[] => [
  COMPANY,
  JOB,
  daysColumn(days),
  SHARE,
];
export const rowsOf = (lines: readonly JobLine[]): readonly ReportRow[] =>
  lines.map((line) => [line.companyName, line.jobName, dayCells(line, false), line.share]);

export const calendarReportBasic: Template<'jobs'> = {
  key: 'calendarReportBasic',
  prettyName: 'Calendar, basic',
  templateName: 'calendar-basic',
  customers: 'any',
  figures: 'jobs',
  description: 'Every job with a mark for each day, and nothing else: for a quick look.',
  body: ({ days, lines }) => ({
    facts: calendarFacts(lines, lines.length),
    notices: [],
    sections: [
      { title: null, columns: columns(days), rows: rowsOf(lines), total: null, none: NO_JOBS },
    ],
  }),
};
