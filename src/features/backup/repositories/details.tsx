import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useMe } from '#src/app/session/session.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatBytes, formatCount, formatDate } from '#src/ui/format.ts';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { formatMonth } from '../../shared/format-month.ts';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { Moment } from '../moment.tsx';
import { serverOrganizationMessages } from '../../shared/organizations/messages.en.ts';
import { AttachmentNote } from './attachment.tsx';
import { DeleteRepository } from './delete-repository.tsx';
import { JobLinks } from '../lists/job-links.tsx';
import { lockFacts, TamperingNote } from './locks.tsx';
import { VerifiedNote } from './notes.tsx';
import { describeChoice } from './proxy-choice.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { StorageKeyDialog } from './storage-key-dialog.tsx';
import { EditRepository } from './repository-form.tsx';
import { describeRetention } from './retention-label.ts';
import { EditServerRepository } from './server-repository.tsx';
import { UpkeepButtons, UpkeepState } from './upkeep.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

export interface RepositoryDetailsProps {
  readonly row: BackupRepositoryRow;
  readonly jobs: readonly BackupJobRow[];
  /** Null: not known. */
  readonly usage: Pick<
    OutputOf<'listBackupRepositories'>['rows'][number],
    | 'usedBytes'
    | 'points'
    | 'storageRequests'
    | 'locks'
    | 'attachment'
    | 'cleanUpRequest'
    | 'verificationRequest'
  > | null;
  /** What is known of the repository's use is out of date. */
  readonly onRequested: () => void;
  readonly now: Ms;
  readonly zone: string;
}

