import { expect, test } from 'vitest';
import { getSizeText } from '#src/features/restore/download/size-text.ts';

test('DL-8: the size of an archive is said to be about that of its items, and only that of a single file is exact', () => {
  const size = { items: 2, bytes: 906_409, isExact: true };
  const one = { ...size, items: 1 };
  const folder = { level: 'folder', nodes: ['f1'] } as const;
  const file = { level: 'items', nodes: ['i1'] } as const;
  const files = { level: 'items', nodes: ['i1', 'i2'] } as const;
  for (const countsAll of [true, false]) {
    expect(getSizeText(one, file, { countsAll })).toBe('1 item, 906 kB');
    expect(getSizeText({ ...one, isExact: false }, file, { countsAll })).toBe(
      '1 item, about 906 kB',
    );
    // An archive has names and headers beside its files.
    expect(getSizeText(size, files, { countsAll })).toBe('2 items, about 906 kB');
    expect(getSizeText(one, folder, { countsAll })).toBe('1 item, about 906 kB');
    // Nobody knows the sizes of mails of a server.
    expect(getSizeText({ ...size, bytes: 0 }, files, { countsAll })).toBe('2 items');
  }
  const many = { items: 1_001, bytes: 5_000_000, isExact: false };
  expect(getSizeText(many, folder, { countsAll: true })).toBe('1,001 items, about 5 MB');
  expect(getSizeText(many, folder, { countsAll: false })).toBe('More than 1,000 items');
});
