import type { Day } from '../ids.ts';
import {
  calendarFacts,
  CELL_COUNTS,
  cellCounts,
  COMPANY,
  dayCells,
  daysColumn,
  JOBS,
  NO_COMPANIES,
  SHARE,
  shareOfLines,
  sumCounts,
} from './columns.ts';
import type { CompanyLine } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns = (days: readonly Day[]): readonly Column[] => [
  COMPANY,
  JOBS,
  daysColumn(days),
  SHARE,
  ...CELL_COUNTS,
];
export const rowsOf = (lines: readonly CompanyLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.companyName,
    line.jobs,
    dayCells(line, true),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const calendarReportSummary: Template<'companies'> = {
  key: 'calendarReportSummary',
  prettyName: 'Calendar, summary',
  templateName: 'calendar-summary',
  customers: 'any',
  figures: 'companies',
  description:
    'A line for each company: the worst of its jobs on each day, and what the days of all its jobs come to.',
  body({ days, lines }) {
    const sum = sumCounts(lines);
    const jobs = lines.reduce((all, line) => all + line.jobs, 0);
    return {
      facts: calendarFacts(lines, jobs),
      notices: [],
      sections: [
        {
          title: null,
          columns: columns(days),
          rows: rowsOf(lines),
          total:
            lines.length === 0
              ? null
              : ['All companies', jobs, null, shareOfLines(lines), ...cellCounts(sum)],
          none: NO_COMPANIES,
        },
      ],
    };
  },
};
