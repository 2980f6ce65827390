import { assign, fromPromise, sendTo, setup } from 'xstate';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { Failure, FailureKind } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { bug, getFailure, notProvided } from './refusal.ts';

/** How often the progress of a task is read, and that of one that waits for a second person. */
export const POLL_MS: Ms = 1_000;
const APPROVAL_POLL_MS: Ms = 5_000;

export interface TaskContext {
  readonly order: RestoreOrder;
  /** Set once the server has accepted the task. */
  readonly taskId: string | null;
  readonly task: EngineTask | null;
  readonly isCancelRequested: boolean;
  /** Why the task was not started, or why its progress could not be read last time. */
  readonly failure: Failure | null;
}

/**
 * One task on the server, from its start to its end. Its output is the finished task, or why it
 * never began. An unreachable server does not end it: the task continues there.
 *
 *   starting ─▶ reading ⇄ waiting ─▶ finished
 *      │           └─CANCEL─▶ cancelling ─▶ reading
 *      └─▶ refused
 */
export const taskMachine = setup({
  types: {
    context: {} as TaskContext,
    events: {} as { readonly type: 'CANCEL' },
    input: {} as RestoreOrder,
    output: {} as Result<EngineTask>,
  },
  actors: {
    start: fromPromise<Result<string>, RestoreOrder>(notProvided),
    read: fromPromise<Result<EngineTask>, string | null>(notProvided),
    cancel: fromPromise<Result<unknown>, string | null>(notProvided),
  },
  delays: {
    poll: ({ context }) =>
      context.task?.state === 'awaiting-approval' ? APPROVAL_POLL_MS : POLL_MS,
  },
  guards: { mustCancel: ({ context }) => context.isCancelRequested },
  actions: {
    failOnBug: assign(() => ({ failure: bug() })),
    requestCancel: assign({ isCancelRequested: true }),
  },
}).createMachine({
  id: 'task',
  context: ({ input }) => ({
    order: input,
    taskId: null,
    task: null,
    isCancelRequested: false,
    failure: null,
  }),
  initial: 'starting',
  output: ({ context: { task, failure } }) => (task ? ok(task) : failed(failure ?? bug())),
  states: {
    starting: {
      on: { CANCEL: { actions: 'requestCancel' } },
      invoke: {
        id: 'start',
        src: 'start',
        input: ({ context }) => context.order,
        onDone: [
          {
            guard: ({ event }) => event.output.ok,
            target: 'started',
            actions: assign(({ event }) => (event.output.ok ? { taskId: event.output.value } : {})),
          },
          {
            target: 'refused',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'refused', actions: 'failOnBug' },
      },
    },
    started: { always: [{ guard: 'mustCancel', target: 'cancelling' }, { target: 'reading' }] },
    reading: {
      on: { CANCEL: 'cancelling' },
      invoke: {
        id: 'read',
        src: 'read',
        input: ({ context }) => context.taskId,
        onDone: [
          {
            guard: ({ event }) => event.output.ok && event.output.value.state === 'done',
            target: 'finished',
            actions: assign(({ event }) =>
              event.output.ok ? { task: event.output.value, failure: null } : {},
            ),
          },
          {
            guard: ({ event }) => event.output.ok,
            target: 'waiting',
            actions: assign(({ event }) =>
              event.output.ok ? { task: event.output.value, failure: null } : {},
            ),
          },
          {
            guard: ({ event: { output } }) => !output.ok && !GONE.has(output.failure.kind),
            target: 'waiting',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
          {
            target: 'refused',
            actions: assign(({ event }) => ({ task: null, failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'waiting', actions: 'failOnBug' },
      },
    },
    waiting: { on: { CANCEL: 'cancelling' }, after: { poll: 'reading' } },
    cancelling: {
      entry: 'requestCancel',
      invoke: {
        id: 'cancel',
        src: 'cancel',
        input: ({ context }) => context.taskId,
        onDone: {
          target: 'waiting',
          actions: assign(({ event }) => ({
            failure: getFailure(event.output),
            isCancelRequested: event.output.ok,
          })),
        },
        onError: {
          target: 'waiting',
          actions: assign(() => ({ failure: bug(), isCancelRequested: false })),
        },
      },
    },
    finished: { type: 'final' },
    refused: { type: 'final' },
  },
});

/** The server no longer knows the task, or no longer lets this user read it. */
const GONE: ReadonlySet<FailureKind> = new Set(['not-found', 'forbidden', 'signed-out', 'expired']);

/**
 * What the server is asked to do: a restore, its dry run, or of a finished restore the undo or what
 * failed of it again.
 */
export type RestoreOrder =
  | { readonly kind: 'dry-run' | 'restore'; readonly request: RestoreInput }
  | { readonly kind: 'undo'; readonly taskId: string }
  | { readonly kind: 'retry'; readonly taskId: string };

/** What writing to an organization lacks. Empty `missing`: nothing. */
export interface WriteRights {
  readonly organizationId: string;
  readonly missing: readonly string[];
  /** All permissions that a sign-in grants. */
  readonly requested: readonly string[];
  /** When granted rights end; null: they don't. */
  readonly expiresAt: Ms | null;
}
/**
 * What writes: a restore, with the id of its dry run (empty without one), or the undo or retry of a
 * restore, with that of the restore.
 */
export interface WriteOrder {
  readonly kind: 'restore' | 'undo' | 'retry';
  readonly taskId: string;
}

export interface RestoreTaskContext {
  readonly request: RestoreInput;
  /** False: a restore runs without one. */
  readonly hasDryRun: boolean;
  /** What the rights are checked for, and where it began. */
  readonly wants: WriteOrder['kind'];
  readonly from: 'drafted' | 'reviewed' | 'failed' | 'cancelled' | 'done';
  readonly rights: WriteRights | null;
  /** The finished dry run of this request. */
  readonly dryRun: EngineTask | null;
  /** The finished restore. */
  readonly restore: EngineTask | null;
  readonly undo: EngineTask | null;
  readonly failure: Failure | null;
}
export type RestoreTaskEvent =
  /** Another request. What a dry run said about the one before no longer holds. */
  | { readonly type: 'EDIT'; readonly request: RestoreInput }
  | { readonly type: 'DRY_RUN' }
  | { readonly type: 'RUN' }
  | { readonly type: 'CANCEL' }
  | { readonly type: 'UNDO' }
  /** What failed is restored again. */
  | { readonly type: 'RETRY' }
  /** An administrator has granted the rights. */
  | { readonly type: 'GRANTED' };

/**
 * A restore, from its dry run to its undo. The task that runs on the server is the child `task`.
 *
 *   drafted ─DRY_RUN─▶ dryRunning ─▶ reviewed ─RUN─▶ checking ─▶ running ─▶ done, failed, cancelled
 *   drafted ─RUN─▶ checking, without a dry run
 *   done, cancelled ─UNDO─▶ checking ─▶ undoing ─▶ undone
 *   done ─RETRY─▶ checking ─▶ retrying ─▶ done, failed, cancelled
 *   checking ─▶ signingIn ─GRANTED─▶ checking
 *                   └─CANCEL─▶ where it began
 */
export const restoreTaskMachine = setup({
  types: {
    context: {} as RestoreTaskContext,
    events: {} as RestoreTaskEvent,
    children: {} as { task: 'task'; findRights: 'findRights' },
    input: {} as { readonly request: RestoreInput; readonly hasDryRun?: boolean },
  },
  actors: {
    task: taskMachine,
    findRights: fromPromise<Result<WriteRights>, WriteOrder>(notProvided),
  },
  guards: {
    hasNoDryRun: ({ context }) => !context.hasDryRun,
    fromDrafted: ({ context }) => context.from === 'drafted',
    wantsUndo: ({ context }) => context.wants === 'undo',
    wantsRetry: ({ context }) => context.wants === 'retry',
    fromReviewed: ({ context }) => context.from === 'reviewed',
    fromFailed: ({ context }) => context.from === 'failed',
    fromDone: ({ context }) => context.from === 'done',
  },
  actions: {
    begin: assign((_, begun: Pick<RestoreTaskContext, 'wants' | 'from'>) => begun),
    cancel: sendTo('task', { type: 'CANCEL' }),
    edit: assign(({ event }) =>
      event.type === 'EDIT' ? { request: event.request, dryRun: null, failure: null } : {},
    ),
    clearFailure: assign({ failure: null }),
    failOnBug: assign(() => ({ failure: bug() })),
  },
}).createMachine({
  id: 'restore-task',
  context: ({ input }) => ({
    request: input.request,
    hasDryRun: input.hasDryRun ?? true,
    wants: 'restore',
    from: 'reviewed',
    rights: null,
    dryRun: null,
    restore: null,
    undo: null,
    failure: null,
  }),
  initial: 'drafted',
  states: {
    drafted: {
      on: {
        EDIT: { actions: 'edit' },
        DRY_RUN: 'dryRunning',
        RUN: { guard: 'hasNoDryRun', target: 'checking', actions: begin('restore', 'drafted') },
      },
    },
    dryRunning: {
      entry: 'clearFailure',
      on: { CANCEL: { actions: 'cancel' } },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({ context: { request } }) => ({ kind: 'dry-run', request }),
        onDone: [
          {
            guard: ({ event: { output } }) => output.ok && isComplete(output.value),
            target: 'reviewed',
            actions: assign(({ event }) => (event.output.ok ? { dryRun: event.output.value } : {})),
          },
          {
            target: 'drafted',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'drafted', actions: 'failOnBug' },
      },
    },
    reviewed: {
      on: {
        EDIT: { target: 'drafted', actions: 'edit' },
        DRY_RUN: 'dryRunning',
        RUN: { target: 'checking', actions: begin('restore', 'reviewed') },
      },
    },
    /** Whether the organization can be written to, before anything is. */
    checking: {
      entry: 'clearFailure',
      on: { CANCEL: 'back' },
      invoke: {
        id: 'findRights',
        src: 'findRights',
        input: ({ context: { wants, dryRun, restore } }) => ({
          kind: wants,
          taskId: (wants === 'restore' ? dryRun : restore)?.id ?? '',
        }),
        onDone: [
          {
            guard: ({ event: { output } }) => output.ok && output.value.missing.length === 0,
            target: 'writing',
            actions: assign(({ event }) => (event.output.ok ? { rights: event.output.value } : {})),
          },
          {
            guard: ({ event: { output } }) => output.ok,
            target: 'signingIn',
            actions: assign(({ event }) => (event.output.ok ? { rights: event.output.value } : {})),
          },
          {
            target: 'back',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
        ],
        onError: { target: 'back', actions: 'failOnBug' },
      },
    },
    signingIn: { on: { GRANTED: 'checking', CANCEL: 'back' } },
    writing: {
      always: [
        { guard: 'wantsUndo', target: 'undoing' },
        { guard: 'wantsRetry', target: 'retrying' },
        { target: 'running' },
      ],
    },
    back: {
      always: [
        { guard: 'fromDrafted', target: 'drafted' },
        { guard: 'fromReviewed', target: 'reviewed' },
        { guard: 'fromFailed', target: 'failed' },
        { guard: 'fromDone', target: 'done' },
        { target: 'cancelled' },
      ],
    },
    running: {
      entry: 'clearFailure',
      on: { CANCEL: { actions: 'cancel' } },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({ context: { request } }) => ({ kind: 'restore', request }),
        onDone: [
          {
            guard: ({ event: { output } }) => output.ok && isComplete(output.value),
            target: 'done',
            actions: assign(({ event }) =>
              event.output.ok ? { restore: event.output.value } : {},
            ),
          },
          {
            guard: ({ event: { output } }) => output.ok && output.value.result === 'cancelled',
            target: 'cancelled',
            actions: assign(({ event }) =>
              event.output.ok ? { restore: event.output.value } : {},
            ),
          },
          {
            target: 'failed',
            actions: assign(({ event: { output } }) => ({
              restore: output.ok ? output.value : null,
              failure: getFailure(output),
            })),
          },
        ],
        onError: { target: 'failed', actions: 'failOnBug' },
      },
    },
    done: {
      on: {
        UNDO: { target: 'checking', actions: begin('undo', 'done') },
        RETRY: { target: 'checking', actions: begin('retry', 'done') },
      },
    },
    /** A retry that never began leaves the restore as it is. */
    retrying: {
      entry: 'clearFailure',
      on: { CANCEL: { actions: 'cancel' } },
      invoke: {
        id: 'task',
        src: 'task',
        input: ({ context: { restore } }) => ({ kind: 'retry', taskId: restore?.id ?? '' }),
        onDone: [
          {
            guard: ({ event: { output } }) => !output.ok,
            target: 'done',
            actions: assign(({ event }) => ({ failure: getFailure(event.output) })),
          },
          {
            guard: ({ event: { output } }) => output.ok && isComplete(output.value),
            target: 'done',
            actions: assign(({ event }) =>
              event.output.ok ? { restore: event.output.value } : {},
            ),
          },
          {
            guard: ({ event: { output } }) => output.ok && output.value.result === 'cancelled',
            target: 'cancelled',
            actions: assign(({ event }) =>
              event.output.ok ? { restore: event.output.value } : {},
            ),
          },
          {
            target: 'failed',
            actions: assign(({ event: { output } }) => ({
              ...(output.ok && { restore: output.value }),
              failure: getFailure(output),
            })),
          },
        ],
        onError: { target: 'done', actions: 'failOnBug' },
      },
    },
    /** Runs again: what is already there is not restored twice. */
    failed: {
      on: {
        RUN: { target: 'checking', actions: begin('restore', 'failed') },
        EDIT: { target: 'drafted', actions: 'edit' },
      },
    },
    cancelled: {
      on: {
        UNDO: { target: 'checking', actions: begin('undo', 'cancelled') },
        RUN: { target: 'checking', actions: begin('restore', 'cancelled') },
        EDIT: { target: 'drafted', actions: 'edit' },
      },
    },
    undoing: {
      entry: 'clearFailure',
      invoke: {
        id: 'task',
        src: 'task',
        input: ({ context: { restore } }) => ({ kind: 'undo', taskId: restore?.id ?? '' }),
        onDone: [
          {
            guard: ({ event: { output } }) => output.ok && isComplete(output.value),
            target: 'undone',
            actions: assign(({ event }) => (event.output.ok ? { undo: event.output.value } : {})),
          },
          {
            target: 'done',
            actions: assign(({ event: { output } }) => ({
              undo: output.ok ? output.value : null,
              failure: getFailure(output),
            })),
          },
        ],
        onError: { target: 'done', actions: 'failOnBug' },
      },
    },
    undone: { type: 'final' },
  },
});

/** What the rights are checked for, and where a cancelled check returns. */
function begin(
  wants: RestoreTaskContext['wants'],
  from: RestoreTaskContext['from'],
): { readonly type: 'begin'; readonly params: Pick<RestoreTaskContext, 'wants' | 'from'> } {
  return { type: 'begin', params: { wants, from } };
}

const isComplete = ({ result }: EngineTask): boolean =>
  result === 'success' || result === 'warning';
