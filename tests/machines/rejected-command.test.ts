import { expect, test } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { failed, ok } from '#contract/result.ts';
import { rejectedCommandMachine } from '#machines/rejected-command.ts';
import { settle } from '#tests/sim/clock.ts';
import { bug, done, walk } from './walk.ts';

const away = failed({ kind: 'signed-out', message: 'signed out' });
const EVENTS = {
  RETRY: { type: 'RETRY' },
  DISCARD: { type: 'DISCARD' },
  ...Object.fromEntries(
    (['retry', 'discard'] as const).flatMap((actor) => [
      [`${actor}: done`, done(actor, ok(null))],
      [`${actor}: failed`, done(actor, away)],
      [`${actor}: bug`, bug(actor)],
    ]),
  ),
};

/** OUT-5: a refused command is stored with its reason and can be retried or discarded. */
test('OUT-5: a rejected command is retried or discarded as its table says, and stays to be decided if that fails', () => {
  expect(walk(rejectedCommandMachine, { id: 'c1' }, EVENTS).table).toEqual({
    rejected: { RETRY: 'retrying', DISCARD: 'discarding' },
    retrying: { 'retry: done': 'repaired', 'retry: failed': 'rejected', 'retry: bug': 'rejected' },
    discarding: {
      'discard: done': 'repaired',
      'discard: failed': 'rejected',
      'discard: bug': 'rejected',
    },
    repaired: { RETRY: 'retrying', DISCARD: 'discarding' },
  });
});

test('OUT-5: a command is repaired once, however often a button is pressed meanwhile', async () => {
  const request: unknown[] = [];
  const answer = Promise.withResolvers<typeof away>();
  const actor = createActor(
    rejectedCommandMachine.provide({
      actors: {
        repair: fromPromise(({ input }) => {
          request.push(input);
          return answer.promise;
        }),
      },
    }),
    { input: { id: 'c1' } },
  );
  actor.start();
  for (const type of ['RETRY', 'RETRY', 'DISCARD'] as const) actor.send({ type });
  answer.resolve(away);
  await settle();
  expect(request).toEqual([{ id: 'c1', how: 'retry' }]);
  expect(actor.getSnapshot()).toMatchObject({
    value: 'rejected',
    context: { failure: { message: 'signed out' } },
  });
});
