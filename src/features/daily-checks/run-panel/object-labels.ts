import { formatList } from '#contract/i18n/list.ts';
import type { Task } from '#contract/runs/task.ts';
import { isDoneTask, TASK_STATUSES } from '#contract/runs/task-status.ts';
import { formatCount } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';
import { runPanelMessages as t } from './messages.en.ts';

/** Labels of object states: always word, icon and color. */
export const TASK_STATES: Readonly<
  Record<Task['status'], { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  Failed: STATES.Failed,
  Error: STATES.Error,
  Warning: STATES.Warning,
  Running: STATES.Running,
  Success: STATES.Success,
  Pending: { label: t.notReached, icon: 'clock', text: 'text-ink-2' },
};

/** PANEL-1: `22 of 24 done, 1 failed, 1 not reached`. */
export function getDoneWords(tasks: readonly Task[]): string {
  const rest = TASK_STATUSES.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length;
    return status === 'Success' || count === 0
      ? []
      : [STATUS_COUNTS[status]({ count: formatCount(count) })];
  });
  return formatList(
    [
      t.objectsDone({
        done: formatCount(tasks.filter(isDoneTask).length),
        total: formatCount(tasks.length),
      }),
      ...rest,
    ],
    'plain',
  );
}

const STATUS_COUNTS: Readonly<
  Record<Exclude<Task['status'], 'Success'>, (values: { readonly count: string }) => string>
> = {
  Failed: t.failedCount,
  Error: t.errorCount,
  Warning: t.warningCount,
  Running: t.runningCount,
  Pending: t.pendingCount,
};
