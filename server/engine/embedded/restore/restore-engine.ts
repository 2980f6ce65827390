import type { Oversight, RestoreCalls } from '../../shared/calls.ts';
import type {
  Content,
  EngineResult,
  EngineScope,
  RestoreInput,
  ContentSize,
} from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { makeWriteParts, type WriteParts } from '../exports/write-parts.ts';
import { listChildren } from '../explorer/children.ts';
import { listDownload, prepareDownload } from '../downloads/prepare.ts';
import { readDownload } from '../downloads/read.ts';
import { findPart } from '../explorer/content.ts';
import { locateItem } from '../explorer/locate.ts';
import { nameNodes } from '../explorer/name-nodes.ts';
import { searchItems } from '../explorer/search.ts';
import { listVersions } from '../explorer/versions.ts';
import { type Moment, openExplorer, stopExplorer, useExplorer } from '../explorer/explorers.ts';
import { listPoints } from '../explorer/points.ts';
import { makeRepositoryReaders, type RepositoryReaders } from '../repositories/readers.ts';
import { failed, ok } from '../../result.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { measure } from './measure.ts';
import { findMailboxParts, planRestore, refuseImported } from './plan.ts';
import { stopGrants } from './rights/grants.ts';
import { findTarget, type RightsPort, type TaskRights } from './rights/rights.ts';
import { runTask } from './run-task.ts';
import { type RecordedCall, recordCall } from '../../shared/record-call.ts';
import { requestRetry } from './retry.ts';
import type { RestorePorts } from './running-task.ts';
import { scheduleTask } from './start-task.ts';
import { restoreDetail } from '../../shared/record-call.ts';
import { needsSecondPerson, requestRestore, requestUndo } from './tasks.ts';
import {
  approveTask,
  cancelTask,
  countPlainItems,
  getTask,
  isWithinPlainLimit,
  listResults,
  listTasks,
  rejectTask,
} from '../../shared/task-rows.ts';

/** Downloads in the background, which only this engine makes. */
export interface BackgroundDownloadCalls {
  readonly writeParts: WriteParts;
  listDownload(input: Parameters<typeof listDownload>[1]): ReturnType<typeof listDownload>;
}

/**
 * Each call is one transaction. It records what was read or asked for, so nothing is answered
 * without its record (G63).
 */
