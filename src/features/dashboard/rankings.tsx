import { useRouter } from '@tanstack/react-router';
import type { Overview, Ranked } from '#contract/dashboard/overview.ts';
import { BarList } from '#src/ui/bar-list.tsx';
import { formatBytes, formatCount, formatDuration } from '#src/ui/format.ts';
import { RANKINGS_PLACE, rankingsAddress } from '../analytics/rankings/address.ts';
import type { RankingMeasure } from '../analytics/rankings/address.ts';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from './address.ts';
import { DashboardSection } from '../shared/section.tsx';
import type { DayRange } from '../shared/date-range/day-range.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface RankingsProps {
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly overview: Overview;
  readonly canOpen: boolean;
}

/** The first jobs of three rankings; a line opens its job. */
export function Rankings({ board, stretch, overview, canOpen }: RankingsProps) {
  const { history } = useRouter();
  const detail = t.dayCount({ count: stretch.count });
  const getHref = (measure: RankingMeasure): string =>
    rankingsAddress({ ...RANKINGS_PLACE, span: board.span, companies: board.companies, measure });
  const entries = (ranked: readonly Ranked[], format: (value: number) => string) =>
    ranked.map(({ job, jobName, companyName, value }) => ({
      key: job,
      title: jobName,
      detail: companyName,
      value,
      description: format(value),
      ...(canOpen && {
        onOpen: () =>
          history.push(
            resultsAddress({
              days: stretch.days,
              companies: [],
              instructionTypes: board.instructionTypes,
              job,
            }),
          ),
      }),
    }));
  return (
    <>
      <DashboardSection title={t.mostFailures} href={getHref('failures')} detail={detail}>
        <BarList
          tone="failed"
          entries={entries(overview.mostFailures, formatCount)}
          empty={t.noFailures}
        />
      </DashboardSection>
      <DashboardSection
        title={t.longest}
        href={getHref('duration')}
        detail={t.meanOf({ days: detail })}
      >
        <BarList entries={entries(overview.longest, formatDuration)} empty={t.noneFinished} />
      </DashboardSection>
      <DashboardSection title={t.mostTransferred} href={getHref('transferred')} detail={detail}>
        <BarList entries={entries(overview.mostTransferred, formatBytes)} empty={t.noTransfers} />
      </DashboardSection>
    </>
  );
}
