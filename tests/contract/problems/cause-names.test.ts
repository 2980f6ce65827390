import { array, assert, constantFrom, oneof, property } from 'fast-check';
import { expect, test } from 'vitest';
import { getNamePattern, withoutNames } from '#contract/problems/cause-names.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const piece = constantFrom(
  'srv',
  'SRV-1',
  'srv-1.example',
  '.example',
  '.',
  '-',
  '_',
  ' ',
  'é',
  'ſ',
  'İ',
  'K',
  'ks',
  'Key',
  '𝔞',
  'ͅ',
  '1',
  's',
  '.é',
  ':',
  '‹host›',
  'a+b',
);
const name = oneof(
  constantFrom('srv', 'srv-1', 'srv-1.example', 'KEYS', 'a+b.c', 'éclair', 'ks1', 'sss'),
  array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
);

test('RUN-5: names in a failure are found by their pattern, whatever is around them', () => {
  assert(
    property(
      array(oneof(piece, name), { maxLength: 12 }).map((all) => all.join('')),
      array(name, { maxLength: 3 }),
      (line, names) => {
        let wanted = line;
        for (const one of names) {
          if (one.length >= 3 && line.toLowerCase().includes(one.toLowerCase()))
            wanted = wanted.replace(getNamePattern(one), '‹host›');
        }
        expect(withoutNames(line, names)).toBe(wanted);
      },
    ),
    { numRuns: 500 * PROOF },
  );
  expect(withoutNames('lock on SRV-7.example.com by srv-70', ['srv-7'])).toBe(
    'lock on ‹host› by srv-70',
  );
});