export function makeRestoreCalls(
  context: () => AppContext,
  rights: RightsPort,
  readers: RepositoryReaders = makeRepositoryReaders(context),
): RestoreCalls & BackgroundDownloadCalls {
  const moment = (): Moment => ({ now: context().clock.now(), chance: context().chance });

  const call = <T>(
    scope: EngineScope,
    work: (tx: TenantTx) => Promise<EngineResult<T>>,
    record: ((value: T) => RecordedCall) | null,
  ): Promise<EngineResult<T>> =>
    context().store.tenant(scope.tenant, async (tx) => {
      const result = await work(tx);
      if (result.ok && record !== null)
        await recordCall(tx, context(), scope, record(result.value));
      return result;
    });

  /** A dry run writes nothing, so it needs no rights. */
  const allowRestore = async (
    scope: EngineScope,
    input: RestoreInput,
  ): Promise<EngineResult<TaskRights | null>> => {
    const { explorer, target, dryRun } = input;
    if (dryRun) return ok(null);
    const now = context().clock.now();
    const write = await context().store.tenant(scope.tenant, async (tx) => {
      const open = await useExplorer(tx, scope, explorer, now);
      if (!open.ok) return open;
      const { workload } = open.value;
      if (workload !== 'outlook') return ok({ workload });
      const plan = await planRestore(tx, open.value, input, refuseImported(target));
      return plan.ok ? ok({ workload, parts: findMailboxParts(plan.value) }) : plan;
    });
    if (!write.ok) return write;
    const organization = target.kind === 'other' ? target.organization : scope.organization;
    return rights.allow({ ...scope, organization }, write.value);
  };

  /** Starts a task that writes to where a restore has written, or lets it wait for approval. */
  const follow = async (
    scope: EngineScope,
    task: TaskId,
    oversight: Oversight | undefined,
    what: 'restoretask.undone' | 'restoretask.retried',
    request: typeof requestUndo,
  ): Promise<EngineResult<TaskId>> => {
    const needsApproval = oversight?.needsApproval ?? false;
    const target = await findTarget(context(), scope, task);
    const organization = target?.organization ?? scope.organization;
    const allowed =
      target === null || needsApproval
        ? ok(null)
        : await rights.allow({ ...scope, organization }, target);
    if (!allowed.ok) return allowed;
    const detail = what === 'restoretask.undone' ? 'undo' : 'retry';
    return call(
      scope,
      async (tx) => {
        const terms = { task, target: organization, rights: allowed.value, needsApproval };
        const started = await request(tx, scope, terms, moment());
        if (!started.ok) return started;
        await oversight?.record(tx, started.value);
        if (!needsApproval) await scheduleTask(tx, started.value, context().clock.now());
        return started;
      },
      (started) => ({ what, detail: { task, [detail]: started } }),
    );
  };

  return {
    listPoints: (scope, input) =>
      call(
        scope,
        (tx) => listPoints(tx, scope, input),
        ({ rows }) => ({ what: READ, detail: { read: 'points', rows: rows.length } }),
      ),

    openExplorer: (scope, input) =>
      call(
        scope,
        (tx) => openExplorer(tx, scope, input, moment()),
        ({ id, workload, point }) => ({
          what: 'restoresession.opened',
          detail: { session: id, workload, point: point.id },
        }),
      ),

    stopExplorer: (scope, { explorer, keepsRights = false }) =>
      call(
        scope,
        async (tx) => {
          const now = context().clock.now();
          const stopped = await stopExplorer(tx, scope, explorer, now);
          if (stopped.ok && !keepsRights) await stopGrants(tx, scope, stopped.value, now);
          return stopped.ok ? ok(undefined) : stopped;
        },
        () => ({ what: 'restoresession.stopped', detail: { session: explorer } }),
      ),

    listChildren: (scope, input) =>
      call(
        scope,
        async (tx) => {
          const explorer = await useExplorer(tx, scope, input.explorer, context().clock.now());
          return explorer.ok ? listChildren(tx, explorer.value, input) : explorer;
        },
        ({ rows }) => ({
          what: READ,
          detail: {
            read: input.text === null ? 'list' : 'search',
            session: input.explorer,
            node: input.parent,
            only: input.only,
            rows: rows.length,
          },
        }),
      ),

    search: (scope, input) =>
      call(
        scope,
        (tx) => searchItems(tx, scope, input, { now: context().clock.now() }),
        ({ rows }) => ({ what: READ, detail: { read: 'search', rows: rows.length } }),
      ),

    locateItem: (scope, { explorer, node }) =>
      call(
        scope,
        async (tx) => {
          const open = await useExplorer(tx, scope, explorer, context().clock.now());
          return open.ok ? locateItem(tx, open.value, node) : open;
        },
        () => ({ what: READ, detail: { read: 'list', session: explorer, node, rows: 1 } }),
      ),

    listVersions: (scope, { explorer, node }) =>
      call(
        scope,
        async (tx) => {
          const open = await useExplorer(tx, scope, explorer, context().clock.now());
          return open.ok ? listVersions(tx, open.value, node) : open;
        },
        ({ length: rows }) => ({
          what: READ,
          detail: { read: 'list', session: explorer, node, rows },
        }),
      ),

    nameNodes: (scope, { explorer, nodes }) =>
      call(
        scope,
        async (tx) => {
          const open = await useExplorer(tx, scope, explorer, context().clock.now());
          return open.ok ? ok(await nameNodes(tx, open.value, nodes)) : open;
        },
        ({ length: rows }) => ({
          what: READ,
          detail: { read: 'list', session: explorer, node: nodes[0] ?? null, rows },
        }),
      ),

    getSize: (scope, { explorer, nodes }) =>
      call<ContentSize>(
        scope,
        async (tx) => {
          const open = await useExplorer(tx, scope, explorer, context().clock.now());
          return open.ok ? measure(tx, open.value, nodes) : open;
        },
        ({ items }) => ({
          what: READ,
          detail: { read: 'size', session: explorer, node: nodes[0] ?? null, rows: items },
        }),
      ),

    needsSecondPerson: (scope, { explorer, nodes }) =>
      call(
        scope,
        async (tx) => {
          const open = await useExplorer(tx, scope, explorer, context().clock.now());
          return open.ok ? ok(await needsSecondPerson(tx, open.value, nodes)) : open;
        },
        null,
      ),

    countPlainItems: (scope, { since }) =>
      call(scope, async (tx) => ok(await countPlainItems(tx, scope, since)), null),

    readContent: (scope, input) =>
      call<Content>(
        scope,
        async (tx) => {
          const explorer = await useExplorer(tx, scope, input.explorer, context().clock.now());
          if (!explorer.ok) return explorer;
          const found = await findPart(tx, explorer.value, input);
          if (!found.ok) return found;
          const { part, ...range } = found.value;
          const { repository } = explorer.value;
          return ok({
            bytes: part.bytes,
            stream: readers.read(scope.tenant, repository, part, range),
          });
        },
        () => ({
          what: READ,
          detail: {
            read: 'content',
            session: input.explorer,
            node: input.node,
            as: input.as,
            from: input.from ?? null,
            to: input.to ?? null,
          },
        }),
      ),

    prepareDownload: (scope, input) =>
      prepareDownload(context(), scope, input, (tx, { id, items, bytes }) =>
        recordCall(tx, context(), scope, {
          what: READ,
          detail: {
            read: 'download-list',
            session: input.explorer,
            node: input.nodes[0] ?? null,
            download: id,
            rows: items,
            bytes,
          },
        }),
      ),

    readDownload: (scope, input) =>
      call(
        scope,
        (tx) => readDownload(context(), readers, tx, scope, input),
        () => ({ what: READ, detail: { read: 'download', ...input } }),
      ),

    restoreRights: rights.calls,

    writeParts: makeWriteParts(context, readers),

    listDownload: (input) => listDownload(context(), input),

    async restore(scope, input, oversight, plain) {
      const needsApproval = oversight?.needsApproval ?? false;
      const allowed = needsApproval ? ok(null) : await allowRestore(scope, input);
      if (!allowed.ok) return allowed;
      return call(
        scope,
        async (tx) => {
          if (
            plain !== undefined &&
            !(await isWithinPlainLimit(tx, scope, plain, input.items ?? 0))
          )
            return failed('conflict', t.tooManyAtOnce);
          const isOverseen = oversight !== undefined;
          const terms = { rights: allowed.value, needsApproval, isOverseen };
          const task = await requestRestore(tx, scope, input, terms, moment());
          if (!task.ok) return task;
          await oversight?.record(tx, task.value);
          if (!needsApproval) await scheduleTask(tx, task.value, context().clock.now());
          return task;
        },
        (task) => ({ what: 'restoretask.requested', detail: restoreDetail(task, input) }),
      );
    },

    async approve(scope, { task, requester, record }) {
      const target = await findTarget(context(), scope, task);
      if (target === null) return failed('missing', t.noTask);
      const { organization } = target;
      // Rights belong to who got them, not to who makes this call.
      const own = await rights.allow(
        { tenant: scope.tenant, organization, user: requester },
        target,
      );
      const allowed =
        own.ok || own.error.kind !== 'forbidden'
          ? own
          : await rights.allow({ ...scope, organization }, target);
      if (!allowed.ok) return allowed;
      return call(
        scope,
        async (tx) => {
          const approved = await approveTask(tx, scope, task, allowed.value);
          if (!approved.ok) return approved;
          await record(tx, task);
          await scheduleTask(tx, task, context().clock.now());
          return approved;
        },
        () => ({ what: 'restoretask.approved', detail: { task } }),
      );
    },

    reject: (scope, { task, message, record }) =>
      call(
        scope,
        async (tx) => {
          const now = context().clock.now();
          const rejected = await rejectTask(tx, scope, { task, message, now });
          if (rejected.ok) await record(tx, task);
          return rejected;
        },
        () => ({ what: 'restoretask.rejected', detail: { task } }),
      ),

    undo: (scope, { task }, oversight) =>
      follow(scope, task, oversight, 'restoretask.undone', requestUndo),

    retry: (scope, { task }, oversight, plain) =>
      follow(scope, task, oversight, 'restoretask.retried', (tx, of, request, at) =>
        requestRetry(tx, of, { ...request, plain }, at),
      ),

    getTask: (scope, { task }) => call(scope, (tx) => getTask(tx, scope, task), null),

    listTasks: (scope, input) => call(scope, (tx) => listTasks(tx, scope, input), null),

    listResults: (scope, input) =>
      call(
        scope,
        (tx) => listResults(tx, scope, input),
        ({ rows }) => ({
          what: READ,
          detail: { read: 'results', task: input.task, rows: rows.length },
        }),
      ),

    cancel: (scope, { task }) =>
      call(
        scope,
        async (tx) => {
          const cancelled = await cancelTask(tx, scope, task);
          // One that waits for its target ends now.
          if (cancelled.ok) await scheduleTask(tx, task, context().clock.now());
          return cancelled;
        },
        () => ({ what: 'restoretask.cancelled', detail: { task } }),
      ),
  };
}

/** The background job of a restore: continues it until it ends. */
export const restoreTask =
  (context: AppContext, ports: RestorePorts): JobHandler<'restore-task'> =>
  ({ tenant, payload: { task }, signal }) =>
    runTask(context, ports, { tenant, task, signal });

const READ = 'backupcontent.read';
