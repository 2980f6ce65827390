import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { expect, test } from 'vitest';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { restoreTaskMachine, taskMachine } from '#machines/restore-task.ts';
import type { RestoreOrder, WriteOrder, WriteRights } from '#machines/restore-task.ts';
import { bug, done, walk } from './walk.ts';
import type { Table } from './walk.ts';

const NONE = { done: 0, total: null };
const RUNNING: EngineTask = {
  id: 't1',
  kind: 'restore',
  workload: 'outlook',
  state: 'running',
  result: null,
  message: null,
  items: NONE,
  bytes: NONE,
  waiting: null,
  counts: { restored: 0, merged: 0, skipped: 0, failed: 0 },
  createdAt: 1,
  startedAt: 1,
  endedAt: null,
  of: null,
  canUndo: true,
  canRetry: false,
};
const ended = (result: EngineTask['result']): EngineTask => ({ ...RUNNING, state: 'done', result });
const REQUEST: RestoreInput = {
  explorer: 'e1',
  nodes: ['n1'],
  target: { kind: 'original' },
  select: 'both',
  onConflict: 'skip',
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
};
const LARGER: RestoreInput = { ...REQUEST, nodes: ['n1', 'n2'] };
const UNREACHED: Failure = { kind: 'no-answer', message: 'The server did not answer.' };
const REFUSED: Failure = { kind: 'forbidden', message: 'You may not restore this.' };
const MISSING: Failure = { kind: 'not-found', message: "This task doesn't exist." };

const MAY_WRITE: WriteRights = {
  organizationId: 'g1',
  missing: [],
  requested: ['Mail.ReadWrite'],
  expiresAt: 3_600_000,
};
const MAY_NOT_WRITE: WriteRights = { ...MAY_WRITE, missing: ['Mail.ReadWrite'], expiresAt: null };

const memory = ({ isCancelRequested }: { readonly isCancelRequested: unknown }): unknown =>
  isCancelRequested;

const remembers = (context: { readonly wants: unknown; readonly from: unknown }): unknown => [
  context.wants,
  context.from,
];

test('RES-10: a task does in each state what its table says, and nothing else', () => {
  const events = {
    'CANCEL': { type: 'CANCEL' },
    'accepted': done('start', ok('t1')),
    'refused': done('start', failed(REFUSED)),
    'start bug': bug('start'),
    'runs': done('read', ok(RUNNING)),
    'ended': done('read', ok(ended('success'))),
    'unreached': done('read', failed(UNREACHED)),
    'missing': done('read', failed(MISSING)),
    'read bug': bug('read'),
    'polls': { type: 'xstate.after.poll.task.waiting' },
    'cancel taken': done('cancel', ok(null)),
    'cancel refused': done('cancel', failed(REFUSED)),
    'cancel bug': bug('cancel'),
  } as const;
  const table: Table = {
    starting: {
      'accepted': 'cancelling | reading',
      'refused': 'refused',
      'start bug': 'refused',
    },
    reading: {
      'CANCEL': 'cancelling',
      'runs': 'waiting',
      'ended': 'finished',
      'unreached': 'waiting',
      'missing': 'refused',
      'read bug': 'waiting',
    },
    waiting: { CANCEL: 'cancelling', polls: 'reading' },
    cancelling: { 'cancel taken': 'waiting', 'cancel refused': 'waiting', 'cancel bug': 'waiting' },
    finished: {},
    refused: {},
  };
  expect(walk(taskMachine, { kind: 'dry-run', request: REQUEST }, events, memory).table).toEqual(
    table,
  );
});

