import { expect, test } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { failed, ok } from '#contract/result.ts';
import { firstRunMachine } from '#machines/first-run.ts';
import type { PromptNeed } from '#machines/first-run.ts';
import { settle, TestClock } from '#tests/sim/clock.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const refused = failed({ kind: 'server-error', message: 'a fault' });
const profile = (isNeeded: boolean, isDismissed: boolean) =>
  done('read', ok({ isNeeded, isDismissed }));
const EVENTS = {
  'terms required': { type: 'TERMS', isRequired: true },
  'terms accepted elsewhere': { type: 'TERMS', isRequired: false },
  'ACCEPT': { type: 'ACCEPT', isOffline: false },
  'ACCEPT offline': { type: 'ACCEPT', isOffline: true },
  'DECLINE': { type: 'DECLINE' },
  'DISMISS': { type: 'DISMISS' },
  'accepted': done('accept', ok(null)),
  'not accepted': done('accept', refused),
  'accept bug': bug('accept'),
  'logged out': done('decline', ok(null)),
  'not logged out': done('decline', refused),
  'decline bug': bug('decline'),
  '500 ms': { type: 'xstate.after.promptDelay.first-run.waiting' },
  'no job yet': profile(true, false),
  'no job yet, dismissed': profile(true, true),
  'a job': profile(false, false),
  'a job, dismissed': profile(false, true),
  'no profile': done('read', refused),
  'read bug': bug('read'),
  'saved': done('save', null),
  'save bug': bug('save'),
};

/**
 * The specification: terms of use are asked first, and declining logs out (section 2). The prompt
 * follows 500 ms later (section 9) and is dismissed for good (section 3).
 */
const TERMS: Table = {
  terms: {
    'terms accepted elsewhere': 'waiting',
    'ACCEPT': 'accepting',
    'DECLINE': 'declining',
  },
  accepting: {
    'terms accepted elsewhere': 'waiting',
    'accepted': 'waiting',
    'not accepted': 'terms',
    'accept bug': 'terms',
  },
  declining: { 'logged out': 'loggedOut', 'not logged out': 'terms', 'decline bug': 'terms' },
  loggedOut: {},
};
const PROMPT: Table = {
  waiting: { 'terms required': 'terms', '500 ms': 'reading' },
  reading: {
    'terms required': 'terms',
    'no job yet': 'prompt',
    'no job yet, dismissed': 'done',
    'a job': 'done',
    'a job, dismissed': 'done',
    'no profile': 'done',
    'read bug': 'done',
  },
  prompt: { 'terms required': 'terms', 'DISMISS': 'saving' },
  saving: { 'terms required': 'terms', 'saved': 'done', 'save bug': 'done' },
  done: { 'terms required': 'terms' },
};
type Input = Parameters<typeof getTable>[0];
function getTable(input: {
  readonly hasTerms: boolean;
  readonly mayPrompt: boolean;
  readonly isDismissedHere: boolean;
}): Table {
  return walk(
    firstRunMachine,
    input,
    EVENTS,
    ({ isDismissedHere }: { readonly isDismissedHere: boolean }) => isDismissedHere,
  ).table;
}
const ALL: Input = { hasTerms: true, mayPrompt: true, isDismissedHere: false };

test('OWN-9, WIZARD-1: terms come before the prompt, and each does what its table says', () => {
  // After a dismissal the prompt does not return when terms are asked later.
  const reading = {
    ...PROMPT['reading'],
    'no job yet': 'prompt | saving',
    'a job': 'done | saving',
  };
  expect(getTable(ALL)).toEqual({ ...TERMS, ...PROMPT, reading });
});

test('OWN-9: who may not connect a source is asked about terms alone', () => {
  expect(getTable({ ...ALL, mayPrompt: false })).toEqual({
    ...TERMS,
    terms: { ...TERMS['terms'], 'terms accepted elsewhere': 'done' },
    accepting: { ...TERMS['accepting'], 'terms accepted elsewhere': 'done', 'accepted': 'done' },
    done: PROMPT['done'],
  });
});

test('WIZARD-1: a dismissal that was not saved is saved at the next load, and nothing is prompted', () => {
  expect(getTable({ hasTerms: false, mayPrompt: true, isDismissedHere: true })['reading']).toEqual({
    ...PROMPT['reading'],
    'no job yet': 'saving',
    'a job': 'saving',
  });
});

test('WIZARD-1: nothing is read before 500 ms have passed', async () => {
  const clock = new TestClock();
  const request: string[] = [];
  const actor = createActor(
    firstRunMachine.provide({
      actors: {
        read: fromPromise(() => {
          request.push('read');
          return Promise.resolve(ok<PromptNeed>({ isNeeded: true, isDismissed: false }));
        }),
        save: fromPromise<unknown>(() => {
          request.push('save');
          return Promise.resolve();
        }),
      },
    }),
    {
      input: { hasTerms: false, mayPrompt: true, isDismissedHere: false },
      clock: {
        setTimeout: (work: () => void, ms: number) => clock.after(ms, work),
        clearTimeout: (off: unknown) => {
          (off as () => void)();
        },
      },
    },
  );
  actor.start();
  await clock.pass(499);
  expect(request).toEqual([]);
  await clock.pass(1);
  await settle();
  expect([request, actor.getSnapshot().value]).toEqual([['read'], 'prompt']);
  actor.send({ type: 'DISMISS' });
  await settle();
  expect([request, actor.getSnapshot().value]).toEqual([['read', 'save'], 'done']);
});
