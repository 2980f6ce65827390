import { useRouter, useRouterState } from '@tanstack/react-router';
import { Fragment, useEffect, useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { Ms } from '#contract/ids.ts';
import { prefetch } from '#src/app/prefetch.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { Button, IconButton } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatAge, formatBytes, formatDate, formatSpan, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { getPercent } from '#src/ui/percent.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { bringCharts } from '#src/ui/charts/lazy-charts.ts';
import { Spark } from '#src/ui/charts/spark.tsx';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { SyncNotices } from '../shared/runs/sync-notices.tsx';
import { fullWords } from '../shared/capacity.ts';
import { FromServer } from '../shared/section.tsx';
import { usePolledQuery } from '../shared/queries/use-polled-query.ts';
import { repositoriesAddress, repositoriesPlace, REPOSITORIES_PLACE } from './address.ts';
import type { RepositoriesPlace } from './address.ts';
import { History } from './history.tsx';
import { REPOSITORY_ORDERS, getRepositoryRows, shownRows } from './rows.ts';
import type { RepositoryOrder, Row } from './rows.ts';
import { repositoryMessages as t } from './messages.en.ts';

/** `/monitoring/repositories`: fill level, trend and forecast of repositories. */
export function Repositories() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const EMPTY = {};
const AT_FIRST = 100;
const MORE = 400;
const CAPTIONS: Readonly<Record<RepositoryOrder, string>> = {
  fullest: t.captionFullest,
  soonest: t.captionSoonest,
  name: t.captionName,
  stale: t.captionOldest,
};
const ORDER_NAMES: Readonly<Record<RepositoryOrder, string>> = {
  fullest: t.fullestFirst,
  soonest: t.soonestFirst,
  name: t.byName,
  stale: t.oldestFirst,
};

function Sheet({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = repositoriesPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const request = usePolledQuery('listRepositories', EMPTY, true);
  const [max, setMax] = useState(AT_FIRST);
  useEffect(() => prefetch(bringCharts), []);
  const names = new Map((companies ?? []).map(({ n, name }) => [n, name]));
  const formatSampled = (at: number): string => formatWhen(at, rule.zone);
  const go = (next: RepositoriesPlace, how: 'push' | 'replace' = 'push'): void =>
    history[how](repositoriesAddress(next));
  return (
    <Page
      title={t.title}
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ ...place, text }, 'replace')}
        />
      }
    >
      <div className="min-h-full bg-sheet pb-8">
        <SyncNotices status={status} newestAt={null} zone={rule.zone} now={now} />
        <div className="flex min-h-13 flex-wrap items-center gap-2 bg-paper px-4 py-2 desk:px-6">
          <ChipSelect
            name={t.order}
            value={place.order}
            onChoose={(order) =>
              go({ ...place, order: REPOSITORY_ORDERS.find((one) => one === order) ?? 'fullest' })
            }
            options={REPOSITORY_ORDERS.map((one) => [one, ORDER_NAMES[one]] as const)}
          />
          {(companies ?? []).length > 1 && (
            <ChipSelect
              name={t.company}
              icon="companies"
              value={place.companies.join()}
              onChoose={(value) => go({ ...place, companies: value === '' ? [] : [Number(value)] })}
              options={[
                ['', t.allCompanies],
                ...(companies ?? [])
                  .map(({ n, name }) => [String(n), name] as const)
                  .toSorted((a, b) => a[1].localeCompare(b[1])),
              ]}
            />
          )}
        </div>
        <div className="px-0">
          <FromServer query={request} formatAge={formatSampled} lines={8}>
            {(all) => {
              const rows = getRepositoryRows(all, names, now);
              const shown = shownRows(rows, place);
              return shown.length === 0 ? (
                <None bare={rows.length === 0} onAll={() => go(REPOSITORIES_PLACE)} />
              ) : (
                <>
                  <Summary rows={shown} />
                  <Table
                    rows={shown.slice(0, max)}
                    place={place}
                    rule={rule}
                    now={now}
                    formatAge={formatSampled}
                    onPlace={go}
                  />
                  {shown.length > max && (
                    <div className="px-4 py-3 desk:px-6">
                      <Button onClick={() => setMax(max + MORE)}>
                        {t.showMore({ count: Math.min(MORE, shown.length - max) })}
                      </Button>
                    </div>
                  )}
                </>
              );
            }}
          </FromServer>
        </div>
      </div>
    </Page>
  );
}

