import type { OutputOf } from '#contract/calls.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { restoreHistoryMessages as t } from './messages.en.ts';

export type ListedTask = OutputOf<'listRestoreTasks'>['rows'][number];

/** What a task is: a restore, a dry run, an undo or a retry. */
export function taskKindLabel({
  kind,
  workload,
  of,
}: Pick<ListedTask, 'kind' | 'workload' | 'of'>): string {
  if (kind === 'undo') return t.undo;
  if (of !== null) return t.retry;
  const isDryRun = kind === 'dry-run';
  switch (workload) {
    case 'outlook':
      return isDryRun ? t.dryRunMail : t.restoreMail;
    case 'onedrive':
      return isDryRun ? t.dryRunFiles : t.restoreFiles;
    case 'sharepoint':
      return isDryRun ? t.dryRunSites : t.restoreSites;
    case 'teams':
      return isDryRun ? t.dryRunTeams : t.restoreTeams;
  }
}

/** The state of a task, with its icon and color. */
export function getTaskStateLabel({ state, result, counts, request }: ListedTask): {
  readonly label: string;
  readonly icon: IconName;
  readonly text: string;
} {
  if (state === 'awaiting-approval')
    return { label: t.awaiting, icon: 'clock', text: 'font-semibold text-warning' };
  if (state === 'queued') return { label: t.queued, icon: 'clock', text: 'text-ink-2' };
  if (state !== 'done')
    return {
      label: state === 'running' ? t.running : t.stopping,
      icon: 'running',
      text: 'text-running',
    };
  switch (result) {
    case 'failed':
      return { label: t.failed, icon: 'failed', text: 'font-semibold text-failed' };
    case 'cancelled':
      return { label: getEndLabel(request), icon: 'stop', text: 'text-ink-2' };
    case 'warning':
      return {
        label: counts.failed > 0 ? t.warning : t.success,
        icon: 'warning',
        text: 'text-warning',
      };
    default:
      return { label: t.success, icon: 'success', text: 'text-success' };
  }
}

/** Why a restore never started, or that it was stopped. */
function getEndLabel(request: ListedTask['request']): string {
  switch (request?.decision?.decision) {
    case 'rejected':
      return t.rejected;
    case 'withdrawn':
      return t.withdrawn;
    case 'expired':
      return t.expired;
    default:
      return t.cancelled;
  }
}

/** What a task is about: one object by name, or how many; null: nothing yet. */
export const subjectLabel = ({
  object,
  objects,
}: Pick<ListedTask, 'object' | 'objects'>): string | null =>
  object ?? (objects > 1 ? t.objects({ count: objects }) : null);
