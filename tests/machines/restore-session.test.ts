import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { restoreSessionMachine } from '#machines/restore-session.ts';
import type { SessionChoice } from '#machines/restore-session.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const point = (id: string, at: number): RestorePoint => ({
  id,
  job: 'j1',
  at,
  changes: 3,
  result: 'success',
  lacks: [],
});
const POINTS = [point('p2', 2_000), point('p1', 1_000)];
const CHOICE: SessionChoice = {
  organizationId: 'o1',
  workload: 'outlook',
  job: null,
  at: 2_000,
  showDeleted: false,
};
const REFUSED: Failure = { kind: 'forbidden', message: 'The token was refused.' };

const EVENTS = {
  'CHOOSE': { type: 'CHOOSE', organizationId: 'o1' },
  'OPEN': { type: 'OPEN', choice: CHOICE },
  'OPEN elsewhere': { type: 'OPEN', choice: { ...CHOICE, organizationId: 'o2' } },
  'VISIT': { type: 'VISIT', place: 'inbox' },
  'ENDED': { type: 'ENDED' },
  'REOPEN': { type: 'REOPEN' },
  'STOP': { type: 'STOP' },
  'points': done('listPoints', ok(POINTS)),
  'no points': done('listPoints', failed(REFUSED)),
  'points bug': bug('listPoints'),
  'session': done('open', ok('s1')),
  'no session': done('open', failed(REFUSED)),
  'open bug': bug('open'),
  'stopped': done('stop', ok(null)),
  'not stopped': done('stop', failed(REFUSED)),
  'stop bug': bug('stop'),
  'left': done('leave', ok(null)),
  'leave bug': bug('leave'),
  'changed': done('change', ok(null)),
  'change bug': bug('change'),
  'hour over': { type: 'xstate.after.idle.restore-session.open' },
  'idle stopped': done('idle', ok(null)),
  'idle bug': bug('idle'),
} as const;

const TABLE: Table = {
  none: { CHOOSE: 'listing', OPEN: 'none | opening' },
  listing: { 'points': 'none', 'no points': 'none', 'points bug': 'none' },
  opening: {
    'CHOOSE': 'listing',
    'session': 'open',
    'no session': 'none',
    'open bug': 'none',
  },
  open: {
    'CHOOSE': 'leaving',
    'OPEN': 'changing',
    'ENDED': 'ended',
    'STOP': 'stopping',
    'hour over': 'idle',
  },
  changing: { 'changed': 'opening', 'change bug': 'opening' },
  leaving: { 'left': 'listing', 'leave bug': 'listing' },
  idle: { 'idle stopped': 'ended', 'idle bug': 'ended' },
  ended: { CHOOSE: 'listing', OPEN: 'opening', REOPEN: 'opening', STOP: 'none' },
  stopping: { 'stopped': 'none', 'not stopped': 'open', 'stop bug': 'open' },
};

test('RES-9: a restore session does in each state what its table says, and nothing else', () => {
  const { table } = walk(
    restoreSessionMachine,
    undefined,
    EVENTS,
    ({
      organizationId,
      choice,
    }: {
      readonly organizationId: unknown;
      readonly choice: unknown;
    }) => [organizationId, choice],
  );
  expect(table).toEqual(TABLE);
});

function start({
  opens = ok('s1'),
  points = ok(POINTS),
}: {
  readonly opens?: Result<string>;
  readonly points?: Result<typeof POINTS>;
} = {}) {
  const clock = new SimulatedClock();
  const log: string[] = [];
  const actor = createActor(
    restoreSessionMachine.provide({
      actors: {
        listPoints: fromPromise(({ input }) => {
          log.push(`points of ${input}`);
          return Promise.resolve(points);
        }),
        open: fromPromise(({ input }) => {
          log.push(`open ${input?.at}`);
          return Promise.resolve(opens);
        }),
        change: fromPromise(({ input }) => {
          log.push(`change from ${input}`);
          return Promise.resolve<Result<unknown>>(ok(null));
        }),
        stop: fromPromise(({ input }) => {
          log.push(`stop ${input}`);
          return Promise.resolve<Result<unknown>>(ok(null));
        }),
      },
    }),
    { clock },
  ).start();
  const until = (state: 'none' | 'open' | 'ended'): Promise<unknown> =>
    waitFor(actor, (snapshot) => snapshot.matches(state));
  return { actor, clock, log, until };
}

async function opened() {
  const run = start();
  run.actor.send({ type: 'CHOOSE', organizationId: 'o1' });
  await run.until('none');
  run.actor.send({ type: 'OPEN', choice: CHOICE });
  await run.until('open');
  return run;
}

test('RES-9: choosing another organization ends the session; stopping leaves nothing', async () => {
  const { actor, log, until } = await opened();
  actor.send({ type: 'CHOOSE', organizationId: 'o2' });
  await until('none');
  expect(log).toEqual(['points of o1', 'open 2000', 'stop s1', 'points of o2']);
  expect(actor.getSnapshot().context).toMatchObject({
    organizationId: 'o2',
    sessionId: null,
    choice: null,
    points: POINTS,
  });
  const other = await opened();
  other.actor.send({ type: 'STOP' });
  await other.until('none');
  expect(other.actor.getSnapshot().context).toEqual({
    organizationId: null,
    points: [],
    choice: null,
    sessionId: null,
    place: null,
    failure: null,
  });
});

test("RES-9: a refused session is not active and has the server's message; unread points are an empty list", async () => {
  const { actor, until } = start({ opens: failed(REFUSED) });
  actor.send({ type: 'CHOOSE', organizationId: 'o1' });
  await until('none');
  actor.send({ type: 'OPEN', choice: CHOICE });
  await until('none');
  expect(actor.getSnapshot().context).toMatchObject({ sessionId: null, failure: REFUSED });
  const other = start({ points: failed(REFUSED) });
  other.actor.send({ type: 'CHOOSE', organizationId: 'o1' });
  await other.until('none');
  expect(other.actor.getSnapshot().context).toMatchObject({ points: [], failure: REFUSED });
});

test('RES-9: an hour without anything ends the session, and one click opens it again at the same place', async () => {
  const { actor, clock, log, until } = await opened();
  clock.increment(59 * 60_000);
  actor.send({ type: 'VISIT', place: 'inbox/2' });
  clock.increment(59 * 60_000);
  expect(actor.getSnapshot().value).toBe('open');
  clock.increment(60_000);
  await until('ended');
  actor.send({ type: 'REOPEN' });
  await until('open');
  expect(log.slice(1)).toEqual(['open 2000', 'stop s1', 'open 2000']);
  expect(actor.getSnapshot().context).toMatchObject({ place: 'inbox/2', choice: CHOICE });
});
