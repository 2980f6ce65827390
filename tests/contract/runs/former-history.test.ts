import * as v from 'valibot';
import { expect, test } from 'vitest';
import { ExecutionSchema } from '#contract/runs/calls.ts';

const { history } = ExecutionSchema.entries;
const entry = (what: string) => ({
  at: '2026-11-20T08:00:00.000Z',
  who: 'Dana Reyes',
  what,
  comment: null,
  until: null,
});

test('LOG-10, OFF-6: a stored history with the action names of the version before is read with those of today', () => {
  const stored = ['Taken back to check', 'Note taken away', 'Ticket taken away', 'Snooze ended'];
  expect(v.parse(history, stored.map(entry)).map(({ what }) => what)).toEqual([
    'Review undone',
    'Note removed',
    'Ticket removed',
    'Snooze ended',
  ]);
  expect(v.safeParse(history, [entry('Note lost')]).success).toBe(false);
});
