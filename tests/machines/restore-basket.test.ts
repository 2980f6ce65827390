import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { restoreBasketMachine } from '#machines/restore-basket.ts';
import { restoreTaskMachine, taskMachine } from '#machines/restore-task.ts';
import type { RestoreOrder, WriteOrder, WriteRights } from '#machines/restore-task.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const NONE = { done: 0, total: null };
const request = (node: string): RestoreInput => ({
  explorer: 'e1',
  nodes: [node],
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'replace',
  versions: 'last',
  flags: {
    markRestoredAsUnread: false,
    excludeDeletedItems: false,
    excludeDrafts: false,
    excludeInPlaceHoldItems: false,
    excludeLitigationHoldItems: false,
  },
  dryRun: false,
  reason: null,
});
const order = (node: string) => ({ key: node, request: request(node) });
const REFUSED: Failure = { kind: 'forbidden', message: 'You may not restore this.' };
const MAY_WRITE: WriteRights = {
  organizationId: 'g1',
  missing: [],
  requested: ['Mail.ReadWrite'],
  expiresAt: null,
};

const memory = (context: {
  readonly step: unknown;
  readonly over: unknown;
  readonly isStopping: unknown;
}): unknown => [context.step, context.over, context.isStopping];

test('RES-85: a basket does in each state what its table says, and nothing else', () => {
  const events = {
    'DRY_RUN': { type: 'DRY_RUN', orders: [order('a'), order('b')] },
    'RUN': { type: 'RUN' },
    'RETRY': { type: 'RETRY' },
    'UNDO': { type: 'UNDO' },
    'STOP': { type: 'STOP' },
    'EDIT': { type: 'EDIT' },
    'over': done('advance', undefined),
    'advance bug': bug('advance'),
  } as const;
  const table: Table = {
    drafted: { DRY_RUN: 'walking' },
    // There may be another task, and the step may be the dry run.
    walking: {
      'over': 'done | reviewed | walking',
      'advance bug': 'done | reviewed',
    },
    reviewed: { RUN: 'walking', EDIT: 'drafted' },
    done: { RETRY: 'walking', UNDO: 'walking', EDIT: 'drafted' },
  };
  expect(walk(restoreBasketMachine, undefined, events, memory).table).toEqual(table);
});

interface Fake {
  /** What the server was asked for, in order: `dry-run a`. */
  readonly calls: string[];
  /** How each task ends, by the call; else with one item restored. */
  readonly ends: Record<string, Partial<EngineTask>>;
  readonly refused: Set<string>;
  rights: WriteRights;
}

/** A server whose tasks end at once. */
function makeBasket() {
  const fake: Fake = { calls: [], ends: {}, refused: new Set(), rights: MAY_WRITE };
  const clock = new SimulatedClock();
  const names = new Map<string, string>();
  const machine = restoreBasketMachine.provide({
    actors: {
      restoreTask: restoreTaskMachine.provide({
        actors: {
          findRights: fromPromise<Result<WriteRights>, WriteOrder>(() =>
            Promise.resolve(ok(fake.rights)),
          ),
          task: taskMachine.provide({
            actors: {
              start: fromPromise<Result<string>, RestoreOrder>(({ input }) => {
                const what =
                  input.kind === 'undo' || input.kind === 'retry'
                    ? `${input.kind} ${names.get(input.taskId)?.split(' ')[1]}`
                    : `${input.kind} ${input.request.nodes[0]}`;
                fake.calls.push(what);
                if (fake.refused.has(what)) return Promise.resolve(failed(REFUSED));
                const id = `t${names.size + 1}`;
                names.set(id, what);
                return Promise.resolve(ok(id));
              }),
              read: fromPromise<Result<EngineTask>, string | null>(({ input }) => {
                const id = input ?? '';
                return Promise.resolve(ok(getTask(id, fake.ends[names.get(id) ?? ''])));
              }),
              cancel: fromPromise<Result<unknown>, string | null>(() => Promise.resolve(ok(null))),
            },
          }),
        },
      }),
    },
  });
  const actor = createActor(machine, { clock }).start();
  const rest = (state: 'reviewed' | 'done' | 'drafted') =>
    waitFor(actor, ({ value }) => value === state);
  const states = () =>
    actor.getSnapshot().context.tasks.map(({ key, ref }) => [key, ref.getSnapshot().value]);
  return { fake, clock, actor, rest, states };
}

const getTask = (id: string, end: Partial<EngineTask> = {}): EngineTask => ({
  id,
  kind: 'restore',
  workload: 'outlook',
  state: 'done',
  result: 'success',
  message: null,
  items: NONE,
  bytes: NONE,
  waiting: null,
  counts: { restored: 1, merged: 0, skipped: 0, failed: 0 },
  createdAt: 1,
  startedAt: 1,
  endedAt: null,
  of: null,
  canUndo: true,
  canRetry: false,
  ...end,
});
const SKIPPED = { counts: { restored: 0, merged: 0, skipped: 1, failed: 0 } };

