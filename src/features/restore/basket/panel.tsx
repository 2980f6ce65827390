import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { SnapshotFrom } from 'xstate';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import { hasChanges } from '#machines/restore-basket.ts';
import type { BasketTask } from '#machines/restore-basket.ts';
import type { restoreTaskMachine } from '#machines/restore-task.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatBytes } from '#src/ui/format.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import type { DownloadOptions } from '../download/use-download.ts';
import { useOperator } from '../operator/context.ts';
import { countChanges, makeDraftSchema, NEW_DRAFT } from '../task/draft.ts';
import type { RestoreDraft } from '../task/draft.ts';
import { Estimate } from '../task/estimate.tsx';
import { restoreTaskMessages as taskWords } from '../task/messages.en.ts';
import { asksForReason, ChannelPeople, PostsStay } from '../task/notices.tsx';
import type { WorkloadPage } from '../workload.ts';
import { getRestores, isWhole } from './basket.ts';
import type { Basket, BasketGroup } from './basket.ts';
import { DownloadView, useBasketDownloads } from './download-view.tsx';
import { Entries } from './entries.tsx';
import { BasketForm } from './form.tsx';
import { basketMessages as t } from './messages.en.ts';
import { makeSessions } from './sessions.ts';
import type { PageSession } from './sessions.ts';
import { TaskLine } from './task-line.tsx';
import { useBasketRestore } from './use-basket-restore.ts';
import type { BasketRestore } from './use-basket-restore.ts';
import type { BasketStore } from './use-basket.ts';
import { useContents } from './use-contents.ts';
import type { GroupContent } from './use-contents.ts';

export interface BasketPanelProps {
  readonly store: BasketStore;
  readonly organizationId: string;
  readonly organization: string;
  readonly workload: WorkloadPage;
  /** The session of the page; null: none is open. */
  readonly session: PageSession | null;
  readonly onClose: () => void;
}

