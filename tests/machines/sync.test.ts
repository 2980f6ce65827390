import { getShortestPaths } from '@xstate/graph';
import { expect, test } from 'vitest';
import { createActor, fromCallback, fromPromise } from 'xstate';
import type { EventObject, SnapshotFrom } from 'xstate';
import { backOffMs, firstContactMs, returnMs } from '#machines/back-off.ts';
import { syncMachine } from '#machines/sync.ts';
import type { SyncOutcome, PushOutcome, SyncEvent } from '#machines/sync-events.ts';
import { settle } from '#tests/sim/clock.ts';
import { makeChance } from '#tests/sim/random.ts';

type State = SnapshotFrom<typeof syncMachine>;
const INPUT = { loaded: false, left: 0, fraction: () => 0, now: () => 0, isOnline: () => true };
const failure = (kind: 'no-answer' | 'expired' | 'update-needed'): SyncOutcome & PushOutcome => ({
  kind: 'failed',
  failure: { kind, message: '' },
});
const busy: SyncOutcome & PushOutcome = {
  kind: 'failed',
  failure: { kind: 'busy', message: '', retryAfterMs: 5_000 },
};
const OUTCOMES: SyncOutcome[] = [
  { kind: 'done', cursor: 3, left: 0 },
  { kind: 'done', cursor: 3, left: 2 },
  { kind: 'reload' },
  failure('no-answer'),
  busy,
  failure('expired'),
  failure('update-needed'),
];
const PUSHED: PushOutcome[] = [
  { kind: 'done', seq: 9, left: 0 },
  { kind: 'done', seq: null, left: 1 },
  failure('no-answer'),
  busy,
  failure('expired'),
];

const done = (of: string, output: unknown): EventObject =>
  ({ type: `xstate.done.actor.${of}`, output, actorId: of }) as EventObject;
const after = (delay: string, state: string): EventObject => ({
  type: `xstate.after.${delay}.sync.${state}`,
});

/** Everything that can happen in a state: the needs' answers, the clock, the stream, a person. */
function happens(state: State): EventObject[] {
  const all: EventObject[] = [];
  if (state.matches('bootstrapping')) all.push(...OUTCOMES.map((one) => done('bootstrap', one)));
  if (state.matches({ online: { log: 'pulling' } }))
    all.push(...OUTCOMES.map((one) => done('pull', one)));
  if (state.matches({ online: { log: 'loading' } }))
    all.push(...OUTCOMES.map((one) => done('loadDay', one)));
  if (state.matches({ online: { log: 'live' } }))
    all.push(after('poll', 'online.log.live'), { type: 'POKE', head: 99 } as EventObject, {
      type: 'NUDGE',
    });
  if (state.matches({ online: { log: { live: 'paused' } } }))
    all.push(after('pullGap', 'online.log.live.paused'));
  if (state.matches({ online: { push: 'sending' } }))
    all.push(...PUSHED.map((one) => done('push', one)));
  if (state.matches({ online: { push: 'idle' } })) all.push({ type: 'COMMAND' });
  if (state.matches({ online: { push: 'resting' } }))
    all.push(after('pushRest', 'online.push.resting'));
  if (state.matches({ online: { stream: { attached: 'connecting' } } }))
    all.push({ type: 'STREAM_OPEN' });
  if (state.matches({ online: { stream: 'attached' } }))
    all.push({ type: 'STREAM_CLOSED', retryAfterMs: 0 } as EventObject);
  if (state.matches({ online: { stream: 'resting' } }))
    all.push(after('streamRest', 'online.stream.resting'));
  if (state.matches('online')) all.push({ type: 'SCOPE' });
  if (state.matches('offline')) all.push(after('backOff', 'offline'), { type: 'COMMAND' });
  all.push({ type: 'WAKE' });
  return all;
}

const brief = ({ value, context }: State): string =>
  JSON.stringify([
    value,
    context.loaded,
    context.live,
    context.attempt > 0,
    context.pushAttempt > 0,
    context.waitMs > 0,
    context.contact,
    context.knownHead > context.requestedHead,
    context.sentHead > context.requestedHead,
  ]);

const paths = getShortestPaths(
  syncMachine as never,
  {
    input: INPUT,
    events: (state: State) => happens(state),
    serializeState: (state: State) => brief(state),
    limit: 60_000,
  } as never,
) as unknown as {
  readonly state: State;
  readonly steps: readonly { readonly event: EventObject; readonly state: State }[];
}[];

