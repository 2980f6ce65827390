import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { JobLinks } from '../lists/job-links.tsx';
import { backupJobMessages as t } from './messages.en.ts';

/** Asks before a job is deleted, or lists the jobs that start after it. */
export function DeleteJob({
  row: { id, name },
  followers,
  onDeleted,
  onClose,
}: {
  readonly row: Pick<BackupJobRow, 'id' | 'name'>;
  readonly followers: readonly BackupJobRow[];
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  if (followers.length > 0)
    return (
      <Dialog
        title={t.followedTitle({ name })}
        onClose={onClose}
        footer={<Button onClick={onClose}>{ui.close}</Button>}
      >
        <div className="grid grid-cols-1 gap-2 px-5 py-4">
          <p className="m-0 text-ink-2">{t.followed}</p>
          <JobLinks jobs={followers} />
        </div>
      </Dialog>
    );
  return (
    <TypedConfirm
      title={t.deleteTitle({ name })}
      type={null}
      phrase={t.delete}
      send={() => client().ask('deleteBackupJob', { jobId: id })}
      onDone={() => {
        showSuccess(t.deleted);
        onClose();
        onDeleted();
      }}
      onClose={onClose}
    >
      <p className="m-0">{t.deleteConsequence}</p>
    </TypedConfirm>
  );
}
