import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { ReactNode } from 'react';
import { dueAt } from '#contract/backup/jobs.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { Ms } from '#contract/ids.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { serverOrganizationMessages } from '../shared/organizations/messages.en.ts';
import { isRestorable } from '../shared/organizations/options.ts';
import type { RestorePlace } from './address.ts';
import { useOperator, type NamedOrganization } from './operator/context.ts';
import type { RestoreSession } from './use-restore-session.ts';
import { TEXTS } from './texts.ts';
import type { WorkloadPage } from './workload.ts';
import { restoreMessages as t } from './messages.en.ts';

export const Offline = () => (
  <Notice icon="offline" level={2} title={t.offline}>
    <p className="m-0">{t.offlineHint}</p>
  </Notice>
);

/** Why there is nothing to browse, and how to go on. */
export function NoSession({
  workload,
  session,
  organizations,
  organization,
  place,
}: {
  readonly workload: WorkloadPage;
  readonly session: RestoreSession;
  readonly organizations: readonly NamedOrganization[] | null;
  readonly organization: NamedOrganization | null;
  readonly place: RestorePlace;
}) {
  const { history } = useRouter();
  const isOperator = useOperator() !== null;
  const { state, failure, points } = session;
  const texts = TEXTS[workload.kind];
  const { icon } = texts;
  const madeAt = usePointTime(organization);
  const hasNone = state === 'none' && failure === null && points !== null && points.length === 0;
  const reload = useEffectEvent((): void => {
    if (hasNone) session.reopen();
  });
  useEffect(() => {
    if (madeAt > 0) reload();
  }, [madeAt]);
  if (
    organizations !== null &&
    organizations.length > 0 &&
    !organizations.some(isRestorable(workload.kind))
  )
    return (
      <Notice icon={icon} level={2} title={serverOrganizationMessages.restoreThere}>
        <p className="m-0">{serverOrganizationMessages.restoreThereHint}</p>
      </Notice>
    );
  const reopen = <Button onClick={session.reopen}>{t.reopen}</Button>;
  if (organizations === null) return <Waiting text={null} />;
  if (organizations.length === 0)
    return (
      <Notice
        icon="companies"
        level={2}
        title={t.noOrganizations}
        actions={
          <Button variant="primary" onClick={() => history.push('/o365/organizations/new/')}>
            {t.newOrganization}
          </Button>
        }
      >
        <p className="m-0">{t.noOrganizationsHint}</p>
      </Notice>
    );
  if (organization === null)
    return (
      <Notice icon={icon} level={2} title={t.chooseOrganization}>
        <p className="m-0">{place.organization === null ? t.chooseHint : t.organizationGone}</p>
      </Notice>
    );
  if (session.isStopped)
    return (
      <Notice icon="stop" level={2} title={t.stopped} actions={reopen}>
        <p className="m-0">{t.stoppedHint}</p>
      </Notice>
    );
  if (state === 'ended')
    return (
      <Notice icon="clock" level={2} title={t.ended} actions={reopen}>
        <p className="m-0">{failure === null ? t.endedHint : getFailureText(failure)}</p>
      </Notice>
    );
  if (state === 'none' && failure !== null)
    return (
      <Notice
        icon="failed"
        level={2}
        title={points !== null && points.length > 0 ? t.failed : t.pointsFailed}
        actions={offerRetry(failure, session.reopen)}
      >
        <p className="m-0">{getFailureText(failure)}</p>
      </Notice>
    );
  if (hasNone)
    return (
      <Notice
        icon={icon}
        level={2}
        title={t.noPoints}
        {...(!isOperator && {
          actions: <Button onClick={() => history.push('/o365/jobs')}>{t.openJobs}</Button>,
        })}
      >
        <p className="m-0">{texts.noPoints}</p>
        {!isOperator && <NextSession organization={organization} />}
      </Notice>
    );
  return <Waiting text={state === 'opening' ? t.opening : null} />;
}

const Waiting = ({ text }: { readonly text: string | null }): ReactNode => (
  <DelayedFallback>
    {text === null ? <PageLoading /> : <p className="m-0 px-5 py-4 text-ink-2">{text}</p>}
  </DelayedFallback>
);

/** When the last restore point of the organization was made; 0: there is none. */
function usePointTime(organization: NamedOrganization | null): Ms {
  const jobs = useWatch('backupJobs', EMPTY) ?? [];
  return Math.max(
    0,
    ...jobs
      .filter((job) => job.organization === organization?.id)
      .map(({ lastPointAt }) => lastPointAt ?? 0),
  );
}

/** When the next session of the organization's jobs runs. */
function NextSession({ organization }: { readonly organization: NamedOrganization }) {
  const zone = useZone();
  const jobs = (useWatch('backupJobs', EMPTY) ?? []).filter(
    (job) => job.organization === organization.id,
  );
  const running = jobs.find((job) => job.running !== null);
  if (running) return <p className="m-0">{t.runningNow({ job: running.name })}</p>;
  const [next] = jobs
    .flatMap((job): { readonly job: BackupJobRow; readonly at: number }[] => {
      const at = dueAt(job, zone);
      return at === null ? [] : [{ job, at }];
    })
    .toSorted((a, b) => a.at - b.at);
  return (
    <p className="m-0">
      {next === undefined
        ? t.noJob
        : t.nextRun({ job: next.job.name, when: formatWhen(next.at, zone) })}
    </p>
  );
}
const EMPTY = {};
