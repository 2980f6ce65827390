import { COMPANY, count, JOBS, NO_COMPANIES } from './columns.ts';
import type { Holding } from './figures.ts';
import type { Column, ReportRow } from './report.ts';
import type { Template } from './template.ts';

export const columns: readonly Column[] = [
  COMPANY,
  JOBS,
  count('disabled', 'Switched off'),
  count('computers', 'Computers'),
  count('servers', 'Servers'),
  count('agents', 'Agents'),
  count('vms', 'Cloud VMs'),
  count('office365', 'Microsoft 365'),
  count('shares', 'File shares'),
  { id: 'transferred', title: 'Transferred', kind: 'bytes' },
  count('repositories', 'Repositories'),
  { id: 'used', title: 'Stored', kind: 'bytes' },
  { id: 'capacity', title: 'Capacity', kind: 'bytes' },
];
export const rowsOf = (holdings: readonly Holding[]): readonly ReportRow[] =>
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
  prettyName: 'Licenses and storage',
  templateName: 'licenses-storage',
  customers: 'any',
  figures: 'holdings',
  description:
    'A line for each company: its jobs by kind, the computers they protect, what was transferred and what its repositories hold.',
  body(holdings) {
    const rows = rowsOf(holdings);
    const total = totalOf(rows);
    return {
      notices: [],
      sections: [
        {
          title: null,
          columns,
          rows,
          total: holdings.length === 0 ? null : ['All companies', ...total],
          none: NO_COMPANIES,
        },
      ],
      facts: [
        { title: 'Companies', kind: 'count', value: holdings.length },
        { title: 'Jobs', kind: 'count', value: total[0] ?? 0 },
        { title: 'Computers', kind: 'count', value: total[2] ?? 0 },
        { title: 'Transferred', kind: 'bytes', value: total[8] ?? 0 },
        { title: 'Stored', kind: 'bytes', value: total[10] ?? null },
      ],
    };
  },
};

/** Returns the sums of all columns except the first; a sum is null if the column has no numbers. */
const totalOf = (rows: readonly ReportRow[]): readonly (number | null)[] =>
  columns.slice(1).map((_, i) => {
    const values = rows.flatMap((row) => {
      const cell = row[i + 1];
      return typeof cell === 'number' ? [cell] : [];
    });
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  });