test('RES-85: all objects are tried, restored and undone one after another, the last one undone first', async () => {
  const { fake, actor, rest, states } = makeBasket();
  fake.ends['dry-run b'] = SKIPPED;
  actor.send({ type: 'DRY_RUN', orders: [order('a'), order('b'), order('c')] });
  await rest('reviewed');
  actor.send({ type: 'RUN' });
  await rest('done');
  // There is nothing to restore of the second one.
  expect(states()).toEqual([
    ['a', 'done'],
    ['b', 'reviewed'],
    ['c', 'done'],
  ]);
  actor.send({ type: 'UNDO' });
  await rest('done');
  expect(fake.calls).toEqual([
    'dry-run a',
    'dry-run b',
    'dry-run c',
    'restore a',
    'restore c',
    'undo c',
    'undo a',
  ]);
  expect(states()).toEqual([
    ['a', 'undone'],
    ['b', 'reviewed'],
    ['c', 'undone'],
  ]);
});

test('RES-85, RES-93: an object of which only empty folders are missing is restored', async () => {
  const { fake, actor, rest } = makeBasket();
  fake.ends['dry-run a'] = SKIPPED;
  fake.ends['dry-run b'] = { ...SKIPPED, folders: 1 };
  actor.send({ type: 'DRY_RUN', orders: [order('a'), order('b')] });
  await rest('reviewed');
  actor.send({ type: 'RUN' });
  await rest('done');
  expect(fake.calls).toEqual(['dry-run a', 'dry-run b', 'restore b']);
});

test('RES-85: what failed is restored again, also single items, and what was restored is not', async () => {
  const { fake, actor, rest, states } = makeBasket();
  fake.refused.add('dry-run a').add('restore b');
  fake.ends['restore c'] = {
    result: 'warning',
    counts: { restored: 1, merged: 0, skipped: 0, failed: 2 },
  };
  actor.send({ type: 'DRY_RUN', orders: ['a', 'b', 'c', 'd'].map(order) });
  await rest('reviewed');
  actor.send({ type: 'RUN' });
  await rest('done');
  expect(states()).toEqual([
    ['a', 'drafted'],
    ['b', 'failed'],
    ['c', 'done'],
    ['d', 'done'],
  ]);
  fake.calls.length = 0;
  fake.refused.clear();
  delete fake.ends['restore c'];
  actor.send({ type: 'RETRY' });
  await rest('done');
  expect(fake.calls).toEqual(['dry-run a', 'restore a', 'restore b', 'dry-run c', 'restore c']);
  // Both tasks of the third one can be undone.
  fake.calls.length = 0;
  actor.send({ type: 'UNDO' });
  await rest('done');
  expect(fake.calls).toEqual(['undo c', 'undo d', 'undo c', 'undo b', 'undo a']);
});

test('RES-85: rights are asked for at the first object that lacks them, and serve those after it', async () => {
  const { fake, actor, rest, states } = makeBasket();
  actor.send({ type: 'DRY_RUN', orders: [order('a'), order('b')] });
  await rest('reviewed');
  fake.rights = { ...MAY_WRITE, missing: ['Mail.ReadWrite'] };
  actor.send({ type: 'RUN' });
  const [first] = actor.getSnapshot().context.tasks;
  if (first === undefined) throw new Error('no task');
  await waitFor(first.ref, ({ value }) => value === 'signingIn');
  expect(fake.calls).toEqual(['dry-run a', 'dry-run b']);
  fake.rights = MAY_WRITE;
  first.ref.send({ type: 'GRANTED' });
  await rest('done');
  expect(states()).toEqual([
    ['a', 'done'],
    ['b', 'done'],
  ]);
});

test('RES-85: an object that waits for a second person does not hold up the others', async () => {
  const { fake, clock, actor, rest, states } = makeBasket();
  actor.send({ type: 'DRY_RUN', orders: [order('a'), order('b')] });
  await rest('reviewed');
  fake.ends['restore a'] = { state: 'awaiting-approval', result: null };
  actor.send({ type: 'RUN' });
  await rest('done');
  expect(states()).toEqual([
    ['a', 'running'],
    ['b', 'done'],
  ]);
  // It goes on when it is approved.
  delete fake.ends['restore a'];
  clock.increment(5_000);
  const [first] = actor.getSnapshot().context.tasks;
  if (first === undefined) throw new Error('no task');
  await waitFor(first.ref, ({ value }) => value === 'done');
});

test('RES-85: a basket that is stopped begins no other object, and what is left can be restored later', async () => {
  const { fake, actor, rest, states } = makeBasket();
  actor.send({ type: 'DRY_RUN', orders: [order('a'), order('b')] });
  await rest('reviewed');
  fake.rights = { ...MAY_WRITE, missing: ['Mail.ReadWrite'] };
  actor.send({ type: 'RUN' });
  const [first] = actor.getSnapshot().context.tasks;
  if (first === undefined) throw new Error('no task');
  await waitFor(first.ref, ({ value }) => value === 'signingIn');
  actor.send({ type: 'STOP' });
  await rest('done');
  expect(states()).toEqual([
    ['a', 'reviewed'],
    ['b', 'reviewed'],
  ]);
  fake.rights = MAY_WRITE;
  actor.send({ type: 'RETRY' });
  await rest('done');
  expect(fake.calls.slice(2)).toEqual(['restore a', 'restore b']);
  actor.send({ type: 'EDIT' });
  await rest('drafted');
  expect(actor.getSnapshot().context.tasks).toEqual([]);
});