/** What the basket holds, and its restore and download. */
export function BasketPanel(props: BasketPanelProps) {
  const { store, organizationId, organization, workload, onClose } = props;
  const { basket } = store;
  const isTablet = useIsTablet();
  const isOffline = useWatch('status', EMPTY)?.kind === 'offline';
  const [sessions] = useState(() => makeSessions(organizationId, props.session));
  useEffect(() => () => sessions.close(), [sessions]);
  const { contents, retry } = useContents(basket, sessions, isOffline);
  const restore = useBasketRestore(organizationId, sessions);
  const downloads = useBasketDownloads(contents, sessions);
  const [format, setFormat] = useState<DownloadOptions['format']>('zip');
  const [view, setView] = useState<'restore' | 'download'>('restore');
  const [isReasonNeeded, setIsReasonNeeded] = useState(false);
  const [removed, setRemoved] = useState<{
    readonly count: number;
    readonly before: Basket;
  } | null>(null);
  const operator = useOperator();
  const snapshots = useSnapshots(restore.tasks);
  const total = addSizes(contents);
  // Others learn about it, and it needs a reason.
  const isMany =
    operator?.needsSecondPerson === true ||
    isReasonNeeded ||
    total.items > LIMITS.restorePlainItems;
  const {
    form: draft,
    change,
    errors,
    formRef,
    check,
    refuse,
  } = useDraftForm<RestoreDraft, RestoreDraft, null>({
    initial: NEW_DRAFT,
    schema: makeDraftSchema(undefined, { isMany }),
    // The restores of the basket send what was checked.
    submit: () => Promise.resolve(ok(null)),
  });
  const impersonation = useImpersonationRefusal(workload.restoreCall);
  const needsNetwork = isOffline
    ? { 'disabled': true, 'data-tip': t.offline, 'aria-description': t.offline }
    : null;
  const refusal = needsNetwork ?? impersonation;
  const parts = contents.flatMap((content) =>
    getRestores(content.group, content.named ?? []).map((chosen) => ({
      group: content.group,
      chosen,
      hasPosts: hasPosts(content),
    })),
  );
  const isLoading = contents.some(({ named, failure }) => named === null && failure === null);
  const asks = snapshots.some(({ context }) => asksForReason(context.failure));
  const remove = (group: BasketGroup, nodes: readonly string[]): void => {
    setRemoved({ count: nodes.length, before: basket });
    store.remove(group, nodes);
  };
  const clear = (): void => {
    setRemoved({ count: basket.reduce((sum, { nodes }) => sum + nodes.length, 0), before: basket });
    store.clear();
  };
  const startDryRun = (): void => {
    setRemoved(null);
    if (check() !== null) restore.startDryRun(parts, draft, isMany);
  };
  const edit = (): void => {
    if (asks) {
      setIsReasonNeeded(true);
      refuse({ errors: { reason: taskWords.reasonNeeded }, above: null });
    }
    restore.edit();
  };
  const finish = (): void => {
    for (const [index, { value, context }] of snapshots.entries()) {
      const task = restore.tasks[index];
      if (task === undefined || value !== 'done' || context.restore?.counts.failed !== 0) continue;
      const { group, chosen } = restore.getPart(task);
      store.remove(group, chosen.nodes);
    }
    onClose();
  };
  const stop = (
    <Button busy={restore.isStopping} onClick={restore.stop}>
      {restore.isStopping ? taskWords.stopping : taskWords.stop}
    </Button>
  );
  const canUndo = snapshots.some(
    ({ value, context }) =>
      (value === 'done' || value === 'cancelled') && context.restore?.canUndo === true,
  );
  const canRetry = snapshots.some(
    ({ value, context }, index) =>
      value === 'failed' ||
      value === 'cancelled' ||
      (value === 'drafted' && context.failure !== null) ||
      (value === 'reviewed' && hasChanges(context.dryRun)) ||
      (value === 'done' &&
        (context.restore?.counts.failed ?? 0) > 0 &&
        restore.tasks[index]?.isRepeated === false),
  );
  const changes = snapshots.reduce(
    (sum, { value, context }) => sum + (value === 'reviewed' ? countChanges(context.dryRun) : 0),
    0,
  );
  const footers: Readonly<Record<BasketRestore['state'], ReactNode>> = {
    drafted:
      basket.length === 0 ? undefined : (
        <>
          <Button
            variant="primary"
            busy={isLoading && !isOffline}
            {...refusal}
            {...(parts.length === 0 && needsNetwork === null && { disabled: true })}
            onClick={startDryRun}
          >
            {taskWords.dryRun}
          </Button>
          {operator?.mayDownload !== false && (
            <Button icon="download" {...needsNetwork} onClick={() => setView('download')}>
              {t.download}
            </Button>
          )}
          <Button icon="trash" onClick={clear}>
            {t.clear}
          </Button>
        </>
      ),
    walking: stop,
    reviewed: (
      <>
        {changes > 0 && (
          <Button variant="primary" {...refusal} onClick={restore.run}>
            {taskWords.restore({ count: changes })}
          </Button>
        )}
        <Button onClick={edit}>{taskWords.edit}</Button>
      </>
    ),
    done: (
      <>
        <Button onClick={finish}>{ui.done}</Button>
        {canRetry && !asks && (
          <Button icon="sync" {...refusal} onClick={restore.retry}>
            {t.retry}
          </Button>
        )}
        {asks && <Button onClick={edit}>{taskWords.edit}</Button>}
        {canUndo && (
          <Button icon="undo" {...refusal} onClick={restore.undo}>
            {taskWords.undo}
          </Button>
        )}
      </>
    ),
  };
  const downloadFooter = (
    <>
      {downloads.waiting.length > 0 && (
        <Button
          variant="primary"
          busy={downloads.isBusy}
          {...needsNetwork}
          onClick={() => downloads.start(format)}
        >
          {t.downloadStart({ count: downloads.waiting.length })}
        </Button>
      )}
      <Button onClick={() => setView('restore')}>{t.back}</Button>
    </>
  );
  const isDownloading = view === 'download' && basket.length > 0;
  const footer = isDownloading ? downloadFooter : footers[restore.state];
  return (
    <Dialog
      title={isDownloading ? t.downloadTitle : t.title({ organization })}
      place={isTablet ? 'middle' : 'bottom'}
      wide
      onClose={onClose}
      footer={footer}
    >
      {isDownloading ? (
        <DownloadView downloads={downloads} format={format} onFormat={setFormat} />
      ) : restore.state === 'drafted' ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1 px-5 py-3">
          {isOffline && <Callout tone="warning">{t.offline}</Callout>}
          <output className="block empty:hidden">
            {removed !== null && (
              <span className="flex flex-wrap items-center gap-2">
                {t.removed({ count: removed.count })}
                <Button
                  size="sm"
                  icon="undo"
                  onClick={() => {
                    store.put(removed.before);
                    setRemoved(null);
                  }}
                >
                  {ui.undo}
                </Button>
              </span>
            )}
          </output>
          {basket.length === 0 ? (
            <Notice icon="basket" level={2} title={t.empty}>
              <p className="m-0">{t.emptyHint}</p>
            </Notice>
          ) : (
            <form
              ref={formRef}
              className="contents"
              noValidate
              onSubmit={(event) => event.preventDefault()}
            >
              <Entries
                contents={contents}
                isOffline={isOffline}
                onRemove={remove}
                onRetry={retry}
              />
              {total.items > 0 && (
                <p className="m-0 flex justify-between gap-3 border-b-3 border-double border-head-rule py-1.5 font-semibold">
                  <span>{t.total}</span>
                  <span>{t.holds({ count: total.items, size: formatBytes(total.bytes) })}</span>
                </p>
              )}
              <BasketForm
                basket={basket}
                draft={draft}
                isMany={isMany}
                errors={errors}
                put={change}
              />
              {contents.some(hasSettings) && (
                <p className="m-0 text-agate text-ink-3">{t.settingsHint}</p>
              )}
              {contents.some(({ group }) => group.workload === 'teams') && <ChannelPeople />}
              {contents.some(hasPosts) && <PostsStay />}
              <p className="m-0 py-2 text-agate text-ink-3">{taskWords.dryRunHint}</p>
            </form>
          )}
        </div>
      ) : (
        <Tasks organizationId={organizationId} restore={restore} snapshots={snapshots} />
      )}
    </Dialog>
  );
}

