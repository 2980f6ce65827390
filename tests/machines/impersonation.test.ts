import { expect, test } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { impersonationMachine } from '#machines/impersonation.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const refused = failed({ kind: 'forbidden', message: 'not allowed' });
const EVENTS = {
  START: { type: 'START', request: { userId: 'u2', reason: 'a question of theirs' } },
  EDIT: { type: 'EDIT' },
  EXIT: { type: 'EXIT' },
  DISCARD: { type: 'DISCARD' },
  STAY: { type: 'STAY' },
  ...Object.fromEntries(
    (['start', 'exit', 'discard'] as const).flatMap((actor) => [
      [`${actor}: here`, done(actor, ok({ kind: 'in' }))],
      [`${actor}: elsewhere`, done(actor, ok({ kind: 'elsewhere' }))],
      [`${actor}: unsent`, done(actor, ok({ kind: 'unsent', unsent: 2 }))],
      [`${actor}: refused`, done(actor, refused)],
      [`${actor}: bug`, bug(actor)],
    ]),
  ),
};

/** The specification, section 4: the target user becomes active. G42: a refusal changes nothing. */
const STARTING: Table = {
  own: { START: 'starting' },
  starting: {
    'start: here': 'started',
    'start: elsewhere': 'elsewhere',
    'start: unsent': 'own',
    'start: refused': 'own',
    'start: bug': 'own',
  },
  started: {},
  elsewhere: {},
};
/**
 * The specification, section 4: exit restores the administrator. A10: what is unsent in the other
 * user's name is never sent by another, so it is discarded or the user stays.
 */
const ENDING: Table = {
  impersonating: { EXIT: 'exiting' },
  exiting: {
    'exit: here': 'returned',
    'exit: elsewhere': 'elsewhere',
    'exit: unsent': 'unsent',
    'exit: refused': 'impersonating',
    'exit: bug': 'impersonating',
  },
  unsent: { DISCARD: 'discarding', STAY: 'impersonating' },
  discarding: {
    'discard: here': 'returned',
    'discard: elsewhere': 'elsewhere',
    'discard: unsent': 'unsent',
    'discard: refused': 'unsent',
    'discard: bug': 'unsent',
  },
  returned: {},
  elsewhere: {},
};

test('OWN-7, G42: signing in as another user does in each state what its table says, and nothing else', () => {
  expect(
    walk(impersonationMachine, { now: () => 0, isImpersonating: false }, EVENTS).table,
  ).toEqual(STARTING);
});

test('OWN-7, A10: the way back does in each state what its table says, and discards unsent changes only when told to', () => {
  const { table, states } = walk(
    impersonationMachine,
    { now: () => 0, isImpersonating: true },
    EVENTS,
  );
  expect(table).toEqual(ENDING);
  expect(states.find(({ value }) => value === 'unsent')?.context).toMatchObject({ unsent: 2 });
});

test('G42: a refused sign-in as another user says why until the user edits the reason', () => {
  const { states } = walk(
    impersonationMachine,
    { now: () => 0, isImpersonating: false },
    EVENTS,
    ({ refusal }: { readonly refusal: { failure: { kind: string } } | null }) =>
      refusal?.failure.kind,
  );
  expect(
    states
      .filter(({ value }) => value === 'own')
      .map(({ context }) => (context as { refusal: { failure: { kind: string } } | null }).refusal)
      .map((refusal) => refusal?.failure.kind ?? 'none')
      .sort(),
  ).toEqual(['forbidden', 'none', 'server-error']);
});
