import {
  companyColumn,
  computerColumn,
  jobColumn,
  sourceColumn,
  textReportColumn,
} from './columns.ts';
import type { ResultLine, ReportResults } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { REPORT_REVIEWS, reportTexts as t } from './report.messages.en.ts';

export const columns = (): readonly ReportColumn[] => [
  { id: 'started', title: t.started, kind: 'moment' },
  { id: 'state', title: t.state, kind: 'state' },
  companyColumn(),
  jobColumn(),
  computerColumn(),
  sourceColumn(),
  { id: 'duration', title: t.duration, kind: 'seconds' },
  { id: 'bytes', title: t.transferred, kind: 'bytes' },
  textReportColumn('message', t.cause, 2.4),
  textReportColumn('review', t.review, 0.8),
  textReportColumn('ticket', t.ticket, 0.6),
];
export const getRows = (lines: readonly ResultLine[]): readonly ReportRow[] =>
  lines.map((one) => [
    one.startedAt,
    one.state,
    one.companyName,
    one.jobName,
    one.computerName,
    one.source,
    one.seconds,
    one.bytes,
    one.message,
    REPORT_REVIEWS[one.review],
    one.ticket,
  ]);

/** Returns a notice if there are more results than a report can contain. */
export const cutNotice = ({ lines, count }: ReportResults): readonly string[] =>
  count > lines.length ? [t.cut({ shown: lines.length, count })] : [];

export const detailReport: Template<'results'> = {
  key: 'detailReport',
  get prettyName() {
    return t.details;
  },
  templateName: 'details',
  customers: 'any',
  figures: 'results',
  get description() {
    return t.detailsDetail;
  },
  body: (results) => ({
    facts: [{ title: t.results, kind: 'count', value: results.count }],
    notices: cutNotice(results),
    sections: [
      {
        title: null,
        columns: columns(),
        rows: getRows(results.lines),
        total: null,
        none: t.noResults,
      },
    ],
  }),
};
