import { formatList } from '#contract/i18n/list.ts';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ReactNode } from 'react';
import type { EngineTask } from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import { ok } from '#contract/result.ts';
import type { WriteRights } from '#machines/restore-task.ts';
import { useImpersonationRefusal } from '#src/app/call-button.tsx';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { formatBytes, formatCount, formatTime } from '#src/ui/format.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { useRequest } from '../../shared/queries/use-query.ts';
import { useCapabilities } from '../capabilities.ts';
import { containerName, getObject, isGroup } from '../labels.ts';
import { useOperator } from '../operator/context.ts';
import { TEXTS } from '../texts.ts';
import type { WorkloadPage } from '../workload.ts';
import { GrantRights } from '../rights/grant-rights.tsx';
import { restoreRightsMessages as rightsWords } from '../rights/messages.en.ts';
import {
  countChanges,
  getNewDraft,
  hasPosts,
  isSettings,
  leavesPosts,
  makeDraftSchema,
  restoreRequest,
} from './draft.ts';
import type { ChosenNodes, RestoreDraft } from './draft.ts';
import { Estimate } from './estimate.tsx';
import { RestoreForm } from './form.tsx';
import { asksForReason, Awaiting, ChannelPeople, PostsStay, RefusalNotice } from './notices.tsx';
import { TaskProgress } from './progress.tsx';
import { TaskResults } from './results.tsx';
import { EDITABLE, useRestoreTask } from './use-restore-task.ts';
import type { RestoreState, RestoreTask } from './use-restore-task.ts';
import { restoreTaskMessages as t } from './messages.en.ts';

export interface RestorePanelProps {
  readonly workload: WorkloadPage;
  readonly session: { readonly id: string; readonly organization: string };
  /** While the restore can still be edited, another choice replaces this one; an empty one closes it. */
  readonly chosen: ChosenNodes;
  /** The panel has its own frame: a title and a button that closes it. */
  readonly renderFrame: (title: string, body: ReactNode, footer: ReactNode) => ReactNode;
  readonly onClose: () => void;
}

