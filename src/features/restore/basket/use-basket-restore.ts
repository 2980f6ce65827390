import { useActorRef, useSelector } from '@xstate/react';
import { useState } from 'react';
import type { RestoreInput } from '#contract/engine/engine.ts';
import type { Result } from '#contract/result.ts';
import { getCurrentTask, restoreBasketMachine } from '#machines/restore-basket.ts';
import type { BasketTask } from '#machines/restore-basket.ts';
import type { RestoreOrder } from '#machines/restore-task.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { isSettings, restoreRequest, startRestore } from '../task/draft.ts';
import type { ChosenNodes, RestoreDraft } from '../task/draft.ts';
import { provideRestoreTask, startAfter } from '../task/use-restore-task.ts';
import type { BasketGroup } from './basket.ts';
import type { BasketSessions } from './sessions.ts';
import type { ExplorerId } from '#contract/ids.ts';

/** What one task restores. */
export interface RestoredPart {
  readonly group: BasketGroup;
  readonly chosen: ChosenNodes;
  /** Undo can't take posts away. */
  readonly hasPosts: boolean;
}
export interface BasketRestore {
  readonly state: 'drafted' | 'walking' | 'reviewed' | 'done';
  readonly step: 'dry-run' | 'restore' | 'retry' | 'undo';
  readonly isStopping: boolean;
  readonly tasks: readonly BasketTask[];
  /** The task that runs now. */
  readonly current: BasketTask | null;
  /** What a task is about. */
  readonly getPart: (task: BasketTask) => RestoredPart;
  readonly startDryRun: (
    parts: readonly RestoredPart[],
    draft: RestoreDraft,
    needsReason: boolean,
  ) => void;
  readonly run: () => void;
  readonly retry: () => void;
  readonly undo: () => void;
  readonly stop: () => void;
  readonly edit: () => void;
}

/** Runs the restores of a basket one after another, each in the session of its restore point. */
export function useBasketRestore(organizationId: string, sessions: BasketSessions): BasketRestore {
  const [parts] = useState(() => new WeakMap<RestoreInput, RestoredPart>());
  const getPart = (request: RestoreInput): RestoredPart => {
    const part = parts.get(request);
    if (part === undefined) throw new Error('the nodes of this request are not known');
    return part;
  };
  const start = (order: RestoreOrder): Promise<Result<string>> => {
    if (order.kind === 'undo' || order.kind === 'retry') return startAfter(organizationId, order);
    const { group, chosen } = getPart(order.request);
    return sessions.use(group, (explorer) =>
      withReauth(() =>
        startRestore(
          group.workload,
          chosen,
          { ...order.request, explorer: explorer as ExplorerId },
          order.kind === 'dry-run',
        ),
      ),
    );
  };
  const actor = useActorRef(
    restoreBasketMachine.provide({
      actors: { restoreTask: provideRestoreTask(organizationId, start) },
    }),
  );
  const state = useSelector(actor, ({ value }) =>
    // It is left as soon as it is entered.
    value === 'ended' ? 'walking' : value,
  );
  const context = useSelector(actor, (snapshot) => snapshot.context);
  return {
    state,
    step: context.step,
    isStopping: context.isStopping,
    tasks: context.tasks,
    current: state === 'walking' ? getCurrentTask(context) : null,
    getPart: (task) => getPart(task.request),
    startDryRun: (restored, draft, needsReason) => {
      const orders = restored.map((part, index) => {
        // Its session is opened when it starts.
        const session = { id: '', organization: organizationId };
        const request = restoreRequest(
          isSettings(part.chosen)
            ? { ...draft, flags: { ...draft.flags, team: { members: true, settings: true } } }
            : draft,
          part.chosen,
          session,
          needsReason,
        );
        parts.set(request, part);
        return { key: String(index), request };
      });
      actor.send({ type: 'DRY_RUN', orders });
    },
    run: () => actor.send({ type: 'RUN' }),
    retry: () => actor.send({ type: 'RETRY' }),
    undo: () => actor.send({ type: 'UNDO' }),
    stop: () => actor.send({ type: 'STOP' }),
    edit: () => actor.send({ type: 'EDIT' }),
  };
}
