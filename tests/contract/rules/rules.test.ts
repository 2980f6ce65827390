import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANYTHING,
  asksSomething,
  getMatcher,
  RuleWhenSchema,
  isRuleActiveAt,
} from '#contract/rules/rules.ts';
import type { Range, RuleResult, RuleWhen } from '#contract/rules/rules.ts';
import { PROBLEM_STATES } from '#contract/runs/vocabulary.ts';
import * as v from 'valibot';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const AT = Date.parse('2026-03-02T23:30:00Z'); // a Monday
const RESULT: RuleResult = {
  source: 'restic',
  type: 'Backup',
  state: 'Warning',
  company: 1,
  job: 'Nightly Files',
  computer: 'pc-1',
  texts: ['3 files could not be read', '‹n› files could not be read'],
  durationSec: 60,
  bytes: 1_000,
  streak: 2,
  startedAt: AT,
};
const matches = (when: Partial<RuleWhen>, one: Partial<RuleResult> = {}): boolean =>
  getMatcher({ ...ANYTHING, ...when })({ ...RESULT, ...one });

const member = <T>(list: readonly T[], value: T): boolean =>
  list.length === 0 || list.includes(value);

/** The same, said slowly: a glob by trying every way, ranges and times by enumeration. */
function slowly(when: RuleWhen, one: RuleResult): boolean {
  return (
    member(when.sources, one.source) &&
    member(when.types, one.type) &&
    member(when.states, one.state) &&
    member(when.companies, one.company) &&
    text(when.job, [one.job]) &&
    text(when.computer, [one.computer]) &&
    text(when.text, one.texts) &&
    inside(when.duration, one.durationSec) &&
    inside(when.bytes, one.bytes) &&
    inside(when.streak, one.streak) &&
    timely(when, one.startedAt)
  );
}
function text(words: string, texts: readonly string[]): boolean {
  const wanted = words
    .toLowerCase()
    .split('|')
    .map((word) => word.trim())
    .filter((word) => word.length > 0);
  return (
    wanted.length === 0 ||
    wanted.some((word) =>
      texts.some((one) =>
        word.includes('*') || word.includes('?')
          ? tried(word, one.toLowerCase())
          : one.toLowerCase().indexOf(word) !== -1,
      ),
    )
  );
}
function tried(glob: string, one: string): boolean {
  if (glob === '') return one === '';
  if (glob.startsWith('*'))
    return Array.from({ length: one.length + 1 }, (_, at) => at).some((at) =>
      tried(glob.slice(1), one.slice(at)),
    );
  return (
    one !== '' &&
    (glob.startsWith('?') || glob.charAt(0) === one.charAt(0)) &&
    tried(glob.slice(1), one.slice(1))
  );
}
const inside = ({ min, max }: Range, value: number | null): boolean => {
  if (min === null && max === null) return true;
  return (
    value !== null &&
    Math.max(min ?? value, value) === value &&
    Math.min(max ?? value, value) === value
  );
};
/** In UTC: minute by minute from each beginning. */
function timely({ time }: RuleWhen, at: number): boolean {
  if (time === null) return true;
  const now = Math.floor(at / 60_000);
  const length = time.from === time.to ? 1_440 : (time.to - time.from + 1_440) % 1_440;
  return [0, 1].some((back) => {
    const midnight = Math.floor(now / 1_440 - back) * 1_440;
    const begin = midnight + (time.from === time.to ? 0 : time.from);
    const day = ((midnight / 1_440 + 3) % 7) + 1; // 1 January 1970 was a Thursday
    return (
      now >= begin && now < begin + length && (time.days.length === 0 || time.days.includes(day))
    );
  });
}

const some = <T>(...values: readonly T[]) => fc.subarray([...values], { maxLength: 2 });
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc
    .array(fc.constantFrom('a', 'b', 'A', '*', '?', '|', ' ', '.'), { maxLength: 7 })
    .map((all) => all.join('').trim()),
);
const short = fc
  .array(fc.constantFrom('a', 'b', 'B', ' ', '.'), { maxLength: 8 })
  .map((all) => all.join(''));
