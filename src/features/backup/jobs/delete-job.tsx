import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { tell } from '#src/ui/toasts.ts';
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
  const confirm = async (): Promise<string | null> => {
    const deleted = await client().ask('deleteBackupJob', { jobId: id });
    if (!deleted.ok) return getFailureText(deleted.failure);
    tell(t.deleted);
    onClose();
    onDeleted();
    return null;
  };
  return (
    <TypedConfirm
      title={t.deleteTitle({ name })}
      type={null}
      phrase={t.delete}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p className="m-0">{t.deleteConsequence}</p>
    </TypedConfirm>
  );
}
