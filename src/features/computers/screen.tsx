import { formatList } from '#contract/i18n/list.ts';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatAge, formatDate, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { SyncNotices } from '../shared/runs/sync-notices.tsx';
import { SectionLink } from '../shared/section-link.tsx';
import { FromServer } from '../shared/section.tsx';
import { daysWords, toDayRange } from '../shared/date-range/day-range.ts';
import { usePolledQuery } from '../shared/queries/use-polled-query.ts';
import {
  computersListAddress,
  computersPlace,
  SHOWS,
  shownComputers,
  getJobState,
} from './rows.ts';
import type { ListedComputer, ComputersPlace, Show, ComputerCoverage } from './rows.ts';
import { computerMessages as t } from './computers.messages.en.ts';

/**
 * `/monitoring/computers`: all computers that sources reported in a period, and whether they are
 * backed up.
 */
export function DiscoveredComputers() {
  const branding = useBranding();
  return branding && <Sheet branding={branding} />;
}

const EMPTY = {};
const AT_FIRST = 100;
const MORE = 400;
const SHOW_WORDS: Readonly<Record<Show, string>> = {
  'all': t.all,
  'without-job': t.withoutJob,
  'with-job': t.withJob,
  'ignored': t.ignored,
};

function Sheet({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = computersPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const [max, setMax] = useState(AT_FIRST);
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const stretch = toDayRange(place.span, dayAt(now, rule), rule);
  const companies = useWatch('companies', EMPTY);
  const status = useWatch('status', EMPTY);
  const names = new Map((companies ?? []).map(({ n, name }) => [n, name]));
  const request = usePolledQuery(
    'listComputers',
    { from: new Date(stretch.from).toISOString(), to: new Date(stretch.to).toISOString() },
    true,
  );
  const go = (next: ComputersPlace, how: 'push' | 'replace' = 'push'): void =>
    history[how](computersListAddress(next));
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
          <SpanChoice
            span={place.span}
            rule={rule}
            now={now}
            onSpan={(span) => go({ ...place, span })}
          />
          <ChipSelect
            name={t.show}
            value={place.show}
            onChoose={(show) => go({ ...place, show: SHOWS.find((one) => one === show) ?? 'all' })}
            options={SHOWS.map((one) => [one, SHOW_WORDS[one]] as const)}
          />
          <span className="text-agate text-ink-3">
            {t.seen({ period: daysWords(stretch.days) })}
          </span>
        </div>
        <FromServer query={request} formatAge={(at) => formatWhen(at, rule.zone)} lines={8}>
          {(all) => {
            const shown = shownComputers(all, place, names, now);
            return (
              <>
                <p className="m-0 px-4 py-2 text-agate text-ink-3 desk:px-6">
                  {describeSelection(all, now)}
                </p>
                {shown.length === 0 ? (
                  <Notice icon="computer" level={2} title={all.length === 0 ? t.none : t.noneFound}>
                    <p className="m-0">{all.length === 0 ? t.noneHint : t.noneFoundHint}</p>
                    {all.length > 0 && (
                      <p className="m-0 pt-2">
                        <Button onClick={() => go({ ...place, show: 'all', text: '' })}>
                          {t.showAll}
                        </Button>
                      </p>
                    )}
                  </Notice>
                ) : (
                  <table className="w-full table-fixed border-collapse border-t border-head-rule max-tablet:block">
                    <caption className="sr-only">
                      {t.caption({ period: daysWords(stretch.days) })}
                    </caption>
                    <thead className="max-tablet:sr-only">
                      <tr className="text-agate text-ink-3">
                        <th
                          scope="col"
                          className="py-1.5 pr-3 pl-4 text-left font-normal desk:pl-6"
                        >
                          {t.computer}
                        </th>
                        <th scope="col" className="px-3 text-left font-normal">
                          {t.company}
                        </th>
                        <th scope="col" className="w-28 px-3 text-left font-normal">
                          {t.firstSeen}
                        </th>
                        <th scope="col" className="w-28 px-3 text-left font-normal">
                          {t.lastSeen}
                        </th>
                        <th scope="col" className="w-40 px-3 text-left font-normal">
                          {t.state}
                        </th>
                        <th scope="col" className="pr-4 pl-3 text-left font-normal desk:pr-6">
                          {t.note}
                        </th>
                      </tr>
                    </thead>
                    <tbody className="max-tablet:block">
                      {shown.slice(0, max).map((one) => (
                        <Row
                          key={one.id}
                          one={one}
                          company={names.get(one.company) ?? ''}
                          zone={rule.zone}
                          now={now}
                        />
                      ))}
                    </tbody>
                  </table>
                )}
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
    </Page>
  );
}

/** `41 computers: 38 with a job, 2 without, 1 ignored`. */
function describeSelection(all: readonly ComputerOut[], now: Ms): string {
  const count = (status: ComputerCoverage): number =>
    all.filter((one) => getJobState(one, now) === status).length;
  const total = t.count({ count: all.length });
  return all.length === 0
    ? total
    : `${total}: ${t.countDetail({
        withJob: count('with-job'),
        without: count('without-job'),
        ignored: count('ignored'),
      })}`;
}

const STATES: Readonly<
  Record<ComputerCoverage, { readonly icon: IconName; readonly text: string }>
> = {
  'with-job': { icon: 'success', text: 'text-success' },
  'without-job': { icon: 'warning', text: 'text-warning' },
  'ignored': { icon: 'snooze', text: 'text-ink-3' },
};

interface RowProps {
  readonly one: ListedComputer;
  readonly company: string;
  readonly zone: string;
  readonly now: Ms;
}

/** The state links to the results, or to the list where the computer can be ignored. */
function Row({ one, company, zone, now }: RowProps) {
  const { status } = one;
  const { icon, text } = STATES[status];
  const detail = formatList(
    [one.os ?? one.osType ?? '', one.ipAddresses[0] ?? ''].filter((word) => word !== ''),
    'plain',
  );
  const words =
    status === 'with-job'
      ? t.jobs({ count: one.jobs })
      : status === 'without-job'
        ? t.noJob
        : one.ignored?.until == null
          ? t.isIgnored
          : t.ignoredUntil({ day: formatDate(one.ignored.until, zone) });
  const q = encodeURIComponent(one.hostName);
  const href =
    status === 'with-job'
      ? `/monitoring/daily-checks?review=any&q=${q}`
      : `/monitoring/daily-checks/computers?q=${q}${status === 'ignored' ? '&ignored=yes' : ''}`;
  return (
    <tr className="border-t border-hair align-top max-tablet:grid max-tablet:grid-cols-2 max-tablet:gap-x-3 max-tablet:px-4 max-tablet:py-2">
      <th
        scope="row"
        className="py-2 pr-3 pl-4 text-left font-normal max-tablet:col-span-2 max-tablet:p-0 desk:pl-6"
      >
        <span className="block truncate font-semibold" data-tip={one.hostName}>
          {one.hostName}
        </span>
        <span className="block truncate text-agate text-ink-3" data-tip={detail}>
          {detail}
        </span>
      </th>
      <td className="truncate px-3 py-2 text-ink-2 max-tablet:p-0" data-tip={company}>
        {company}
      </td>
      <td
        className="px-3 py-2 whitespace-nowrap text-ink-2 max-tablet:hidden"
        data-tip={formatWhen(one.firstSeenAt, zone)}
      >
        {formatDate(one.firstSeenAt, zone)}
      </td>
      <td
        className="px-3 py-2 whitespace-nowrap text-ink-2 max-tablet:p-0 max-tablet:text-right"
        data-tip={formatWhen(one.seenAt, zone)}
      >
        {formatAge(one.seenAt, now)}
      </td>
      <td className="px-3 py-2 max-tablet:p-0">
        <SectionLink
          href={href}
          className={`inline-flex items-center gap-1 whitespace-nowrap hover:underline pointer-coarse:min-h-11 ${text}`}
        >
          <Icon name={icon} size={14} />
          {words}
        </SectionLink>
      </td>
      <td
        className="truncate py-2 pr-4 pl-3 text-ink-2 max-tablet:p-0 max-tablet:text-right desk:pr-6"
        data-tip={one.note?.content}
      >
        {one.note?.content ?? ''}
      </td>
    </tr>
  );
}
