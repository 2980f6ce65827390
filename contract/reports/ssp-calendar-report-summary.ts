import type { Day } from '../ids.ts';
import {
  calendarFacts,
  CELL_COUNTS,
  cellCounts,
  count,
  dayCells,
  daysColumn,
  JOBS,
  SHARE,
  shareOfLines,
  sumCounts,
  text,
} from './columns.ts';
import type { ProviderLine } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns = (days: readonly Day[]): readonly Column[] => [
  text('provider', 'Provider', 1.4),
  count('companies', 'Companies'),
  JOBS,
  daysColumn(days),
  SHARE,
  ...CELL_COUNTS,
];
export const rowsOf = (lines: readonly ProviderLine[]): readonly ReportRow[] =>
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
  prettyName: 'Sub-providers, summary',
  templateName: 'sub-providers',
  customers: 'none',
  figures: 'providers',
  description:
    'A line for each provider below the own one: the worst of its jobs on each day, and what their days come to.',
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
          rows: rowsOf(lines),
          none: 'There are no providers below this one.',
          total:
            lines.length === 0
              ? null
              : ['All providers', companies, jobs, null, shareOfLines(lines), ...cellCounts(sum)],
        },
      ],
    };
  },
};
