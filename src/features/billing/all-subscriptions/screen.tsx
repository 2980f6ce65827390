import { useRouter, useRouterState } from '@tanstack/react-router';
import type { OutputOf } from '#contract/calls.ts';
import { useNow } from '#src/app/clock.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useZone } from '#src/app/session/session.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { dayAt } from '../../shared/date-range/dates.ts';
import { DownloadButton } from '../../shared/export/download.tsx';
import { formatMonth } from '../../shared/format-month.ts';
import { focusEntry, ListState } from '../../shared/lists/list-parts.tsx';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import { moneyWords } from '../labels.ts';
import { MonthChoice } from '../subscriptions/month-choice.tsx';
import { STATUS_NAMES } from '../subscriptions/labels.ts';
import {
  ALL,
  getFilter,
  hasSubscriptionsFilter,
  move,
  parseSubscriptionsAddress,
  STATUS_CHOICES,
  subscriptionsAddress,
  type SubscriptionsPlace,
} from './address.ts';
import { forMonth } from '../subscriptions/address.ts';
import { SubscriptionList } from './list.tsx';
import { SubscriptionPanel } from './panel.tsx';
import { allSubscriptionMessages as t } from './messages.en.ts';

/** `/admin/subscriptions`: subscriptions of the user's provider and of those below it (BILL-21). */
export function AllSubscriptions() {
  const { history } = useRouter();
  const zone = useZone();
  const today = dayAt(useNow(60_000), { zone, hour: 0 });
  const place = parseSubscriptionsAddress(
    useRouterState({ select: ({ location }) => location.searchStr }),
    today,
  );
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const filter = getFilter(place);
  const query = forMonth(
    useSearchQuery(
      'listAllSubscriptions',
      { ...filter, page: String(place.page), pageSize: String(place.size) },
      { isStored: true },
    ),
    place,
  );
  const canExport = useAbility('o365.subscriptions-export');
  const report = query.value;
  const open = report?.rows.find(({ companyId }) => companyId === place.open) ?? null;
  const go = (next: Partial<SubscriptionsPlace>, how: 'push' | 'replace' = 'push'): void =>
    history[how](subscriptionsAddress(move(place, next)));
  const close = (): void => {
    go({ open: null });
    focusEntry(place.open);
  };
  return (
    <Page
      title={t.title}
      detail={formatMonth(place.year, place.month)}
      scroll="own"
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(typed) => go({ text: typed.slice(0, 100) }, 'replace')}
        />
      }
    >
      <div className="flex h-full min-w-0">
        <div className={`flex min-w-0 grow flex-col overflow-auto bg-sheet ${LIST_BESIDE_PANEL}`}>
          <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
            <Filters place={place} report={report} today={today} onPlace={go} />
            {canExport && (
              <span className="ml-auto">
                <DownloadButton
                  name="exportAllSubscriptions"
                  input={filter}
                  offline={offline}
                  disabled={(report?.count ?? 0) === 0}
                />
              </span>
            )}
          </div>
          <ListState
            query={query}
            offline={offline}
            zone={zone}
            unavailableText={t.notOnDevice}
            needs={t.needsNetwork}
          />
          {report?.count === 0 && !query.isLoading && (
            <Empty isNarrowed={hasSubscriptionsFilter(place)} onAll={() => go(ALL)} />
          )}
          {report !== null && report.count > 0 && (
            <>
              <SubscriptionList
                rows={report.rows}
                sort={place.sort}
                open={open?.companyId ?? null}
                busy={query.isLoading}
                onSort={(sort) => go({ sort })}
                onOpen={(id) => go({ open: id === place.open ? null : id })}
              />
              {report.rows.length === 0 && (
                <p className="m-0 px-4 py-6 text-ink-2 tablet:px-5">{t.pageGone}</p>
              )}
              <Totals report={report} />
              <Pager
                page={place.page}
                size={place.size}
                count={report.count}
                total={t.count({ count: report.count })}
                onPage={(page) => go({ page })}
                onSize={(size) => go({ size })}
              />
            </>
          )}
        </div>
        {open !== null && report !== null && (
          <SidePanel
            key={open.companyId}
            title={open.companyName}
            detail={formatMonth(report.year, report.month)}
            onClose={close}
          >
            <SubscriptionPanel
              row={open}
              month={report}
              hosts={findProvider(report, open)?.hosts ?? []}
              offline={offline}
              onChanged={query.again}
              onDeleted={() => {
                close();
                query.again();
              }}
            />
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

type Report = OutputOf<'listAllSubscriptions'>;

const findProvider = (
  { providers }: Report,
  { provider: { _id: wanted } }: Report['rows'][number],
): Report['providers'][number] | undefined => providers.find(({ _id: id }) => id === wanted);

function Filters({
  place,
  report,
  today,
  onPlace,
}: {
  readonly place: SubscriptionsPlace;
  readonly report: Report | null;
  readonly today: string;
  readonly onPlace: (next: Partial<SubscriptionsPlace>) => void;
}) {
  const providers = report?.providers ?? [];
  return (
    <>
      <MonthChoice place={place} today={today} onChoose={onPlace} />
      {(providers.length > 1 || place.provider !== '') && (
        <ChipSelect
          name={t.provider}
          label={t.provider}
          value={place.provider}
          options={[
            ['', t.allProviders],
            ...providers.map(({ _id: id, name }) => [id, name] as const),
          ]}
          onChoose={(provider) => onPlace({ provider })}
        />
      )}
      <ChipSelect
        name={t.status}
        label={t.status}
        value={place.status ?? ''}
        options={[
          ['', t.allStatuses],
          ...STATUS_CHOICES.map(
            (status) =>
              [status, status === 'none' ? t.noSubscription : STATUS_NAMES[status]] as const,
          ),
        ]}
        onChoose={(value) =>
          onPlace({ status: STATUS_CHOICES.find((status) => status === value) ?? null })
        }
      />
      <ChipSelect
        name={t.sort}
        label={t.sort}
        value={place.sort}
        options={[
          ...ORDERS,
          ...(ORDERS.some(([sort]) => sort === place.sort)
            ? []
            : [[place.sort, t.otherOrder] as const]),
        ]}
        onChoose={(_, index) => onPlace({ sort: ORDERS[index]?.[0] ?? place.sort })}
      />
    </>
  );
}

const Empty = ({
  isNarrowed: isFiltered,
  onAll,
}: {
  readonly isNarrowed: boolean;
  readonly onAll: () => void;
}) =>
  isFiltered ? (
    <Notice
      icon="card"
      level={2}
      title={t.noMatches}
      actions={<Button onClick={onAll}>{t.showAll}</Button>}
    >
      <p className="m-0">{t.noMatchesHint}</p>
    </Notice>
  ) : (
    <Notice icon="card" level={2} title={t.none}>
      <p className="m-0">{t.noneHint}</p>
    </Notice>
  );

/** Of all matches, by currency. */
const Totals = ({ report: { totals, year, month } }: { readonly report: Report }) => (
  <div className="grid justify-end gap-y-1 px-4 pt-3 tablet:px-5">
    {totals.map(({ currency, totalMills, owedMills }) => (
      <dl key={currency} className="m-0 flex flex-wrap justify-end gap-x-6">
        <div className="flex gap-3">
          <dt className="text-ink-2">{t.total({ month: formatMonth(year, month) })}</dt>
          <dd className="m-0 font-semibold tabular-nums">{moneyWords(totalMills, currency)}</dd>
        </div>
        {owedMills > 0 && (
          <div className="flex gap-3">
            <dt className="text-ink-2">{t.totalUnpaid}</dt>
            <dd className="m-0 font-semibold text-failed tabular-nums">
              {moneyWords(owedMills, currency)}
            </dd>
          </div>
        )}
      </dl>
    ))}
  </div>
);

const ORDERS = [
  ['provider', t.byProvider],
  ['company', t.byCompany],
  ['status', t.byStatus],
  ['-users', t.byUsers],
  ['-amount', t.byAmount],
  ['next', t.byNext],
] as const;
const EMPTY = {};
