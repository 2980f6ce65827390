import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { signOutMachine } from '#machines/sign-out.ts';
import type { SignOutInput, Unsent } from '#machines/sign-out.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const out = ok({ out: true, unsent: 0 });
const unsent = ok({ out: false, unsent: 3 });
const refused = failed({ kind: 'server-error', message: 'a fault' });
const EVENTS = {
  'send': { type: 'CHOOSE', how: 'send', isOffline: false },
  'send offline': { type: 'CHOOSE', how: 'send', isOffline: true },
  'keep': { type: 'CHOOSE', how: 'keep', isOffline: true },
  'discard': { type: 'CHOOSE', how: 'discard', isOffline: true },
  'STAY': { type: 'STAY' },
  'ONLINE': { type: 'ONLINE' },
  ...Object.fromEntries(
    (['leave', 'send', 'store'] as const).flatMap((actor) => [
      [`${actor}: out`, done(actor, out)],
      [`${actor}: unsent`, done(actor, unsent)],
      [`${actor}: refused`, done(actor, refused)],
      [`${actor}: bug`, bug(actor)],
    ]),
  ),
};
const getTable = (input: SignOutInput): Table =>
  walk(signOutMachine, input, EVENTS, ({ how }: { readonly how: Unsent }) => how).table;

/** OUT-7: unsent changes are sent, kept or discarded as the user chooses, or the user stays. */
const USER: Table = {
  leaving: {
    'leave: out': 'out',
    'leave: unsent': 'choosing',
    'leave: refused': 'choosing | failed',
    'leave: bug': 'choosing | failed',
  },
  choosing: { send: 'leaving', keep: 'leaving', discard: 'leaving', STAY: 'stayed' },
  out: {},
  stayed: {},
  failed: {},
};

test('OUT-7: logging out asks only about unsent changes, and does what the user chose', () => {
  expect(getTable({ cause: 'user', isOffline: false, unsent: 0 })).toEqual(USER);
});

test('OUT-7: offline with nothing unsent the user confirms first, and what cannot be sent is not tried', () => {
  const { table, states } = walk(
    signOutMachine,
    { cause: 'user', isOffline: true, unsent: 0 },
    EVENTS,
  );
  expect(states[0]?.value).toBe('choosing');
  expect(table['choosing']).toEqual(USER['choosing']);
});

/**
 * VERSION-1: the user is logged out at startup; unsent changes are sent first, or stored for the
 * user. Nobody is asked, and nothing is discarded.
 */
const SENDING: Table = {
  sending: {
    'send: out': 'out',
    'send: unsent': 'storing',
    'send: refused': 'storing',
    'send: bug': 'storing',
  },
  storing: {
    'store: out': 'out',
    'store: unsent': 'out',
    'store: refused': 'out',
    'store: bug': 'out',
  },
  out: {},
};

test('VERSION-1, OUT-7: another version sends or stores what is unsent, and waits for the network first', () => {
  expect(getTable({ cause: 'new-version', isOffline: false, unsent: 3 })).toEqual(SENDING);
  expect(getTable({ cause: 'new-version', isOffline: true, unsent: 3 })).toEqual({
    waitingForNetwork: { ONLINE: 'sending' },
    ...SENDING,
  });
});

test('OUT-7: the question says why the last choice was not carried out', () => {
  const { states } = walk(
    signOutMachine,
    { cause: 'user', isOffline: false, unsent: 0 },
    EVENTS,
    ({ how, refusal }: { readonly how: Unsent; readonly refusal: unknown }) => [how, refusal],
  );
  const reasons = states
    .filter(({ value }) => value === 'choosing')
    .map(({ context }) => {
      const { how, refusal } = context as { how: Unsent; refusal: { kind: string } | null };
      return `${how}: ${refusal?.kind ?? 'none'}`;
    });
  expect([...new Set(reasons)].sort()).toEqual([
    'ask: none',
    'ask: offline',
    'discard: failed',
    'discard: none',
    'discard: offline',
    'keep: failed',
    'keep: none',
    'keep: offline',
    'send: failed',
    'send: not-all-sent',
    'send: offline',
  ]);
});
