import { useRouter } from '@tanstack/react-router';
import type { Overview, Ranked } from '#contract/dashboard/overview.ts';
import { BarList } from '#src/ui/bar-list.tsx';
import { formatBytes, formatCount, formatDuration } from '#src/ui/format.ts';
import { RANKINGS_PLACE, rankingsAddress } from '../analytics/rankings/address.ts';
import type { Measure } from '../analytics/rankings/address.ts';
import { listAddress } from '#src/features/shared/page-links/results.ts';
import type { Board } from './address.ts';
import { Section } from '../shared/section.tsx';
import type { Stretch } from '../shared/date-range/day-stretch.ts';

interface RankingsProps {
  readonly board: Board;
  readonly stretch: Stretch;
  readonly overview: Overview;
  readonly opens: boolean;
}

/** The first jobs of three rankings; a line opens its job. */
export function Rankings({ board, stretch, overview, opens }: RankingsProps) {
  const { history } = useRouter();
  const detail = stretch.count === 1 ? '1 day' : `${formatCount(stretch.count)} days`;
  const hrefOf = (measure: Measure): string =>
    rankingsAddress({ ...RANKINGS_PLACE, span: board.span, companies: board.companies, measure });
  const entries = (ranked: readonly Ranked[], tell: (value: number) => string) =>
    ranked.map(({ job, jobName, companyName, value }) => ({
      key: job,
      title: jobName,
      detail: companyName,
      value,
      told: tell(value),
      ...(opens && {
        onOpen: () =>
          history.push(
            listAddress({
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
      <Section title="Most failures" href={hrefOf('failures')} detail={detail}>
        <BarList
          tone="failed"
          entries={entries(overview.mostFailures, formatCount)}
          empty="No job failed in this time."
        />
      </Section>
      <Section title="Longest" href={hrefOf('duration')} detail={`mean, ${detail}`}>
        <BarList
          entries={entries(overview.longest, formatDuration)}
          empty="No job finished in this time."
        />
      </Section>
      <Section title="Most transferred" href={hrefOf('transferred')} detail={detail}>
        <BarList
          entries={entries(overview.mostTransferred, formatBytes)}
          empty="No job told what it transferred."
        />
      </Section>
    </>
  );
}
