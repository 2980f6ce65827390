import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { passwordLinkMachine, passwordLinkRequestMachine } from '#machines/password-link.ts';
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

test('RECOVER-4: a reset link is requested by name, and again if it does not arrive', () => {
  const { table } = walk(
    passwordLinkRequestMachine,
    { now: () => 0 },
    {
      NAME: { type: 'NAME', username: 'ann' } as never,
      AGAIN: { type: 'AGAIN' },
      sent: done('send', ok(null)),
      refused: done('send', refused),
      bug: bug('send'),
    },
  );
  expect(table).toEqual({
    name: { NAME: 'sending' },
    sending: { sent: 'sent', refused: 'name', bug: 'name' },
    sent: { AGAIN: 'name' },
  });
});

const LINK_EVENTS = {
  'CHECK': { type: 'CHECK' },
  'SAVE': { type: 'SAVE', newPassword: 'a new password' },
  'link valid': done('check', ok(null)),
  'link over': done('check', failed({ kind: 'not-found', message: 'over' })),
  'not checked': done('check', failed({ kind: 'no-answer', message: 'no answer' })),
  'check bug': bug('check'),
  'saved': done('save', ok(null)),
  'password refused': done('save', failed({ kind: 'bad-input', message: 'short', issues: [] })),
  'link used meanwhile': done('save', failed({ kind: 'not-found', message: 'over' })),
  'save bug': bug('save'),
} as const;

test('RECOVER-4: a link is checked before a password is chosen, works once, and keeps no password in memory', () => {
  const { table, states } = walk(
    passwordLinkMachine,
    { now: () => 0, hash: 'a-hash_1' },
    LINK_EVENTS,
  );
  expect(table).toEqual({
    checking: {
      'link valid': 'choosing',
      'link over': 'over',
      'not checked': 'unreachable',
      'check bug': 'unreachable',
    },
    unreachable: { CHECK: 'checking' },
    choosing: { SAVE: 'saving' },
    saving: {
      'saved': 'done',
      'password refused': 'choosing',
      'link used meanwhile': 'over',
      'save bug': 'choosing',
    },
    over: {},
    done: {},
  });
  for (const { value, context } of states)
    expect([value, JSON.stringify(context).includes('a new password')]).toEqual([
      value,
      value === 'saving',
    ]);
});

test('RECOVER-4: an address without the hash of a link is over at once', () => {
  for (const hash of ['', 'a b', 'x'.repeat(201), '<script>'])
    expect(walk(passwordLinkMachine, { now: () => 0, hash }, LINK_EVENTS).table).toEqual({
      over: {},
    });
});
