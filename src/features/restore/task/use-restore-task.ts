import { useActorRef, useSelector } from '@xstate/react';
import { useEffect, useEffectEvent, useState } from 'react';
import { fromPromise } from 'xstate';
import type { RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { restoreTaskMachine, taskMachine } from '#machines/restore-task.ts';
import type { RestoreOrder, WriteOrder, WriteRights } from '#machines/restore-task.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { WorkloadPage, WorkloadKind } from '../workload.ts';
import { startRestore } from './draft.ts';
import type { ChosenNodes } from './draft.ts';

export type RestoreState =
  | 'drafted'
  | 'dryRunning'
  | 'reviewed'
  | 'checking'
  | 'signingIn'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'undoing'
  | 'retrying'
  | 'undone';

export interface RestoreTask {
  readonly state: RestoreState;
  readonly dryRun: EngineTask | null;
  readonly restore: EngineTask | null;
  readonly undone: EngineTask | null;
  /** Why the last step failed. */
  readonly failure: Failure | null;
  /** The task that runs now, as the server last reported it. */
  readonly current: {
    readonly task: EngineTask | null;
    readonly failure: Failure | null;
    readonly isStopping: boolean;
  } | null;
  /** What the rights to write lack, and when granted ones end. */
  readonly rights: WriteRights | null;
  /** The rights are for an undo. */
  readonly isForUndo: boolean;
  readonly onGranted: () => void;
  readonly startDryRun: () => void;
  readonly run: () => void;
  readonly stop: () => void;
  readonly undo: () => void;
  /** Restores what failed again. */
  readonly retry: () => void;
  readonly edit: () => void;
}

/** Runs a restore of what is chosen: its dry run, itself, its undo. */
export function useRestoreTask(
  { kind, sessionType }: Pick<WorkloadPage, 'kind' | 'sessionType'>,
  organizationId: string,
  request: RestoreInput,
  chosen: ChosenNodes,
  hasDryRun: boolean,
): RestoreTask {
  // What each request of the machine is about.
  const [{ first, chosenOf: chosenByKey }] = useState(() => ({
    first: request,
    chosenOf: new WeakMap([[request, chosen]]),
  }));
  const actor = useActorRef(
    provideRestoreTask(
      organizationId,
      (order) => startOrder(kind, organizationId, chosenByKey, order),
      sessionType,
    ),
    { input: { request: first, hasDryRun } },
  );
  // `writing` and `back` are left as soon as they are entered.
  const state = useSelector(actor, ({ value }) =>
    value === 'writing' || value === 'back' ? 'checking' : value,
  );
  const { dryRun, restore, undo, failure, rights, wants } = useSelector(
    actor,
    ({ context }) => context,
  );
  const child = useSelector(actor, ({ children }) => children['task']);
  const current = useSelector(child, (snapshot) => snapshot?.context);

  const edit = (): void => {
    chosenByKey.set(request, chosen);
    actor.send({ type: 'EDIT', request });
  };
  const onEdit = useEffectEvent(edit);
  const key = JSON.stringify(request);
  const isEditable = EDITABLE.has(state);
  useEffect(() => {
    if (isEditable && JSON.stringify(actor.getSnapshot().context.request) !== key) onEdit();
  }, [actor, isEditable, key]);
  return {
    state,
    dryRun,
    restore,
    undone: undo,
    failure,
    current: current
      ? { task: current.task, failure: current.failure, isStopping: current.isCancelRequested }
      : null,
    rights,
    isForUndo: wants === 'undo',
    onGranted: () => actor.send({ type: 'GRANTED' }),
    startDryRun: () => actor.send({ type: 'DRY_RUN' }),
    run: () => actor.send({ type: 'RUN' }),
    stop: () => actor.send({ type: 'CANCEL' }),
    undo: () => actor.send({ type: 'UNDO' }),
    retry: () => actor.send({ type: 'RETRY' }),
    edit,
  };
}

/**
 * The machine of a restore with the calls of the server. `start` begins a task and returns its id.
 * `sessionType`: of restores without a dry run.
 */
export const provideRestoreTask = (
  organizationId: string,
  start: (order: RestoreOrder) => Promise<Result<string>>,
  sessionType?: WorkloadPage['sessionType'],
) =>
  restoreTaskMachine.provide({
    actors: {
      findRights: fromPromise<Result<WriteRights>, WriteOrder>(({ input }) =>
        client().ask('getRestoreRights', {
          organizationId,
          ...(input.taskId === '' && sessionType !== undefined
            ? { sessionType }
            : { taskId: input.taskId }),
        }),
      ),
      task: taskMachine.provide({
        actors: {
          start: fromPromise<Result<string>, RestoreOrder>(({ input }) => start(input)),
          read: fromPromise<Result<EngineTask>, string | null>(({ input }) =>
            client().ask('getRestoreTask', { organizationId, taskId: input ?? '' }),
          ),
          cancel: fromPromise<Result<unknown>, string | null>(({ input }) =>
            client().ask('cancelRestoreTask', { organizationId, taskId: input ?? '' }),
          ),
        },
      }),
    },
  });

/** While nothing has been restored, another choice makes another request. */
export const EDITABLE: ReadonlySet<RestoreState> = new Set(['drafted', 'reviewed']);

async function startOrder(
  kind: WorkloadKind,
  organizationId: string,
  chosenByKey: WeakMap<RestoreInput, ChosenNodes>,
  order: RestoreOrder,
): Promise<Result<string>> {
  if (order.kind === 'undo' || order.kind === 'retry') return startAfter(organizationId, order);
  const chosen = chosenByKey.get(order.request);
  if (!chosen) throw new Error('the nodes of this request are not known');
  return withReauth(() => startRestore(kind, chosen, order.request, order.kind === 'dry-run'));
}

/** Starts the undo of a restore, or what failed of it again. Returns the id of its task. */
export async function startAfter(
  organizationId: string,
  { kind, taskId }: Extract<RestoreOrder, { readonly taskId: string }>,
): Promise<Result<string>> {
  const call = kind === 'undo' ? 'undoRestoreTask' : 'retryRestoreTask';
  const answer = await withReauth(() => client().ask(call, { organizationId, taskId }));
  return answer.ok ? { ok: true, value: answer.value.taskId } : answer;
}
