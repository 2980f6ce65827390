import { assign, enqueueActions, fromPromise, sendTo, setup } from 'xstate';
import type { ActorRefFrom, SnapshotFrom, Subscription } from 'xstate';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import { restoreTaskMachine } from './restore-task.ts';

/** What is restored of one mailbox, drive, site or team at one restore point. */
export interface BasketOrder {
  /** One order may be restored again, so several tasks can have its key. */
  readonly key: string;
  readonly request: RestoreInput;
}
export type RestoreTaskRef = ActorRefFrom<typeof restoreTaskMachine>;
export interface BasketTask extends BasketOrder {
  readonly ref: RestoreTaskRef;
  /** Its failed items are restored by a later task. */
  readonly isRepeated: boolean;
}
/** What all objects of the basket go through, one after another. */
export type BasketStep = 'dry-run' | 'restore' | 'retry' | 'undo';

interface BasketContext {
  readonly tasks: readonly BasketTask[];
  readonly step: BasketStep;
  /** How many tasks of this step are over. */
  readonly over: number;
  readonly isStopping: boolean;
}
export type RestoreBasketEvent =
  | { readonly type: 'DRY_RUN'; readonly orders: readonly BasketOrder[] }
  | { readonly type: 'RUN' }
  /** What failed, was stopped, or has failed items. */
  | { readonly type: 'RETRY' }
  | { readonly type: 'UNDO' }
  | { readonly type: 'STOP' }
  /** Back to the form. What has been restored stays. */
  | { readonly type: 'EDIT' };

/**
 * The restore of a basket: one `restoreTaskMachine` for each object and restore point, one after
 * another, so that rights that one of them is granted serve those after it. A task that waits for a
 * second person doesn't hold up the others.
 *
 *   drafted ─DRY_RUN─▶ walking ─▶ reviewed ─RUN─▶ walking ─▶ done ─RETRY, UNDO─▶ walking
 *      ▲                             └──────EDIT──────┬────────┘
 *      └──────────────────────────────────────────────┘
 */
export const restoreBasketMachine = setup({
  types: {
    context: {} as BasketContext,
    events: {} as RestoreBasketEvent,
  },
  actors: {
    restoreTask: restoreTaskMachine,
    advance: fromPromise<void, { readonly ref: RestoreTaskRef | null; readonly step: BasketStep }>(
      ({ input }) => (input.ref === null ? Promise.resolve() : advance(input.ref, input.step)),
    ),
  },
  guards: {
    hasNext: ({ context: { tasks, over, isStopping } }) => !isStopping && over + 1 < tasks.length,
    isReview: ({ context: { step } }) => step === 'dry-run',
  },
  actions: {
    addTasks: assign(({ context, event, spawn }) => ({
      tasks:
        event.type === 'DRY_RUN'
          ? event.orders.map((order) => ({
              ...order,
              ref: spawn('restoreTask', { input: { request: order.request } }),
              isRepeated: false,
            }))
          : context.tasks,
    })),
    repeatTasks: assign(({ context, spawn }) => ({
      tasks: [
        ...context.tasks.map((task) => ({
          ...task,
          isRepeated: task.isRepeated || hasFailedItems(task),
        })),
        ...context.tasks
          .filter((task) => !task.isRepeated && hasFailedItems(task))
          .map(({ key, request }) => ({
            key,
            request,
            ref: spawn('restoreTask', { input: { request } }),
            isRepeated: false,
          })),
      ],
    })),
    removeTasks: enqueueActions(({ context, enqueue }) => {
      for (const { ref } of context.tasks) enqueue.stopChild(ref);
      enqueue.assign({ tasks: [] });
    }),
    begin: assign((_, step: BasketStep) => ({ step, over: 0, isStopping: false })),
    goOn: assign(({ context }) => ({ over: context.over + 1 })),
    stop: enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ isStopping: true });
      const task = getCurrentTask(context);
      if (task !== null) enqueue(sendTo(task.ref, { type: 'CANCEL' }));
    }),
  },
}).createMachine({
  id: 'restore-basket',
  context: { tasks: [], step: 'dry-run', over: 0, isStopping: false },
  initial: 'drafted',
  states: {
    drafted: {
      on: { DRY_RUN: { target: 'walking', actions: ['addTasks', begin('dry-run')] } },
    },
    walking: {
      on: { STOP: { actions: 'stop' } },
      invoke: {
        id: 'advance',
        src: 'advance',
        input: ({ context }) => ({ ref: getCurrentTask(context)?.ref ?? null, step: context.step }),
        onDone: [
          { guard: 'hasNext', target: 'walking', reenter: true, actions: 'goOn' },
          { target: 'ended', actions: 'goOn' },
        ],
        onError: { target: 'ended' },
      },
    },
    ended: { always: [{ guard: 'isReview', target: 'reviewed' }, { target: 'done' }] },
    reviewed: {
      on: {
        RUN: { target: 'walking', actions: begin('restore') },
        EDIT: { target: 'drafted', actions: 'removeTasks' },
      },
    },
    done: {
      on: {
        RETRY: { target: 'walking', actions: ['repeatTasks', begin('retry')] },
        UNDO: { target: 'walking', actions: begin('undo') },
        EDIT: { target: 'drafted', actions: 'removeTasks' },
      },
    },
  },
});

