import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { MESSAGES } from '#contract/messages.ts';
import { formatBytes } from '#src/ui/format.ts';
import { listPlace } from '../../shared/suite-list/address.ts';
import { ListCell, SuiteList, useListPlace } from '../../shared/suite-list/suite-list.tsx';
import { ImportList } from '../imports/screen.tsx';
import { AttachDialog } from './attach-dialog.tsx';
import { RepositoryDetails } from './details.tsx';
import { formatLockedUntil } from './locks.tsx';
import { RepositoryNotes, VerifiedNote } from './notes.tsx';
import { PoolList, ProxyList } from './proxies.tsx';
import { NewRepository } from './new-repository.tsx';
import { REPOSITORIES_PATH, RepositoryTabs } from './tabs.tsx';
import { describeRetention } from './retention-label.ts';
import { hasOpenRequest } from './upkeep.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** `/o365/repositories`: where backups are stored, imports into them, and the proxies that make them. */
export function BackupRepositories() {
  const query = useRouterState({ select: ({ location }) => location.searchStr });
  const tab = listPlace(query).tab;
  if (tab === 'imports') return <ImportList />;
  if (tab === 'proxies') return <ProxyList />;
  if (tab === 'pools') return <PoolList />;
  return <RepositoryList />;
}

function RepositoryList() {
  const rows = useWatch('backupRepositories', EMPTY) ?? null;
  const organizations = useWatch('organizations', EMPTY);
  const jobs = useWatch('backupJobs', EMPTY);
  const [isWorking, setWorking] = useState(false);
  const { value: listed, again } = useCachedQuery('listBackupRepositories', ALL, {
    everyMs: isWorking ? 5_000 : 60_000,
    round: rows?.length ?? 0,
  });
  const hasWork =
    listed?.rows.some((row) => row.attachment?.isDone === false || hasOpenRequest(row)) ?? false;
  if (hasWork !== isWorking) setWorking(hasWork);
  const zone = useZone();
  const now = useNow(60_000);
  const { go } = useListPlace(REPOSITORIES_PATH);
  const [isAttaching, setAttaching] = useState(false);
  const names = new Map(organizations?.map(({ id, name }) => [id, name]));
  const usages = new Map(listed?.rows.map((row) => [row.id, row]));
  const getOrganization = ({ organization }: BackupRepositoryRow): string =>
    names.get(organization) ?? '';
  const getJobs = ({ id }: BackupRepositoryRow) =>
    jobs?.filter(({ repository }) => repository === id) ?? [];
  const own = organizations?.filter(isBackedUpHere);
  // A server can share a repository among companies, so only who sees all of them creates one there.
  const seesAll = useMe()?.companies === null;
  const offered = seesAll ? organizations : own;
  const create = (
    <span className="inline-flex flex-wrap gap-2">
      <AttachButton mayAttach={(own ?? []).length > 0} onAttach={() => setAttaching(true)} />
      <CreateButton mayCreate={(offered ?? []).length > 0} />
    </span>
  );
  return (
    <>
      <SuiteList
        path={REPOSITORIES_PATH}
        title={t.title}
        searchLabel={t.search}
        rows={rows}
        renderFrame={(list) => <RepositoryTabs chosen="repositories">{list}</RepositoryTabs>}
        getSearchWords={(row) => [getOrganization(row), row.description]}
        getDescription={getOrganization}
        heads={[
          { label: t.repository, className: 'pl-5' },
          { label: t.used, className: 'w-24 text-right pr-6' },
          { label: t.points, className: 'w-20 text-right pr-6 max-desk:hidden' },
          { label: t.retention, className: 'w-[20%]' },
          { label: t.lockedUntil, className: 'w-[13%] max-desk:hidden' },
          { label: t.verified, className: 'w-[13%] max-desk:hidden' },
          { label: t.jobs, className: 'w-16 pr-5 text-right max-desk:hidden' },
        ]}
        renderCells={(row) => {
          const usage = usages.get(row.id);
          return (
            <>
              <ListCell label={t.used} className="tablet:pr-6 tablet:text-right">
                {usage?.usedBytes == null ? '–' : formatBytes(usage.usedBytes)}
              </ListCell>
              <ListCell className="text-right max-desk:hidden tablet:pr-6">
                {usage?.points ?? '–'}
              </ListCell>
              <ListCell label={t.retention}>
                <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-0.5">
                  {describeRetention(row)}
                  <RepositoryNotes row={row} zone={zone} />
                </span>
              </ListCell>
              <ListCell className="max-desk:hidden">
                {getObjectLock(row.target) === null
                  ? '–'
                  : formatLockedUntil(usage?.locks ?? null, zone)}
              </ListCell>
              <ListCell className="max-desk:hidden">
                <VerifiedNote row={row} now={now} />
              </ListCell>
              <ListCell className="text-right max-desk:hidden tablet:pr-5">
                {getJobs(row).length}
              </ListCell>
            </>
          );
        }}
        action={create}
        empty={{ icon: 'repository', title: t.none, hint: t.noneHint, action: create }}
        getPanelDetail={getOrganization}
        renderPanel={(row) => (
          <RepositoryDetails
            key={row.id}
            row={row}
            jobs={getJobs(row)}
            usage={usages.get(row.id) ?? null}
            onRequested={again}
            now={now}
            zone={zone}
          />
        )}
        newEntry={{
          title: t.newRepository,
          detail: t.noneHint,
          render: () =>
            offered == null ? (
              <span />
            ) : (
              <NewRepository organizations={offered} onDone={(id) => go({ open: id }, 'replace')} />
            ),
        }}
      />
      {isAttaching && (
        <AttachDialog
          organizations={own ?? []}
          onClose={() => setAttaching(false)}
          onDone={(id) => {
            setAttaching(false);
            go({ open: id, tab: null });
          }}
        />
      )}
    </>
  );
}

/** Opens the dialog that takes over a repository of another server. */
function AttachButton({
  mayAttach,
  onAttach,
}: {
  readonly mayAttach: boolean;
  readonly onAttach: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const seesAll = useMe()?.companies === null;
  if (!seesAll) return null;
  const why = offline ? MESSAGES.needsNetwork : mayAttach ? undefined : t.needsOrganization;
  return (
    <CallButton
      call="attachBackupRepository"
      disabled={why !== undefined}
      {...(why !== undefined && { 'data-tip': why })}
      onClick={onAttach}
    >
      {t.attachRepository}
    </CallButton>
  );
}

/** Opens the form of a new repository. A repository belongs to an organization. */
function CreateButton({ mayCreate }: { readonly mayCreate: boolean }) {
  const { go } = useListPlace(REPOSITORIES_PATH);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const why = offline ? MESSAGES.needsNetwork : mayCreate ? undefined : t.needsOrganization;
  return (
    <CallButton
      call="createBackupRepository"
      variant="primary"
      icon="plus"
      disabled={why !== undefined}
      {...(why !== undefined && { 'data-tip': why })}
      onClick={() => go({ open: 'new', tab: null })}
    >
      {t.newRepository}
    </CallButton>
  );
}

const ALL = { limit: '1000' };
const EMPTY = {};