/** The machine with needs that answer when the test says so, and a clock of its own. */
function driven() {
  const request = new Map<string, (output: unknown) => void>();
  const timers = new Set<{ readonly ms: number; readonly work: () => void }>();
  const need = <T>(name: string) =>
    fromPromise<T>(
      () =>
        new Promise((resolve) => {
          request.set(name, resolve as (output: unknown) => void);
        }),
    );
  const actor = createActor(
    syncMachine.provide({
      actors: {
        bootstrap: need<SyncOutcome>('bootstrap'),
        pull: need<SyncOutcome>('pull'),
        loadDay: need<SyncOutcome>('loadDay'),
        push: need<PushOutcome>('push'),
        stream: fromCallback(() => {}),
      },
    }),
    {
      input: INPUT,
      clock: {
        setTimeout: (work: () => void, ms: number) => {
          const timer = { ms, work };
          timers.add(timer);
          return timer;
        },
        clearTimeout: (timer: unknown) => {
          timers.delete(timer as never);
        },
      },
    },
  );
  actor.start();
  return { actor, asked: request, timers };
}

const getDelay = ({ context }: State, type: string): number => {
  if (type.includes('.backOff.'))
    return context.renewals > context.attempt
      ? backOffMs(context.renewals - 1, context.waitMs, 0)
      : context.contact.hasBeen
        ? returnMs(context.attempt - 1, context.waitMs, 0)
        : firstContactMs(context.attempt - 1, context.waitMs, 0, 5_000);
  if (type.includes('.pushRest.')) return backOffMs(context.pushAttempt - 1, context.pushWaitMs, 0);
  if (type.includes('.pullGap.')) return 300;
  if (type.includes('.streamRest.'))
    return backOffMs(context.streamAttempt + 2, context.streamWaitMs, 0);
  return context.streamUp ? 60_000 : 15_000;
};

test(
  'SYNC-8, G12: every state of the loop is reached, and the loop does in time what its drawing says',
  { timeout: 60_000 },
  async () => {
    const reached = new Set(paths.map(({ state }) => JSON.stringify(state.value)));
    for (const state of ['bootstrapping', 'offline', 'signed-out', 'update-needed'])
      expect(reached).toContain(JSON.stringify(state));
    expect(paths.length).toBeGreaterThan(100);
    const proof = Number(process.env['PROOF'] ?? 1);
    const walked = paths.filter(
      (_, i) => i % Math.max(1, Math.floor(paths.length / (150 * proof))) === 0,
    );
    for (const { steps } of walked) {
      const { actor, asked: request, timers } = driven();
      for (const { event, state } of steps) {
        if (event.type === 'xstate.init') continue;
        if (event.type.startsWith('xstate.done.actor.')) {
          const resolve = request.get(event.type.slice('xstate.done.actor.'.length));
          if (!resolve) throw new Error(`nothing was asked: ${event.type}`);
          resolve((event as unknown as { output: unknown }).output);
          await settle(1);
        } else if (event.type.startsWith('xstate.after.')) {
          const ms = getDelay(actor.getSnapshot(), event.type);
          const timer = [...timers].find((one) => one.ms === ms);
          if (!timer) throw new Error(`no timer of ${ms} ms: ${event.type}`);
          timers.delete(timer);
          timer.work();
        } else actor.send(event as SyncEvent);
        expect(actor.getSnapshot().value).toEqual(state.value);
        // Nowhere is it stuck: something is asked, or a timer runs, or only a person can help.
        const now = actor.getSnapshot();
        expect(
          now.matches('signed-out') ||
            now.matches('update-needed') ||
            timers.size > 0 ||
            Object.keys(now.children).length > 0,
        ).toBe(true);
      }
      actor.stop();
    }
  },
);

test('SYNC-8: a wait doubles from 30 ms to 60 s, half of it random, and is never shorter than the server requested', () => {
  expect([0, 1, 2, 11, 12, 500].map((n) => backOffMs(n, 0, 0))).toEqual([
    30, 30, 60, 30_000, 30_000, 30_000,
  ]);
  expect([0, 11, 500].map((n) => backOffMs(n, 0, 0.999)).map(Math.round)).toEqual([
    30, 59_970, 59_970,
  ]);
  expect(backOffMs(0, 120_000, 0)).toBe(120_000);
});

