import type { Day } from '../ids.ts';
import {
  calendarFacts,
  companyColumn,
  dayCells,
  daysColumn,
  jobColumn,
  shareColumn,
} from './columns.ts';
import type { JobLine } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (days: readonly Day[]): readonly ReportColumn[] => [
  companyColumn(),
  jobColumn(),
  daysColumn(days),
  shareColumn(),
];
export const getRows = (lines: readonly JobLine[]): readonly ReportRow[] =>
  lines.map((line) => [line.companyName, line.jobName, dayCells(line, false), line.share]);

export const calendarReportBasic: Template<'jobs'> = {
  key: 'calendarReportBasic',
  get prettyName() {
    return t.calendarBasic;
  },
  templateName: 'calendar-basic',
  customers: 'any',
  figures: 'jobs',
  get description() {
    return t.calendarBasicDetail;
  },
  body: ({ days, lines }) => ({
    facts: calendarFacts(lines, lines.length),
    notices: [],
    sections: [
      { title: null, columns: columns(days), rows: getRows(lines), total: null, none: t.noJobs },
    ],
  }),
};
