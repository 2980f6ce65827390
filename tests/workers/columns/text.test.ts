import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeColumns, viewColumns } from '#contract/runs/columns.ts';
import { copyColumns, getSegment } from '#workers/columns/segment.ts';
import { getKey, markMessages, Names } from '#workers/columns/text.ts';
import { words } from './arbitrary.ts';
import { run as makeRun } from './lean-run.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);

/** Keys that lie in a text, across two of them, or in none. */
const keyFrom = (texts: readonly string[], at: number, length: number): string | null =>
  getKey(
    texts
      .join('')
      .toLowerCase()
      .slice(at % (texts.join('').length + 1))
      .slice(0, length),
  );

test('COL-4: joined names find a search term where plain names do, after any change', () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(599), words), { maxLength: 40 }),
      fc.nat(),
      fc.integer({ min: 1, max: 5 }),
      (some, changes, at, length) => {
        const names = new Names();
        const plain: string[] = [];
        const set = (n: number, name: string): void => {
          plain[n] = name;
          names.set(n, name);
        };
        for (let n = 0; n < 600; n++) set(n, some[n % some.length] ?? '');
        for (const round of [[], changes]) {
          for (const [n, name] of round) set(n, name);
          for (let typed = 1; typed <= length; typed++) {
            const key = keyFrom(some, at, typed);
            if (key === null) continue;
            const marks = new Uint8Array(600);
            names.mark(key, marks, 1, 0);
            expect([...marks]).toEqual(
              plain.map((name) =>
                !key.includes('\0') && name.toLowerCase().includes(key) ? 1 : 0,
              ),
            );
          }
        }
      },
    ),
    { numRuns: numRuns(40) },
  );
});

test('COL-4: a search term that grows at either end, shrinks or changes finds what a new search does', () => {
  const entries = ['backup of sql', 'sql backup', 'back up', 'bbackup', 'abc', 'sqlsql', 'up', ''];
  const names = new Names();
  for (let n = 0; n < 600; n++) names.set(n, n < entries.length ? (entries[n] ?? '') : 'x');
  for (const key of [
    'up',
    'ckup',
    'backup',
    'backup of',
    'up',
    'sql',
    'sqls',
    'lsql',
    'sqlsql',
    'b',
    'ba',
    'bba',
    'bbackup',
    'c',
    'bc',
    'abc',
    'x',
    'xx',
    'up',
  ]) {
    const marks = new Uint8Array(600);
    const any = names.mark(key, marks, 1, 0);
    expect([key, [...marks]]).toEqual([
      key,
      Array.from({ length: 600 }, (_, n) => ((entries[n] ?? 'x').includes(key) ? 1 : 0)),
    ]);
    expect([key, any]).toEqual([key, marks.includes(1)]);
  }
});

test('COL-1, COL-4: messages are found as stored in the columns, and no term matches across two of them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(words), { minLength: 1, maxLength: 20, size: 'max' }),
      fc.nat(),
      fc.integer({ min: 1, max: 5 }),
      (messages, at, length) => {
        const columns = viewColumns(
          encodeColumns(
            messages.map((message, row) => makeRun(100 - row, { startSec: 1, message })),
          ).buffer,
        );
        const segment = getSegment(copyColumns(columns));
        for (let typed = 1; typed <= length; typed++) {
          const key = keyFrom(
            messages.map((message) => message ?? ''),
            at,
            typed,
          );
          if (key === null) continue;
          const marks = new Uint8Array(messages.length);
          markMessages(segment, key, marks, 1);
          expect([...marks]).toEqual(
            messages.map((message) =>
              !key.includes('\0') && (message ?? '').toLowerCase().includes(key) ? 1 : 0,
            ),
          );
        }
      },
    ),
    { numRuns: numRuns(150) },
  );
});