test('RES-10, VB365-18: a restore does in each state what its table says, and nothing else', () => {
  const events = {
    'EDIT': { type: 'EDIT', request: LARGER },
    'DRY_RUN': { type: 'DRY_RUN' },
    'RUN': { type: 'RUN' },
    'UNDO': { type: 'UNDO' },
    'RETRY': { type: 'RETRY' },
    'CANCEL': { type: 'CANCEL' },
    'GRANTED': { type: 'GRANTED' },
    'may write': done('findRights', ok(MAY_WRITE)),
    'may not write': done('findRights', ok(MAY_NOT_WRITE)),
    'not found out': done('findRights', failed(UNREACHED)),
    'rights bug': bug('findRights'),
    'success': done('task', ok(ended('success'))),
    'warning': done('task', ok(ended('warning'))),
    'cancelled': done('task', ok(ended('cancelled'))),
    'task failed': done('task', ok(ended('failed'))),
    'refused': done('task', failed(REFUSED)),
    'bug': bug('task'),
  } as const;
  const table: Table = {
    drafted: { DRY_RUN: 'dryRunning' },
    dryRunning: {
      'success': 'reviewed',
      'warning': 'reviewed',
      'cancelled': 'drafted',
      'task failed': 'drafted',
      'refused': 'drafted',
      'bug': 'drafted',
    },
    reviewed: { EDIT: 'drafted', DRY_RUN: 'dryRunning', RUN: 'checking' },
    checking: {
      'CANCEL': 'cancelled | done | failed | reviewed',
      'may write': 'retrying | running | undoing',
      'may not write': 'signingIn',
      'not found out': 'cancelled | done | failed | reviewed',
      'rights bug': 'cancelled | done | failed | reviewed',
    },
    signingIn: {
      CANCEL: 'cancelled | done | failed | reviewed',
      GRANTED: 'checking',
    },
    running: {
      'success': 'done',
      'warning': 'done',
      'cancelled': 'cancelled',
      'task failed': 'failed',
      'refused': 'failed',
      'bug': 'failed',
    },
    done: { RETRY: 'checking', UNDO: 'checking' },
    retrying: {
      'success': 'done',
      'warning': 'done',
      'cancelled': 'cancelled',
      'task failed': 'failed',
      'refused': 'done',
      'bug': 'done',
    },
    failed: { EDIT: 'drafted', RUN: 'checking' },
    cancelled: { EDIT: 'drafted', RUN: 'checking', UNDO: 'checking' },
    undoing: {
      'success': 'undone',
      'warning': 'undone',
      'cancelled': 'done',
      'task failed': 'done',
      'refused': 'done',
      'bug': 'done',
    },
    undone: {},
  };
  expect(walk(restoreTaskMachine, { request: REQUEST }, events, remembers).table).toEqual(table);
  // Without a dry run, a draft runs itself.
  const back = 'cancelled | done | drafted | failed | reviewed';
  expect(
    walk(restoreTaskMachine, { request: REQUEST, hasDryRun: false }, events, remembers).table,
  ).toEqual({
    ...table,
    drafted: { DRY_RUN: 'dryRunning', RUN: 'checking' },
    checking: {
      'CANCEL': back,
      'may write': 'retrying | running | undoing',
      'may not write': 'signingIn',
      'not found out': back,
      'rights bug': back,
    },
    signingIn: { CANCEL: back, GRANTED: 'checking' },
  });
});

/** Lets everything that was answered arrive. */
const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A server on which a task is running at its first readings and then ends. */
function start(readings: readonly Result<EngineTask>[], mustSignIn = false) {
  const clock = new SimulatedClock();
  const log: unknown[] = [];
  const questions: string[] = [];
  let isGranted = !mustSignIn;
  const task = taskMachine.provide({
    actors: {
      start: fromPromise(({ input }: { readonly input: RestoreOrder }) => {
        log.push(input);
        return Promise.resolve(ok('t1'));
      }),
      read: fromPromise(() => {
        log.push('read');
        const reading = readings[log.filter((line) => line === 'read').length - 1];
        return Promise.resolve(reading ?? ok(ended('success')));
      }),
      cancel: fromPromise(() => {
        log.push('cancel');
        return Promise.resolve<Result<unknown>>(ok(null));
      }),
    },
  });
  const findRights = fromPromise(({ input }: { readonly input: WriteOrder }) => {
    questions.push(input.kind);
    return Promise.resolve<Result<WriteRights>>(ok(isGranted ? MAY_WRITE : MAY_NOT_WRITE));
  });
  const actor = createActor(restoreTaskMachine.provide({ actors: { task, findRights } }), {
    clock,
    input: { request: REQUEST },
  }).start();
  const until = (
    state: 'drafted' | 'reviewed' | 'signingIn' | 'done' | 'cancelled' | 'undone',
  ): Promise<unknown> =>
    waitFor(actor, (snapshot) => {
      // Every wait is over as soon as it begins.
      clock.increment(1_000);
      return snapshot.matches(state);
    });
  /** An administrator signs in; the permissions end before the undo. */
  const grant = async (): Promise<void> => {
    isGranted = true;
    actor.send({ type: 'GRANTED' });
    await waitFor(actor, (snapshot) => !snapshot.matches('checking'));
    isGranted = false;
  };
  return { actor, clock, log, questions, until, grant };
}