/** A restore, from its form over the dry run to its undo. */
export function RestorePanel({
  workload,
  session: current,
  chosen: latest,
  renderFrame,
  onClose,
}: RestorePanelProps) {
  const { kind } = workload;
  const { dryRun: hasDryRun } = useCapabilities();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [chosen, setChosen] = useState(latest);
  const [session] = useState(current);
  const size = useSize(workload, session.id, chosen);
  // The server counts what was restored lately, too.
  const [isReasonNeeded, setIsReasonNeeded] = useState(false);
  const needsSecondPerson = useOperator()?.needsSecondPerson === true;
  // Others learn about it, and it needs a reason.
  const isMany =
    needsSecondPerson ||
    isReasonNeeded ||
    (size !== null && size !== 'unknown' && size.items > LIMITS.restorePlainItems);
  const {
    form: draft,
    change,
    errors,
    check,
    refuse,
    formRef,
  } = useDraftForm<RestoreDraft, RestoreDraft, null>({
    initial: getNewDraft(kind, latest),
    schema: makeDraftSchema(TEXTS[kind].other?.targetNeeded, {
      isForSettings: isSettings(chosen),
      isMany,
    }),
    // The conversation sends what was checked.
    submit: () => Promise.resolve(ok(null)),
  });
  const task = useRestoreTask(
    workload,
    session.organization,
    restoreRequest(draft, chosen, session, isMany),
    chosen,
    hasDryRun,
  );
  const { state } = task;
  if (!isReasonNeeded && asksForReason(task.failure)) setIsReasonNeeded(true);
  const askForReason = useEffectEvent(() =>
    refuse({ errors: { reason: t.reasonNeeded }, above: null }),
  );
  useEffect(() => {
    if (isReasonNeeded) askForReason();
  }, [isReasonNeeded]);
  const isEditable = EDITABLE.has(state);
  const isGone = latest.nodes.length === 0 || current.id !== session.id;
  if (chosen !== latest && isEditable && !isGone) setChosen(latest);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (isGone && isEditable) close();
  }, [isGone, isEditable]);
  const impersonation = useImpersonationRefusal(workload.restoreCall);
  const refusal = offline
    ? { 'disabled': true, 'data-tip': t.needsNetwork, 'aria-description': t.needsNetwork }
    : impersonation;
  const count = size === null || size === 'unknown' ? chosen.nodes.length : size.items;
  const tryRun = (): void => {
    if (check() !== null) task.startDryRun();
  };
  const body = (
    <Body
      task={task}
      sessionType={workload.sessionType}
      organizationId={session.organization}
      hasPosts={hasPosts(kind, chosen)}
      form={
        <form
          ref={formRef}
          className="contents"
          noValidate
          onSubmit={(event) => event.preventDefault()}
        >
          <RestoreForm
            kind={kind}
            chosen={chosen}
            organizationId={session.organization}
            originalPlace={formatList(
              chosen.chain.filter((node) => !isGroup(node)).map(containerName),
              'plain',
            )}
            draft={draft}
            isMany={isMany}
            errors={errors}
            put={change}
          />
          <Sizes size={size} isMail={kind === 'outlook'} />
          {kind === 'teams' && hasDryRun && <ChannelPeople />}
          {hasPosts(kind, chosen) && <PostsStay />}
          <p className="m-0 py-3 text-agate text-ink-3">
            {hasDryRun ? t.dryRunHint : t.noDryRunHint}
          </p>
        </form>
      }
    />
  );
  const isAwaiting = task.current?.task?.state === 'awaiting-approval';
  // The size may have been unknown when the dry run began.
  const run = (): void => {
    if (check() !== null) task.run();
    else {
      flushSync(task.edit);
      // The fields are there again, and the first wrong one takes the focus.
      check();
    }
  };
  const finish = <Button onClick={onClose}>{ui.done}</Button>;
  const stop = (
    <Button busy={task.current?.isStopping ?? false} onClick={task.stop}>
      {task.current?.isStopping === true ? t.stopping : isAwaiting ? t.withdraw : t.stop}
    </Button>
  );
  const hasWork = countChanges(task.dryRun) > 0;
  const undo =
    task.restore?.canUndo === true ? (
      <Button icon="undo" {...refusal} onClick={task.undo}>
        {t.undo}
      </Button>
    ) : null;
  const retry =
    task.restore?.canRetry === true ? (
      <Button icon="sync" {...refusal} onClick={task.retry}>
        {t.retry}
      </Button>
    ) : null;
  const footers: Readonly<Record<RestoreState, ReactNode>> = {
    drafted: !hasDryRun ? (
      <Button
        variant="primary"
        {...refusal}
        onClick={() => {
          if (check() !== null) task.run();
        }}
      >
        {t.restore({ count })}
      </Button>
    ) : (
      <Button variant="primary" {...refusal} onClick={tryRun}>
        {t.dryRun}
      </Button>
    ),
    dryRunning: stop,
    reviewed: (
      <>
        {hasWork && (
          <Button variant="primary" {...refusal} onClick={run}>
            {t.restore({ count: countChanges(task.dryRun) })}
          </Button>
        )}
        <Button onClick={task.edit}>{t.edit}</Button>
      </>
    ),
    checking: <Button onClick={task.stop}>{ui.cancel}</Button>,
    signingIn: <Button onClick={task.stop}>{ui.cancel}</Button>,
    running: stop,
    done: (
      <>
        {finish}
        {retry}
        {undo}
      </>
    ),
    retrying: stop,
    failed: (
      <>
        {offerRetry(task.failure, task.run, { variant: 'primary', ...refusal })}
        <Button onClick={task.edit}>{t.edit}</Button>
      </>
    ),
    cancelled: (
      <>
        <Button variant="primary" {...refusal} onClick={task.run}>
          {t.restore({ count })}
        </Button>
        {undo}
        {finish}
      </>
    ),
    undoing: null,
    undone: finish,
  };
  return renderFrame(getTitle(kind, chosen), body, footers[state]);
}

