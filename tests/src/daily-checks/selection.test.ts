import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunsView } from '#contract/runs/query.ts';
import {
  batches,
  getCompanies,
  coverage,
  everything,
  extended,
  countMatching,
  NO_SELECTION,
  single,
  toggled,
} from '#src/features/daily-checks/selection.ts';

const rows = Array.from({ length: 20 }, (_, i) => ({ n: 100 + i, company: i % 3 }));
const row = (i: number) => rows[i] ?? { n: 0, company: 0 };

test('DAY-6: selecting twice deselects; a range adds to the selection and keeps its anchor', () => {
  const one = toggled(NO_SELECTION, row(4));
  expect(toggled(one, row(4)).runs.size).toBe(0);
  const range = extended(toggled(single(row(1)), row(4)), rows.slice(4, 9));
  expect([...range.runs.keys()]).toEqual([101, 104, 105, 106, 107, 108]);
  expect(range.anchor).toBe(104);
  expect(getCompanies(range)).toBe(3);
  expect([...extended(NO_SELECTION, rows.slice(2, 4)).runs.keys()]).toEqual([102, 103]);
});

test('DAY-6: selecting all matches shows their count; deselecting one keeps the others', () => {
  const all = everything(
    rows.map(({ n }) => n),
    3,
  );
  expect(getCompanies(all)).toBe(3);
  expect(coverage(all, 20)).toBe('all');
  const less = toggled(all, row(0));
  expect(less.runs.size).toBe(19);
  expect(coverage(less, 20)).toBe('some');
  expect(getCompanies(less)).toBeNull(); // no longer known, and so not said
  expect(coverage(NO_SELECTION, 20)).toBe('none');
});

test(`DAY-6: runs reviewed meanwhile don't count as "all matches"`, () => {
  const view = {
    total: 31,
    facets: {
      review: [
        { value: 'pending', count: 28 },
        { value: 'cleared', count: 11 },
      ],
    },
  } as unknown as RunsView;
  expect([
    countMatching(view, 'pending'),
    countMatching(view, null),
    countMatching(undefined, 'pending'),
  ]).toEqual([28, 31, 0]);
});

test('DAY-7: more runs than a command may have go in several, each run once and in order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (runs, max) => {
        const parts = batches(runs, max);
        expect(parts.flat()).toEqual(runs);
        expect(parts.every((part) => part.length > 0 && part.length <= max)).toBe(true);
      },
    ),
    { numRuns: 50 * Number(process.env['PROOF'] ?? 1) },
  );
});
