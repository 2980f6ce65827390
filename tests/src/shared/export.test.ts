import { expect, test } from 'vitest';
import { EXPORT_COLUMNS } from '#contract/runs/csv.ts';
import { COLUMN_IDS } from '#src/features/shared/runs/columns.ts';
import { getExportColumns } from '#src/features/shared/export/columns.ts';
import { exportedWords } from '#src/features/shared/export/labels.ts';

const ids = (shown: Parameters<typeof getExportColumns>[0]): string[] =>
  getExportColumns(shown).map(({ id }) => id);
const AT = Date.UTC(2026, 10, 21, 7, 46);
const ALL_HERE = { days: 30, of: 30 };

test('EXP-1: a file has the columns that the grid shows, in its order, each once, and always how each was reviewed', () => {
  const rail = ['review', 'reviewedBy', 'reviewedAt', 'comment', 'snoozedUntil'];
  expect(ids([])).toEqual(rail);
  expect(ids(['job', 'co', 'days'])).toEqual(['job', 'schedule', 'company', ...rail]);
  expect(ids(['ca', 'ca'])).toEqual(['message', 'kind', ...rail]);
  const all = getExportColumns(COLUMN_IDS);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  expect(all.every(({ id }) => EXPORT_COLUMNS.includes(id))).toBe(true);
  expect(all.find(({ id }) => id === 'state')?.words?.['Missed']).toBe('Did not run');
});

test('EXP-2: a file of stored rows says up to when they are, and how much of the period was on the device', () => {
  const describe = (live: boolean, upTo: number | null, loaded = ALL_HERE): string =>
    exportedWords('DailyChecks_x.csv', 1612, { live, upTo, loaded }, AT, 'UTC');
  expect(describe(true, AT)).toBe('DailyChecks_x.csv: 1,612 rows.');
  expect(describe(false, AT - 60_000)).toBe(
    'DailyChecks_x.csv: 1,612 rows. Created offline with results up to 07:45 AM.',
  );
  expect(describe(false, AT - 2 * 86_400_000)).toBe(
    'DailyChecks_x.csv: 1,612 rows. Created offline with results up to 11/19/26 07:46 AM.',
  );
  expect(describe(false, null)).toBe(
    'DailyChecks_x.csv: 1,612 rows. Created offline from the results on this device.',
  );
  expect(describe(true, AT, { days: 4, of: 30 })).toBe(
    'DailyChecks_x.csv: 1,612 rows. Only 4 of 30 days were on this device.',
  );
});
