import { useAreaPage } from '#src/app/router/area.ts';
import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useNow } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useMe, useZone } from '#src/app/session/session.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { INVOICE_WORDS } from '../labels.ts';
import {
  INVOICES_DEFAULTS,
  invoicesQuery,
  invoicesAsk,
  invoicesMoved,
  invoicesNarrowed,
  invoicesPlace,
  hasInvoicesFilter,
  SORT_CHOICES,
  STATE_CHOICES,
} from './address.ts';
import type { InvoicesPlace } from './address.ts';
import { InvoiceDetails } from './details.tsx';
import { InvoiceList } from './list.tsx';
import { Period } from './period.tsx';
import { Sums } from './sums.tsx';
import { invoiceMessages as t } from './messages.en.ts';

const EVERY = 15_000;

/** `/monitoring/invoices`: invoices read from QuickBooks (BILL-6). */
export function Invoices() {
  const { history } = useRouter();
  const path = useAreaPage('/monitoring/invoices');
  const place = invoicesPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const { open } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY) ?? [];
  const zone = useZone();
  const now = useNow(60_000);
  const whole = useMe()?.companies === null;
  const canManage = useAbility('common.companies') && whole;
  const today = dayAt(now, { zone, hour: 0 });
  const request = useCachedQuery('listInvoices', invoicesAsk(place, today), { everyMs: EVERY });
  const one = useCachedQuery('getInvoice', { id: open ?? '' }, { wanted: open !== null });
  const [old, setOld] = useState<OutputOf<'listInvoices'> | null>(null);
  const mutation = useServerMutation();
  // Shows the previous page while the next one loads.
  if (request.value !== null && request.value !== old) setOld(request.value);
  const page = request.value ?? old;
  const invoice = open === null ? null : one.value;
  const none = page?.source.kind === 'none';

  const go = (next: Partial<InvoicesPlace>, how: 'push' | 'replace' = 'push'): void =>
    history[how](path + invoicesQuery(invoicesMoved(place, next)));
  const close = (): void => {
    go({ open: null });
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(open ?? '')}"]`) ??
        document.querySelector<HTMLElement>('#content')
      )?.focus(),
    );
  };
  async function download(): Promise<void> {
    const made = await mutation.send(() =>
      client().file('exportInvoices', {
        format: 'csv',
        ...invoicesNarrowed(place, today),
      }),
    );
    if (!made.ok) return showFailure(getFailureText(made.failure));
    saveFile(made.value.name, made.value.file);
    showSuccess(t.fileDownloaded({ name: made.value.name }));
  }

  return (
    <Page
      title={t.invoices}
      scroll="own"
      detail={page === null || none ? undefined : t.invoiceCount({ count: page.count })}
      search={
        <SearchField
          label={t.searchInvoices}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ text: text.slice(0, 100) }, 'replace')}
          onLeave={() => document.querySelector<HTMLElement>('[data-entry]')?.focus()}
        />
      }
      {...(!none && {
        action: (
          <Button
            icon="download"
            busy={mutation.busy}
            disabled={offline || (page?.count ?? 0) === 0}
            {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
            onClick={() => void download()}
          >
            {t.downloadCsv}
          </Button>
        ),
      })}
    >
      <div className="flex h-full min-w-0">
        <div className={`min-w-0 grow overflow-auto bg-sheet ${LIST_BESIDE_PANEL}`}>
          <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
            <ChipSelect
              name={t.status}
              label={t.status}
              value={place.state ?? ''}
              options={[
                ['', t.all],
                ...STATE_CHOICES.map(
                  (state) =>
                    [state, state === 'owed' ? t.unpaid : INVOICE_WORDS[state].label] as const,
                ),
              ]}
              onChoose={(value) =>
                go({ state: STATE_CHOICES.find((state) => state === value) ?? null })
              }
            />
            <ChipSelect
              name={t.company}
              label={t.company}
              value={String(place.company)}
              options={[
                ['0', t.allCompanies],
                ...companies.map(({ n, name }) => [String(n), name] as const),
              ]}
              onChoose={(value) => go({ company: Number(value) })}
            />
            <Period span={place.span} zone={zone} now={now} onSpan={(span) => go({ span })} />
            <ChipSelect
              name={t.order}
              label={t.order}
              value={place.sort}
              options={ORDERS}
              onChoose={(value) =>
                go({ sort: SORT_CHOICES.find((sort) => sort === value) ?? '-day' })
              }
            />
            {canManage && (
              <Link
                to="/monitoring/invoices/quickbooks"
                className="ml-auto text-accent underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
              >
                {t.quickBooks}
              </Link>
            )}
          </div>
          {offline && (
            <Line>
              <Callout tone="warning">
                {page === null
                  ? t.notOnDevice
                  : request.at === null
                    ? t.offline
                    : `${t.offline} ${t.dataFrom({ when: formatWhen(request.at, zone) })}`}
              </Callout>
            </Line>
          )}
          {!offline && request.failure !== null && (
            <Line>
              <RetryCallout failure={request.failure} onRetry={request.again}>
                {getFailureText(request.failure)}
              </RetryCallout>
            </Line>
          )}
          {page !== null && page.source.error !== null && (
            <Line>
              <Callout tone="warning">
                {page.source.error}
                {page.source.readAt !== null &&
                  ` ${t.dataFrom({ when: formatWhen(page.source.readAt, zone) })}`}
              </Callout>
            </Line>
          )}
          {page === null && request.failure === null && !offline && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )}
          {page !== null && page.count === 0 && !request.isLoading && (
            <Empty
              place={place}
              source={page.source}
              canManage={canManage}
              onAll={() => go(INVOICES_DEFAULTS)}
            />
          )}
          {page !== null && page.count > 0 && (
            <>
              <Sums sums={page.sums} />
              <InvoiceList
                rows={page.rows}
                open={open}
                busy={request.isLoading}
                narrow={open !== null}
                onOpen={(id) => go({ open: id })}
              />
              {page.rows.length === 0 && (
                <p className="m-0 px-4 py-6 text-ink-2 tablet:px-5">{t.pageGone}</p>
              )}
              <Pager
                page={place.page}
                size={place.size}
                count={page.count}
                total={t.invoiceCount({ count: page.count })}
                onPage={(n) => go({ page: n })}
                onSize={(size) => go({ size })}
              />
            </>
          )}
          {page !== null && !none && page.source.error === null && page.source.readAt !== null && (
            <p className="m-0 px-4 pb-4 text-agate text-ink-3 tablet:px-5">
              {t.syncedAt({ when: formatWhen(page.source.readAt, zone) })}
            </p>
          )}
        </div>
        {open !== null && invoice !== null && (
          <SidePanel
            key={open}
            title={
              invoice.number === ''
                ? t.invoiceWithoutNumber
                : t.invoiceNumber({ number: invoice.number })
            }
            detail={invoice.companyName ?? invoice.customer}
            onClose={close}
          >
            <InvoiceDetails key={open} invoice={invoice} offline={offline} zone={zone} />
          </SidePanel>
        )}
        {open !== null && invoice === null && (one.failure !== null || offline) && (
          <SidePanel
            key={`no ${open}`}
            title={t.invoiceGone}
            detail={
              offline
                ? MESSAGES.needsNetwork
                : one.failure?.kind === 'not-found'
                  ? t.invoiceGoneHint
                  : (one.failure?.message ?? '')
            }
            onClose={close}
          >
            <span />
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

function Empty({
  place,
  source,
  canManage,
  onAll,
}: {
  readonly place: InvoicesPlace;
  readonly source: OutputOf<'listInvoices'>['source'];
  readonly canManage: boolean;
  readonly onAll: () => void;
}) {
  if (source.kind === 'none') {
    return (
      <Notice
        icon="invoice"
        level={2}
        title={t.notConnected}
        {...(canManage && {
          actions: (
            <Link
              to="/monitoring/invoices/quickbooks"
              className="text-accent underline underline-offset-2 pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
            >
              {t.connectQuickBooks}
            </Link>
          ),
        })}
      >
        <p className="m-0">{canManage ? t.connectHint : t.askAdministrator}</p>
      </Notice>
    );
  }
  if (source.kind === 'reading')
    return (
      <Notice icon="invoice" level={2} title={t.syncing}>
        <p className="m-0">{t.syncingHint}</p>
      </Notice>
    );
  return hasInvoicesFilter(place) ? (
    <Notice
      icon="invoice"
      level={2}
      title={t.noMatches}
      actions={<Button onClick={onAll}>{t.showAll}</Button>}
    >
      <p className="m-0">{t.noMatchesHint}</p>
    </Notice>
  ) : (
    <Notice icon="invoice" level={2} title={t.noInvoices}>
      <p className="m-0">
        {t.noInvoicesHint}
        {canManage && ` ${t.mapHint}`}
      </p>
    </Notice>
  );
}

const Line = ({ children }: { readonly children: React.ReactNode }) => (
  <div className="px-4 py-3 tablet:px-5">{children}</div>
);
const ORDERS = [
  ['-day', t.newestFirst],
  ['day', t.oldestFirst],
  ['due', t.dueFirst],
  ['number', t.number],
  ['company', t.company],
] as const;
const EMPTY = {};
