import { useState } from 'react';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { isBackedUpHere } from '#contract/backup/organizations.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { Select } from '#src/ui/select.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { ListCell, SuiteList, useListPlace } from '../../shared/suite-list/suite-list.tsx';
import { REPOSITORIES_PATH, RepositoryTabs } from '../repositories/tabs.tsx';
import { ImportDetails } from './details.tsx';
import { importMessages as t } from './messages.en.ts';
import { NewImport } from './new-import.tsx';
import { type ImportOutput, ImportStateLine, isEnded } from './state-line.tsx';
import { useUploads } from './uploads.ts';

/** The tab with the imports of an organization. */
export function ImportList() {
  const organizations = useWatch('organizations', EMPTY)?.filter(isBackedUpHere);
  const repositories = useWatch('backupRepositories', EMPTY) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [isWorking, setWorking] = useState(false);
  const [adding, setAdding] = useState<{ readonly again: ImportOutput | null } | null>(null);
  const { go } = useListPlace(REPOSITORIES_PATH);
  const zone = useZone();
  const uploads = useUploads();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const usable = (organizations ?? []).filter(({ id }) => hasRepository(repositories, id));
  const organizationId = chosen ?? usable[0]?.id ?? organizations?.[0]?.id ?? '';
  const { value, failure, again } = useQuery(
    'listImports',
    { organizationId },
    organizationId !== '',
    { everyMs: isWorking ? 2_000 : null },
  );
  const hasWork = value?.rows.some((row) => !isEnded(row)) ?? false;
  if (hasWork !== isWorking) setWorking(hasWork);
  const why = offline ? MESSAGES.needsNetwork : usable.length === 0 ? t.needsRepository : undefined;
  const add = (
    <CallButton
      call="createImport"
      variant="primary"
      icon="plus"
      disabled={why !== undefined}
      {...(why !== undefined && { 'data-tip': why })}
      onClick={() => setAdding({ again: null })}
    >
      {t.newImport}
    </CallButton>
  );
  const getUpload = (id: string) => uploads.find((upload) => upload.id === id);
  const rows = organizationId === '' ? (organizations == null ? null : []) : (value?.rows ?? null);
  return (
    <>
      <SuiteList
        path={REPOSITORIES_PATH}
        title={t.title}
        searchLabel={t.search}
        rows={failure !== null && rows === null ? [] : rows}
        renderFrame={(list) => (
          <RepositoryTabs chosen="imports">
            {(organizations?.length ?? 0) > 1 && (
              <div className="border-b border-hair px-4 py-2 tablet:px-5">
                <Select
                  label={t.organization}
                  value={organizationId}
                  options={(organizations ?? []).map(({ id, name }) => ({
                    value: id,
                    label: name,
                  }))}
                  onChange={(id) => {
                    setChosen(id);
                    go({ open: null });
                  }}
                />
              </div>
            )}
            {failure !== null && !offline && (
              <div className="px-4 py-3 tablet:px-5">
                <RetryCallout failure={failure} onRetry={again}>
                  {getFailureText(failure)}
                </RetryCallout>
              </div>
            )}
            {list}
          </RepositoryTabs>
        )}
        getSearchWords={({ mailbox }) => [mailbox]}
        getDescription={({ mailbox }) => mailbox}
        heads={[
          { label: t.source, className: 'pl-5' },
          { label: t.state, className: 'w-[28%]' },
          { label: t.items, className: 'w-24 pr-6 text-right' },
          { label: t.created, className: 'w-40 pr-5 max-desk:hidden' },
        ]}
        renderCells={(row) => (
          <>
            <ListCell>
              <ImportStateLine row={row} upload={getUpload(row.id)} />
            </ListCell>
            <ListCell label={t.items} className="tablet:pr-6 tablet:text-right">
              {formatCount(row.counts.imported)}
            </ListCell>
            <ListCell className="max-desk:hidden tablet:pr-5">
              {formatWhen(row.createdAt, zone)}
            </ListCell>
          </>
        )}
        action={add}
        empty={{
          icon: 'archive',
          title: t.none,
          hint: t.noneHint,
          action: add,
        }}
        getPanelDetail={({ mailbox }) => mailbox}
        renderPanel={(row) => (
          <ImportDetails
            key={row.id}
            row={row}
            upload={getUpload(row.id)}
            zone={zone}
            onChanged={again}
            onAgain={() => setAdding({ again: row })}
          />
        )}
      />
      {adding !== null && (
        <NewImport
          organizations={usable}
          repositories={repositories}
          mailboxes={value?.mailboxes ?? []}
          again={adding.again}
          zone={zone}
          organizationId={usable.some(({ id }) => id === organizationId) ? organizationId : ''}
          onClose={() => setAdding(null)}
          onDone={(organization, id) => {
            setAdding(null);
            setChosen(organization);
            again();
            go({ open: id });
          }}
        />
      )}
    </>
  );
}

const hasRepository = (rows: readonly BackupRepositoryRow[], organization: string): boolean =>
  rows.some((row) => row.organization === organization && row.removedAt === null);

const EMPTY = {};
