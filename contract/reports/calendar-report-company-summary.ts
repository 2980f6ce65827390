import { TALLY, tallyCells, tallyFacts } from './columns.ts';
import type { DayTally } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns: readonly Column[] = [{ id: 'day', title: 'Day', kind: 'day' }, ...TALLY];
export const rowsOf = (days: readonly DayTally[]): readonly ReportRow[] =>
  days.map(({ day, tally }) => [day, ...tallyCells(tally)]);

export const calendarReportCompanySummary: Template<'days'> = {
  key: 'calendarReportCompanySummary',
  prettyName: 'Calendar of a company, summary',
  templateName: 'company-summary',
  customers: 'one',
  figures: 'days',
  description:
    'One company, a line for each day: how many results there were, what became of them and how much was transferred.',
  body: ({ days, all, jobs }) => ({
    facts: [...tallyFacts(all), { title: 'Jobs', kind: 'count', value: jobs }],
    notices: [],
    sections: [
      {
        title: null,
        columns,
        rows: rowsOf(days),
        total: ['All days', ...tallyCells(all)],
        none: 'There are no days in this time.',
      },
    ],
  }),
};
