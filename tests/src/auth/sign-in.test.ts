import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Failure } from '#contract/errors.ts';
import { METHODS } from '#contract/auth/sign-in-step.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import { findTooShort, checkPasswordRules } from '#src/features/auth/new-password-rules.ts';
import { parsePhone } from '#src/features/auth/phone-number.ts';
import { toSignInError, waitWords } from '#src/features/auth/sign-in/sign-in-error.ts';
import { listOtherMethods, getStepPath } from '#src/features/auth/sign-in/step-path.ts';

const PATHS = ['/sms-verification', '/verification', '/phone', '/enrol'];

test('SIGN-3: a step has one page; another is kept only if it is a page of another of its methods', () => {
  const methods = fc
    .subarray([...METHODS], { minLength: 1 })
    .chain((some) => fc.shuffledSubarray(some, { minLength: some.length }));
  fc.assert(
    fc.property(
      fc.constantFrom('code' as const, 'phone' as const, 'enrol' as const),
      methods,
      fc.constantFrom(...PATHS, '/login', undefined),
      (step, ways, at) => {
        const path = getStepPath({ step, methods: ways }, at);
        if (step !== 'code') {
          expect(path).toBe(`/${step}`);
          return;
        }
        expect(path).toBe(
          path === '/sms-verification' || listOtherMethods(ways).length === 0
            ? '/sms-verification'
            : '/verification',
        );
        if (path === '/sms-verification') expect(ways).toContain('sms');
        else expect(listOtherMethods(ways).length).toBeGreaterThan(0);
        // Where it is led to, it stays.
        expect(getStepPath({ step, methods: ways }, path)).toBe(path);
        expect(getStepPath({ step, methods: ways })).toBe(
          ways[0] === 'sms' ? '/sms-verification' : '/verification',
        );
      },
    ),
  );
});

test('SIGN-3: a number is accepted as people write it, in international format only', () => {
  for (const typed of [
    '+15550100200',
    '+1 555 010-0200',
    '+1 (555) 010.0200',
    '001 555 010 0200',
    ' +1\u2011555\u2011010\u20110200 ',
  ])
    expect(parsePhone(typed)).toBe('+15550100200');
  for (const typed of [
    '',
    '5550100200',
    '+0155501002',
    '+1 555',
    '+1555010020012345',
    '+1 555 010 02x0',
    'tel:+15550100200',
  ])
    expect(parsePhone(typed)).toBeNull();
});

test("SIGN-3: a refusal shows the server's sentence, with the time to wait if there is one", () => {
  const kinds: readonly Failure['kind'][] = [
    'wrong-credentials',
    'conflict',
    'busy',
    'forbidden',
    'server-error',
  ];
  for (const kind of kinds)
    expect(toSignInError({ kind, message: 'so it is', retryAfterMs: 1 } as Failure, 5)).toEqual({
      kind: 'refused',
      sentence: 'so it is',
    });
  expect(toSignInError({ kind: 'too-many', message: 'later', retryAfterMs: 9_000 }, 1_000)).toEqual(
    {
      kind: 'throttled',
      sentence: 'later',
      from: 1_000,
      until: 10_000,
    },
  );
  expect(toSignInError({ kind: 'no-answer', message: '' }, 0)).toEqual({
    kind: 'refused',
    sentence: BASE.noAnswer,
  });
  expect(toSignInError({ kind: 'conflict', message: '' }, 0)).toEqual({
    kind: 'refused',
    sentence: BASE.loginFailed,
  });
  expect([waitWords(9_000, 0), waitWords(125_000, 0), waitWords(1, 0), waitWords(5, 5)]).toEqual([
    'in 9 s',
    'in 2:05',
    'in 1 s',
    null,
  ]);
});

test('G35: the rules shown for a password count its length and not its kinds of characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (password) => {
      const length = Array.from(password).length;
      expect(checkPasswordRules(password)[0]?.met).toBe(length >= 15);
      expect(findTooShort(password) === null).toBe(length >= 8);
    }),
  );
});
