import type { Day } from '../ids.ts';
import {
  byCompany,
  calendarFacts,
  cellCountColumns,
  cellCounts,
  computerColumn,
  dayCells,
  daysColumn,
  jobColumn,
  shareColumn,
  shareOfLines,
  sourceColumn,
  sumCounts,
  textReportColumn,
} from './columns.ts';
import type { JobLine } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (days: readonly Day[]): readonly ReportColumn[] => [
  jobColumn(),
  computerColumn(),
  sourceColumn(),
  textReportColumn('type', t.type, 0.7),
  daysColumn(days),
  shareColumn(),
  ...cellCountColumns(),
];
export const getRows = (lines: readonly JobLine[]): readonly ReportRow[] =>
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
  get prettyName() {
    return t.calendarFull;
  },
  templateName: 'calendar-full',
  customers: 'any',
  figures: 'jobs',
  get description() {
    return t.calendarFullDetail;
  },
  body: ({ days, lines }) => ({
    facts: calendarFacts(lines, lines.length),
    notices: [],
    sections:
      lines.length === 0
        ? [{ title: null, columns: columns(days), rows: [], total: null, none: t.noJobs }]
        : byCompany(lines).map((group) => {
            const sum = sumCounts(group.lines);
            return {
              title: group.name,
              columns: columns(days),
              rows: getRows(group.lines),
              total: [t.allJobs, '', '', '', null, shareOfLines(group.lines), ...cellCounts(sum)],
              none: t.noJobs,
            };
          }),
  }),
};
