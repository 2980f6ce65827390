import type { Day } from '../ids.ts';
import {
  calendarFacts,
  cellCountColumns,
  cellCounts,
  companyColumn,
  dayCells,
  daysColumn,
  jobsColumn,
  shareColumn,
  shareOfLines,
  sumCounts,
} from './columns.ts';
import type { CompanyLine } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (days: readonly Day[]): readonly ReportColumn[] => [
  companyColumn(),
  jobsColumn(),
  daysColumn(days),
  shareColumn(),
  ...cellCountColumns(),
];
export const getRows = (lines: readonly CompanyLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.companyName,
    line.jobs,
    dayCells(line, true),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const calendarReportSummary: Template<'companies'> = {
  key: 'calendarReportSummary',
  get prettyName() {
    return t.calendarSummary;
  },
  templateName: 'calendar-summary',
  customers: 'any',
  figures: 'companies',
  get description() {
    return t.calendarSummaryDetail;
  },
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
          rows: getRows(lines),
          total:
            lines.length === 0
              ? null
              : [t.allCompanies, jobs, null, shareOfLines(lines), ...cellCounts(sum)],
          none: t.noCompanies,
        },
      ],
    };
  },
};
