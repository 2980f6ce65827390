/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a rule that fills, as everywhere on these pages, can't be drawn with <progress> */
import type { EngineTask } from '#contract/engine/engine.ts';
import type { Failure } from '#contract/errors.ts';
import { useZone } from '#src/app/session/session.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { formatCount, formatTime } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { restoreTaskMessages as t } from './messages.en.ts';

/** The progress of a task: a rule that fills, how many items are done, and what it waits for. */
export function TaskProgress({
  title,
  hint,
  task,
  failure,
}: {
  readonly title: string;
  readonly hint?: string;
  /** Null: not started yet. */
  readonly task: EngineTask | null;
  /** Why its progress could not be read last time. */
  readonly failure: Failure | null;
}) {
  const zone = useZone();
  const { done, total } = task?.items ?? { done: 0, total: null };
  const isKnown = total !== null && total > 0;
  return (
    <div className="grid gap-2 py-3">
      <output className="flex items-center gap-2 font-semibold">
        <Icon name="running" className="text-running" />
        {title}
      </output>
      <div
        role="progressbar"
        aria-label={title}
        {...(isKnown && { 'aria-valuenow': done, 'aria-valuemin': 0, 'aria-valuemax': total })}
        className="h-0.5 bg-rule"
      >
        <div
          className="h-full bg-accent transition-[width] duration-300"
          style={{ width: isKnown ? `${(100 * done) / total}%` : '0%' }}
        />
      </div>
      <p className="m-0 text-ink-2">
        {task === null || task.state === 'queued'
          ? t.queued
          : total === null
            ? t.progressUnknown({ done: formatCount(done) })
            : t.progress({ done: formatCount(done), total: formatCount(total) })}
      </p>
      {task !== null && task.waiting !== null && (
        <p className="m-0 text-warning">
          {task.waiting.until === null
            ? t.waitingOpen({ reason: task.waiting.reason })
            : t.waiting({
                time: formatTime(task.waiting.until, zone),
                reason: task.waiting.reason,
              })}
        </p>
      )}
      {failure !== null && (
        <p className="m-0 text-warning">{t.lost({ message: getFailureText(failure) })}</p>
      )}
      {hint !== undefined && <p className="m-0 text-agate text-ink-3">{hint}</p>}
    </div>
  );
}
