import { formatList } from '#contract/i18n/list.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { getObjectLock } from '#contract/backup/repositories.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { formatDate } from '#src/ui/format.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../../shared/forms/typed-confirm.tsx';
import { organizationMessages as t } from './messages.en.ts';

/** Lists what ends with the organization, and asks for its name. */
export function DeleteOrganization({
  row,

  company,
  jobs,
  zone,
  onDeleted,
  onClose,
}: {
  readonly row: OrganizationRow;
  readonly company: string;
  readonly jobs: readonly BackupJobRow[];
  readonly zone: string;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const { id, name } = row;
  const isImported = !isBackedUpHere(row);
  const repositories = useWatch('backupRepositories', EMPTY) ?? [];
  const hasLock = repositories.some(
    ({ organization, target }) => organization === id && getObjectLock(target) !== null,
  );
  return (
    <TypedConfirm
      title={t.deleteTitle({ name })}
      type={{ label: t.typeName, text: name }}
      phrase={t.deleteOrganization}
      send={() => withReauth(() => client().ask('deleteOrganization', { organizationId: id }))}
      onDone={(answer) => {
        showSuccess(
          isImported ? t.serverDeleted : t.deleted({ day: formatDate(answer.dataUntil, zone) }),
        );
        onClose();
        onDeleted();
      }}
      onClose={onClose}
    >
      <p className="m-0">{t.deleteOf({ company })}</p>
      <ul
        aria-label={t.consequences}
        className="m-0 list-none border-t-2 border-head-rule p-0 text-ink [&>li]:border-b [&>li]:border-hair [&>li]:py-1.5"
      >
        <li>{isImported ? t.serverAccessEnds : t.accessEnds}</li>
        <li>
          {jobs.length === 0
            ? t.noJobsEnd
            : isImported
              ? t.serverJobsGoOn
              : t.jobsEnd({
                  count: jobs.length,
                  jobs: formatList(
                    jobs.map((job) => job.name),
                    'plain',
                  ),
                })}
        </li>
        <li>{isImported ? t.serverDataStays : t.dataStays}</li>
        {hasLock && <li>{t.lockedDataStays}</li>}
        <li>{t.administratorsNotified}</li>
      </ul>
    </TypedConfirm>
  );
}

const EMPTY = {};