const None = ({ bare, onAll }: { readonly bare: boolean; readonly onAll: () => void }) => (
  <Notice icon="repository" level={2} title={bare ? t.none : t.noneFound}>
    <p className="m-0">{bare ? t.noneHint : t.noneFoundHint}</p>
    {!bare && (
      <p className="m-0 pt-2">
        <Button onClick={onAll}>{t.showAll}</Button>
      </p>
    )}
  </Notice>
);

/** `32 repositories · 2 full · 4 full within 14 days`. */
function Summary({ rows }: { readonly rows: readonly Row[] }) {
  const count = (of: (row: Row) => boolean): number => rows.filter(of).length;
  const parts = [
    [count(({ status }) => status === 'full'), t.countFull],
    [count(({ status }) => status === 'soon'), t.countSoon],
    [count(({ isStale }) => isStale), t.countStale],
    [count(({ used }) => used === null), t.countNoSize],
  ] as const;
  const details = parts.filter(([n]) => n > 0).map(([n, text]) => text({ count: n }));
  return (
    <p className="m-0 px-4 py-2 text-agate text-ink-3 desk:px-6">
      {[t.count({ count: rows.length }), ...details].join(' · ')}
    </p>
  );
}

interface TableProps {
  readonly rows: readonly Row[];
  readonly place: RepositoriesPlace;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly formatAge: (at: number) => string;
  readonly onPlace: (next: RepositoriesPlace, how?: 'push' | 'replace') => void;
}

