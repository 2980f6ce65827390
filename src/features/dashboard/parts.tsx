import { useRouter } from '@tanstack/react-router';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { ComputerOut, RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { formatTime } from '#src/ui/format.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from './address.ts';
import { attentionLines, openWords } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { daysAColumn } from '../shared/charts/day-columns.ts';
import type { ChartColumn } from '../shared/charts/day-columns.ts';
import { EmptyBoard } from './empty.tsx';
import { Groups } from './groups.tsx';
import { HistoryChart } from './history-chart.tsx';
import { Rankings } from './rankings.tsx';
import { mostPressing } from '../shared/capacity.ts';
import type { Filling } from '../shared/capacity.ts';
import { RepositoryList } from './repository-list.tsx';
import { FromServer, DashboardSection } from '../shared/section.tsx';
import { Stat } from './stat.tsx';
import { SyncList } from './sync-list.tsx';
import { getHistory, toDayRange } from '../shared/date-range/day-range.ts';
import type { DayRange } from '../shared/date-range/day-range.ts';
import { Unprotected } from './unprotected.tsx';
import type { PolledQuery } from '../shared/queries/use-polled-query.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface PartsProps {
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly overview: Overview;
  /** The days of the chart. */
  readonly past: Overview;
  readonly columns: readonly ChartColumn[];
  readonly rule: DayRule;
  readonly now: Ms;
  /** What the user may see: rankings, repositories, and the result list with the computers. */
  readonly rankings: boolean;
  readonly canSeeRepositories: boolean;
  readonly canOpen: boolean;
  readonly repositories: PolledQuery<readonly RepositoryOut[]>;
  readonly filling: readonly Filling[];
  readonly computers: PolledQuery<readonly ComputerOut[]>;
  readonly bare: readonly ComputerOut[];
  readonly sync: LastSync | null;
  readonly companyName: (n: CompanyN) => string;
  readonly formatAge: (at: Ms) => string;
  readonly onBoard: (next: DashboardBoard) => void;
}

/** Everything below the toolbar. */
export function Parts(props: PartsProps) {
  const {
    board,
    stretch,
    overview,
    past,
    columns,
    rule,
    now,
    rankings,
    canSeeRepositories,
    canOpen,
    filling,
    bare,
    companyName,
    onBoard,
  } = props;
  const { history } = useRouter();
  const ask = { companies: board.companies, instructionTypes: board.instructionTypes };
  const lines = attentionLines(overview.attention, {
    failed: props.sync?.failed ?? [],
    filling,
    computers: bare,
  });
  const stat = { board, stretch, overview, columns, canOpen, rule, now, onBoard };
  const dull = overview.now.runs === 0;
  const size = daysAColumn(past.days.length);
  return (
    <div className="px-4 desk:px-6">
      {dull && (
        <EmptyBoard
          why={overview.newestAt === null ? 'no-results' : 'none-in-time'}
          board={board}
          overview={overview}
          onBoard={onBoard}
          zone={rule.zone}
        />
      )}
      <ul
        aria-label={t.figures}
        className={`m-0 grid list-none grid-cols-1 border-t-2 border-b border-t-head-rule border-b-rule p-0 phone:grid-cols-2 tablet:grid-cols-3 ${canOpen ? 'desk:grid-cols-5' : 'desk:grid-cols-4'}`}
      >
        {(['success', 'failed', 'missed', 'anomaly'] as const).map((name) => (
          <Stat key={name} {...stat} name={name} />
        ))}
        {canOpen && (
          <Unprotected
            board={board}
            query={props.computers}
            columns={columns}
            rule={rule}
            now={now}
            companyName={companyName}
            onBoard={onBoard}
          />
        )}
      </ul>
      <Groups board={board} stretch={stretch} overview={overview} canOpen={canOpen} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 pt-6 desk:grid-cols-[minmax(0,1fr)_clamp(360px,36%,452px)] wide:grid-cols-[minmax(0,1fr)_minmax(0,640px)]">
        <DashboardSection
          title={t.needsAttention}
          href={
            canOpen
              ? resultsAddress({
                  ...ask,
                  days: getHistory(toDayRange({ kind: 'today' }, dayAt(now, rule), rule), rule)
                    .days,
                  pending: true,
                })
              : null
          }
          detail={<span data-tip={t.openProblemsHint}>{openWords(overview.pending)}</span>}
        >
          {lines.length === 0 ? (
            <p className="m-0 py-3 text-ink-2">{t.nothingNeedsAttention}</p>
          ) : (
            <AttentionList
              lines={lines}
              board={board}
              canOpen={canOpen}
              rule={rule}
              now={now}
              companyName={companyName}
            />
          )}
        </DashboardSection>
        <HistoryChart
          title={
            size === 1 ? t.resultsPerDay : size === 7 ? t.resultsPerWeek : t.resultsPerFourWeeks
          }
          detail={t.dayCount({ count: past.days.length })}
          columns={columns}
          getHref={canOpen ? ({ days }) => resultsAddress({ ...ask, days }) : null}
          onOpen={(href) => history.push(href)}
        />
      </div>
      <div
        className={`grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-6 pt-6 tablet:grid-cols-2 ${rankings && canSeeRepositories ? 'desk:grid-cols-[1fr_1fr_1fr_1.3fr_1.3fr]' : 'desk:grid-cols-[repeat(auto-fill,minmax(300px,1fr))]'}`}
      >
        {rankings && (
          <Rankings board={board} stretch={stretch} overview={overview} canOpen={canOpen} />
        )}
        {canSeeRepositories && (
          <DashboardSection
            title={t.repositoriesFillUp}
            href="/monitoring/repositories"
            place="repositories"
          >
            <FromServer query={props.repositories} formatAge={props.formatAge}>
              {() => (
                <RepositoryList
                  filling={mostPressing(filling)}
                  companyName={companyName}
                  zone={rule.zone}
                  now={now}
                />
              )}
            </FromServer>
          </DashboardSection>
        )}
        <DashboardSection
          title={t.lastSync}
          place="last-sync"
          detail={props.sync?.at == null ? undefined : formatTime(props.sync.at, rule.zone)}
        >
          {props.sync !== null && (
            <SyncList sources={props.sync.sources} zone={rule.zone} now={now} />
          )}
        </DashboardSection>
      </div>
    </div>
  );
}
