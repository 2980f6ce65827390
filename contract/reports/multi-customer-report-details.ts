import {
  computerColumn,
  jobColumn,
  sourceColumn,
  sumReportTallies,
  tallyColumns,
  tallyCells,
  tallyFacts,
} from './columns.ts';
import type { JobTally } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (): readonly ReportColumn[] => [
  jobColumn(),
  computerColumn(),
  sourceColumn(),
  ...tallyColumns(),
  { id: 'lastGood', title: t.lastGood, kind: 'moment' },
];
export const getRows = (jobs: readonly JobTally[]): readonly ReportRow[] =>
  jobs.map((one) => [
    one.jobName,
    one.computerName,
    one.source,
    ...tallyCells(one.tally),
    one.lastGoodAt,
  ]);

export const multiCustomerReportDetails: Template<'details'> = {
  key: 'multiCustomerReportDetails',
  get prettyName() {
    return t.customersDetails;
  },
  templateName: 'customers-details',
  customers: 'some',
  figures: 'details',
  get description() {
    return t.customersDetailsDetail;
  },
  body: (companies) => ({
    facts: tallyFacts(sumReportTallies(companies.map(({ company }) => company.now))),
    notices: [],
    sections:
      companies.length === 0
        ? [{ title: null, columns: columns(), rows: [], total: null, none: t.noCompanies }]
        : companies.map(({ company, jobs }) => ({
            title: company.companyName,
            columns: columns(),
            rows: getRows(jobs),
            total: jobs.length === 0 ? null : [t.allJobs, '', '', ...tallyCells(company.now), null],
            none: t.noJobs,
          })),
  }),
};
