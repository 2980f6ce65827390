import { expect, test } from 'vitest';
import { CALL_CLASSES } from '#contract/call-classes.ts';
import { CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { ALL_SENSITIVE, NEVER_WHILE_IMPERSONATING, PARTLY } from './sensitive-calls.ts';

const NAMES = Object.keys(CALLS) as readonly CallName[];
const ofClass = (...classes: readonly string[]): readonly CallName[] =>
  NAMES.filter((name) => classes.includes(CALL_CLASSES[name])).toSorted();

test('G44, G42: every call has a class, and exactly those that the goals name are sensitive or refused while impersonating', () => {
  expect(Object.keys(CALL_CLASSES).toSorted()).toEqual(NAMES.toSorted());
  expect(ofClass('sensitive, never while impersonating')).toEqual(ALL_SENSITIVE.toSorted());
  expect(ofClass('partly sensitive, never while impersonating')).toEqual(PARTLY.toSorted());
  expect(ofClass('never while impersonating')).toEqual(NEVER_WHILE_IMPERSONATING.toSorted());
});

test('KEY-3: no API key makes a call that is sensitive or refused while impersonating', () => {
  expect(
    [...ALL_SENSITIVE, ...PARTLY, ...NEVER_WHILE_IMPERSONATING].filter(
      (name) => keyAccess(name) !== null,
    ),
  ).toEqual([]);
  // What a program reads or exports of results, licences and invoices stays open to keys.
  expect(keyAccess('exportResults')).toBe('monitoring.daily-checks');
  expect(keyAccess('listUsers')).toBe('monitoring.users');
  expect(keyAccess('exportLicensing')).toBe('monitoring.licensing-export');
});
