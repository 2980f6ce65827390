import * as fc from 'fast-check';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import { hintAsksSomething, HintSchema, hintsFor } from '#contract/hints/hints.ts';
import type { HintWhen } from '#contract/hints/hints.ts';
import { getPattern } from '#contract/pattern.ts';
import { PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';

const hint = (name: string, when: Partial<HintWhen>): { name: string; when: HintWhen } => ({
  name,
  when: { text: '', kinds: [], sources: [], ...when },
});

test('HINT-1: the most specific hint is first: by words, then by kind, then by source; one without a condition is never shown', () => {
  const hints = [
    hint('Any of restic', { sources: ['restic'] }),
    hint('Space', { kinds: ['space'] }),
    hint('Nothing', {}),
    hint('Disk of the vault', { text: 'vault* | no space left on device' }),
    hint('Space in restic', { kinds: ['space'], sources: ['restic'] }),
    hint('Other words', { text: 'refused' }),
  ];
  const names = hintsFor(hints, {
    texts: ['No space left on device', 'No space left on ‹name›'],
    kind: 'space',
    source: 'restic',
  }).map(({ name }) => name);
  expect(names).toEqual(['Disk of the vault', 'Space in restic', 'Space', 'Any of restic']);
  expect(hintsFor(hints, { texts: [], kind: 'other', source: 'borg' })).toEqual([]);
});

test('HINT-1: a hint matches if all of its conditions do, for any conditions and any problem', () => {
  const words = fc.constantFrom('', 'disk', 'DISK*', 'a|disk', '?isk full', 'refused', ' | ');
  const when = fc.record({
    text: words,
    kinds: fc.subarray([...PROBLEM_KINDS].slice(0, 3)),
    sources: fc.subarray([...SOURCES].slice(0, 3)),
  });
  const result = fc.record({
    texts: fc.subarray(['disk full', 'Connection refused', '']),
    kind: fc.constantFrom(...PROBLEM_KINDS),
    source: fc.constantFrom(...SOURCES),
  });
  fc.assert(
    fc.property(fc.array(when, { maxLength: 5 }), result, (all, one) => {
      const plain = all
        .map((its, i) => hint(`Hint ${i}`, its))
        .filter(
          ({ when: its }) =>
            hintAsksSomething(its) &&
            (its.kinds.length === 0 || its.kinds.includes(one.kind)) &&
            (its.sources.length === 0 || its.sources.includes(one.source)) &&
            (getPattern(its.text) === null ||
              one.texts.some((text) => getPattern(its.text)?.(text))),
        );
      expect(
        hintsFor(
          all.map((its, i) => hint(`Hint ${i}`, its)),
          one,
        )
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(plain.map(({ name }) => name).toSorted());
    }),
  );
});

const accepts = (address: string): boolean =>
  safeParse(HintSchema, {
    name: 'A',
    when: { text: 'x', kinds: [], sources: [] },
    summary: '',
    steps: [],
    links: [{ name: 'Here', address }],
    inside: false,
  }).success;

test('HINT-1: a link leads to the web and nowhere else', () => {
  expect(['https://wiki.example.com/a?b#c', 'http://wiki.example.com'].map(accepts)).toEqual([
    true,
    true,
  ]);
  expect(
    [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.com',
      '//example.com',
      'https://',
      'mailto:a@example.com',
      ' java\nscript:alert(1)',
    ].map(accepts),
  ).toEqual(Array.from({ length: 7 }, () => false));
});
