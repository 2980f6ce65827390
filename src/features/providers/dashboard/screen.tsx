import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { BarList } from '#src/ui/bar-list.tsx';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { formatBytes, formatCount, formatTime, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import { DashboardPart } from './part.tsx';
import {
  countTroubles,
  getBackupFigures,
  getProviderFigures,
  getSubscriptionFigures,
  roleCounts,
  storageTroubles,
} from './figures.ts';
import type { ProviderFigure, ProviderIssue } from './figures.ts';
import { ProviderRows } from './provider-table.tsx';
import { adminOverviewMessages as t } from './messages.en.ts';

/**
 * `/admin/dashboard`: status of the user's provider and those below it, refreshed every half
 * minute.
 */
export function AdminDashboard() {
  const zone = useZone();
  const now = useNow(30_000);
  const { value, at, live, failure, isLoading, again } = useCachedQuery('getAdminOverview', EMPTY, {
    everyMs: EVERY_MS,
  });
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const detail =
    value === null
      ? undefined
      : t.providersAsOf({ count: value.providers.length, time: formatTime(value.at, zone) });
  return (
    <Page
      title={t.overview}
      {...(detail !== undefined && { detail })}
      action={
        <Button icon="sync" busy={isLoading} disabled={offline} onClick={again}>
          {t.refresh}
        </Button>
      }
    >
      <div className="min-h-full bg-sheet px-4 pt-5 pb-8 desk:px-6">
        {failure !== null && (
          <div className="pb-4">
            <RetryCallout failure={failure} offline={offline} onRetry={again}>
              {failure.message}
              {at !== null && !live && (
                <span className="block text-agate text-ink-3">
                  {t.figuresFrom({ when: formatWhen(at, zone) })}
                </span>
              )}
            </RetryCallout>
          </div>
        )}
        {value === null ? (
          failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : (
          <>
            <Figures label={t.totals} figures={getProviderFigures(value.providers)} />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 pt-6 desk:grid-cols-[minmax(0,1fr)_minmax(0,320px)]">
              <DashboardPart title={t.needsAttention} detail={t.needsAttentionHint}>
                {value.storage?.state === 'ok' && (
                  <p className="m-0 py-2 text-ink-2">
                    {t.diskFree({
                      free: formatBytes(value.storage.freeBytes),
                      total: formatBytes(value.storage.totalBytes),
                    })}
                  </p>
                )}
                {value.storage?.flushes === true && (
                  <p className="m-0 py-2 text-ink-2">{t.diskFlushed}</p>
                )}
                <Troubles
                  troubles={[
                    ...storageTroubles(value.storage),
                    ...countTroubles(value.providers, now),
                  ]}
                  several={value.providers.length > 1}
                  zone={zone}
                />
              </DashboardPart>
              <DashboardPart title={t.usersByRole} detail={t.usersByRoleHint}>
                <BarList
                  entries={roleCounts(value.providers).map(({ role, users }) => ({
                    key: role,
                    title: ROLE_NAMES[role],
                    value: users,
                    description: formatCount(users),
                  }))}
                  empty={t.noUsers}
                />
              </DashboardPart>
            </div>
            <FigurePart
              title={t.backup}
              detail={t.backupHint}
              figures={getBackupFigures(value.providers)}
            />
            <FigurePart
              title={t.subscriptions}
              detail={t.subscriptionsHint}
              figures={getSubscriptionFigures(value.providers)}
              link={
                <Link
                  to="/admin/subscriptions"
                  className="inline-block pt-2 text-accent underline pointer-coarse:min-h-11 pointer-coarse:content-center"
                >
                  {t.allSubscriptions}
                </Link>
              }
            />
            <DashboardPart title={t.providers} detail={t.providersHint} className="pt-6">
              <ProviderRows providers={value.providers} zone={zone} now={now} />
            </DashboardPart>
          </>
        )}
      </div>
    </Page>
  );
}

/** Figures in a row, on a phone two by two. */
const Figures = ({
  label,
  figures,
}: {
  readonly label: string;
  readonly figures: readonly ProviderFigure[];
}) => (
  <dl
    aria-label={label}
    className={`m-0 grid grid-cols-2 border-b border-b-rule tablet:grid-cols-4 ${figures.length > 4 ? 'border-t-2 border-t-head-rule wide:grid-cols-8' : ''}`}
  >
    {figures.map(({ name, value, description }) => (
      <div key={name} className="grid min-w-0 content-start border-b border-hair py-3 pr-3">
        <dt className="font-semibold">{name}</dt>
        <dd className="m-0 pt-1 text-head leading-8">{value}</dd>
        <dd className="m-0 text-agate text-ink-3">{description}</dd>
      </div>
    ))}
  </dl>
);

const FigurePart = ({
  title,
  detail,
  figures,
  link,
}: {
  readonly title: string;
  readonly detail: string;
  readonly figures: readonly ProviderFigure[];
  readonly link?: ReactNode;
}) =>
  figures.length > 0 && (
    <DashboardPart title={title} detail={detail} className="pt-6">
      <Figures label={title} figures={figures} />
      {link}
    </DashboardPart>
  );

function Troubles({
  troubles,
  several,
  zone,
}: {
  readonly troubles: readonly ProviderIssue[];
  readonly several: boolean;
  readonly zone: string;
}) {
  if (troubles.length === 0) {
    return (
      <p className="m-0 flex items-center gap-2 py-3 text-ink-2">
        <Icon name="success" className="text-success" />
        {t.allClear}
      </p>
    );
  }
  return (
    <ul className="m-0 list-none p-0">
      {troubles.slice(0, MAX_SHOWN).map(({ key, tone, label, title, detail, provider, at }) => (
        <li
          key={key}
          className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-b border-hair py-2 tablet:grid-cols-[104px_minmax(0,1fr)_auto]"
        >
          <span
            className={`flex items-center gap-1.5 ${tone === 'failed' ? 'font-semibold text-failed' : 'text-warning'}`}
          >
            <Icon name={tone} />
            {label}
          </span>
          <span className="col-span-2 row-start-2 min-w-0 tablet:col-span-1 tablet:col-start-2 tablet:row-start-1">
            <b className="block truncate" data-tip={title}>
              {title}
            </b>
            <span className="block text-agate break-words text-ink-2">
              {several ? `${provider}: ` : ''}
              {detail}
            </span>
          </span>
          <span className="text-right whitespace-nowrap text-ink-2">
            {at === null ? '' : formatWhen(at, zone)}
          </span>
        </li>
      ))}
      {troubles.length > MAX_SHOWN && (
        <li className="py-2 text-ink-2">{t.moreIssues({ count: troubles.length - MAX_SHOWN })}</li>
      )}
    </ul>
  );
}

const MAX_SHOWN = 50;
const EMPTY = {};
const EVERY_MS = 30_000;
