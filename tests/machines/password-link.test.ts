import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { passwordLinkMachine, passwordLinkRequestMachine } from '#machines/password-link.ts';
import { bug, done, walk } from './walk.ts';

const refused = failed({ kind: 'wrong-credentials', message: 'wrong' });

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

test('RECOVER-4: an address without the hash of a link is over immediately', () => {
  for (const hash of ['', 'a b', 'x'.repeat(201), '<script>'])
    expect(walk(passwordLinkMachine, { now: () => 0, hash }, LINK_EVENTS).table).toEqual({
      over: {},
    });
});
