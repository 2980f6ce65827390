import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { recoveryMachine } from '#machines/recovery.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const refused = failed({ kind: 'wrong-credentials', message: 'wrong' });
const EVENTS = {
  'NAME': { type: 'NAME', username: 'ann' },
  'ANSWERS': { type: 'ANSWERS', answers: [{ question: 'Pet?', answer: 'Rex' }] },
  'RESEND': { type: 'RESEND' },
  'USE_CODE': { type: 'USE_CODE', use: { code: '987654', newPassword: 'a new password' } },
  'questions asked': done('look', ok({ auth: 'ad', questions: ['Pet?'] })),
  'no questions asked': done('look', ok({ auth: 'db', questions: [] })),
  'name refused': done('look', refused),
  'name bug': bug('look'),
  'code sent': done('send', ok(null)),
  'code refused': done('send', refused),
  'code bug': bug('send'),
  'code sent again': done('resend', ok(null)),
  'code not sent again': done('resend', refused),
  'resend bug': bug('resend'),
  'code right': done('use', ok(null)),
  'code wrong': done('use', refused),
  'use bug': bug('use'),
} as const;

/**
 * RECOVER-2: questions where there are any, then a code; without questions the code is sent at
 * once. RECOVER-3: the code unlocks the account or sets its password, and signs nobody in.
 */
const TABLE: Table = {
  name: { NAME: 'looking' },
  looking: {
    'questions asked': 'questions',
    'no questions asked': 'sending',
    'name refused': 'name',
    'name bug': 'name',
  },
  questions: { ANSWERS: 'sending' },
  sending: {
    'code sent': 'code',
    'code refused': 'name | questions',
    'code bug': 'name | questions',
  },
  code: { RESEND: 'resending', USE_CODE: 'using' },
  resending: {
    'USE_CODE': 'using',
    'code sent again': 'code',
    'code not sent again': 'code',
    'resend bug': 'code',
  },
  using: { 'code right': 'done', 'code wrong': 'code', 'use bug': 'code' },
  done: {},
};

const memory = ({ account }: { readonly account: unknown }): unknown => account;

test('RECOVER-2, RECOVER-3: recovery by code does in each state what its table says, and nothing else', () => {
  expect(walk(recoveryMachine, { now: () => 0 }, EVENTS, memory).table).toEqual(TABLE);
});

test('RECOVER-3, SIGN-1: a code and a new password are in memory only while they are sent, and the answers not after the end', () => {
  const { states } = walk(recoveryMachine, { now: () => 0 }, EVENTS, memory);
  for (const { value, context } of states) {
    const text = JSON.stringify(context);
    expect([value, /987654|a new password/.test(text)]).toEqual([value, value === 'using']);
    if (value === 'done') expect(text).not.toContain('Rex');
  }
});

const waits = failed({ kind: 'too-many', message: 'later', retryAfterMs: 5_000 });

test('RECOVER-6, SIGN-2: after a refusal with a time, the same request is not made before it', () => {
  let now = 0;
  const { table } = walk(
    recoveryMachine,
    { now: () => now },
    { ...EVENTS, 'code wrong': done('use', waits), 'name refused': done('look', waits) },
    (context: { readonly account: unknown; readonly refusal: unknown }) => [
      context.account,
      context.refusal,
    ],
  );
  // Refused or not, by when it is tried.
  expect([table['name']?.['NAME'], table['code']?.['USE_CODE']]).toEqual([
    'looking | name',
    'code | using',
  ]);
  now = 5_000;
  expect(table['code']?.['RESEND']).toBe('resending');
});
