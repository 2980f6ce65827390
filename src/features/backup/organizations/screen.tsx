import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { ListCell, SuiteList } from '../../shared/suite-list/suite-list.tsx';
import { Moment } from '../moment.tsx';
import { OrganizationDetails } from './details.tsx';
import { ImportServer } from './import-server/dialog.tsx';
import { importServerMessages } from './import-server/messages.en.ts';
import { CertificateDays, HealthMark, getLastPoint } from './parts.tsx';
import { organizationMessages as t } from './messages.en.ts';

const ORGANIZATIONS_PATH = '/o365/organizations';

/** `/o365/organizations`: the Microsoft 365 tenants that are backed up. */
export function Organizations() {
  const rows = useWatch('organizations', EMPTY) ?? null;
  const jobs = useWatch('backupJobs', EMPTY) ?? null;
  const companies = useWatch('companies', EMPTY);
  const zone = useZone();
  const now = useNow(60_000);
  const names = new Map(companies?.map(({ n, name }) => [n, name]));
  const getCompany = ({ company }: OrganizationRow): string =>
    names.get(company) ?? t.companyNumber({ n: company });
  const getJobs = ({ id }: OrganizationRow): readonly BackupJobRow[] =>
    jobs?.filter(({ organization }) => organization === id) ?? [];
  const [isImporting, setImporting] = useState(false);
  const buttons = (
    <span className="inline-flex flex-wrap justify-center gap-2">
      <ImportButton onClick={() => setImporting(true)} />
      <NewButton />
    </span>
  );
  return (
    <>
      <SuiteList
        path={ORGANIZATIONS_PATH}
        title={t.title}
        searchLabel={t.search}
        rows={rows}
        getSearchWords={(row) => [row.officeName, getCompany(row)]}
        getDescription={({ officeName }) => officeName}
        heads={[
          { label: t.organization, className: 'pl-5' },
          { label: t.company, className: 'w-[18%]' },
          { label: t.state, className: 'w-[20%]' },
          { label: t.certificate, className: 'w-[13%] max-desk:hidden' },
          { label: t.lastPoint, className: 'w-[16%]' },
          { label: t.jobs, className: 'w-16 pr-5 text-right max-desk:hidden' },
        ]}
        renderCells={(row) => {
          const own = getJobs(row);
          return (
            <>
              <ListCell className="truncate" tip={getCompany(row)}>
                {getCompany(row)}
              </ListCell>
              <ListCell>
                <HealthMark row={row} jobs={own} now={now} />
              </ListCell>
              <ListCell className="max-desk:hidden">
                <CertificateDays row={row} now={now} zone={zone} />
              </ListCell>
              <ListCell label={t.lastPoint}>
                <Moment at={getLastPoint(own)} now={now} never={t.never} />
              </ListCell>
              <ListCell className="text-right max-desk:hidden tablet:pr-5">{own.length}</ListCell>
            </>
          );
        }}
        action={buttons}
        empty={{ icon: 'cloud', title: t.none, hint: t.noneHint, action: buttons }}
        getPanelDetail={(row) => getCompany(row)}
        renderPanel={(row, close) => (
          <OrganizationDetails
            key={row.id}
            row={row}
            company={getCompany(row)}
            jobs={getJobs(row)}
            now={now}
            zone={zone}
            onDeleted={close}
          />
        )}
      />
      {isImporting && <ImportServer zone={zone} onClose={() => setImporting(false)} />}
    </>
  );
}

/** Opens the dialog that imports the organizations of a server. */
function ImportButton({ onClick }: { readonly onClick: () => void }) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  return (
    <CallButton
      call="importServer"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={onClick}
    >
      {importServerMessages.open}
    </CallButton>
  );
}

/** Opens the wizard where its draft was left. */
function NewButton() {
  const { history } = useRouter();
  return (
    <CallButton
      call="createOrganization"
      variant="primary"
      icon="plus"
      onClick={() => history.push(`${ORGANIZATIONS_PATH}/new/`)}
    >
      {t.newOrganization}
    </CallButton>
  );
}

const EMPTY = {};
