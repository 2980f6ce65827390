import { companyColumn, count, jobsColumn } from './columns.ts';
import type { Holding } from './figures.ts';
import type { ReportColumn, ReportRow } from './report.ts';
import type { Template } from './template.ts';
import { reportTexts as t } from './report.messages.en.ts';

export const columns = (): readonly ReportColumn[] => [
  companyColumn(),
  jobsColumn(),
  count('disabled', t.disabled),
  count('computers', t.computers),
  count('servers', t.servers),
  count('agents', t.agents),
  count('vms', t.cloudVms),
  count('office365', t.microsoft365),
  count('shares', t.fileShares),
  { id: 'transferred', title: t.transferred, kind: 'bytes' },
  count('repositories', t.repositories),
  { id: 'used', title: t.stored, kind: 'bytes' },
  { id: 'capacity', title: t.capacity, kind: 'bytes' },
];
export const getRows = (holdings: readonly Holding[]): readonly ReportRow[] =>
  holdings.map((one) => [
    one.companyName,
    one.jobs,
    one.disabled,
    one.computers,
    one.groups['managed-servers'],
    one.groups['managed-agents'] + one.groups['monitored-agents'],
    one.groups['public-cloud-vms'],
    one.groups.office365,
    one.groups['file-share-jobs'],
    one.transferred,
    one.repositories,
    one.used,
    one.capacity,
  ]);

export const licenseStorageReport: Template<'holdings'> = {
  key: 'licenseStorageReport',
  get prettyName() {
    return t.licensesStorage;
  },
  templateName: 'licenses-storage',
  customers: 'any',
  figures: 'holdings',
  get description() {
    return t.licensesStorageDetail;
  },
  body(holdings) {
    const rows = getRows(holdings);
    const total = getTotals(rows);
    return {
      notices: [],
      sections: [
        {
          title: null,
          columns: columns(),
          rows,
          total: holdings.length === 0 ? null : [t.allCompanies, ...total],
          none: t.noCompanies,
        },
      ],
      facts: [
        { title: t.companies, kind: 'count', value: holdings.length },
        { title: t.jobs, kind: 'count', value: total[0] ?? 0 },
        { title: t.computers, kind: 'count', value: total[2] ?? 0 },
        { title: t.transferred, kind: 'bytes', value: total[8] ?? 0 },
        { title: t.stored, kind: 'bytes', value: total[10] ?? null },
      ],
    };
  },
};

/** Returns the sums of all columns except the first; a sum is null if the column has no numbers. */
const getTotals = (rows: readonly ReportRow[]): readonly (number | null)[] =>
  columns()
    .slice(1)
    .map((_, i) => {
      const values = rows.flatMap((row) => {
        const cell = row[i + 1];
        return typeof cell === 'number' ? [cell] : [];
      });
      return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
    });
