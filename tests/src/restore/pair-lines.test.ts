import { expect, test } from 'vitest';
import { pairLines } from '#src/features/restore/versions/pair-lines.ts';

const same = (text: string) => ({ kind: 'same' as const, text });
const removed = (text: string) => ({ kind: 'removed' as const, text });
const added = (text: string) => ({ kind: 'added' as const, text });
const both = (text: string) => ({ before: text, after: text, isSame: true });

test('RES-81: removed lines are beside the added ones, and lines far from a change are folded', () => {
  expect(
    pairLines([
      ...['1', '2', '3', '4', '5'].map(same),
      removed('old a'),
      removed('old b'),
      added('new'),
      same('6'),
      added('last'),
    ]),
  ).toEqual([
    { count: 2 },
    both('3'),
    both('4'),
    both('5'),
    { before: 'old a', after: 'new', isSame: false },
    { before: 'old b', after: null, isSame: false },
    both('6'),
    { before: null, after: 'last', isSame: false },
  ]);
  expect(pairLines([])).toEqual([]);
});