test('RES-24: a dry run asks for no rights; a restore and its undo wait for them, or return', async () => {
  const { actor, questions, until, grant } = start([], true);
  actor.send({ type: 'DRY_RUN' });
  await until('reviewed');
  expect(questions).toEqual([]);
  actor.send({ type: 'RUN' });
  await until('signingIn');
  expect(actor.getSnapshot().context.rights).toEqual(MAY_NOT_WRITE);
  actor.send({ type: 'CANCEL' });
  expect(actor.getSnapshot().value).toBe('reviewed');
  actor.send({ type: 'RUN' });
  await until('signingIn');
  await grant();
  expect(actor.getSnapshot().context.rights).toEqual(MAY_WRITE);
  await until('done');
  actor.send({ type: 'UNDO' });
  await until('signingIn');
  actor.send({ type: 'CANCEL' });
  expect(actor.getSnapshot().value).toBe('done');
  actor.send({ type: 'UNDO' });
  await until('signingIn');
  await grant();
  await until('undone');
  expect(questions).toEqual(['restore', 'restore', 'restore', 'undo', 'undo', 'undo']);
});

test('RES-10: on the page, a restore runs only after a dry run of the same request, and its undo names it', async () => {
  const { actor, log, until } = start([]);
  actor.send({ type: 'RUN' });
  expect(actor.getSnapshot().value).toBe('drafted');
  actor.send({ type: 'DRY_RUN' });
  await until('reviewed');
  actor.send({ type: 'EDIT', request: LARGER });
  expect(actor.getSnapshot().context.dryRun).toBeNull();
  actor.send({ type: 'RUN' });
  expect(actor.getSnapshot().value).toBe('drafted');
  actor.send({ type: 'DRY_RUN' });
  await until('reviewed');
  actor.send({ type: 'RUN' });
  await until('done');
  actor.send({ type: 'UNDO' });
  await until('undone');
  await settle();
  expect(log.filter((line) => line !== 'read')).toEqual([
    { kind: 'dry-run', request: REQUEST },
    { kind: 'dry-run', request: LARGER },
    { kind: 'restore', request: LARGER },
    { kind: 'undo', taskId: 't1' },
  ]);
});

test('RES-89, RES-24: a retry waits for the rights, names the restore and takes its place, and one that is refused leaves it', async () => {
  const FAILED = { ...ended('warning'), canRetry: true };
  const RETRY = { ...ended('success'), id: 't2', of: 't1' };
  const { actor, log, questions, until, grant } = start(
    [ok(ended('success')), ok(FAILED), failed(MISSING), ok(RETRY)],
    true,
  );
  actor.send({ type: 'RETRY' });
  actor.send({ type: 'DRY_RUN' });
  await until('reviewed');
  actor.send({ type: 'RUN' });
  await until('signingIn');
  await grant();
  await until('done');
  actor.send({ type: 'RETRY' });
  await until('signingIn');
  actor.send({ type: 'CANCEL' });
  expect(actor.getSnapshot().value).toBe('done');
  for (const expectation of [
    { restore: FAILED, failure: MISSING },
    { restore: RETRY, failure: null },
  ]) {
    actor.send({ type: 'RETRY' });
    await until('signingIn');
    await grant();
    await until('done');
    expect(actor.getSnapshot().context).toMatchObject(expectation);
  }
  expect(questions.filter((kind) => kind !== 'restore')).toEqual(Array(5).fill('retry'));
  expect(log.filter((line) => line !== 'read').slice(2)).toEqual([
    { kind: 'retry', taskId: 't1' },
    { kind: 'retry', taskId: 't1' },
  ]);
});

test('RES-10: an unreachable server ends no task, and a canceled one says so', async () => {
  const { actor, clock, log } = start([
    ok(ended('success')),
    ok(RUNNING),
    failed(UNREACHED),
    ok(RUNNING),
    ok(ended('cancelled')),
  ]);
  actor.send({ type: 'DRY_RUN' });
  await settle();
  actor.send({ type: 'RUN' });
  await settle();
  for (let i = 0; i < 2; i++) {
    clock.increment(1_000);
    await settle();
  }
  expect(actor.getSnapshot().value).toBe('running');
  actor.send({ type: 'CANCEL' });
  await settle();
  clock.increment(1_000);
  await settle();
  expect(actor.getSnapshot().value).toBe('cancelled');
  expect(log.slice(3)).toEqual(['read', 'read', 'read', 'cancel', 'read']);
});
