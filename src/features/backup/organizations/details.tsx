import { formatList } from '#contract/i18n/list.ts';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { isBackedUpHere, type OrganizationRow } from '#contract/backup/organizations.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatCount, formatDate } from '#src/ui/format.ts';
import { JobLinks } from '../lists/job-links.tsx';
import { serverOrganizationMessages } from '../../shared/organizations/messages.en.ts';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import { Moment } from '../moment.tsx';
import { Access } from './access.tsx';
import { certificateAddress } from './certificate/address.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { authLabel, regionLabel, serviceLabels } from './labels.ts';
import { CertificateDays, Code, HealthMark, getLastPoint } from './parts.tsx';
import { Exclusions } from './exclusions/exclusions.tsx';
import { LegalHolds } from './legal-holds/legal-holds.tsx';
import { RestoreApproval } from './restore-approval.tsx';
import { organizationMessages as t } from './messages.en.ts';

/** An organization beside the list: its state, its connection, and what can be done with it. */
export function OrganizationDetails({
  row,
  company,
  jobs,
  now,
  zone,
  onDeleted,
}: {
  readonly row: OrganizationRow;
  readonly company: string;
  readonly jobs: readonly BackupJobRow[];
  readonly now: Ms;
  readonly zone: string;
  readonly onDeleted: () => void;
}) {
  const { history } = useRouter();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [isDeleting, setDeleting] = useState(false);
  const isImported = !isBackedUpHere(row);
  const [counted] =
    useCachedQuery('listOrganizations', EMPTY).value?.rows.filter(({ _id }) => _id === row.id) ??
    [];
  const server = counted?.server ?? null;
  return (
    <div className="min-h-0 overflow-auto px-4 pb-6 tablet:px-5">
      <p className="m-0 py-2">
        <HealthMark row={row} jobs={jobs} now={now} />
      </p>
      <div className="flex flex-wrap gap-2 pb-2">
        <CallButton
          call="updateOrganization"
          size="sm"
          disabled={isImported}
          {...(isImported && { 'data-tip': serverOrganizationMessages.managedByServer })}
          onClick={() => history.push(`/o365/organizations/new/1?edit=${row.id}`)}
        >
          {t.edit}
        </CallButton>
        {row.certificate !== null && (
          <CallButton
            call="renewCertificate"
            size="sm"
            icon="sync"
            onClick={() => history.push(certificateAddress(row))}
          >
            {t.renewCertificate}
          </CallButton>
        )}
        <CallButton
          call="deleteOrganization"
          size="sm"
          icon="trash"
          disabled={offline}
          {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
          onClick={() => setDeleting(true)}
        >
          {t.deleteOrganization}
        </CallButton>
      </div>
      {!isImported && <Access id={row.id} name={row.name} lacking={row} />}
      {server?.problem != null && (
        <Callout tone="warning">{t.serverProblem({ reason: server.problem })}</Callout>
      )}
      <FactList
        facts={[
          [t.lastPoint, <Moment key="point" at={getLastPoint(jobs)} now={now} never={t.never} />],
          ...(counted === undefined || isImported
            ? []
            : [
                [
                  t.protectedUsers,
                  counted.objects < counted.protected
                    ? t.protectedCount({ count: counted.protected })
                    : t.protectedOf({
                        count: formatCount(counted.protected),
                        total: formatCount(counted.objects),
                      }),
                ] as const,
              ]),
          [t.services, formatList(serviceLabels(row), 'plain')],
          [t.domain, row.officeName],
          [t.region, regionLabel(row.region)],
          [t.signIn, authLabel(row.authType)],
          ...(isImported
            ? []
            : [
                [
                  t.certificate,
                  <CertificateDays key="certificate" row={row} now={now} zone={zone} />,
                ] as const,
              ]),
          ...(row.certificate === null
            ? []
            : [
                [t.thumbprint, <Code key="thumbprint">{row.certificate.thumbprint}</Code>] as const,
              ]),
          ...(row.directoryId === null
            ? []
            : [[t.tenantId, <Code key="tenant">{row.directoryId}</Code>] as const]),
          ...(row.applicationId === null
            ? []
            : [[t.applicationId, <Code key="application">{row.applicationId}</Code>] as const]),
          [t.engine, row.engine === 'embedded' ? t.embedded : t.vb365],
          ...(server === null
            ? []
            : [
                [t.server, <Code key="server">{new URL(server.address).host}</Code>] as const,
                ...(server.version === null ? [] : [[t.serverVersion, server.version] as const]),
                [
                  t.serverRead,
                  <Moment key="read" at={server.readAt} now={now} never={t.notReadYet} />,
                ] as const,
              ]),
          [t.created, formatDate(row.createdAt, zone)],
        ]}
      />
      <h3 className="m-0 border-b border-head-rule pt-5 pb-1 text-[length:inherit]">
        {t.backupJobs}
      </h3>
      {jobs.length === 0 ? (
        <p className="m-0 py-2 text-ink-2">{t.noJobs}</p>
      ) : (
        <JobLinks jobs={jobs} />
      )}
      {!isImported && <LegalHolds row={row} now={now} zone={zone} />}
      <Exclusions row={row} zone={zone} />
      {!isImported && <RestoreApproval row={row} />}
      {isDeleting && (
        <DeleteOrganization
          row={row}
          company={company}
          jobs={jobs}
          zone={zone}
          onDeleted={onDeleted}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

const EMPTY = {};
