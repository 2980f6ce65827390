import { useRouter, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { RunState } from '#contract/runs/query.ts';
import { MAX_REPORT_DAYS } from '#contract/runs/result-filters.ts';
import type { Trends as TrendsView } from '#contract/analytics/trends.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useNow } from '#src/app/clock.ts';
import { useCompaniesFilter, withoutCompanies } from '#src/features/shared/companies-filter.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { bringCharts } from '#src/ui/charts/lazy-charts.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { SyncNotices } from '../../shared/runs/sync-notices.tsx';
import { moreOrFewer } from '../../shared/charts/deltas.ts';
import type { Delta } from '../../shared/charts/deltas.ts';
import { SectionLink } from '../../shared/section-link.tsx';
import { toDayRange } from '../../shared/date-range/day-range.ts';
import type { DayRange } from '../../shared/date-range/day-range.ts';
import { drillAddress, TRENDS_PLACE, trendsAddress, trendsPlace } from './address.ts';
import type { TrendsPlace } from './address.ts';
import { getBuckets, getBucketUnit } from './buckets.ts';
import { Chart } from './chart.tsx';
import { TrendFilters } from './choices.tsx';
import { Parts } from './parts.tsx';
import { NoResults, RefusedNotice, TooLong } from '../../shared/query-states.tsx';
import { useTrends } from './use-trends.ts';
import { BAD, FAILED, failureRate, fromWords, MISSED, rateWords, WARNED } from './labels.ts';
import { trendMessages as t } from './messages.en.ts';

/**
 * `/monitoring/analytics/trends`: failures and warnings over time, compared with the previous
 * period.
 */
export function TrendsScreen() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const EMPTY = {};

function Sheet({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const isFiltered = useCompaniesFilter();
  const place = withoutCompanies(
    trendsPlace(useRouterState({ select: ({ location }) => location.searchStr })),
    isFiltered,
  );
  const canOpen = useAbility('monitoring.daily-checks');
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const stretch = toDayRange(place.span, dayAt(now, rule), rule);
  const tooLong = stretch.count > MAX_REPORT_DAYS;
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const {
    trends,
    from,
    at,
    compared: known,
    failure,
    isLoading,
    again,
  } = useTrends(place, stretch, !tooLong);
  const compared = known && (trends?.before.runs ?? 0) > 0;
  useEffect(() => prefetch(bringCharts), []);
  const go = (next: TrendsPlace): void => history.push(trendsAddress(next));
  const narrowed = place.companies.length + place.sources.length + place.types.length > 0;
  const source = fromWords(from, at === null ? null : formatWhen(at, rule.zone));
  const days = stretch.count;
  const said =
    trends === null
      ? ''
      : known
        ? (compared ? t.summaryCompared : t.summaryNoResults)({ source, days })
        : (isLoading ? t.summaryLoading : t.summaryUnknown)({ source });
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
          summary={tooLong ? '' : said}
        />
        {tooLong && <TooLong />}
        {!tooLong && failure !== null && (
          <RefusedNotice
            failure={failure}
            at={trends === null ? null : at}
            own={trends !== null && from === 'device'}
            zone={rule.zone}
            onAgain={again}
          />
        )}
        {!tooLong && trends === null && failure === null && (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        )}
        {!tooLong &&
          trends !== null &&
          (trends.now.runs + trends.before.runs === 0 ? (
            <NoResults
              narrowed={narrowed}
              onAll={() => go({ ...TRENDS_PLACE, span: place.span, by: place.by })}
              onLonger={() => go({ ...place, span: { kind: 'last', days: 30 } })}
            />
          ) : (
            <div className="grid grid-cols-1 gap-6 px-4 desk:px-6">
              <Figures
                place={place}
                trends={trends}
                stretch={stretch}
                compared={compared}
                canOpen={canOpen}
              />
              <Chart
                buckets={getBuckets(trends.days, compared ? trends.daysBefore : null)}
                unit={getBucketUnit(trends.days.length)}
                getHref={canOpen ? (bucket) => drillAddress(place, bucket.days, BAD) : null}
                onOpen={(href) => history.push(href)}
              />
              <div>
                <Parts
                  key={place.by}
                  place={place}
                  trends={trends}
                  days={stretch.days}
                  compared={compared}
                  canOpen={canOpen}
                  onBy={(by) => go({ ...place, by })}
                />
              </div>
            </div>
          ))}
      </div>
    </Page>
  );
}

interface FiguresProps {
  readonly place: TrendsPlace;
  readonly trends: TrendsView;
  readonly stretch: DayRange;
  readonly compared: boolean;
  readonly canOpen: boolean;
}

/** Totals of the whole period; each figure links to its results. */
function Figures({ place, trends: { now, before }, stretch, compared, canOpen }: FiguresProps) {
  const href = (states: readonly RunState[]): string | null =>
    canOpen ? drillAddress(place, stretch.days, states) : null;
  const rate = failureRate(now);
  const was = failureRate(before);
  const by = (count: number): Delta | null => (compared ? moreOrFewer(count) : null);
  return (
    <ul className="m-0 grid list-none grid-cols-2 p-0 desk:grid-cols-4">
      <Figure title={t.failed} href={href(FAILED)} delta={by(now.failed - before.failed)}>
        {formatCount(now.failed)} <Unit of={t.runs({ count: now.failed })} />
      </Figure>
      <Figure title={t.warnings} href={href(WARNED)} delta={by(now.warning - before.warning)}>
        {formatCount(now.warning)} <Unit of={t.runs({ count: now.warning })} />
      </Figure>
      <Figure title={t.missed} href={href(MISSED)} delta={by(now.missed - before.missed)}>
        {formatCount(now.missed)} <Unit of={t.times({ count: now.missed })} />
      </Figure>
      <Figure
        title={t.failureRate}
        href={href([])}
        delta={null}
        note={compared && was !== null ? t.ratePrevious({ rate: rateWords(was) }) : ''}
      >
        {rate === null ? <Unit of={t.noResults} /> : rateWords(rate)}{' '}
        <Unit of={t.ofResults({ count: now.runs })} />
      </Figure>
    </ul>
  );
}

interface FigureProps {
  readonly title: string;
  readonly href: string | null;
  readonly delta: Delta | null;
  readonly note?: string;
  readonly children: ReactNode;
}

function Figure({ title, href, delta, note = '', children }: FigureProps) {
  return (
    <li className="min-w-0 border-hair py-3 desk:px-4 desk:not-first:border-l desk:first:pl-0">
      <div className="min-h-6">
        {href === null ? (
          <b>{title}</b>
        ) : (
          <SectionLink
            href={href}
            className="inline-flex items-center gap-0.5 font-semibold hover:underline pointer-coarse:min-h-11"
          >
            {title}
            <Icon name="chevron-right" size={12} className="text-ink-3" />
          </SectionLink>
        )}
      </div>
      <p className="m-0 py-1 text-head leading-8">{children}</p>
      <p className="m-0 flex min-h-5 items-center gap-1 text-ink-2">
        {delta !== null && delta.way !== null && (
          <Icon
            name={delta.way === 'up' ? 'chevron-up' : 'chevron-down'}
            size={12}
            className={delta.tone === 'good' ? 'text-success' : 'text-failed'}
          />
        )}
        <span className="min-w-0 truncate">{delta?.label ?? note}</span>
      </p>
    </li>
  );
}

const Unit = ({ of }: { readonly of: string }) => (
  <span className="text-body font-normal tracking-normal text-ink-2">{of}</span>
);