function begin(step: BasketStep): { readonly type: 'begin'; readonly params: BasketStep } {
  return { type: 'begin', params: step };
}

/** The task that this step is at. What was restored last is undone first. */
export function getCurrentTask({
  tasks,
  step,
  over,
}: Pick<BasketContext, 'tasks' | 'step' | 'over'>): BasketTask | null {
  return tasks.at(step === 'undo' ? -1 - over : over) ?? null;
}

type TaskSnapshot = SnapshotFrom<typeof restoreTaskMachine>;

export const hasChanges = (dryRun: EngineTask | null): boolean =>
  dryRun !== null && dryRun.counts.restored + dryRun.counts.merged + (dryRun.folders ?? 0) > 0;

const hasFailedItems = ({ ref }: BasketTask): boolean => {
  const { value, context } = ref.getSnapshot();
  return value === 'done' && context.restore !== null && context.restore.counts.failed > 0;
};

/** A step of one task, until it is over or waits for a second person. */
async function advance(ref: RestoreTaskRef, step: BasketStep): Promise<void> {
  for (const event of STEPS[step]) {
    if (!isWanted(ref.getSnapshot(), event)) continue;
    ref.send({ type: event });
    await settle(ref);
  }
}

const STEPS: Readonly<Record<BasketStep, readonly ('DRY_RUN' | 'RUN' | 'UNDO')[]>> = {
  'dry-run': ['DRY_RUN'],
  'restore': ['RUN'],
  'retry': ['DRY_RUN', 'RUN'],
  'undo': ['UNDO'],
};

function isWanted({ value, context }: TaskSnapshot, event: 'DRY_RUN' | 'RUN' | 'UNDO'): boolean {
  switch (event) {
    case 'DRY_RUN':
      return value === 'drafted';
    case 'RUN':
      return value === 'reviewed'
        ? hasChanges(context.dryRun)
        : value === 'failed' || value === 'cancelled';
    case 'UNDO':
      return (value === 'done' || value === 'cancelled') && context.restore?.canUndo === true;
  }
}

const RESTING: ReadonlySet<TaskSnapshot['value']> = new Set([
  'drafted',
  'reviewed',
  'done',
  'failed',
  'cancelled',
  'undone',
]);

/** The task waits for the approval of a second person. */
export const isAwaitingApproval = ({ children }: TaskSnapshot): boolean =>
  children.task?.getSnapshot().context.task?.state === 'awaiting-approval';

const settle = (ref: RestoreTaskRef): Promise<void> =>
  new Promise((resolve) => {
    const subscriptions: Subscription[] = [];
    let followed: unknown;
    const check = (): void => {
      const snapshot = ref.getSnapshot();
      const { task } = snapshot.children;
      if (task !== followed) {
        followed = task;
        if (task) subscriptions.push(task.subscribe(check));
      }
      const isOver = RESTING.has(snapshot.value) || isAwaitingApproval(snapshot);
      if (!isOver && snapshot.status === 'active') return;
      for (const subscription of subscriptions) subscription.unsubscribe();
      resolve();
    };
    subscriptions.push(ref.subscribe({ next: check, complete: check }));
    check();
  });
