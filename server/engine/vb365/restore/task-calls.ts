import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import { restoreMessages } from '../../shared/restore.messages.en.ts';
import { recordCall } from '../../shared/record-call.ts';
import type { RestoreCalls } from '../../shared/calls.ts';
import { restoreDetail } from '../../shared/record-call.ts';
import {
  addTask,
  cancelTask,
  countPlainItems,
  getTask,
  isWithinPlainLimit,
  listResults,
  listTasks,
  rejectTask,
  type ServerRequest,
} from '../../shared/task-rows.ts';
import { failed, ok } from '../../result.ts';
import { refuseChoices } from './commands.ts';
import { useExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { loadNodes } from './nodes.ts';
import { loadGrantedCode } from './rights.ts';
import type { TaskId } from '#contract/ids.ts';
import { refuseSiteChoices } from './site-commands.ts';
import { refuseTeamChoices } from './team-commands.ts';
import { refuseVersions } from './versions.ts';

type TaskCalls = Pick<
  RestoreCalls,
  | 'restore'
  | 'undo'
  | 'retry'
  | 'approve'
  | 'reject'
  | 'getTask'
  | 'listTasks'
  | 'listResults'
  | 'cancel'
  | 'countPlainItems'
>;
type InTx = <T>(scope: EngineScope, work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** Restores on the server, as the same tasks as those of Daybook's own engine. */
export function makeTaskCalls(context: () => AppContext, inTx: InTx): TaskCalls {
  const schedule = (tx: TenantTx, task: TaskId): Promise<void> =>
    scheduleJob(tx, 'vb365-restore', task, { task }, context().clock.now());

  return {
    restore: (scope, input, oversight, plain) =>
      inTx<EngineResult<TaskId>>(scope, async (tx) => {
        if (input.dryRun) return failed('unsupported', t.noDryRun);
        if (oversight?.needsApproval === true) return failed('unsupported', t.noApproval);
        const now = context().clock.now();
        const explorer = await useExplorer(tx, scope, input.explorer, now);
        if (!explorer.ok) return explorer;
        const { workload } = explorer.value;
        const nodes = await loadNodes(tx, scope.organization, input.nodes);
        const isWhole = nodes.length === new Set(input.nodes).size;
        const within = input.within ?? nodes[0]?.object_id;
        const isSubsites = input.within === undefined && nodes.every(({ kind }) => kind === 'site');
        if (!isWhole || (!isSubsites && nodes.some(({ object_id: object }) => object !== within)))
          return failed('missing', restoreMessages.noNode);
        const versions = refuseVersions(nodes, workload === 'teams');
        if (!versions.ok) return versions;
        const offered =
          workload === 'sharepoint'
            ? refuseSiteChoices(input, nodes, scope.organization)
            : workload === 'teams'
              ? refuseTeamChoices(input, nodes)
              : refuseChoices(input, scope.organization, workload === 'outlook');
        if (!offered.ok) return offered;
        if ((await loadGrantedCode(tx, context(), input.explorer)) === null)
          return failed('forbidden', t.rightsNeeded);
        if (plain !== undefined && !(await isWithinPlainLimit(tx, scope, plain, input.items ?? 0)))
          return failed('conflict', restoreMessages.tooManyAtOnce);
        const request: ServerRequest = {
          kind: 'server-restore',
          input,
          workload,
          isOverseen: oversight !== undefined,
        };
        const task = await addTask(
          tx,
          scope,
          { kind: 'restore', state: 'queued', request, parent: null },
          { now, chance: context().chance },
        );
        await oversight?.record(tx, task);
        await schedule(tx, task);
        await recordCall(tx, context(), scope, {
          what: 'restoretask.requested',
          detail: restoreDetail(task, input),
        });
        return ok(task);
      }),

    undo: () => Promise.resolve(failed('unsupported', t.noUndo)),
    retry: () => Promise.resolve(failed('unsupported', t.noRetry)),
    approve: () => Promise.resolve(failed('unsupported', t.noApproval)),
    reject: (scope, { task, message }) =>
      inTx(scope, (tx) => rejectTask(tx, scope, { task, message, now: context().clock.now() })),

    getTask: (scope, { task }) => inTx(scope, (tx) => getTask(tx, scope, task)),
    listTasks: (scope, input) => inTx(scope, (tx) => listTasks(tx, scope, input)),
    countPlainItems: (scope, { since }) =>
      inTx(scope, async (tx) => ok(await countPlainItems(tx, scope, since))),

    listResults: (scope, input) =>
      inTx(scope, async (tx) => {
        const page = await listResults(tx, scope, input);
        if (page.ok)
          await recordCall(tx, context(), scope, {
            what: 'backupcontent.read',
            detail: { read: 'results', task: input.task, rows: page.value.rows.length },
          });
        return page;
      }),

    cancel: (scope, { task }) =>
      inTx<EngineResult<void>>(scope, async (tx) => {
        if (await isUnstoppable(tx, task)) return failed('conflict', t.cantStop);
        const cancelled = await cancelTask(tx, scope, task);
        if (!cancelled.ok) return cancelled;
        await schedule(tx, task);
        await recordCall(tx, context(), scope, {
          what: 'restoretask.cancelled',
          detail: { task },
        });
        return cancelled;
      }),
  };
}

/** The server answers it once it has ended: nothing can stop it meanwhile. */
async function isUnstoppable({ sql: db, tenant }: TenantTx, task: TaskId): Promise<boolean> {
  const row = await db
    .selectFrom('engine_task')
    .select(['progress', 'state'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', task)
    .executeTakeFirst();
  const { isSent = false, restore } = (row?.progress ?? {}) as {
    readonly isSent?: boolean;
    readonly restore?: string;
  };
  return row?.state === 'running' && isSent && restore === undefined;
}
