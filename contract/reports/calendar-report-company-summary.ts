import { tallyColumns, tallyCells, tallyFacts } from './columns.ts';
import type { ReportDay } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (): readonly ReportColumn[] => [
  { id: 'day', title: t.day, kind: 'day' },
  ...tallyColumns(),
];
export const getRows = (days: readonly ReportDay[]): readonly ReportRow[] =>
  days.map(({ day, tally }) => [day, ...tallyCells(tally)]);

export const calendarReportCompanySummary: Template<'days'> = {
  key: 'calendarReportCompanySummary',
  get prettyName() {
    return t.companySummary;
  },
  templateName: 'company-summary',
  customers: 'one',
  figures: 'days',
  get description() {
    return t.companySummaryDetail;
  },
  body: ({ days, all, jobs }) => ({
    facts: [...tallyFacts(all), { title: t.jobs, kind: 'count', value: jobs }],
    notices: [],
    sections: [
      {
        title: null,
        columns: columns(),
        rows: getRows(days),
        total: [t.allDays, ...tallyCells(all)],
        none: t.noDays,
      },
    ],
  }),
};
