import type { Day } from '../ids.ts';
import {
  cellCountColumns,
  cellCounts,
  computerColumn,
  dayCells,
  daysColumn,
  jobColumn,
  shareColumn,
  shareOfLines,
  sumCounts,
  tallyFacts,
  textReportColumn,
} from './columns.ts';
import { cutNotice } from './detail-report.ts';
import type { JobLine, ResultLine } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { REPORT_REVIEWS, reportTexts as t } from './report.messages.en.ts';

export const columns = (days: readonly Day[]): readonly ReportColumn[] => [
  jobColumn(),
  computerColumn(),
  daysColumn(days),
  shareColumn(),
  ...cellCountColumns(),
];
export const getRows = (lines: readonly JobLine[]): readonly ReportRow[] =>
  lines.map((line) => [
    line.jobName,
    line.computerName,
    dayCells(line, false),
    line.share,
    ...cellCounts(line.counts),
  ]);

export const troubleColumns = (): readonly ReportColumn[] => [
  { id: 'started', title: t.started, kind: 'moment' },
  { id: 'state', title: t.state, kind: 'state' },
  jobColumn(),
  textReportColumn('message', t.cause, 3),
  textReportColumn('review', t.review, 0.8),
  textReportColumn('ticket', t.ticket, 0.6),
];
export const troubleRows = (lines: readonly ResultLine[]): readonly ReportRow[] =>
  lines.map((one) => [
    one.startedAt,
    one.state,
    one.jobName,
    one.message,
    REPORT_REVIEWS[one.review],
    one.ticket,
  ]);

export const calendarReportCompanyFull: Template<'company'> = {
  key: 'calendarReportCompanyFull',
  get prettyName() {
    return t.companyFull;
  },
  templateName: 'company-full',
  customers: 'one',
  figures: 'company',
  get description() {
    return t.companyFullDetail;
  },
  body({ days, lines, tally, troubles }) {
    const sum = sumCounts(lines);
    return {
      facts: tallyFacts(tally),
      notices: cutNotice(troubles),
      sections: [
        {
          title: t.jobsAndDays,
          columns: columns(days),
          rows: getRows(lines),
          total:
            lines.length === 0
              ? null
              : [t.allJobs, '', null, shareOfLines(lines), ...cellCounts(sum)],
          none: t.noJobs,
        },
        {
          title: t.badResults,
          columns: troubleColumns(),
          rows: troubleRows(troubles.lines),
          total: null,
          none: t.noBadResults,
        },
      ],
    };
  },
};
