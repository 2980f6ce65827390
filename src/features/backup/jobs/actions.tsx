import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { DeleteJob } from './delete-job.tsx';
import { JobNotifications } from './notifications.tsx';
import { backupJobMessages as t } from './messages.en.ts';

type Action = 'start' | 'stop' | 'enable' | 'disable';

/**
 * Starts or stops a job, switches its schedule on or off, which also works offline, and edits or
 * deletes it.
 */
export function JobActions({
  row,
  followers,
  onDeleted,
}: {
  readonly row: BackupJobRow;
  readonly followers: readonly BackupJobRow[];
  readonly onDeleted: () => void;
}) {
  const { id, enabled, running, schedulePolicy } = row;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { history } = useRouter();
  const mutation = useServerMutation();
  const [open, setOpen] = useState<'notifications' | 'delete' | null>(null);
  /** The session that was asked to stop. It runs until it has stored what it has read. */
  const [stopping, setStopping] = useState<string | null>(null);
  const act = async (action: Action): Promise<void> => {
    const answer = await mutation.send<unknown>(() => CALLS[action](id), action);
    if (answer.ok) showSuccess(DONE[action]());
    else showFailure(getFailureText(answer.failure));
    if (answer.ok && action === 'stop') setStopping(running?.id ?? null);
  };
  const isStopping = running !== null && stopping === running.id;
  const run = running === null ? 'start' : 'stop';
  // A job that only users start has no schedule to disable.
  const hasSchedule = schedulePolicy.schedule.type !== 'Disabled' || !enabled;
  const toggle = enabled ? 'disable' : 'enable';
  const needsNetwork = {
    size: 'sm',
    disabled: offline,
    ...(offline && { 'data-tip': MESSAGES.needsNetwork }),
  } as const;
  return (
    <div className="flex flex-wrap gap-2 py-2">
      <CallButton
        {...needsNetwork}
        call={run === 'start' ? 'startBackupJob' : 'stopBackupJob'}
        disabled={offline || isStopping}
        busy={mutation.pending === run}
        onClick={() => void act(run)}
      >
        {isStopping ? t.stoppingNow : run === 'start' ? t.start : t.stop}
      </CallButton>
      {hasSchedule && (
        <CallButton
          size="sm"
          call={enabled ? 'disableBackupJob' : 'enableBackupJob'}
          busy={mutation.pending === toggle}
          onClick={() => void act(toggle)}
        >
          {toggle === 'enable' ? t.enable : t.disable}
        </CallButton>
      )}
      <CallButton
        size="sm"
        call="updateBackupJob"
        onClick={() => history.push(`/o365/jobs/1?edit=${id}`)}
      >
        {t.edit}
      </CallButton>
      <CallButton
        {...needsNetwork}
        call="setJobNotifications"
        onClick={() => setOpen('notifications')}
      >
        {t.editNotifications}
      </CallButton>
      <CallButton
        {...needsNetwork}
        call="deleteBackupJob"
        icon="trash"
        onClick={() => setOpen('delete')}
      >
        {t.delete}
      </CallButton>
      {open === 'notifications' && <JobNotifications row={row} onClose={() => setOpen(null)} />}
      {open === 'delete' && (
        <DeleteJob
          row={row}
          followers={followers}
          onDeleted={onDeleted}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

const CALLS = {
  start: (jobId: string) => client().ask('startBackupJob', { jobId }),
  stop: (jobId: string) => client().ask('stopBackupJob', { jobId }),
  enable: (jobId: string) => client().send('enableBackupJob', { jobId }),
  disable: (jobId: string) => client().send('disableBackupJob', { jobId }),
} as const;
const DONE = {
  start: () => t.started,
  stop: () => t.stopping,
  enable: () => t.enabledNow,
  disable: () => t.disabledNow,
} as const;
const EMPTY = {};