function Body({
  task,
  sessionType,
  organizationId,
  hasPosts: isOfPosts,
  form,
}: {
  readonly task: RestoreTask;
  readonly sessionType: WorkloadPage['sessionType'];
  readonly organizationId: string;
  readonly hasPosts: boolean;
  readonly form: ReactNode;
}) {
  const zone = useZone();
  const { state, dryRun, restore, undone, failure, current, rights } = task;
  const head = useRef<HTMLHeadingElement>(null);
  // The result takes the focus, because the button that was pressed is gone.
  const over = state === 'reviewed' || OVER.has(state) ? state : null;
  useEffect(() => {
    if (over !== null) head.current?.focus();
  }, [over]);
  const refused = failure === null ? null : <RefusalNotice failure={failure} />;
  const progress = (title: string, hint?: string): ReactNode => (
    <TaskProgress
      title={title}
      {...(hint !== undefined && { hint })}
      task={current?.task ?? null}
      failure={current?.failure ?? null}
    />
  );
  const ended = (result: EngineTask | null, title: string, hint: string | null): ReactNode => (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 py-3">
      <h3 ref={head} tabIndex={-1} className="m-0 text-[length:inherit] outline-none">
        {title}
      </h3>
      {hint !== null && <p className="m-0 text-ink-2">{hint}</p>}
      {WARNED.has(state) && leavesPosts(isOfPosts, result) && <PostsStay />}
      {state === 'reviewed' && result !== null && countChanges(result) > 0 && (
        <Estimate organizationId={organizationId} taskIds={[result.id]} />
      )}
      {refused}
      {result !== null && result.message !== null && (
        <p className="m-0 break-words text-ink-2">{result.message}</p>
      )}
      {result !== null && <TaskResults organizationId={organizationId} task={result} />}
    </div>
  );
  switch (state) {
    case 'drafted':
      return (
        <>
          {refused !== null && <div className="pt-3">{refused}</div>}
          {form}
        </>
      );
    case 'dryRunning':
      return progress(t.dryRunning);
    case 'reviewed':
      return ended(dryRun, t.reviewed, countChanges(dryRun) === 0 ? t.nothingToDo : t.reviewedHint);
    case 'checking':
      return <output className="block py-3 text-ink-2">{rightsWords.checking}</output>;
    case 'signingIn':
      return (
        <GrantRights
          title={task.isForUndo ? rightsWords.undoTitle : rightsWords.title}
          organizationId={task.rights?.organizationId ?? organizationId}
          sessionType={sessionType}
          permissions={task.rights?.requested ?? []}
          onGranted={task.onGranted}
        />
      );
    case 'running':
    case 'retrying':
      return current?.task?.state === 'awaiting-approval' ? (
        <Awaiting />
      ) : (
        progress(state === 'retrying' ? t.retrying : t.running, t.runningHint)
      );
    case 'done':
      return ended(
        restore,
        restore !== null && restore.counts.failed > 0
          ? t.doneWarning
          : restore?.result === 'warning'
            ? t.doneNotShared
            : t.done,
        restore?.canUndo === true ? getUndoHint(restore, rights, zone) : null,
      );
    case 'failed':
      return ended(restore, t.failed, null);
    case 'cancelled':
      return ended(restore, t.cancelled, t.cancelledHint);
    case 'undoing':
      return current?.task?.state === 'awaiting-approval' ? <Awaiting /> : progress(t.undoing);
    case 'undone':
      return ended(
        undone,
        undone?.result === 'cancelled'
          ? t.notUndone
          : undone !== null && undone.counts.failed + undone.counts.skipped > 0
            ? t.undoWarning
            : t.undone,
        null,
      );
  }
}
/** `rights`: those of the restore. An undo after their end needs another sign-in. */
function getUndoHint({ of }: EngineTask, rights: WriteRights | null, zone: string): string {
  const hint = of === null ? t.undoHint : t.undoRetryHint;
  return rights === null || rights.expiresAt === null
    ? hint
    : `${hint} ${rightsWords.until({ time: formatTime(rights.expiresAt, zone) })}`;
}

const OVER: ReadonlySet<RestoreState> = new Set(['done', 'failed', 'cancelled', 'undone']);

const WARNED: ReadonlySet<RestoreState> = new Set(['reviewed', 'done', 'cancelled']);

function Sizes({
  size,
  isMail,
}: {
  readonly size: ShownSize;
  /** No mail is empty: then its size is unknown. */
  readonly isMail: boolean;
}) {
  const getWord = (write: (known: Exclude<ShownSize, string | null>) => string): string =>
    size === null ? t.measuring : size === 'unknown' ? t.unknown : write(size);
  return (
    <dl className="m-0 pt-2">
      <div className="flex justify-between gap-3 border-b border-hair py-1.5">
        <dt>{t.items}</dt>
        <dd className="m-0">{getWord(({ items }) => formatCount(items))}</dd>
      </div>
      <div className="flex justify-between gap-3 border-b-3 border-double border-head-rule py-1.5 font-semibold">
        <dt>{t.size}</dt>
        <dd className="m-0">
          {getWord(({ items, bytes, isExact }) =>
            isMail && bytes === 0 && items > 0
              ? t.unknown
              : isExact
                ? formatBytes(bytes)
                : t.sizeAbout({ size: formatBytes(bytes) }),
          )}
        </dd>
      </div>
    </dl>
  );
}

interface Counted {
  readonly items: number;
  readonly bytes: number;
}
/** Null: being counted. */
type ShownSize = (Counted & { readonly isExact: boolean }) | 'unknown' | null;

/** How many items are chosen, and their size. The server counts those of folders. */
function useSize(workload: WorkloadPage, session: string, { nodes, size }: ChosenNodes): ShownSize {
  const { value, failure } = useRequest(
    'getSize',
    { kind: workload.kind, session, nodes },
    () => workload.getSize(session, nodes),
    size === null,
  );
  if (size !== null) return { ...size, isExact: true };
  if (value !== null) return { ...value, isExact: false };
  return failure === null ? null : 'unknown';
}

function getTitle(
  kind: WorkloadPage['kind'],
  { level, chain, nodes, itemKind }: Pick<ChosenNodes, 'level' | 'chain' | 'nodes' | 'itemKind'>,
): string {
  if (itemKind === 'settings') return t.titleSettings;
  if (itemKind === 'post') return t.titlePosts({ count: nodes.length });
  if (level === 'items') return t.titleItems({ count: nodes.length });
  if (level === 'object') return TEXTS[kind].titleObject(containerName(getObject(chain)));
  const folder = chain.at(-1) ?? chain[0];
  const name = containerName(folder);
  if (folder.kind === 'library') return t.titleLibrary({ name });
  if (folder.kind === 'channel') return t.titleChannel({ name });
  return folder.kind === 'list' ? t.titleList({ name }) : t.titleFolder({ name });
}

const EMPTY = {};
