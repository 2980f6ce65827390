import { expect, test } from 'vitest';
import { nothingKnown, makeRowCache } from '#server/platform/events/row-cache.ts';

const known = (ids: number) => {
  const one = nothingKnown();
  for (let n = 0; n < ids; n++) one.brought.job.add(n);
  one.brought.run.add(1);
  return one;
};

test('STORE-5: rows kept from one append to the next hold only where the log stands exactly where it stood, and for one taker', () => {
  const warm = makeRowCache();
  const one = known(1);
  warm.give('a', 'epoch', 7, one);
  expect(warm.take('b', 'epoch', 7)).toBeNull();
  expect(warm.take('a', 'epoch', 8), 'another server appended').toBeNull();
  expect(warm.take('a', 'epoch', 7), 'given up with that').toBeNull();
  warm.give('a', 'epoch', 7, one);
  expect(warm.take('a', 'restored', 7)).toBeNull();
  warm.give('a', 'epoch', 7, one);
  expect(warm.take('a', 'epoch', 7)).toBe(one);
  expect(one.brought.run.size, 'runs are not kept').toBe(0);
  expect(warm.take('a', 'epoch', 7)).toBeNull();
});

test('STORE-5: what is kept is bounded over all tenants, the oldest goes first', () => {
  const warm = makeRowCache(10);
  for (const tenant of ['a', 'b', 'c']) warm.give(tenant, 'e', 1, known(4));
  expect(['a', 'b', 'c'].map((tenant) => warm.take(tenant, 'e', 1) !== null)).toEqual([
    false,
    true,
    true,
  ]);
  warm.give('d', 'e', 1, known(11));
  expect(warm.take('d', 'e', 1)).toBeNull();
});