const bound = fc.option(fc.integer({ min: 0, max: 6 }));
const range = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ min: null, max: null }) },
  fc.record({ min: bound, max: bound }),
);
const minute = fc.integer({ min: 0, max: 1_439 });
const aWhen: fc.Arbitrary<RuleWhen> = fc.record({
  sources: some('restic' as const, 'borg' as const),
  types: some('Backup' as const, 'Tape' as const),
  states: some(...PROBLEM_STATES),
  companies: some(1, 2),
  job: words,
  computer: words,
  text: words,
  duration: range,
  bytes: range,
  streak: range,
  time: fc.option(
    fc.record({
      days: fc.subarray([1, 2, 3, 4, 5, 6, 7]),
      from: minute,
      to: fc.oneof(minute, fc.constant(600)),
      zone: fc.constant('UTC'),
    }),
    { freq: 2 },
  ),
});
const number = fc.option(fc.integer({ min: 0, max: 6 }));
const aResult: fc.Arbitrary<RuleResult> = fc.record({
  source: fc.constantFrom('restic', 'borg'),
  type: fc.constantFrom('Backup', 'Tape'),
  state: fc.constantFrom(...PROBLEM_STATES),
  company: fc.integer({ min: 1, max: 3 }),
  job: short,
  computer: short,
  texts: fc.array(short, { maxLength: 2 }),
  durationSec: number,
  bytes: number,
  streak: fc.integer({ min: 1, max: 6 }),
  startedAt: fc.integer({ min: Date.UTC(2026, 2, 1), max: Date.UTC(2026, 2, 16) }),
});

const night = (zone: string, days: number[] = []) => ({
  time: { days, from: 22 * 60, to: 6 * 60, zone },
});
const isActive = (at: number, enabled = true): boolean =>
  isRuleActiveAt({ enabled, from: 10, to: 20 }, at);

test('RULES-1: a rule matches what a slow and obvious reading of its conditions matches', () => {
  let yes = 0;
  fc.assert(
    fc.property(aWhen, aResult, (when, one) => {
      expect(v.parse(RuleWhenSchema, when)).toEqual(when);
      const request = getMatcher(when)(one);
      if (request) yes += 1;
      expect(request).toBe(slowly(when, one));
    }),
    { ...runs(20_000), examples: [[ANYTHING, RESULT]] },
  );
  expect(yes).toBeGreaterThan(200);
});

test('RULES-1: a text condition matches a part in any case, the full text with * and ?, and alternatives between bars', () => {
  expect([
    matches({ job: 'files' }),
    matches({ job: 'files?' }),
    matches({ job: '*files' }),
    matches({ job: 'night*' }),
    matches({ job: 'tape | nightly' }),
  ]).toEqual([true, false, true, true, true]);
  expect([
    matches({ text: '[0-9]+ files' }),
    matches({ text: '.*' }),
    matches({ text: '‹n› files*' }),
  ]).toEqual([false, false, true]);
  const begin = process.threadCpuUsage();
  expect(matches({ text: '*a*a*a*a*a*a*a*a*a*a*b' }, { texts: ['a'.repeat(500)] })).toBe(false);
  expect(process.threadCpuUsage(begin).user / 1_000).toBeLessThan(100);
});

test('RULES-1: times are in the zone of the rule, also after midnight and when clocks change', () => {
  expect([
    matches(night('UTC', [1])),
    matches(night('UTC', [2])),
    matches(night('Europe/Berlin', [1])),
    matches(night('America/New_York')),
  ]).toEqual([true, false, true, false]);
  // Half past one in the night of Tuesday is Monday's window.
  const later = { startedAt: AT + 2 * 3_600_000 };
  expect([matches(night('UTC', [1]), later), matches(night('UTC', [2]), later)]).toEqual([
    true,
    false,
  ]);
  const summer = { startedAt: Date.parse('2026-07-06T20:30:00Z') };
  expect([matches(night('Europe/Berlin'), summer), matches(night('UTC'), summer)]).toEqual([
    true,
    false,
  ]);
  expect(v.safeParse(RuleWhenSchema, { ...ANYTHING, ...night('Mars/Olympus') }).success).toBe(
    false,
  );
});

test('RULES-1: a rule has a condition, and applies while it is on, from its start until before its end', () => {
  expect(
    [
      ANYTHING,
      { ...ANYTHING, job: ' | ' },
      { ...ANYTHING, time: { days: [], from: 5, to: 5, zone: 'UTC' } },
    ].map(asksSomething),
  ).toEqual([false, false, false]);
  expect(
    [
      { ...ANYTHING, job: 'x' },
      { ...ANYTHING, streak: { min: 2, max: null } },
      { ...ANYTHING, time: { days: [6, 7], from: 5, to: 5, zone: 'UTC' } },
    ].map(asksSomething),
  ).toEqual([true, true, true]);
  expect([9, 10, 19, 20].map((at) => isActive(at))).toEqual([false, true, true, false]);
  expect(isActive(15, false)).toBe(false);
});
