import {
  companyColumn,
  count,
  jobsColumn,
  sumReportTallies,
  tallyColumns,
  tallyCells,
  tallyFacts,
} from './columns.ts';
import type { CompanyTally } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (): readonly ReportColumn[] => [
  companyColumn(),
  jobsColumn(),
  ...tallyColumns(),
  { id: 'before', title: t.before, kind: 'share' },
  count('open', t.openNow),
];
export const getRows = (tallies: readonly CompanyTally[]): readonly ReportRow[] =>
  tallies.map((one) => [
    one.companyName,
    one.jobs,
    ...tallyCells(one.now),
    one.before.share,
    one.open,
  ]);

export const multiCustomerReportSummary: Template<'tallies'> = {
  key: 'multiCustomerReportSummary',
  get prettyName() {
    return t.customersSummary;
  },
  templateName: 'customers-summary',
  customers: 'some',
  figures: 'tallies',
  get description() {
    return t.customersSummaryDetail;
  },
  body(tallies) {
    const now = sumReportTallies(tallies.map((one) => one.now));
    const before = sumReportTallies(tallies.map((one) => one.before));
    return {
      facts: tallyFacts(now),
      notices: [],
      sections: [
        {
          title: null,
          columns: columns(),
          rows: getRows(tallies),
          none: t.noCompanies,
          total:
            tallies.length === 0
              ? null
              : [
                  t.allCompanies,
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
