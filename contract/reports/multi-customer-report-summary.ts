import {
  COMPANY,
  count,
  JOBS,
  NO_COMPANIES,
  sumTallies,
  TALLY,
  tallyCells,
  tallyFacts,
} from './columns.ts';
import type { CompanyTally } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns: readonly Column[] = [
  COMPANY,
  JOBS,
  ...TALLY,
  { id: 'before', title: 'Before', kind: 'share' },
  count('open', 'Open now'),
];
export const rowsOf = (tallies: readonly CompanyTally[]): readonly ReportRow[] =>
  tallies.map((one) => [
    one.companyName,
    one.jobs,
    ...tallyCells(one.now),
    one.before.share,
    one.open,
  ]);

export const multiCustomerReportSummary: Template<'tallies'> = {
  key: 'multiCustomerReportSummary',
  prettyName: 'Several customers, summary',
  templateName: 'customers-summary',
  customers: 'some',
  figures: 'tallies',
  description:
    'Up to 30 companies side by side: their results, what went well beside the equal time before, and what is open now.',
  body(tallies) {
    const now = sumTallies(tallies.map((one) => one.now));
    const before = sumTallies(tallies.map((one) => one.before));
    return {
      facts: tallyFacts(now),
      notices: [],
      sections: [
        {
          title: null,
          columns,
          rows: rowsOf(tallies),
          none: NO_COMPANIES,
          total:
            tallies.length === 0
              ? null
              : [
                  'All companies',
                  tallies.reduce((all, one) => all + one.jobs, 0),
                  ...tallyCells(now),
                  before.share,
                  tallies.reduce((all, one) => all + one.open, 0),
                ],
        },
      ],
    };
  },
};
