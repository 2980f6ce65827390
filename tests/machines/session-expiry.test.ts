import { createActor, fromPromise, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import { sessionExpiryMachine } from '#machines/session-expiry.ts';
import type { ExpiryAnswer } from '#machines/session-expiry.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const EVENTS = {
  'RENEWED': { type: 'RENEWED', until: 5_000 },
  'ENDED': { type: 'ENDED' },
  'limit': { type: 'xstate.after.limit.session-expiry.open' },
  'key destroyed': done('destroyKey', null),
  'key: bug': bug('destroyKey'),
  'server: reopened': done('askServer', 'reopened'),
  'server: over': done('askServer', 'over'),
  'server: later': done('askServer', 'later'),
  'server: bug': bug('askServer'),
  'wait over': { type: 'xstate.after.backOff.session-expiry.waiting' },
};
const getTable = (until: number | null, now: number): Table =>
  walk(sessionExpiryMachine, { until, now: () => now, fraction: () => 0 }, EVENTS).table;

/** Locked: only the server knows whether the session goes on. */
const LOCKED: Table = {
  asking: {
    'server: reopened': 'reopened',
    'server: over': 'ended',
    'server: later': 'waiting',
    'server: bug': 'waiting',
  },
  waiting: { 'wait over': 'asking' },
  reopened: {},
  ended: {},
};

test('C7, A11: when the time is over, the screen locks, the key is destroyed, and the server is asked until it answers', () => {
  expect(getTable(1_000, 6_000)).toEqual({
    open: { ENDED: 'ended', limit: 'locking' },
    locking: { 'key destroyed': 'asking', 'key: bug': 'asking' },
    ...LOCKED,
  });
});

test('A11: a session that the server ended locks at once and does not open again', () => {
  expect(getTable(1_000, 500)).toEqual({ open: { ENDED: 'ended' }, ended: {} });
});

test('A11: a device that opens after its time is locked, and asks the server', () => {
  expect(getTable(null, 6_000)).toEqual(LOCKED);
});

test('C7, A11: the limit moves with each contact; locked once, the device asks at growing intervals', async () => {
  let now = 0;
  const timers: { at: number; work: () => void }[] = [];
  const answers: ExpiryAnswer[] = ['later', 'later', 'reopened'];
  const log: string[] = [];
  const actor = createActor(
    sessionExpiryMachine.provide({
      actors: {
        destroyKey: fromPromise<unknown>(() =>
          Promise.resolve(log.push(`key destroyed at ${now}`)),
        ),
        askServer: fromPromise(() => {
          log.push(`asked at ${now}`);
          return Promise.resolve(answers.shift() ?? 'over');
        }),
      },
      actions: { lock: () => void log.push(`locked at ${now}`) },
    }),
    {
      input: { until: 10_000, now: () => now, fraction: () => 0 },
      clock: {
        setTimeout: (work: () => void, ms: number) => {
          const timer = { at: now + ms, work };
          timers.push(timer);
          return timer;
        },
        clearTimeout: (timer: { at: number; work: () => void }) => {
          timers.splice(timers.indexOf(timer), 1);
        },
      },
    },
  );
  const pass = (): void => {
    const [next] = timers.toSorted((a, b) => a.at - b.at);
    if (!next) throw new Error('Nothing waits.');
    timers.splice(timers.indexOf(next), 1);
    now = next.at;
    next.work();
  };
  actor.start();
  now = 4_000;
  actor.send({ type: 'RENEWED', until: 20_000 });
  pass();
  await waitFor(actor, (state) => state.matches('waiting'));
  pass();
  await waitFor(actor, (state) => state.matches('asking'));
  await waitFor(actor, (state) => state.matches('waiting'));
  pass();
  await waitFor(actor, (state) => state.matches('reopened'));
  expect(log).toEqual([
    'locked at 20000',
    'key destroyed at 20000',
    'asked at 20000',
    'asked at 20960',
    'asked at 22880',
  ]);
});