function Table({ rows, place, rule, now, formatAge, onPlace }: TableProps) {
  return (
    <table className="w-full table-fixed border-collapse border-t border-head-rule">
      <caption className="sr-only">{CAPTIONS[place.order]}</caption>
      <thead>
        <tr className="text-agate text-ink-3 max-tablet:sr-only">
          <th scope="col" className="py-1.5 pr-3 pl-4 text-left font-normal desk:pl-6">
            {t.repository}
          </th>
          <th scope="col" className="px-3 text-left font-normal max-desk:hidden">
            {t.company}
          </th>
          <th scope="col" className="w-44 px-3 text-left font-normal">
            {t.used}
          </th>
          <th scope="col" className="w-24 px-3 text-right font-normal">
            {t.free}
          </th>
          <th scope="col" className="w-24 px-3 text-right font-normal">
            {t.capacity}
          </th>
          <th scope="col" className="w-36 px-3 text-left font-normal max-desk:hidden">
            {t.lastDays}
          </th>
          <th scope="col" className="w-44 pr-4 pl-3 text-left font-normal desk:pr-6">
            {t.fullOn}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const open = place.open === row.id;
          return (
            <Fragment key={row.id}>
              <tr className="border-t border-hair align-top max-tablet:grid max-tablet:grid-cols-2 max-tablet:px-4 max-tablet:py-2">
                <th
                  scope="row"
                  className="py-2 pr-3 pl-2 text-left font-normal max-tablet:col-span-2 max-tablet:px-0 desk:pl-4"
                >
                  <span className="flex items-start gap-1">
                    <IconButton
                      icon={open ? 'chevron-down' : 'chevron-right'}
                      label={t.historyOf({ name: row.name })}
                      aria-expanded={open}
                      className="-mt-1"
                      onClick={() => onPlace({ ...place, open: open ? null : row.id }, 'replace')}
                    />
                    <span className="min-w-0">
                      <span className="block truncate font-semibold" data-tip={row.name}>
                        {row.name}
                      </span>
                      <span className="block truncate text-agate text-ink-3" data-tip={row.where}>
                        {row.where}
                        <span className="desk:hidden">
                          {row.where === '' ? '' : ', '}
                          {row.companyName}
                        </span>
                      </span>
                    </span>
                  </span>
                </th>
                <td
                  className="truncate px-3 py-2 text-ink-2 max-desk:hidden"
                  data-tip={row.companyName}
                >
                  {row.companyName}
                </td>
                <td className="px-3 py-2 max-tablet:px-0">
                  <Used row={row} now={now} zone={rule.zone} />
                </td>
                <td className="px-3 py-2 text-right whitespace-nowrap tabular-nums max-tablet:px-0">
                  {size(row.free, t.sizeFree)}
                </td>
                <td className="px-3 py-2 text-right whitespace-nowrap tabular-nums max-tablet:px-0 max-tablet:text-left">
                  {size(row.capacity, t.sizeOf)}
                </td>
                <td className="px-3 py-2 max-desk:hidden">
                  <Spark values={row.trace} width={120} height={24} />
                </td>
                <td className="py-2 pr-4 pl-3 max-tablet:px-0 max-tablet:text-right desk:pr-6">
                  <Full row={row} now={now} zone={rule.zone} />
                </td>
              </tr>
              {open && (
                <tr>
                  <td colSpan={7} className="p-0 max-tablet:block">
                    <History
                      id={row.id}
                      name={row.name}
                      span={place.span}
                      rule={rule}
                      now={now}
                      formatAge={formatAge}
                      onSpan={(span) => onPlace({ ...place, span }, 'replace')}
                    />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

/** On a phone there are no column headers, so the text labels the size. */
function size(bytes: number | null, onPhone?: (values: { size: string }) => string) {
  if (bytes === null) return <span className="text-ink-3">{t.noSize}</span>;
  const text = formatBytes(bytes);
  return onPhone ? (
    <>
      <span className="tablet:hidden">{onPhone({ size: text })}</span>
      <span className="max-tablet:hidden">{text}</span>
    </>
  ) : (
    text
  );
}
const FILL: Readonly<Record<Row['status'], string>> = {
  full: 'bg-failed-mark',
  soon: 'bg-warning-mark',
  well: 'bg-trace',
  stale: 'bg-trace',
  none: 'bg-trace',
};

function Used({ row, now, zone }: { readonly row: Row; readonly now: Ms; readonly zone: string }) {
  return (
    <>
      <span className="flex items-center justify-between gap-2 whitespace-nowrap tabular-nums">
        <span>{size(row.used)}</span>
        {row.share !== null && (
          <span className="text-ink-2">{Math.floor(getPercent(row.share, 1))} %</span>
        )}
      </span>
      <span aria-hidden className="mt-1 block h-[5px] bg-wash outline outline-rule">
        <i
          className={`block h-full ${FILL[row.status]}`}
          style={{ width: `${getPercent(row.share ?? 0, 1)}%` }}
        />
      </span>
      <span
        className={`mt-1 flex items-center gap-1 text-agate ${row.isStale ? 'font-semibold text-warning' : 'text-ink-3'}`}
        data-tip={formatWhen(row.sampledAt, zone)}
      >
        {row.isStale && <Icon name="warning" size={12} />}
        {row.isStale
          ? t.noDataFor({ duration: formatSpan(row.sampledAt, now) ?? '' })
          : formatAge(row.sampledAt, now)}
      </span>
    </>
  );
}

/** The forecast day when it is full, formatted as on the dashboard. */
function Full({ row, now, zone }: { readonly row: Row; readonly now: Ms; readonly zone: string }) {
  if (row.fullAt === null || row.daysLeft === null) {
    return row.status === 'full' ? (
      <span className="inline-flex items-center gap-1 font-semibold text-failed">
        <Icon name="failed" size={14} />
        {t.full}
      </span>
    ) : (
      <span className="text-ink-3">{t.notSoon}</span>
    );
  }
  const tone = row.status === 'full' ? 'text-failed' : row.status === 'soon' ? 'text-warning' : '';
  return (
    <>
      <span
        className={`inline-flex items-center gap-1 whitespace-nowrap ${tone === '' ? '' : `font-semibold ${tone}`}`}
      >
        {tone !== '' && <Icon name={row.status === 'full' ? 'failed' : 'warning'} size={14} />}
        {fullWords({ daysLeft: row.daysLeft, fullAt: row.fullAt }, now)}
      </span>
      <span className="block text-agate text-ink-3" data-tip={formatWhen(row.fullAt, zone)}>
        {formatDate(row.fullAt, zone)}
      </span>
    </>
  );
}
