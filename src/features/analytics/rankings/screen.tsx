import { useRouter, useRouterState } from '@tanstack/react-router';
import type { Branding } from '#contract/branding/branding.ts';
import type { Day } from '#contract/ids.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { RankingBars } from '#src/ui/charts/ranking-bars.tsx';
import { formatBytes, formatCount, formatDuration, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { Tabs } from '#src/ui/tabs.tsx';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { SyncNotices } from '../../shared/runs/sync-notices.tsx';
import { SectionLink } from '../../shared/section-link.tsx';
import { toDayRange } from '../../shared/date-range/day-range.ts';
import { drillAddress } from '../trends/address.ts';
import { TrendFilters } from '../trends/choices.tsx';
import { RefusedNotice, TooLong } from '../../shared/query-states.tsx';
import { fromWords } from '../trends/labels.ts';
import { RANKING_MEASURES, rankingsAddress, rankingsPlace } from './address.ts';
import type { RankingMeasure, RankingsPlace } from './address.ts';
import { RANKED, useRanking } from './use-ranking.ts';
import type { RankedLine } from './use-ranking.ts';
import { rankingMessages as t } from './messages.en.ts';

/** `/monitoring/rankings`: the jobs that fail most, take longest and transfer most. */
export function Rankings() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const EMPTY = {};
const WORDS: Readonly<
  Record<
    RankingMeasure,
    {
      readonly tab: string;
      readonly caption: string;
      readonly head: string;
      readonly format: (value: number) => string;
      readonly empty: string;
    }
  >
> = {
  failures: {
    tab: t.failures,
    caption: t.captionFailures,
    head: t.failedRuns,
    format: formatCount,
    empty: t.noFailures,
  },
  duration: {
    tab: t.duration,
    caption: t.captionDuration,
    head: t.averageDuration,
    format: formatDuration,
    empty: t.noDurations,
  },
  transferred: {
    tab: t.transferred,
    caption: t.captionTransferred,
    head: t.transferred,
    format: formatBytes,
    empty: t.noTransfers,
  },
};

function Sheet({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = rankingsPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const canOpen = useAbility('monitoring.daily-checks');
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const stretch = toDayRange(place.span, dayAt(now, rule), rule);
  const tooLong = stretch.count > MAX_REPORT_DAYS;
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const { lines, from, at, failure, again } = useRanking(place, stretch, !tooLong);
  const { empty } = WORDS[place.measure];
  const go = (next: RankingsPlace): void => history.push(rankingsAddress(next));
  return (
    <Page title={t.title}>
      <div className="min-h-full bg-sheet pb-8">
        <SyncNotices status={status} newestAt={null} zone={rule.zone} now={now} />
        <TrendFilters
          chosen={place}
          stretch={stretch}
          companies={companies ?? []}
          rule={rule}
          now={now}
          onChosen={go}
          summary={
            lines === null || tooLong
              ? ''
              : t.summary({
                  source: fromWords(from, at === null ? null : formatWhen(at, rule.zone)),
                  jobs:
                    lines.length === RANKED
                      ? t.topJobs({ count: formatCount(RANKED) })
                      : t.jobs({ count: lines.length }),
                })
          }
        />
        <Tabs
          label={t.measure}
          className="px-4 desk:px-6"
          chosen={place.measure}
          onChoose={(measure) => go({ ...place, measure })}
          tabs={RANKING_MEASURES.map((key) => ({ key, label: WORDS[key].tab }))}
        >
          {tooLong && <TooLong />}
          {!tooLong && failure !== null && (
            <RefusedNotice
              failure={failure}
              at={lines === null ? null : at}
              own={false}
              zone={rule.zone}
              onAgain={again}
            />
          )}
          {!tooLong && lines === null && failure === null && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )}
          {!tooLong &&
            lines !== null &&
            (lines.length === 0 ? (
              <Notice icon="success" level={2} title={empty}>
                <p className="m-0">{t.noneHint}</p>
              </Notice>
            ) : (
              <Ranking
                lines={lines}
                measure={place.measure}
                place={place}
                days={stretch.days}
                canOpen={canOpen}
              />
            ))}
        </Tabs>
      </div>
    </Page>
  );
}

interface RankingProps {
  readonly lines: readonly RankedLine[];
  readonly measure: RankingMeasure;
  readonly place: RankingsPlace;
  readonly days: readonly [Day, Day];
  readonly canOpen: boolean;
}

/** Rank, job and figure. The bar is proportional to the first job's figure. */
function Ranking({ lines, measure, place, days, canOpen }: RankingProps) {
  const { head, format, caption } = WORDS[measure];
  const max = Math.max(1, lines[0]?.value ?? 1);
  return (
    <table className="w-full table-fixed border-collapse">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="text-agate text-ink-3">
          <th scope="col" className="w-12 py-1.5 pr-3 pl-4 text-right font-normal desk:pl-6">
            {t.rank}
          </th>
          <th scope="col" className="px-3 text-left font-normal">
            {t.job}
          </th>
          <th scope="col" className="px-3 text-left font-normal max-tablet:hidden">
            {t.company}
          </th>
          <th scope="col" className="w-[30%] px-3 text-left font-normal max-tablet:hidden">
            {t.comparedWithFirst}
          </th>
          <th scope="col" className="w-32 pr-4 pl-3 text-right font-normal desk:pr-6">
            {head}
          </th>
        </tr>
      </thead>
      <tbody className="relative">
        {lines.map((line, i) => (
          <tr key={line.key} className="h-11 border-t border-hair hover:bg-wash">
            <td className="pr-3 pl-4 text-right tabular-nums text-ink-3 desk:pl-6">{i + 1}</td>
            <th scope="row" className="px-3 py-1 text-left font-normal">
              <Name line={line} href={canOpen ? getHref(line, measure, place, days) : null} />
            </th>
            <td className="truncate px-3 text-ink-2 max-tablet:hidden" data-tip={line.companyName}>
              {line.companyName}
            </td>
            <td className="px-3 max-tablet:hidden">
              <span className="sr-only">{Math.round(getPercent(line.value, max))} %</span>
              {i === 0 && (
                // All bars are one drawing over this column, as wide as it is.
                <div className="absolute inset-y-0 right-35 w-[calc(30%-24px)]">
                  <RankingBars
                    values={lines.map(({ value }) => getPercent(value, max))}
                    tone={measure === 'failures' ? 'failed' : 'trace'}
                    shape="row"
                  />
                </div>
              )}
            </td>
            <td className="pr-4 pl-3 text-right font-semibold whitespace-nowrap tabular-nums desk:pr-6">
              {format(line.value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Name({ line, href }: { readonly line: RankedLine; readonly href: string | null }) {
  const details = (
    <>
      <span className="block truncate" data-tip={line.jobName}>
        {line.jobName}
      </span>
      <span className="block truncate text-agate text-ink-3 tablet:hidden">{line.companyName}</span>
    </>
  );
  return href === null ? (
    details
  ) : (
    <SectionLink
      href={href}
      className="flex flex-col justify-center hover:underline pointer-coarse:min-h-11"
    >
      {details}
    </SectionLink>
  );
}

/**
 * Returns the address of the job's results. Jobs that only the server knows are matched by name and
 * company.
 */
function getHref(
  line: RankedLine,
  measure: RankingMeasure,
  place: RankingsPlace,
  days: readonly [Day, Day],
): string {
  const states = measure === 'failures' ? (['Failed', 'Error'] as const) : [];
  if (line.job !== null)
    return drillAddress({ companies: [], sources: [], types: [] }, days, states, null, line.job);
  return `${drillAddress({ ...place, companies: [line.company] }, days, states)}&q=${encodeURIComponent(line.jobName)}`;
}
