import type { ReactNode } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { useZone } from '#src/app/session/session.ts';
import { BarList } from '#src/ui/bar-list.tsx';
import { formatBytes, formatCount, formatDate, formatUtc } from '#src/ui/format.ts';
import { Spark } from '#src/ui/charts/spark.tsx';
import { usePolledQuery } from '../../shared/queries/use-polled-query.ts';
import type { PolledQuery } from '../../shared/queries/use-polled-query.ts';
import { FromServer, DashboardSection } from '../../shared/section.tsx';
import { retentionLabel } from '../repositories/retention-label.ts';
import type { StateLabel } from '../state-label.ts';
import { StateText } from '../state-text.tsx';
import { stateLabel } from '../jobs/labels.ts';
import { backupDashboardMessages as t } from './messages.en.ts';

const ORGANIZATIONS = '/o365/organizations';

/** The six sections of figures. Each says what it counts and links to its list. */
export function Sections({
  status,
}: {
  readonly status: PolledQuery<OutputOf<'getBackupStatus'>>;
}) {
  return (
    <div className="grid gap-x-8 gap-y-6 tablet:grid-cols-2 min-[1360px]:grid-cols-3">
      <BackupStatus status={status} />
      <UsersStatus />
      <LicenseActivity />
      <Licenses />
      <HighestStorageUsers />
      <Retention />
    </div>
  );
}

function BackupStatus({ status }: { readonly status: PolledQuery<OutputOf<'getBackupStatus'>> }) {
  return (
    <DashboardSection title={t.backupStatus} href="/o365/jobs">
      <Hint>{t.backupStatusHint}</Hint>
      <FromServer query={status} formatAge={formatUtc}>
        {({ sessions }) => (
          <Rows
            rows={STATES.map((state) => [
              <StateText key={state} label={getLabel(state, sessions[state])} />,
              formatCount(sessions[state]),
            ])}
          />
        )}
      </FromServer>
    </DashboardSection>
  );
}

const STATES = ['success', 'warning', 'failed', 'cancelled', 'running'] as const;
/** A state that nothing is in recedes. */
const getLabel = (state: (typeof STATES)[number], count: number): StateLabel => ({
  ...stateLabel(state),
  label: t[state],
  ...(count === 0 && { text: 'text-ink-2' }),
});

function UsersStatus() {
  const query = usePolledQuery('getUsersStatus', EMPTY, true);
  return (
    <DashboardSection title={t.usersStatus} href={ORGANIZATIONS}>
      <Hint>{t.usersStatusHint}</Hint>
      <FromServer query={query} formatAge={formatUtc} lines={3}>
        {({ protected: count, left, unprotected }) => (
          <Rows
            rows={[
              [t.protected, formatCount(count)],
              [
                t.unprotected,
                unprotected === null ? (
                  <span key="unknown" className="text-ink-3">
                    {t.directoryUnknown}
                  </span>
                ) : (
                  formatCount(unprotected)
                ),
              ],
              [t.left, formatCount(left)],
            ]}
          />
        )}
      </FromServer>
    </DashboardSection>
  );
}

function LicenseActivity() {
  const query = usePolledQuery('getLicenseActivity', EMPTY, true);
  return (
    <DashboardSection title={t.licenseActivity} href="/o365/license-consumption">
      <Hint>{t.licenseActivityHint}</Hint>
      <FromServer query={query} formatAge={formatUtc} lines={2}>
        {({ days }) => (
          <>
            <p className="m-0 py-2 text-head">
              {t.newUsers({ count: days.reduce((sum, { added }) => sum + added, 0) })}
            </p>
            <Spark values={days.map(({ added }) => added)} width={260} height={40} />
          </>
        )}
      </FromServer>
    </DashboardSection>
  );
}

function Licenses() {
  const query = usePolledQuery('getLicenses', EMPTY, true);
  return (
    <DashboardSection title={t.licenses} href="/o365/licensing">
      <Hint>{t.licensesHint}</Hint>
      <FromServer query={query} formatAge={formatUtc}>
        {({ used, organizations }) => (
          <>
            <p className="m-0 py-2 text-head">{t.used({ count: used })}</p>
            <Rows
              rows={organizations
                .slice(0, SHOWN)
                .map(({ organizationName, used: own }) => [organizationName, formatCount(own)])}
            />
            {organizations.length > SHOWN && (
              <p className="m-0 py-2 text-ink-2">
                {t.moreOrganizations({ count: organizations.length - SHOWN })}
              </p>
            )}
          </>
        )}
      </FromServer>
    </DashboardSection>
  );
}

function HighestStorageUsers() {
  const query = usePolledQuery('listHighestStorageUsers', EMPTY, true);
  return (
    <DashboardSection title={t.highestStorage} href="/o365/repositories">
      <Hint>{t.highestStorageHint}</Hint>
      <FromServer query={query} formatAge={formatUtc}>
        {({ rows }) => (
          <BarList
            empty={t.noStorage}
            entries={rows.map(({ name, organizationId, organizationName, bytes }, index) => ({
              key: `${organizationId} ${index}`,
              title: name,
              detail: organizationName,
              value: bytes,
              description: formatBytes(bytes),
            }))}
          />
        )}
      </FromServer>
    </DashboardSection>
  );
}

function Retention() {
  const query = usePolledQuery('getRetentionStatus', EMPTY, true);
  const zone = useZone();
  return (
    <DashboardSection title={t.retention} href="/o365/repositories">
      <Hint>{t.retentionHint}</Hint>
      <FromServer query={query} formatAge={formatUtc}>
        {({ policies }) =>
          policies.length === 0 ? (
            <p className="m-0 py-3 text-ink-2">{t.noRepositories}</p>
          ) : (
            <Rows
              rows={policies.map(({ retentionPolicy, repositories, points, oldestPointAt }) => [
                retentionLabel(retentionPolicy),
                <span key={retentionPolicy}>
                  {t.retentionCounts({ repositories, points })}
                  {oldestPointAt !== null && (
                    <span className="block text-agate text-ink-3">
                      {t.oldest({ day: formatDate(oldestPointAt, zone) })}
                    </span>
                  )}
                </span>,
              ])}
            />
          )
        }
      </FromServer>
    </DashboardSection>
  );
}

/** What a section counts. */
const Hint = ({ children }: { readonly children: string }) => (
  <p className="m-0 pt-1.5 text-agate text-ink-3">{children}</p>
);

/** Figures with their names. */
function Rows({
  rows,
}: {
  readonly rows: readonly (readonly [name: ReactNode, value: ReactNode])[];
}) {
  return (
    <ul className="m-0 list-none p-0">
      {rows.map(([name, value], index) => (
        <li
          key={index}
          className="flex min-h-9 items-center justify-between gap-4 border-b border-hair py-1.5"
        >
          <span className="min-w-0 break-words">{name}</span>
          <span className="min-w-0 text-right tabular-nums">{value}</span>
        </li>
      ))}
    </ul>
  );
}

/** How many organizations are listed. */
const SHOWN = 5;
const EMPTY = {};
