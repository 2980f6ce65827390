import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import type { DeviceCodeState } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { deviceCodeMachine, timeLeft } from '#machines/device-code.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const CODE = {
  id: 'code-1',
  userCode: 'WDJB-MJHT',
  verificationUrl: 'https://login.example.com/device',
  expiresInMs: 900_000,
  intervalMs: 5_000,
};
const REFUSED: Failure = { kind: 'forbidden', message: 'This code belongs to another tenant.' };
const UNREACHED: Failure = { kind: 'no-answer', message: 'The server did not answer.' };

const EVENTS = {
  'REQUEST': { type: 'REQUEST' },
  'CANCEL': { type: 'CANCEL' },
  'code': done('request', ok(CODE)),
  'no code': done('request', failed(REFUSED)),
  'request bug': bug('request'),
  'interval over': { type: 'xstate.after.interval.device-code.active.shown' },
  'time over': { type: 'xstate.after.expiry.device-code.active' },
  'pending': done('check', ok('pending')),
  'slow down': done('check', ok('slow-down')),
  'granted': done('check', ok('granted')),
  'declined': done('check', ok('declined')),
  'expired': done('check', ok('expired')),
  'check unreached': done('check', failed(UNREACHED)),
  'check refused': done('check', failed(REFUSED)),
  'check bug': bug('check'),
} as const;

const SHOWN = JSON.stringify({ active: 'shown' });
const CHECKING = JSON.stringify({ active: 'checking' });
const TABLE: Table = {
  idle: { REQUEST: 'requesting' },
  requesting: { 'CANCEL': 'idle', 'code': SHOWN, 'no code': 'failed', 'request bug': 'failed' },
  [SHOWN]: { 'CANCEL': 'idle', 'interval over': CHECKING, 'time over': 'expired' },
  [CHECKING]: {
    'CANCEL': 'idle',
    'time over': 'expired',
    'pending': SHOWN,
    'slow down': SHOWN,
    'granted': 'granted',
    'declined': 'declined',
    'expired': 'expired',
    'check unreached': SHOWN,
    'check refused': 'failed',
    'check bug': 'failed',
  },
  granted: { REQUEST: 'requesting' },
  declined: { REQUEST: 'requesting' },
  expired: { REQUEST: 'requesting' },
  failed: { REQUEST: 'requesting' },
};

test('WIZ-10: a device code does in each state what its table says, and nothing else', () => {
  expect(walk(deviceCodeMachine, { now: () => 0 }, EVENTS).table).toEqual(TABLE);
});

/** A code on a page whose clock only moves when the test says so. Each check takes an answer. */
function start(answers: readonly Result<DeviceCodeState>[]) {
  const clock = new SimulatedClock();
  const checks: number[] = [];
  const actor = createActor(
    deviceCodeMachine.provide({
      actors: {
        request: fromPromise(() => Promise.resolve(ok(CODE))),
        check: fromPromise(() => {
          checks.push(clock.now());
          return Promise.resolve(answers[checks.length - 1] ?? ok('pending' as const));
        }),
      },
    }),
    { clock, input: { now: () => clock.now() } },
  ).start();
  const shown = (): Promise<unknown> =>
    waitFor(actor, (snapshot) => snapshot.matches({ active: 'shown' }));
  return { actor, clock, checks, shown };
}

test('WIZ-10: checks keep the interval, and each slow-down adds five seconds permanently', async () => {
  const { actor, clock, checks, shown } = start([ok('pending'), ok('slow-down'), ok('pending')]);
  actor.send({ type: 'REQUEST' });
  await shown();
  for (let second = 0; second < 40; second++) {
    clock.increment(1_000);
    await shown();
  }
  expect(checks).toEqual([5_000, 10_000, 20_000, 30_000, 40_000]);
});

test("WIZ-10: while the server can't be reached, the wait doubles up to a minute, and the code stays", async () => {
  const { actor, clock, checks, shown } = start(Array.from({ length: 9 }, () => failed(UNREACHED)));
  actor.send({ type: 'REQUEST' });
  await shown();
  for (let second = 0; second < 200; second++) {
    clock.increment(1_000);
    await shown();
  }
  expect(checks).toEqual([5_000, 15_000, 35_000, 75_000, 135_000, 195_000]);
  expect(actor.getSnapshot().context).toMatchObject({ code: CODE, failure: UNREACHED });
});

test('WIZ-10: a code expires after its time, also while it is checked, and another one can be requested', async () => {
  const { actor, clock, shown } = start([]);
  actor.send({ type: 'REQUEST' });
  await shown();
  for (let minute = 0; minute < 14; minute++) {
    clock.increment(60_000);
    await shown();
  }
  expect(timeLeft(actor.getSnapshot().context, clock.now())).toBe(60_000);
  clock.increment(60_000);
  await waitFor(actor, (snapshot) => snapshot.matches('expired'));
  actor.send({ type: 'REQUEST' });
  await shown();
  expect(timeLeft(actor.getSnapshot().context, clock.now())).toBe(900_000);
});
