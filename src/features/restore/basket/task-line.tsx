import { formatList } from '#contract/i18n/list.ts';
import { useSelector } from '@xstate/react';
import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { EngineTask } from '#contract/engine/engine.ts';
import type { BasketTask } from '#machines/restore-basket.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { getObject } from '../labels.ts';
import { GrantRights } from '../rights/grant-rights.tsx';
import { restoreRightsMessages as rightsWords } from '../rights/messages.en.ts';
import { countChanges, leavesPosts } from '../task/draft.ts';
import { restoreTaskMessages as taskWords } from '../task/messages.en.ts';
import { Awaiting, PostsStay, RefusalNotice } from '../task/notices.tsx';
import { TaskProgress } from '../task/progress.tsx';
import { countLabels, TaskResults } from '../task/results.tsx';
import { TEXTS } from '../texts.ts';
import { getEntryName } from './entries.tsx';
import { basketMessages as t } from './messages.en.ts';
import { WORKLOADS } from './sessions.ts';
import type { RestoredPart } from './use-basket-restore.ts';

/** One object of the basket while it is restored: what it does now, and its result. */
export function TaskLine({
  organizationId,
  part,
  task: { ref },
}: {
  readonly organizationId: string;
  readonly part: RestoredPart;
  readonly task: BasketTask;
}) {
  const { group, chosen } = part;
  const zone = useZone();
  const [isOpen, setIsOpen] = useState(false);
  const results = useId();
  const state = useSelector(ref, ({ value }) => value);
  const { dryRun, restore, undo, failure, rights, wants } = useSelector(
    ref,
    ({ context }) => context,
  );
  const child = useSelector(ref, ({ children }) => children['task']);
  const current = useSelector(child, (snapshot) => snapshot?.context);
  const isAwaiting = current?.task?.state === 'awaiting-approval';
  const result = state === 'undone' ? undo : (restore ?? dryRun);
  const { label, icon, text } = getLineState(state, { dryRun, restore, undo });
  const progress = (title: string): ReactNode => (
    <TaskProgress title={title} task={current?.task ?? null} failure={current?.failure ?? null} />
  );
  const name = getEntryName(getObject(chosen.chain));
  return (
    <li className="border-b border-hair py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Icon
          name={TEXTS[group.workload].icon}
          label={TEXTS[group.workload].page}
          className="text-ink-3"
        />
        <span className="min-w-0 grow basis-56">
          <span className="block font-semibold break-words">{name}</span>
          <span className="flex flex-wrap gap-x-2 text-agate text-ink-3">
            <time>{t.point({ when: formatWhen(group.at, zone) })}</time>
            {result !== null && RESULT_STATES.has(state) && (
              <span>{formatList(countLabels(result), 'plain')}</span>
            )}
          </span>
        </span>
        <span className={`inline-flex items-center gap-1.5 ${text}`}>
          <Icon name={icon} />
          {label}
        </span>
        {result !== null && RESULT_STATES.has(state) && (
          <Button
            size="sm"
            aria-expanded={isOpen}
            {...(isOpen && { 'aria-controls': results })}
            aria-label={`${isOpen ? t.hideResults : t.results}: ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? t.hideResults : t.results}
          </Button>
        )}
      </div>
      {state === 'dryRunning' && progress(taskWords.dryRunning)}
      {(state === 'running' || state === 'undoing') &&
        (isAwaiting ? (
          <>
            <Awaiting />
            {state === 'running' && (
              <Button size="sm" onClick={() => ref.send({ type: 'CANCEL' })}>
                {taskWords.withdraw}
              </Button>
            )}
          </>
        ) : (
          progress(state === 'running' ? taskWords.running : taskWords.undoing)
        ))}
      {state === 'checking' && <output className="block text-ink-2">{rightsWords.checking}</output>}
      {state === 'signingIn' && (
        <>
          <GrantRights
            title={wants === 'undo' ? rightsWords.undoTitle : rightsWords.title}
            organizationId={rights?.organizationId ?? organizationId}
            sessionType={WORKLOADS[group.workload].sessionType}
            permissions={rights?.requested ?? []}
            onGranted={() => ref.send({ type: 'GRANTED' })}
          />
          <Button size="sm" onClick={() => ref.send({ type: 'CANCEL' })}>
            {ui.cancel}
          </Button>
        </>
      )}
      {(state === 'reviewed' || state === 'done') && leavesPosts(part.hasPosts, result) && (
        <PostsStay />
      )}
      {failure !== null && <RefusalNotice failure={failure} />}
      {result !== null && result.message !== null && RESULT_STATES.has(state) && (
        <p className="m-0 break-words text-ink-2">{result.message}</p>
      )}
      {isOpen && result !== null && (
        <div id={results}>
          <TaskResults organizationId={organizationId} task={result} />
        </div>
      )}
    </li>
  );
}

const RESULT_STATES: ReadonlySet<string> = new Set([
  'reviewed',
  'done',
  'failed',
  'cancelled',
  'undone',
]);

interface LineState {
  readonly label: string;
  readonly icon: IconName;
  readonly text: string;
}
interface LineResults {
  readonly dryRun: EngineTask | null;
  readonly restore: EngineTask | null;
  readonly undo: EngineTask | null;
}
const RUNNING = { icon: 'running', text: 'text-running' } as const;
const DONE = { icon: 'success', text: 'text-success' } as const;
const WARNING = { icon: 'warning', text: 'text-warning' } as const;
const QUIET = { icon: 'clock', text: 'text-ink-2' } as const;

function getLineState(state: string, { dryRun, restore, undo }: LineResults): LineState {
  switch (state) {
    case 'dryRunning':
      return { ...RUNNING, label: taskWords.dryRunning };
    case 'reviewed':
      return countChanges(dryRun) === 0
        ? { icon: 'minus', text: 'text-ink-2', label: t.nothing }
        : { ...QUIET, label: t.ready };
    case 'signingIn':
      return { ...WARNING, label: t.signIn };
    case 'checking':
    case 'writing':
    case 'back':
    case 'running':
      return { ...RUNNING, label: taskWords.running };
    case 'undoing':
      return { ...RUNNING, label: taskWords.undoing };
    case 'done':
      return restore !== null && restore.counts.failed > 0
        ? { ...WARNING, label: taskWords.doneWarning }
        : { ...DONE, label: taskWords.done };
    case 'failed':
      return { icon: 'failed', text: 'font-semibold text-failed', label: taskWords.failed };
    case 'cancelled':
      return { icon: 'stop', text: 'text-ink-2', label: taskWords.cancelled };
    case 'undone':
      return undo !== null && undo.counts.failed + undo.counts.skipped > 0
        ? { ...WARNING, label: taskWords.undoWarning }
        : { ...DONE, label: taskWords.undone };
    default:
      return { ...QUIET, label: t.waitingForTurn };
  }
}
