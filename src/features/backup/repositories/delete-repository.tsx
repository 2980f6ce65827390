import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import type { Ms } from '#contract/ids.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { formatDate } from '#src/ui/format.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { JobLinks } from '../lists/job-links.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** Says when the repository will be deleted and asks for its name, or lists the jobs that use it. */
export function DeleteRepository({
  row: { id, name, target },
  jobs,
  lockedUntil,
  zone,
  onClose,
}: {
  readonly row: BackupRepositoryRow;
  readonly jobs: readonly BackupJobRow[];
  /** Null: not known, or nothing is locked. */
  readonly lockedUntil: Ms | null;
  readonly zone: string;
  readonly onClose: () => void;
}) {
  if (jobs.length > 0)
    return (
      <Dialog
        title={t.inUseTitle({ name })}
        onClose={onClose}
        footer={<Button onClick={onClose}>{ui.close}</Button>}
      >
        <div className="grid grid-cols-1 gap-2 px-5 py-4">
          <p className="m-0 text-ink-2">{t.inUse}</p>
          <JobLinks jobs={jobs} />
        </div>
      </Dialog>
    );
  const isOnServer = target.type === 'Server';
  return (
    <TypedConfirm
      title={(isOnServer ? t.removeTitle : t.deleteTitle)({ name })}
      type={{ label: t.typeName, text: name }}
      phrase={isOnServer ? t.removeFromServer : t.deleteRepository}
      send={() => withReauth(() => client().ask('deleteBackupRepository', { id }))}
      onDone={() => {
        showSuccess(isOnServer ? t.removed : t.deleting);
        onClose();
      }}
      onClose={onClose}
    >
      <p className="m-0">{isOnServer ? t.removeConsequence : t.deleteConsequence}</p>
      {getObjectLock(target) !== null && (
        <p className="m-0">
          {lockedUntil === null
            ? t.deletesLockedFilesLater
            : t.deletesLockedFiles({ day: formatDate(lockedUntil, zone) })}
        </p>
      )}
    </TypedConfirm>
  );
}
