import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GroupHead, RunsView, RunView } from '#contract/runs/query.ts';
import {
  changedColumn,
  COLUMN_IDS,
  parseColumns,
  DEFAULT_COLUMNS,
  getLayout,
  movedColumn,
} from '#src/features/shared/runs/columns.ts';
import {
  headAt,
  lineAt,
  getLineIndex,
  rowAt,
  rowsBetween,
  rowsUnder,
  getScrollState,
} from '#src/features/daily-checks/lines.ts';
import { groupToggled, NO_SELECTION, toggled } from '#src/features/daily-checks/selection.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
type Details = { readonly head: number } | { readonly row: number };

/** A window over a list of heads and rows, as the worker answers it. */
function getView(all: readonly Details[], first: number, count: number): RunsView {
  const seen = all.slice(first, first + count);
  return {
    first,
    lines: all.length,
    total: all.filter((one) => 'row' in one).length,
    heads: seen.flatMap((one, i) =>
      'head' in one ? [{ line: first + i, key: one.head } as GroupHead] : [],
    ),
    rows: seen.flatMap((one) => ('row' in one ? [{ n: one.row } as RunView] : [])),
  } as unknown as RunsView;
}
const list = fc
  .array(fc.boolean(), { maxLength: 60 })
  .map((heads) => heads.map((is, i): Details => (is ? { head: i + 1 } : { row: i + 1 })));

test('DAY-20: headings and rows of any window are at their lines, and nothing is outside it', () => {
  fc.assert(
    fc.property(list, fc.nat(70), fc.nat(70), (all, first, count) => {
      const view = getView(all, first, count);
      all.forEach((details, at) => {
        const inside = at >= first && at < first + count;
        expect(rowAt(view, at)?.n).toBe(inside && 'row' in details ? details.row : undefined);
        expect(headAt(view, at)?.key).toBe(inside && 'head' in details ? details.head : undefined);
        if ('row' in details) expect(getLineIndex(view, details.row)).toBe(inside ? at : -1);
      });
      expect(lineAt(view, first + count)).toBeUndefined();
      const whole = rowsBetween(view, first, Math.min(all.length, first + count) - 1);
      if (first < all.length) expect(whole?.map(({ n }) => n)).toEqual(view.rows.map(({ n }) => n));
      if (first + count < all.length) expect(rowsBetween(view, first, first + count)).toBeNull();
      for (const head of view.heads) {
        const under = all.slice(head.line + 1, first + count);
        const end = under.findIndex((one) => 'head' in one);
        expect(rowsUnder(view, head).map(({ n }) => n)).toEqual(
          (end < 0 ? under : under.slice(0, end)).map((one) => ('row' in one ? one.row : 0)),
        );
      }
    }),
    RUNS,
  );
});

test('DAY-20: an open result is announced as one of its group in a grouped list, and of the list otherwise', () => {
  const all: readonly Details[] = [{ head: 1 }, { row: 11 }, { row: 12 }, { head: 2 }, { row: 21 }];
  const view = getView(all, 0, 5);
  const grouped = {
    ...view,
    heads: view.heads.map((head) => ({ ...head, rows: head.key === 1 ? 2 : 1 })),
  };
  expect([12, 21, 99].map((n) => getScrollState(grouped, true, n))).toEqual([
    [2, 2],
    [1, 1],
    'out',
  ]);
  expect(getScrollState(getView(all, 1, 2), true, 12)).toBe('far');
  expect(getScrollState(getView([{ row: 5 }, { row: 6 }, { row: 7 }], 1, 2), false, 7)).toEqual([
    3, 3,
  ]);
});

test('DAY-6: a group is selected completely, even folded, and deselected; selecting a row alone ends that', () => {
  const whole = groupToggled(NO_SELECTION, 7, [1, 2, 3]);
  expect([...whole.runs.keys()]).toEqual([1, 2, 3]);
  expect(whole.groups.has(7)).toBe(true);
  expect(groupToggled(whole, 7, [1, 2, 3])).toMatchObject({ runs: new Map(), groups: new Set() });
  expect(toggled(whole, { n: 2, company: 1 }).groups.size).toBe(0);
  expect([...toggled(whole, { n: 2, company: 1 }).runs.keys()]).toEqual([1, 3]);
});

test('DAY-21: whatever was stored, every column exists once; visible ones have a place and hidden ones have none', () => {
  const column = fc.record({
    id: fc.oneof(fc.constantFrom(...COLUMN_IDS), fc.string()),
    shown: fc.anything(),
    width: fc.anything(),
    locked: fc.anything(),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.array(column).map((all) => JSON.stringify(all)),
        fc.constant(null),
      ),
      fc.boolean(),
      (stored, dense) => {
        const columns = parseColumns(stored);
        expect(columns.map(({ id }) => id).toSorted()).toEqual(COLUMN_IDS.toSorted());
        const { areas, hidden, min, columns: sizes } = getLayout(columns, dense);
        const lines = areas.split("' '").map((line) => line.replaceAll("'", '').split(' '));
        expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
        for (const id of COLUMN_IDS) expect(lines.flat().includes(id)).toBe(!hidden.includes(id));
        for (const one of columns) if (!one.shown) expect(hidden).toContain(one.id);
        for (const line of lines) {
          // an area is one block: its name is never broken by another
          for (const area of new Set(line))
            expect(line.lastIndexOf(area) - line.indexOf(area) + 1).toBe(
              line.filter((one) => one === area).length,
            );
        }
        expect(sizes.split(/ (?![^(]*\))/)).toHaveLength(lines[0]?.length ?? 0);
        expect(min).toBeGreaterThan(0);
      },
    ),
    RUNS,
  );
});

test('DAY-21: the default columns: 1,028 px, the cause under the names; locked ones come first with fixed positions', () => {
  expect(getLayout(DEFAULT_COLUMNS, false)).toMatchObject({
    areas:
      "'sel st co job pc days at du tr last tk note rev' 'sel st ca ca ca days at du tr last tk note rev'",
    min: 1_028,
    hidden: [],
  });
  // Beside an open result at 1,440 px there are 608, of which the rail has 36: names and strip are
  // seen whole.
  const widths = [...getLayout(DEFAULT_COLUMNS, false).columns.matchAll(/(\d+)px/g)].map(([, px]) =>
    Number(px),
  );
  expect(widths.slice(0, 6).reduce((sum, px) => sum + px, 0)).toBeLessThanOrEqual(572);
  const locked = getLayout(
    changedColumn(changedColumn(DEFAULT_COLUMNS, 'job', { locked: true, width: 200 }), 'at', {
      locked: true,
    }),
    false,
  );
  expect([...locked.stuck]).toEqual([
    ['job', 36],
    ['at', 236],
  ]);
  expect(locked.areas).toBe(
    "'sel job at st co pc days du tr last tk note rev' 'sel job at st ca ca days du tr last tk note rev'",
  );
  expect(getLayout(DEFAULT_COLUMNS, true).areas).toBe(
    "'sel st co job pc ca days at du tr last tk note rev'",
  );
  expect(movedColumn(DEFAULT_COLUMNS, 'tk', -99)[0]?.id).toBe('tk');
  expect(
    movedColumn(DEFAULT_COLUMNS, 'st', 1)
      .slice(0, 2)
      .map(({ id }) => id),
  ).toEqual(['co', 'st']);
});
