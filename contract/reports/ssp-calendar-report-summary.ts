import type { Day } from '../ids.ts';
import {
  calendarFacts,
  cellCountColumns,
  cellCounts,
  count,
  dayCells,
  daysColumn,
  jobsColumn,
  shareColumn,
  shareOfLines,
  sumCounts,
  textReportColumn,
} from './columns.ts';
import type { ProviderLine } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (days: readonly Day[]): readonly ReportColumn[] => [
  textReportColumn('provider', t.provider, 1.4),
  count('companies', t.companies),
  jobsColumn(),
  daysColumn(days),
  shareColumn(),
  ...cellCountColumns(),
];
export const getRows = (lines: readonly ProviderLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.provider,
    line.companies,
    line.jobs,
    dayCells(line, true),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const sspCalendarReportSummary: Template<'providers'> = {
  key: 'sspCalendarReportSummary',
  get prettyName() {
    return t.subProviders;
  },
  templateName: 'sub-providers',
  customers: 'none',
  figures: 'providers',
  get description() {
    return t.subProvidersDetail;
  },
  body({ days, lines }) {
    const sum = sumCounts(lines);
    const jobs = lines.reduce((all, line) => all + line.jobs, 0);
    const companies = lines.reduce((all, line) => all + line.companies, 0);
    return {
      facts: calendarFacts(lines, jobs),
      notices: [],
      sections: [
        {
          title: null,
          columns: columns(days),
          rows: getRows(lines),
          none: t.noProviders,
          total:
            lines.length === 0
              ? null
              : [t.allProviders, companies, jobs, null, shareOfLines(lines), ...cellCounts(sum)],
        },
      ],
    };
  },
};
