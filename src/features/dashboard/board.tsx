import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { CompanyN } from '#contract/ids.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { useNow } from '#src/app/clock.ts';
import { withoutCompanies } from '#src/features/shared/companies-filter.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { formatDay, formatRecent } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { bringCharts } from '#src/ui/charts/lazy-charts.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { SyncNotices } from '../shared/runs/sync-notices.tsx';
import { boardAddress, parseDashboardAddress } from './address.ts';
import { searchAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from './address.ts';
import { getDayColumns } from '../shared/charts/day-columns.ts';
import { unprotected } from './computers.ts';
import { EmptyBoard, NothingYet } from './empty.tsx';
import { Parts } from './parts.tsx';
import { fillingUp } from '../shared/capacity.ts';
import { getHistory, toDayRange } from '../shared/date-range/day-range.ts';
import { Tools } from './tools.tsx';
import { usePolledQuery } from '../shared/queries/use-polled-query.ts';
import { dashboardMessages as t } from './messages.en.ts';

/** The page that most lines open. */
const list = () => import('../daily-checks/screen.tsx');
const EMPTY = {};

/** The dashboard of one user. */
export function BoardScreen({ me, branding }: { readonly me: Me; readonly branding: Branding }) {
  const { history } = useRouter();
  const board = withoutCompanies(
    parseDashboardAddress(useRouterState({ select: ({ location }) => location.searchStr })),
    can(me.roles, 'monitoring.companies-filter'),
  );
  const now = useNow();
  const [text, setText] = useState('');
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const zone = rule.zone;
  const stretch = toDayRange(board.span, dayAt(now, rule), rule);
  const longer = getHistory(stretch, rule);
  const { companies, instructionTypes } = board;
  const overview = useWatch('overview', {
    from: stretch.from,
    to: stretch.to,
    companies,
    instructionTypes,
  });
  const past = useWatch('overview', {
    from: longer.from,
    to: longer.to,
    companies,
    instructionTypes,
  });
  const status = useWatch('status', EMPTY);
  const known = useWatch('companies', EMPTY);
  const canOpen = can(me.roles, 'monitoring.daily-checks');
  const canSeeRepositories = can(me.roles, 'monitoring.repositories');
  const repositories = usePolledQuery('listRepositories', EMPTY, canSeeRepositories);
  const computers = usePolledQuery('listComputersNow', EMPTY, canOpen);
  const sync = useWatch('lastSync', EMPTY) ?? null;
  useEffect(() => prefetch(bringCharts, ...(canOpen ? [list] : [])), [canOpen]);

  const setBoard = (next: DashboardBoard): void => history.push(boardAddress(next));
  const companyName = (n: CompanyN): string =>
    known?.find((one) => one.n === n)?.name ?? t.unknownCompany({ number: n });
  const formatAge = (at: number): string => formatRecent(at, zone, now);
  const bare = computers.value === null ? [] : unprotected(computers.value, companies, now);
  const arriving = status?.kind === 'catching-up' ? status.left : 0;
  // Without any report there are no figures, unless a script has reported computers or
  // repositories.
  const begins =
    overview?.newestAt === null &&
    (repositories.value ?? []).length === 0 &&
    (computers.value ?? []).length === 0;

  return (
    <Page
      title={t.dashboard}
      detail={formatDay(now, zone)}
      {...(canOpen && {
        search: (
          <SearchField
            label={t.search}
            value={text}
            focusKey="/"
            onChange={setText}
            onLeave={() => {
              if (text.trim() !== '') history.push(searchAddress(text));
            }}
          />
        ),
      })}
    >
      <div className="min-h-full bg-sheet pb-6">
        <SyncNotices status={status} newestAt={overview?.newestAt ?? null} zone={zone} now={now} />
        {!overview || !past || (begins && arriving > 0) ? (
          overview === null && (status?.kind === 'offline' || status?.kind === 'server-trouble') ? (
            <EmptyBoard
              why="nothing-kept"
              board={board}
              overview={null}
              onBoard={setBoard}
              zone={zone}
            />
          ) : (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )
        ) : begins ? (
          <NothingYet />
        ) : (
          <>
            <Tools
              board={board}
              stretch={stretch}
              overview={overview}
              companies={known ?? []}
              rule={rule}
              now={now}
              arriving={arriving}
              onBoard={setBoard}
            />
            <Parts
              board={board}
              stretch={stretch}
              overview={overview}
              past={past}
              columns={getDayColumns(past.days)}
              rule={rule}
              now={now}
              rankings={can(me.roles, 'monitoring.rankings')}
              canSeeRepositories={canSeeRepositories}
              canOpen={canOpen}
              repositories={repositories}
              filling={
                repositories.value === null ? [] : fillingUp(repositories.value, companies, now)
              }
              computers={computers}
              bare={bare}
              sync={sync}
              companyName={companyName}
              formatAge={formatAge}
              onBoard={setBoard}
            />
          </>
        )}
      </div>
    </Page>
  );
}