test('G25, SYNC-8: however long the server was away, at most a quarter of all devices return in the same second; after up to ten seconds all are back within ten', () => {
  const DEVICES = 4_000;
  const chance = makeChance(20_261_127);
  /** When each device asks again, if the server never answers, up to two minutes after it went away. */
  const attempts = Array.from({ length: DEVICES }, () => {
    const times: number[] = [];
    for (let at = 0; at < 120_000; times.push(at))
      at += returnMs(times.length, 0, chance.fraction());
    return times;
  });
  for (const awayMs of [
    500, 1_000, 2_000, 3_000, 4_000, 5_000, 7_000, 10_000, 15_000, 30_000, 60_000,
  ]) {
    const returns = attempts
      .map((times) => (times.find((at) => at >= awayMs) ?? 0) - awayMs)
      .toSorted((a, b) => a - b);
    // Any second, not only whole ones.
    const max = Math.max(
      ...returns.map((from, n) => returns.findIndex((at) => at >= from + 1_000) - n),
    );
    expect(max / DEVICES, `away for ${awayMs} ms`).toBeLessThanOrEqual(0.25);
    expect(returns.at(-1), `away for ${awayMs} ms`).toBeLessThanOrEqual(Math.max(10_000, awayMs));
  }
  // A lost packet is nothing that anybody waits for.
  for (const times of attempts) expect(times[2]).toBeLessThan(250);
  // A wait is never shorter than the server requested.
  expect([0, 5, 500].map((n) => returnMs(n, 120_000, 0))).toEqual([120_000, 120_000, 120_000]);
});

test('SYNC-8, SYNC-14: a poke during a pull causes one more pull after it', async () => {
  const { actor, asked: request } = driven();
  const answer = async (of: string): Promise<void> => {
    const resolve = request.get(of);
    request.delete(of);
    if (!resolve) throw new Error(`nothing was asked: ${of}`);
    resolve({ kind: 'done', cursor: 3, left: 0 });
    await settle(1);
  };
  await answer('bootstrap');
  actor.send({ type: 'NUDGE' });
  actor.send({ type: 'NUDGE' });
  await answer('pull');
  expect(actor.getSnapshot().matches({ online: { log: 'pulling' } })).toBe(true);
  await answer('pull');
  expect(actor.getSnapshot().matches({ online: { log: 'live' } })).toBe(true);
  expect(request.has('pull')).toBe(false);
  actor.stop();
});

test('SYNC-22: however many pokes come, pulls are 300 ms apart, nothing that was reported is missed, and days go on', async () => {
  const { actor, asked: request, timers } = driven();
  const answer = async (of: string, cursor: number, left = 0): Promise<void> => {
    const resolve = request.get(of);
    request.delete(of);
    if (!resolve) throw new Error(`nothing was asked: ${of}`);
    resolve({ kind: 'done', cursor, left });
    await settle(1);
  };
  const pass = (ms: number): void => {
    const timer = [...timers].find((one) => one.ms === ms);
    if (!timer) throw new Error(`no timer of ${ms} ms`);
    timers.delete(timer);
    timer.work();
  };
  await answer('bootstrap', 3);
  // A poke for each request: the missing days are loaded between the pulls.
  for (let left = 3; left > 0; left -= 1) {
    actor.send({ type: 'POKE', head: 10 - left });
    await answer('pull', 9 - left, left);
    await answer('loadDay', 9 - left, left - 1);
  }
  await answer('pull', 9);
  expect(actor.getSnapshot().context).toMatchObject({ live: true, left: 0 });
  // In the pause nothing is asked, after it one pull brings everything.
  for (let head = 10; head < 40; head += 1) actor.send({ type: 'POKE', head });
  expect(request.has('pull')).toBe(false);
  pass(300);
  expect(request.has('pull')).toBe(true);
  // It brought less than a poke meanwhile said: another pull follows the pause.
  actor.send({ type: 'POKE', head: 50 });
  await answer('pull', 45);
  expect(request.has('pull')).toBe(false);
  pass(300);
  await answer('pull', 50);
  // It brought what the poke said: none follows.
  pass(300);
  expect(request.has('pull')).toBe(false);
  // The user's own change is pulled without a pause, and again if a pull was under way.
  actor.send({ type: 'POKE', head: 60 });
  await answer('pull', 60);
  actor.send({ type: 'POKE', head: 61 });
  request.get('push')?.({ kind: 'done', seq: 62, left: 0 });
  await settle(1);
  actor.send({ type: 'COMMAND' });
  request.get('push')?.({ kind: 'done', seq: 63, left: 0 });
  await settle(1);
  await answer('pull', 62);
  await answer('pull', 63);
  expect(request.has('pull')).toBe(false);
  pass(300);
  expect(request.has('pull')).toBe(false);
  // After the pause the first poke causes a pull at once; one that has nothing causes no other.
  actor.send({ type: 'POKE', head: 99 });
  await answer('pull', 63);
  pass(300);
  expect(request.has('pull')).toBe(false);
  actor.stop();
});