/** A repository beside the list: what it stores, and what can be done with it. */
export function RepositoryDetails(props: RepositoryDetailsProps) {
  const { row, jobs, usage, now, zone, onRequested } = props;
  const [open, setOpen] = useState<'edit' | 'password' | 'accessKey' | 'delete' | null>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const proxies = useWatch('backupProxies', EMPTY) ?? [];
  const seesAll = useMe()?.companies === null;
  const isOnServer = row.target.type === 'Server';
  if (open === 'edit' && isOnServer)
    return (
      <EditServerRepository row={row} onDone={() => setOpen(null)} onCancel={() => setOpen(null)} />
    );
  if (open === 'edit')
    return <EditRepository row={row} onDone={() => setOpen(null)} onCancel={() => setOpen(null)} />;
  const why = offline ? MESSAGES.needsNetwork : isOnServer && !seesAll ? t.sharedServer : undefined;
  const needsNetwork = {
    size: 'sm',
    disabled: why !== undefined,
    ...(why !== undefined && { 'data-tip': why }),
  } as const;
  return (
    <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
      <div className="flex flex-wrap gap-2 py-2">
        <CallButton
          {...needsNetwork}
          call={isOnServer ? 'updateServerRepository' : 'updateBackupRepository'}
          onClick={() => setOpen('edit')}
        >
          {t.editRepository}
        </CallButton>
        {!isOnServer && (
          <CallButton
            {...needsNetwork}
            call="updateBackupRepository"
            icon="key"
            onClick={() => setOpen('password')}
          >
            {t.changePassword}
          </CallButton>
        )}
        {row.target.type === 'S3' && (
          <CallButton
            {...needsNetwork}
            call="updateBackupRepository"
            icon="key"
            onClick={() => setOpen('accessKey')}
          >
            {t.changeAccessKey}
          </CallButton>
        )}
        <UpkeepButtons
          id={row.id}
          upkeep={usage}
          refusal={isOnServer ? serverOrganizationMessages.managedByServer : (why ?? null)}
          onRequested={onRequested}
        />
        {row.deletesAt === null && (
          <CallButton
            {...needsNetwork}
            call="deleteBackupRepository"
            icon="trash"
            onClick={() => setOpen('delete')}
          >
            {isOnServer ? t.removeFromServer : t.deleteRepository}
          </CallButton>
        )}
      </div>
      <PendingChange row={row} zone={zone} offline={offline} />
      <TamperingNote locks={usage?.locks ?? null} zone={zone} />
      <AttachmentNote attachment={usage?.attachment ?? null} zone={zone} />
      <UpkeepState upkeep={usage} />
      {row.damaged > 0 && (
        <p className="m-0 py-2 text-failed">{t.damaged({ count: row.damaged })}</p>
      )}
      <FactList
        facts={[
          ...(row.description === '' ? [] : [[t.description, row.description] as const]),
          [t.used, usage?.usedBytes == null ? '–' : formatBytes(usage.usedBytes)],
          [t.points, usage?.points == null ? '–' : formatCount(usage.points)],
          [
            t.retention,
            (row.retentionType === 'SnapshotBased' ? t.retentionOfPoints : t.retentionOfItems)({
              years: describeRetention(row),
            }),
          ],
          ...(isOnServer
            ? []
            : ([
                [t.cleanUp, t.cleanUpDaily],
                [t.cleaned, <Moment key="cleaned" at={row.cleanedAt} now={now} never={t.never} />],
                [t.verified, <VerifiedNote key="verified" row={row} now={now} />],
              ] as const)),
          ...(isOnServer ? [] : [[t.runsOn, describeChoice(row.proxy, proxies)] as const]),
          ...storageFacts(row, usage),
          ...lockFacts(row, usage, zone),
          ...(isOnServer
            ? []
            : [
                [
                  t.passwordHint,
                  row.passwordDescription === '' ? t.noHint : row.passwordDescription,
                ] as const,
              ]),
          [t.createdOn, formatDate(row.createdAt, zone)],
          [t.usedBy, jobs.length === 0 ? t.nobody : <JobLinks key="jobs" jobs={jobs} />],
        ]}
      />
      {open === 'password' && <PasswordDialog row={row} onClose={() => setOpen(null)} />}
      {open === 'accessKey' && <StorageKeyDialog id={row.id} onClose={() => setOpen(null)} />}
      {open === 'delete' && (
        <DeleteRepository
          row={row}
          jobs={jobs}
          lockedUntil={usage?.locks?.lockedUntil ?? null}
          zone={zone}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}

/** Where a repository is, and what its bucket's owner pays for. */
function storageFacts(
  { id, target }: BackupRepositoryRow,
  usage: RepositoryDetailsProps['usage'],
): (readonly [string, string])[] {
  if (target.type === 'Folder') return [[t.storage, t.folder]];
  if (target.type === 'Server') return [[t.storage, t.otherServer]];
  const requests = usage?.storageRequests ?? null;
  const path = [target.bucket, target.prefix, id].filter((part) => part !== '').join('/');
  return [
    [t.storage, `${t.objectStorage}, ${new URL(target.endpoint).host}`],
    [t.bucketFolder, path],
    [
      t.requests,
      requests === null
        ? '–'
        : t.requestsInMonth({
            month: formatMonth(Number(requests.month.slice(0, 4)), Number(requests.month.slice(5))),
            writes: requests.write,
            reads: requests.read,
          }),
    ],
  ];
}

/** A deletion or a shorter retention that waits for its day, and how to prevent it. */
function PendingChange({
  row,
  zone,
  offline,
}: {
  readonly row: BackupRepositoryRow;
  readonly zone: string;
  readonly offline: boolean;
}) {
  const mutation = useServerMutation();
  const { deletesAt, shortened, retentionPolicy } = row;
  const isOnServer = row.target.type === 'Server';
  const undo = async (changes: Omit<InputOf<'updateBackupRepository'>, 'id'>): Promise<void> => {
    const saved = await mutation.send(() =>
      withReauth<Record<string, never>>(() =>
        isOnServer
          ? client().ask('updateServerRepository', { id: row.id, shortened: null })
          : client().ask('updateBackupRepository', { id: row.id, ...changes }),
      ),
    );
    if (saved.ok) showSuccess(t.saved);
    else showFailure(getFailureText(saved.failure));
  };
  const action = (word: string, changes: Parameters<typeof undo>[0]) => (
    <CallButton
      call={isOnServer ? 'updateServerRepository' : 'updateBackupRepository'}
      size="sm"
      busy={mutation.busy}
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => void undo(changes)}
    >
      {word}
    </CallButton>
  );
  if (deletesAt !== null)
    return (
      <Callout tone="failed" action={action(t.keepRepository, { deletesAt: null })}>
        {t.willBeDeleted({ day: formatDate(deletesAt, zone) })}
      </Callout>
    );
  if (shortened !== null)
    return (
      <Callout
        tone="warning"
        action={action(t.keepRetention({ years: describeRetention(row) }), {
          retentionPolicy,
        })}
      >
        {t.willShorten({
          years: describeRetention(shortened),
          day: formatDate(shortened.appliesAt, zone),
        })}
      </Callout>
    );
  return null;
}

const EMPTY = {};
