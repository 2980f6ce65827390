import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { backupJobMessages as t } from './messages.en.ts';

/** Asks before a job is deleted. */
export function DeleteJob({
  row: { id, name },
  onDeleted,
  onClose,
}: {
  readonly row: Pick<BackupJobRow, 'id' | 'name'>;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
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
