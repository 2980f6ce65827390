import { useRouter, useRouterState } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { getBilledQuantity } from '#contract/billing/usage-months.ts';
import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useNow } from '#src/app/clock.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { canRetry } from '#src/ui/can-retry.ts';
import { Button } from '#src/ui/button.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { dayAt } from '../../shared/date-range/dates.ts';
import { DownloadButton } from '../../shared/export/download.tsx';
import { focusEntry, ListState, OpenName } from '../../shared/lists/list-parts.tsx';
import { useRowKeys } from '../../shared/lists/use-row-keys.ts';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import { moneyWords } from '../labels.ts';
import { forMonth, parseBillingAddress, billingAddress, type BillingPlace } from './address.ts';
import { StatusBadge, SubscriptionDetails, UsageState } from './details.tsx';
import { formatMonth } from '../../shared/format-month.ts';
import { formatQuantity, getLevelName } from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';
import { MonthChoice } from './month-choice.tsx';
import { StartDialog } from './start-dialog.tsx';

type Report = OutputOf<'listSubscriptions'>;

/** `/o365/billing`: subscriptions of all companies, with their usage of a month (BILL-17). */
export function SuiteBilling() {
  const { history } = useRouter();
  const zone = useZone();
  const today = dayAt(useNow(60_000), { zone, hour: 0 });
  const place = parseBillingAddress(
    useRouterState({ select: ({ location }) => location.searchStr }),
    today,
  );
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const query = forMonth(
    useSearchQuery(
      'listSubscriptions',
      { month: String(place.month), year: String(place.year) },
      { isStored: true },
    ),
    place,
  );
  const canExport = useAbility('o365.subscriptions-export');
  const [isStarting, setIsStarting] = useState(false);
  const refresh = useServerMutation();
  const report = query.value;
  const go = (next: Partial<BillingPlace>, how: 'push' | 'replace' = 'push'): void =>
    history[how](billingAddress({ ...place, ...next }));
  const text = place.text.trim().toLowerCase();
  const rows = report?.rows.filter(({ companyName }) => companyName.toLowerCase().includes(text));
  const open = report?.rows.find(({ companyId }) => companyId === place.open) ?? null;
  const close = (): void => {
    go({ open: null });
    focusEntry(place.open);
  };
  const why = offline ? { 'disabled': true, 'data-tip': t.needsNetwork } : {};
  const count = async (): Promise<void> => {
    const answer = await refresh.send(() => client().ask('refreshUsage', {}));
    if (!answer.ok)
      return showFailure(
        getFailureText(answer.failure),
        canRetry(answer.failure) ? () => void count() : undefined,
      );
    showSuccess(t.refreshed({ count: answer.value.counted }));
    query.again();
  };
  return (
    <Page
      title={t.title}
      detail={formatMonth(place.year, place.month)}
      scroll="own"
      action={
        <Button variant="primary" icon="plus" {...why} onClick={() => setIsStarting(true)}>
          {t.start}
        </Button>
      }
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
            <MonthChoice place={place} today={today} onChoose={go} />
            <span className="ml-auto flex flex-wrap gap-2">
              <Button
                size="sm"
                icon="history"
                busy={refresh.busy}
                {...why}
                onClick={() => void count()}
              >
                {t.refresh}
              </Button>
              {canExport && (
                <DownloadButton
                  name="exportSubscriptions"
                  input={{ format: 'csv', month: place.month, year: place.year }}
                  offline={offline}
                  disabled={report?.rows.length === 0}
                />
              )}
            </span>
          </div>
          <ListState
            query={query}
            offline={offline}
            zone={zone}
            unavailableText={t.notOnDevice}
            needs={t.needsNetwork}
          />
          {report !== null && rows?.length === 0 && !query.isLoading && (
            <Notice icon="card" level={2} title={report.rows.length === 0 ? t.none : t.noMatches}>
              <p className="m-0">{report.rows.length === 0 ? t.noneHint : t.noMatchesHint}</p>
            </Notice>
          )}
          {report !== null && rows !== undefined && rows.length > 0 && (
            <Rows
              report={report}
              rows={rows}
              open={open?.companyId ?? null}
              busy={query.isLoading}
              onOpen={(id) => go({ open: id === place.open ? null : id })}
            />
          )}
        </div>
        {open !== null && (
          <SidePanel
            key={open.companyId}
            title={open.companyName}
            detail={formatMonth(place.year, place.month)}
            onClose={close}
          >
            <SubscriptionDetails
              row={open}
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
      {isStarting && report !== null && (
        <StartDialog
          companies={report.without}
          onClose={() => setIsStarting(false)}
          onDone={() => {
            setIsStarting(false);
            query.again();
          }}
        />
      )}
    </Page>
  );
}

function Rows({
  report: { totals, year, month },
  rows,
  open,
  busy,
  onOpen,
}: {
  readonly report: Report;
  readonly rows: readonly CompanySubscription[];
  readonly open: string | null;
  readonly busy: boolean;
  readonly onOpen: (companyId: string) => void;
}) {
  const table = useRef<HTMLTableElement>(null);
  const branding = useBranding();
  useRowKeys(table);
  return (
    <>
      <EntryTable
        ref={table}
        caption={t.title}
        busy={busy}
        heads={
          <>
            <TableHead className="pl-5">{t.company}</TableHead>
            <TableHead className="w-[20%]">{t.status}</TableHead>
            <TableHead className="w-20 text-right">{t.users}</TableHead>
            <TableHead className="w-28 text-right">{t.amount}</TableHead>
            <TableHead className="w-[25%] pr-5 pl-5">{t.acknowledged}</TableHead>
          </>
        }
      >
        {rows.map(({ companyId, companyName, subscription, usage, isPast }) => {
          const users = getBilledQuantity(usage?.lines ?? [], 'users');
          const level = usage?.level ?? subscription?.level;
          return (
            <tr
              key={companyId}
              className={`grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0 ${open === companyId ? 'bg-wash' : ''}`}
            >
              <td className="min-w-0 tablet:pr-3 tablet:pl-5">
                <OpenName
                  id={companyId}
                  name={companyName}
                  below={level === undefined ? '' : getLevelName(level, branding)}
                  open={open === companyId}
                  onOpen={() => onOpen(companyId)}
                />
              </td>
              <td className="col-start-1 row-start-2 pt-1 tablet:pt-0">
                {subscription === null ? (
                  <span className="text-ink-3">{t.noSubscription}</span>
                ) : (
                  <StatusBadge status={subscription.status} />
                )}
                {subscription !== null && subscription.owedMills > 0 && (
                  <span className="block pt-0.5 text-agate text-warning">
                    {(isPast === true ? t.owedThen : t.owed)({
                      amount: moneyWords(subscription.owedMills, subscription.currency),
                    })}
                  </span>
                )}
              </td>
              <td className="hidden text-right text-ink-2 tabular-nums tablet:table-cell">
                {users === undefined ? '–' : formatQuantity(users)}
              </td>
              <td className="col-start-2 row-start-1 pt-1 text-right tabular-nums tablet:pt-0">
                {usage === null ? '–' : moneyWords(usage.totalMills, usage.currency)}
              </td>
              <td className="col-start-2 row-start-2 pt-1 text-right text-ink-2 tablet:pt-0 tablet:pr-5 tablet:pl-5 tablet:text-left">
                {usage !== null && <UsageState usage={usage} />}
              </td>
            </tr>
          );
        })}
      </EntryTable>
      <div className="flex flex-wrap justify-between gap-x-8 gap-y-1 px-4 py-3 tablet:px-5">
        <p className="m-0 text-ink-2">{t.companyCount({ count: rows.length })}</p>
        <dl className="m-0">
          {totals.map(({ currency, totalMills }) => (
            <div key={currency} className="flex gap-3">
              <dt className="text-ink-2">{t.total({ month: formatMonth(year, month) })}</dt>
              <dd className="m-0 font-semibold tabular-nums">{moneyWords(totalMills, currency)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </>
  );
}

const EMPTY = {};