type TaskSnapshot = SnapshotFrom<typeof restoreTaskMachine>;

/** The restores, with what they do now. */
function Tasks({
  organizationId,
  restore,
  snapshots,
}: {
  readonly organizationId: string;
  readonly restore: BasketRestore;
  readonly snapshots: readonly TaskSnapshot[];
}) {
  const { state, step, tasks, current } = restore;
  const head = useRef<HTMLHeadingElement>(null);
  // The result takes the focus, because the button that was pressed is gone.
  useEffect(() => {
    if (state !== 'walking') head.current?.focus();
  }, [state]);
  const dryRuns = snapshots.flatMap(({ value, context }) =>
    value === 'reviewed' && hasChanges(context.dryRun) && context.dryRun !== null
      ? [context.dryRun.id]
      : [],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 px-5 py-3">
      <h3 ref={head} tabIndex={-1} className="m-0 text-[length:inherit] outline-none">
        {getHeading(restore, snapshots)}
      </h3>
      {state === 'walking' && (
        <>
          <output className="block text-ink-2">
            {t.running({
              done: current === null ? tasks.length : tasks.indexOf(current),
              total: tasks.length,
            })}
          </output>
          {step !== 'dry-run' && <p className="m-0 text-agate text-ink-3">{t.keepOpen}</p>}
        </>
      )}
      {state === 'reviewed' && (
        <p className="m-0 text-ink-2">
          {dryRuns.length === 0 ? taskWords.nothingToDo : taskWords.reviewedHint}
        </p>
      )}
      {state === 'reviewed' && dryRuns.length > 0 && (
        <Estimate organizationId={organizationId} taskIds={dryRuns} />
      )}
      <ul className="m-0 list-none p-0">
        {tasks.map((task) => (
          <TaskLine
            key={task.ref.id}
            organizationId={organizationId}
            part={restore.getPart(task)}
            task={task}
          />
        ))}
      </ul>
    </div>
  );
}

function getHeading({ state, step }: BasketRestore, snapshots: readonly TaskSnapshot[]): string {
  if (state === 'walking')
    return step === 'dry-run'
      ? taskWords.dryRunning
      : step === 'undo'
        ? taskWords.undoing
        : taskWords.running;
  if (state === 'reviewed') return t.reviewed;
  if (step === 'undo')
    return snapshots.every(({ value }) => value === 'undone' || value === 'reviewed')
      ? t.undone
      : t.undonePartly;
  return snapshots.every(
    ({ value, context }) =>
      (value === 'done' && context.restore?.counts.failed === 0) ||
      (value === 'reviewed' && !hasChanges(context.dryRun)),
  )
    ? t.restored
    : t.restoredPartly;
}

/** The tasks as they are now. */
function useSnapshots(tasks: readonly BasketTask[]): readonly TaskSnapshot[] {
  const [snapshots, setSnapshots] = useState<readonly TaskSnapshot[]>([]);
  useEffect(() => {
    const read = (): void => setSnapshots(tasks.map(({ ref }) => ref.getSnapshot()));
    read();
    const subscriptions = tasks.map(({ ref }) => ref.subscribe(read));
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
    };
  }, [tasks]);
  return snapshots;
}

const addSizes = (contents: readonly GroupContent[]) =>
  contents.reduce(
    (sum, { size }) => ({
      items: sum.items + (size?.items ?? 0),
      bytes: sum.bytes + (size?.bytes ?? 0),
    }),
    { items: 0, bytes: 0 },
  );

const hasPosts = ({ group, named }: GroupContent): boolean =>
  group.workload === 'teams' &&
  (isWhole(group) || (named ?? []).some(({ kind }) => kind === 'post' || kind === 'channel'));
const hasSettings = ({ named }: GroupContent): boolean =>
  (named ?? []).some(({ kind }) => kind === 'settings');

const EMPTY = {};
