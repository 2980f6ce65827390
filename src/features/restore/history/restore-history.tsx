import { formatList } from '#contract/i18n/list.ts';
import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { useZone } from '#src/app/session/session.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatCount, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { GrantRights } from '../rights/grant-rights.tsx';
import { restoreRightsMessages as rightsWords } from '../rights/messages.en.ts';
import { countLabels, TaskResults } from '../task/results.tsx';
import { startAfter } from '../task/use-restore-task.ts';
import { Decide } from '../approval/decide.tsx';
import { RequestFacts } from '../approval/request-facts.tsx';
import { getTaskStateLabel, taskKindLabel, subjectLabel } from './task-labels.ts';
import type { ListedTask } from './task-labels.ts';
import { useTasks } from './use-tasks.ts';
import { restoreHistoryMessages as t } from './messages.en.ts';

/** What follows a restore. */
interface Step {
  readonly taskId: string;
  readonly kind: 'undo' | 'retry';
}
/** Rights that it lacks. */
type Needed = OutputOf<'getRestoreRights'> & { readonly step: Step };

/** The restores, dry runs and undos of an organization, newest first. */
export function RestoreHistory({
  organizationId,
  organization,
  onClose,
}: {
  readonly organizationId: string;
  readonly organization: string;
  readonly onClose: () => void;
}) {
  const isTablet = useIsTablet();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { tasks, failure, next, more, again } = useTasks(organizationId);
  const [open, setOpen] = useState<string | null>(null);
  const [refused, setRefused] = useState<Failure | null>(null);
  const act = async (result: Promise<Result<unknown>>, done: string | null): Promise<void> => {
    const answer = await result;
    setRefused(answer.ok ? null : answer.failure);
    if (answer.ok && done !== null) showSuccess(done);
    again();
  };
  const [needed, setNeeded] = useState<Needed | null>(null);
  const begin = async (step: Step): Promise<void> => {
    const { taskId, kind } = step;
    const rights = await client().ask('getRestoreRights', { organizationId, taskId });
    if (rights.ok && rights.value.missing.length > 0) {
      setRefused(null);
      setNeeded({ step, ...rights.value });
      return;
    }
    setNeeded(null);
    await act(
      rights.ok ? startAfter(organizationId, step) : Promise.resolve(rights),
      kind === 'undo' ? t.undoRequested : t.retryRequested,
    );
  };
  const shownFailure = refused ?? (tasks === null ? failure : null);
  return (
    <Dialog
      title={t.title({ organization })}
      place={isTablet ? 'middle' : 'bottom'}
      wide
      onClose={onClose}
    >
      <div className="grid gap-2 px-5 py-3">
        {offline && <Callout tone="warning">{t.offline}</Callout>}
        {shownFailure !== null && !offline && (
          <Callout tone="failed" alert>
            {getFailureText(shownFailure)}
          </Callout>
        )}
        {needed !== null && (
          <div className="border-b border-hair pb-3">
            <GrantRights
              key={`${needed.step.kind} ${needed.step.taskId}`}
              title={needed.step.kind === 'undo' ? rightsWords.undoTitle : rightsWords.title}
              organizationId={needed.organizationId}
              sessionType={needed.sessionType}
              permissions={needed.requested}
              onGranted={() => void begin(needed.step)}
            />
            <Button onClick={() => setNeeded(null)}>{ui.cancel}</Button>
          </div>
        )}
        {tasks === null ? (
          failure === null && <p className="m-0 text-ink-3">{t.loading}</p>
        ) : tasks.length === 0 ? (
          <Notice icon="history" level={2} title={t.none}>
            <p className="m-0">{t.noneHint}</p>
          </Notice>
        ) : (
          <ul className="m-0 list-none p-0">
            {tasks.map((task) => (
              <TaskLine
                key={task.id}
                organizationId={organizationId}
                task={task}
                isOpen={open === task.id}
                onToggle={() => setOpen(open === task.id ? null : task.id)}
                onStop={() =>
                  void act(
                    client().ask('cancelRestoreTask', { organizationId, taskId: task.id }),
                    null,
                  )
                }
                onUndo={() => void begin({ taskId: task.id, kind: 'undo' })}
                onRetry={() => void begin({ taskId: task.id, kind: 'retry' })}
                onDecided={again}
              />
            ))}
          </ul>
        )}
        {next !== null && (
          <Button className="justify-self-start" onClick={more}>
            {t.more}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function TaskLine({
  organizationId,
  task,
  isOpen,
  onToggle,
  onStop,
  onUndo,
  onRetry,
  onDecided,
}: {
  readonly organizationId: string;
  readonly task: ListedTask;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onStop: () => void;
  readonly onUndo: () => void;
  readonly onRetry: () => void;
  readonly onDecided: () => void;
}) {
  const zone = useZone();
  const { label, icon, text } = getTaskStateLabel(task);
  const { done, total } = task.items;
  return (
    <li className="border-b border-hair py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 grow basis-56">
          <span className="block font-semibold">
            {[taskKindLabel(task), subjectLabel(task)].filter((part) => part !== null).join(' · ')}
          </span>
          <span className="flex flex-wrap gap-x-2 text-agate text-ink-3">
            <time data-tip={formatUtc(task.createdAt)}>{formatWhen(task.createdAt, zone)}</time>
            {task.by !== null && <span>{t.by({ name: task.by })}</span>}
            {task.place !== null && <span>{t.to({ place: task.place })}</span>}
            <span>{formatList(countLabels(task), 'plain')}</span>
          </span>
        </span>
        <span className={`inline-flex items-center gap-1.5 ${text}`}>
          <Icon name={icon} />
          {label}
          {task.state === 'running' && total !== null && (
            <span>{t.progress({ done: formatCount(done), total: formatCount(total) })}</span>
          )}
        </span>
        <span className="flex flex-wrap gap-2">
          {task.state !== 'done' && (
            <Button size="sm" icon="stop" disabled={task.state === 'stopping'} onClick={onStop}>
              {task.state === 'awaiting-approval' ? t.withdraw : t.stop}
            </Button>
          )}
          {task.canRetry && (
            <CallButton call="retryRestoreTask" size="sm" icon="sync" onClick={onRetry}>
              {t.retryIt}
            </CallButton>
          )}
          {task.canUndo && (
            <CallButton call="undoRestoreTask" size="sm" icon="undo" onClick={onUndo}>
              {t.undoIt}
            </CallButton>
          )}
          {task.state !== 'awaiting-approval' && (
            <Button size="sm" variant="quiet" aria-expanded={isOpen} onClick={onToggle}>
              {isOpen ? t.hideResults : t.results}
            </Button>
          )}
        </span>
      </div>
      {task.request !== null && <RequestFacts request={task.request} />}
      {task.request?.canDecide === true && (
        <Decide organizationId={organizationId} taskId={task.id} onDecided={onDecided} />
      )}
      {task.message !== null && task.request?.decision == null && (
        <p className="m-0 break-words text-ink-2">{task.message}</p>
      )}
      {task.canUndo && task.workload === 'teams' && (
        <p className="m-0 text-agate text-ink-3">{t.postsStay}</p>
      )}
      {isOpen && (
        <div className="pt-1 pl-3">
          <TaskResults organizationId={organizationId} task={task} />
        </div>
      )}
    </li>
  );
}

const EMPTY = {};
