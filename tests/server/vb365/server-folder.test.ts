import { win32 } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { canOverlap, isSameFolder } from '#server/engine/vb365/server-folder.ts';

const numRuns = 1_000 * Number(process.env['PROOF'] ?? 1);

const name = fc.stringMatching(/^[abÄßñ][a-bÄé 1-2]{0,3}[abé]$/);
const names = fc.array(name, { maxLength: 4 });
const drive = fc.constantFrom('D', 'E');
/** How a path can be written: case, slashes, doubled ones, dots and an end. */
const style = fc.record({
  isUpper: fc.boolean(),
  slash: fc.constantFrom('\\', '/'),
  more: fc.constantFrom('', '\\', '/', '.\\', './'),
  end: fc.constantFrom('', '\\', '/', '\\.', '//'),
});
type Style = typeof style extends fc.Arbitrary<infer S> ? S : never;

const write = (letter: string, parts: readonly string[], { isUpper, slash, more, end }: Style) => {
  const path = `${letter}:${slash}${parts.join(`${slash}${more}`)}${parts.length === 0 ? '' : end}`;
  return isUpper ? path.replaceAll(/[a-zäéñ]/g, (char) => char.toUpperCase()) : path;
};
/** What Node knows of Windows, without case. */
const resolve = (path: string): string => win32.resolve(path).toLowerCase();

const place = fc.tuple(drive, names, style).map((parts) => write(...parts));
/** Two spellings of the same folder, or of one and another within it. */
const related = fc
  .tuple(drive, names, names, style, style)
  .map(([letter, above, below, one, other]) => [
    write(letter, above, one),
    write(letter, [...above, ...below], other),
  ]) as fc.Arbitrary<[string, string]>;
const pair = fc.oneof(fc.tuple(place, place), related);

test('VB365-64: folders of Windows are the same if Windows finds the same one, however they are written', () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      expect(isSameFolder(one, other)).toBe(resolve(one) === resolve(other));
      expect(isSameFolder(other, one)).toBe(isSameFolder(one, other));
    }),
    { numRuns },
  );
});

const isIn = (one: string, other: string): boolean => {
  const way = win32.relative(resolve(one), resolve(other));
  return !win32.isAbsolute(way) && way.split('\\')[0] !== '..';
};

test('G73, VB365-67: folders overlap if one is in the other, however they are written', () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      expect(canOverlap(one, other)).toBe(isIn(one, other) || isIn(other, one));
      expect(canOverlap(other, one)).toBe(canOverlap(one, other));
    }),
    { numRuns },
  );
});

test('G73, VB365-67: names that Windows takes for others, and paths without a drive, are taken for the same', () => {
  const overlapping: [string, string][] = [
    ['D:\\Backups', 'D:\\Backups.'],
    ['D:\\Backups', 'd:/backups . /Mail'],
    ['D:\\Backups', 'D:\\Backups::$INDEX_ALLOCATION'],
    ['D:\\Long name of backups', 'D:\\LONGNA~1'],
    ['D:\\Long name of backups\\Mail', 'D:\\LONGNA~1\\mail'],
    ['D:\\Backups', '/backups'],
    ['/srv/Backups/', '/srv//./Backups/mail'],
    ['D:\\', 'D:\\Backups'],
  ];
  expect(overlapping.filter(([one, other]) => !canOverlap(one, other))).toEqual([]);
  const apart: [string, string][] = [
    ['D:\\Backups', 'D:\\Backups2'],
    ['D:\\Backups', 'E:\\Backups'],
    ['D:\\Backups\\Mail', 'D:\\Backups\\Drive'],
    ['D:\\v~final draft', 'D:\\other'],
    ['/srv/one', '/srv/two'],
  ];
  expect(apart.filter(([one, other]) => canOverlap(one, other))).toEqual([]);
  // On Linux, case counts.
  expect(isSameFolder('/srv/Backups', '/srv/backups')).toBe(false);
  expect(isSameFolder('/srv/Backups', '/srv/./Backups//')).toBe(true);
  expect(isSameFolder('\\\\files\\Share', '//files/share')).toBe(false);
  expect(isSameFolder('\\\\files\\Share', '\\\\FILES\\share\\')).toBe(true);
});
