import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findActiveIndex,
  findChain,
  getTreeRows,
  moveInTree,
  ROOT,
} from '#src/features/restore/tree/rows.ts';
import type { Branches, TreeRow } from '#src/features/restore/tree/rows.ts';
import { branch, container } from './nodes.ts';

/** Two mailboxes; Ann has an inbox with a folder, and an archive without folders. */
const TREE: Branches = new Map([
  [ROOT, branch([container('ann', 'mailbox'), container('bob', 'mailbox')])],
  ['ann', branch([container('archive'), container('inbox')], 'next')],
  ['archive', branch([])],
  ['inbox', branch([container('rota')])],
]);
const lines = (rows: readonly TreeRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'node'
      ? `${'  '.repeat(row.level - 1)}${row.id} ${row.isExpanded === null ? '' : row.isExpanded ? '-' : '+'}`.trimEnd()
      : `${'  '.repeat(row.level - 1)}(${row.kind})`,
  );

test('RES-32: the tree shows what is expanded, and what can be loaded', () => {
  expect(lines(getTreeRows(TREE, new Set()))).toEqual(['ann +', 'bob +']);
  expect(lines(getTreeRows(TREE, new Set(['ann', 'inbox', 'archive'])))).toEqual([
    'ann -',
    '  archive',
    '  inbox -',
    '    rota +',
    '  (more)',
    'bob +',
  ]);
  // The server has said that there is nothing below.
  const plain: Branches = new Map([[ROOT, branch([{ ...container('rota'), hasFolders: false }])]]);
  expect(lines(getTreeRows(plain, new Set(['rota'])))).toEqual(['rota']);
  const loading: Branches = new Map(TREE).set('bob', { ...branch([]), state: 'loading' });
  expect(lines(getTreeRows(loading, new Set(['bob'])))).toEqual(['ann +', 'bob -', '  (loading)']);
});

test('RES-32: a node is shown exactly if all nodes above it are expanded', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const parents = fc.tuple(...ids.map((_, n) => fc.integer({ min: -1, max: n - 1 })));
  fc.assert(
    fc.property(parents, fc.subarray(ids), (tree, expanded) => {
      const getChildren = (n: number): string[] => ids.filter((_, m) => tree[m] === n);
      const branches: Branches = new Map([
        [ROOT, branch(getChildren(-1).map((id) => container(id)))],
        ...ids.map((id, n) => [id, branch(getChildren(n).map((one) => container(one)))] as const),
      ]);
      const isShown = (n: number): boolean => {
        const parent = tree[n] ?? -1;
        return parent < 0 || (expanded.includes(ids[parent] ?? '') && isShown(parent));
      };
      const shown = getTreeRows(branches, new Set(expanded)).map(({ id }) => id);
      expect(shown.toSorted()).toEqual(ids.filter((_, n) => isShown(n)).toSorted());
    }),
  );
});

test('RES-32: keys move as the ARIA tree pattern says', () => {
  const expanded = new Set(['ann', 'inbox']);
  const rows = getTreeRows(TREE, expanded);
  const press = (id: string, key: string): string | null => {
    const move = moveInTree(
      rows,
      rows.findIndex((row) => row.id === id),
      key,
      10,
    );
    if (move === null) return null;
    return move.kind === 'focus' ? (rows[move.index]?.id ?? '') : `${move.kind} ${move.row.id}`;
  };
  const table: readonly (readonly [string, string, string | null])[] = [
    ['ann', 'ArrowDown', 'archive'],
    ['ann', 'ArrowUp', 'ann'],
    ['ann', 'ArrowRight', 'archive'], // open: its first child
    ['ann', 'ArrowLeft', 'collapse ann'],
    ['bob', 'ArrowRight', 'expand bob'],
    ['bob', 'ArrowLeft', null], // closed, and nothing above it
    ['archive', 'ArrowRight', null], // no children
    ['archive', 'ArrowLeft', 'ann'],
    ['rota', 'ArrowLeft', 'inbox'],
    ['rota', 'Home', 'ann'],
    ['ann', 'End', 'bob'],
    ['bob', 'ArrowDown', 'bob'],
    ['rota', 'Enter', 'open rota'],
    ['rota', ' ', 'open rota'],
    ['rota', 'q', null],
  ];
  expect(table.map(([id, key]) => [id, key, press(id, key)])).toEqual(table);
});

test('RES-32: keys stay where they are when the line that they mean has loaded or is gone', () => {
  const expanded = new Set(['ann']);
  const loading: Branches = new Map([
    ...TREE,
    ['ann', { ...branch([]), state: 'loading' as const }],
  ]);
  const active = { id: 'ann/loading', index: 1 };
  const rows = getTreeRows(loading, expanded);
  expect(rows[findActiveIndex(rows, active, null)]).toMatchObject({ kind: 'loading' });
  const loaded = getTreeRows(TREE, expanded);
  expect(loaded[findActiveIndex(loaded, active, null)]).toMatchObject({ id: 'archive' });
  // Lines above it may have come or gone.
  expect(findActiveIndex(loaded, { id: 'bob', index: 1 }, null)).toBe(4);
  expect(findActiveIndex(loaded, { id: 'zoe', index: 9 }, null)).toBe(loaded.length - 1);
  // Until a key is pressed, it is the open place, or the first line.
  expect(findActiveIndex(loaded, null, 'inbox')).toBe(2);
  expect(findActiveIndex(loaded, null, 'zoe')).toBe(0);
  expect(findActiveIndex([], active, null)).toBe(0);
});

const follow = (...path: string[]) => {
  const { nodes, missing, wanted } = findChain(TREE, path);
  return [nodes.map(({ id }) => id), missing, wanted];
};

test('RES-32: a path is followed as far as it is loaded, and what the point does not have is named', () => {
  expect(follow('ann', 'inbox', 'rota')).toEqual([['ann', 'inbox', 'rota'], null, null]);
  expect(follow('ann', 'other')).toEqual([['ann'], null, 'ann']); // may be on the next page
  expect(follow('ann', 'archive', 'old')).toEqual([['ann', 'archive'], 'old', null]);
  expect(follow('bob', 'inbox')).toEqual([['bob'], null, 'bob']);
  expect(follow('carl')).toEqual([[], 'carl', null]);
  expect(findChain(new Map(), ['ann'])).toEqual({ nodes: [], missing: null, wanted: ROOT });
});
