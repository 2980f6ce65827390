import type { Task } from '#contract/runs/task.ts';
import { isDoneTask, TASK_STATUSES } from '#contract/runs/task-status.ts';
import { formatCount } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { STATES } from '#src/ui/states.ts';

/** How what became of an object is told: always word, icon and colour. */
export const TASK_STATES: Readonly<
  Record<Task['status'], { readonly word: string; readonly icon: IconName; readonly text: string }>
> = {
  Failed: STATES.Failed,
  Error: STATES.Error,
  Warning: STATES.Warning,
  Running: STATES.Running,
  Success: STATES.Success,
  Pending: { word: 'Not reached', icon: 'clock', text: 'text-ink-2' },
};

/** PANEL-1: `22 of 24 done, 1 failed, 1 not reached`. */
export function doneWordsOf(tasks: readonly Task[]): string {
  const rest = TASK_STATUSES.flatMap((status) => {
    const count = tasks.filter((task) => task.status === status).length;
    return status === 'Success' || count === 0
      ? []
      : [`${formatCount(count)} ${STATUS_WORDS[status]}`];
  });
  return [
    `${formatCount(tasks.filter(isDoneTask).length)} of ${formatCount(tasks.length)} done`,
    ...rest,
  ].join(', ');
}

const STATUS_WORDS: Readonly<Record<Exclude<Task['status'], 'Success'>, string>> = {
  Failed: 'failed',
  Error: 'with an error',
  Warning: 'with a warning',
  Running: 'running',
  Pending: 'not reached',
};
