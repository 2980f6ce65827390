import { useParams, useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { restorePlace } from '../address.ts';
import { RestorePage } from '../screen.tsx';
import { ONEDRIVE, OUTLOOK, SHAREPOINT, TEAMS, type WorkloadPage } from '../workload.ts';
import { getServicePath, CONSOLE_SERVICES, type ConsoleService } from './address.ts';
import { OperatorContext } from './context.ts';
import { operatorMessages as t } from './messages.en.ts';

const WORKLOADS: Readonly<Record<ConsoleService, WorkloadPage>> = {
  outlook: { ...OUTLOOK, page: getServicePath('outlook') },
  onedrive: { ...ONEDRIVE, page: getServicePath('onedrive') },
  sharepoint: { ...SHAREPOINT, page: getServicePath('sharepoint') },
  teams: { ...TEAMS, page: getServicePath('teams') },
};

/** `/restore/outlook` and the others: what a restore operator sees and restores. */
export function OperatorConsole() {
  const { history } = useRouter();
  const { service: wanted } = useParams({ strict: false }) as { readonly service?: string };
  const query = useRouterState({ select: ({ location }) => location.searchStr });
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const portal = useBranding()?.features.office365.restorePortal;
  const { value, failure, again } = useQuery('getOperatorConsole', {});
  const open = CONSOLE_SERVICES.filter((one) => portal?.[one] === true);
  const service = open.find((one) => one === wanted) ?? open[0];
  if (value === null)
    return (
      <Page title={t.title}>
        {failure === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          <Notice
            icon={offline ? 'offline' : 'failed'}
            level={2}
            title={t.title}
            actions={offerRetry(failure, again)}
          >
            <p className="m-0">{offline ? t.offline : getFailureText(failure)}</p>
          </Notice>
        )}
      </Page>
    );
  const { organizations, isAdministrator } = value;
  if (isAdministrator)
    return (
      <Page title={t.title}>
        <Notice
          icon="history"
          level={2}
          title={t.administrator}
          actions={
            <Button variant="primary" onClick={() => history.push('/o365/restore/outlook')}>
              {t.openSuite}
            </Button>
          }
        >
          <p className="m-0">{t.administratorHint}</p>
        </Notice>
      </Page>
    );
  if (organizations.length === 0 || service === undefined)
    return (
      <Page title={t.title}>
        <Notice icon="lock" level={2} title={t.noRole}>
          <p className="m-0">{t.noRoleHint}</p>
        </Notice>
      </Page>
    );
  const chosen = restorePlace(query).organization;
  const rights = organizations.find(({ id }) => id === chosen) ?? organizations[0] ?? NO_RIGHTS;
  return (
    <OperatorContext value={rights}>
      <div className="grid h-full min-w-0 grid-rows-[minmax(0,1fr)_auto] tablet:grid-rows-[auto_minmax(0,1fr)]">
        <Services open={open} current={service} />
        <div className="min-h-0 min-w-0 max-tablet:row-start-1">
          <RestorePage key={service} workload={WORKLOADS[service]} organizations={organizations} />
        </div>
      </div>
    </OperatorContext>
  );
}

/** The services, above the page; below it on a phone. */
function Services({
  open,
  current,
}: {
  readonly open: readonly ConsoleService[];
  readonly current: ConsoleService;
}): ReactNode {
  return (
    <nav
      aria-label={t.services}
      className="flex gap-1 border-b border-rule bg-paper px-2 max-tablet:border-t max-tablet:border-b-0 tablet:px-5"
    >
      {open.map((service) => (
        <SectionLink
          key={service}
          href={getServicePath(service)}
          {...(service === current && { 'aria-current': 'page' as const })}
          className="inline-flex min-h-10 items-center border-b-2 border-transparent px-3 text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-ink pointer-coarse:min-h-11"
        >
          {getLabel(service)}
        </SectionLink>
      ))}
    </nav>
  );
}

const getLabel = (service: ConsoleService): string =>
  ({ outlook: t.mail, onedrive: t.files, sharepoint: t.sites, teams: t.teams })[service];

const NO_RIGHTS = { mayRead: false, mayDownload: false, needsSecondPerson: false };
const EMPTY = {};
