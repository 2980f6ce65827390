import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANYTHING, getMatcher, NOTHING_DONE, RuleSchema } from '#contract/rules/rules.ts';
import type { RuleFields } from '#contract/rules/rules.ts';
import { PROBLEM_STATES } from '#contract/runs/vocabulary.ts';
import { EXAMPLES, rulesPlace } from '#src/features/rules/address.ts';
import { getRuleAddress, wordsOfCause } from '#src/features/shared/page-links/rules.ts';
import { emptyForm, getRuleForm, getRule, toRuleInput } from '#src/features/rules/form.ts';
import { conflictText, datesText, ruleText } from '#src/features/rules/labels.ts';
import * as v from 'valibot';

const ZONE = 'Europe/London';
const runs = { numRuns: 500 * Number(process.env['PROOF'] ?? 1) };
const dayText = (n: number): string => new Date(n * 86_400_000).toISOString().slice(0, 10);
const day = fc.integer({ min: 20_000, max: 22_000 });
const minute = fc.integer({ min: 0, max: 1_439 });
const bound = (unit: number) =>
  fc
    .tuple(fc.option(fc.integer({ min: 0, max: 50 })), fc.option(fc.integer({ min: 50, max: 99 })))
    .map(([min, max]) => ({
      min: min === null ? null : min * unit,
      max: max === null ? null : max * unit,
    }));
const word = fc.constantFrom('files', 'a | b', 'lap-*');
const aRule: fc.Arbitrary<RuleFields> = fc.record({
  name: word,
  enabled: fc.boolean(),
  from: fc.constant(null),
  to: fc.constant(null),
  when: fc.record({
    sources: fc.subarray(['restic' as const, 'borg' as const]),
    types: fc.subarray(['Tape' as const]),
    states: fc.subarray([...PROBLEM_STATES]),
    companies: fc.subarray([1, 2]),
    job: word,
    computer: fc.oneof(fc.constant(''), word),
    text: fc.constant(''),
    duration: bound(60),
    bytes: bound(1_000_000),
    streak: bound(1),
    time: fc.option(
      fc.record({
        days: fc.subarray([1, 5, 7]),
        from: minute,
        to: minute,
        zone: fc.constant('Asia/Tokyo'),
      }),
    ),
  }),
  does: fc.record({
    exception: fc.constant(true),
    snoozeHours: fc.option(fc.integer({ min: 1, max: 8_784 })),
    note: fc.option(word),
    ticket: fc.option(word),
    hint: fc.option(word),
    notify: fc.constant([]),
  }),
});

test('RULES-6: the fields show the rule, and saving it again does not change it', () => {
  fc.assert(
    fc.property(aRule, (rule) => {
      expect(getRule(getRuleForm(rule, ZONE), ZONE)).toEqual({ rule, errors: {} });
      expect(v.is(RuleSchema, rule)).toBe(true);
    }),
    runs,
  );
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 90 }), (first, more) => {
      const form = {
        ...emptyForm(ZONE),
        name: 'x',
        job: 'x',
        exception: true,
        from: dayText(first),
        to: dayText(first + more),
      };
      const { rule } = getRule(form, ZONE);
      if (rule === null) throw new Error('no rule');
      expect(getRuleForm(rule, ZONE)).toEqual(form);
      expect((rule.to ?? 0) - (rule.from ?? 0)).toBeGreaterThanOrEqual(
        (more + 1) * 86_400_000 - 3_600_000,
      );
    }),
    runs,
  );
});

test('RULES-6: errors of a rule are shown at their fields before it is sent; a rule can be tested before it has a name', () => {
  const typed = {
    ...emptyForm(ZONE),
    from: '2026-03-02',
    to: '2026-03-01',
    minutes: { min: '5', max: '4' },
    megabytes: { min: 'x', max: '' },
    snoozeHours: '0',
    timed: true,
    begins: '',
    days: [1],
  };
  expect(Object.keys(getRule(typed, ZONE).errors).toSorted()).toEqual([
    'begins',
    'megabytes',
    'minutes',
    'name',
    'snoozeHours',
    'to',
  ]);
  expect(Object.keys(getRule(emptyForm(ZONE), ZONE).errors)).toEqual(['name', 'when', 'does']);
  expect([
    toRuleInput(emptyForm(ZONE), ZONE),
    toRuleInput({ ...emptyForm(ZONE), job: 'x' }, ZONE)?.when.job,
  ]).toEqual([null, 'x']);
});

test('RULES-6: a rule created from a result matches it, whatever characters its names and cause contain', () => {
  fc.assert(
    fc.property(
      fc
        .string({
          minLength: 1,
          maxLength: 30,
          unit: fc.constantFrom('a', 'B', '|', '*', '?', ' ', 'ü'),
        })
        .filter((text) => text.trim() === text),
      fc.array(fc.constantFrom('could not read ', '‹path›', ' of ', '‹n›', '|', '*'), {
        minLength: 1,
        maxLength: 60,
      }),
      (name, parts) => {
        const template = parts.join('').trim();
        const message = template.replaceAll('‹path›', '/srv/a').replaceAll('‹n›', '7');
        const address = getRuleAddress({
          state: 'Warning',
          jobName: name,
          computer: name,
          company: 2,
          template,
          message,
          source: 'restic',
        });
        const { rule } = getRule(
          rulesPlace(address.slice(address.indexOf('?'))).createForm(ZONE),
          ZONE,
        );
        expect(
          rule &&
            getMatcher(rule.when)({
              source: 'restic',
              type: 'Backup',
              state: 'Warning',
              company: 2,
              job: name,
              computer: name,
              texts: [message, template],
              durationSec: 1,
              bytes: 1,
              streak: 1,
              startedAt: 0,
            }),
        ).toBe(true);
      },
    ),
    runs,
  );
  expect(wordsOfCause('3 of ‹n› files')).toBe('3 of * files');
});

test('RULES-6: a rule is described in plain sentences, and the examples can be saved as they are', () => {
  const when = {
    ...ANYTHING,
    states: ['Warning' as const, 'Failed' as const],
    text: 'locked',
    job: 'lap-*',
    streak: { min: 3, max: null },
    time: { days: [6, 7], from: 1_320, to: 360, zone: ZONE },
  };
  const does = { ...NOTHING_DONE, exception: true, snoozeHours: 48, notify: ['x'] };
  expect(ruleText({ when, does }, String)).toBe(
    'When the state is Warning or Failed, the message contains “locked”, the job name matches “lap-*”, it occurred 3 times or more in a row, and it started on Saturday or Sunday between 22:00 and 06:00: mark as OK, snooze for 2 days, and email 1 user.',
  );
  expect(
    ruleText(
      {
        when: { ...ANYTHING, computer: 'x', duration: { min: 60, max: 120 } },
        does: NOTHING_DONE,
      },
      String,
    ),
  ).toBe('When the computer name contains “x” and it took 1 min to 2 min.');
  expect(conflictText('2', true, ['note', 'ticket'])).toBe(
    'Also matches 2 of these results and sets the note and the ticket. It is higher in the list, so it wins.',
  );
  expect([
    datesText({ from: null, to: null }, ZONE, 0),
    datesText({ from: null, to: 86_400_000 }, ZONE, 2 * 86_400_000),
  ]).toEqual(['', expect.stringContaining('Ended on')]);
  for (const { to } of EXAMPLES)
    expect(getRule(rulesPlace(to.slice(to.indexOf('?'))).createForm(ZONE), ZONE).errors).toEqual(
      {},
    );
});
