import {
  COMPUTER,
  JOB,
  NO_COMPANIES,
  NO_JOBS,
  SOURCE,
  sumTallies,
  TALLY,
  tallyCells,
  tallyFacts,
} from './columns.ts';
import type { JobTally } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns: readonly Column[] = [
  JOB,
  COMPUTER,
  SOURCE,
  ...TALLY,
  { id: 'lastGood', title: 'Last good', kind: 'moment' },
];
export const rowsOf = (jobs: readonly JobTally[]): readonly ReportRow[] =>
  jobs.map((one) => [
    one.jobName,
    one.computerName,
    one.source,
    ...tallyCells(one.tally),
    one.lastGoodAt,
  ]);

export const multiCustomerReportDetails: Template<'details'> = {
  key: 'multiCustomerReportDetails',
  prettyName: 'Several customers, details',
  templateName: 'customers-details',
  customers: 'some',
  figures: 'details',
  description:
    'Up to 30 companies one after the other, with a line for each job: its results and when it was last good.',
  body: (companies) => ({
    facts: tallyFacts(sumTallies(companies.map(({ company }) => company.now))),
    notices: [],
    sections:
      companies.length === 0
        ? [{ title: null, columns, rows: [], total: null, none: NO_COMPANIES }]
        : companies.map(({ company, jobs }) => ({
            title: company.companyName,
            columns,
            rows: rowsOf(jobs),
            total:
              jobs.length === 0 ? null : ['All jobs', '', '', ...tallyCells(company.now), null],
            none: NO_JOBS,
          })),
  }),
};
