import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useNow } from '#src/app/clock.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { DeleteDialog } from '../shared/delete-dialog.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { SectionLink } from '../shared/section-link.tsx';
import {
  hasTicketsFilter,
  TICKETS_DEFAULTS,
  ticketsAddress,
  ticketsAsk,
  ticketsMoved,
  ticketsPlace,
} from './address.ts';
import type { TicketsPlace } from './address.ts';
import { TicketDetails } from './details.tsx';
import { TicketList } from './list.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { ticketMessages as t } from './messages.en.ts';

const EVERY = 30_000;

/** `/monitoring/tickets`: tickets for problems, here or in the ticketing system (TICKET-9). */
export function Tickets() {
  const { history } = useRouter();
  const place = ticketsPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const { open } = place;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY) ?? [];
  const zone = useZone();
  const now = useNow(30_000);
  const canAct = useAbility('monitoring.job-actions');
  const canMapCompanies = useAbility('common.companies');
  const request = useCachedQuery('listTickets', ticketsAsk(place), { everyMs: EVERY });
  const one = useCachedQuery(
    'getTicket',
    { id: open ?? '' },
    { wanted: open !== null, everyMs: EVERY },
  );
  const [old, setOld] = useState<OutputOf<'listTickets'> | null>(null);
  const [deleting, setDeleting] = useState(false);
  // Shows the previous page while the next one loads.
  if (request.value !== null && request.value !== old) setOld(request.value);
  const page = request.value ?? old;
  const rows = page?.rows ?? null;
  const ticket = open === null ? null : one.value;

  const go = (next: Partial<TicketsPlace>, how: 'push' | 'replace' = 'push'): void =>
    history[how](ticketsAddress(ticketsMoved(place, next)));
  const close = (): void => {
    go({ open: null });
    requestAnimationFrame(() =>
      (
        document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(open ?? '')}"]`) ??
        document.querySelector<HTMLElement>('#content')
      )?.focus(),
    );
  };
  const again = (): void => {
    request.again();
    one.again();
  };
  async function remove(): Promise<void> {
    if (open === null) return;
    const result = await client().ask('deleteTicket', { id: open });
    setDeleting(false);
    if (!result.ok) return showFailure(getFailureText(result.failure));
    showSuccess(t.deleted);
    request.again();
    close();
  }

  return (
    <Page
      title={t.title}
      scroll="own"
      detail={page === null ? undefined : COUNTS[place.state]({ count: formatCount(page.count) })}
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ text: text.slice(0, 100) }, 'replace')}
          onLeave={() => document.querySelector<HTMLElement>('[data-entry]')?.focus()}
        />
      }
    >
      <div className="flex h-full min-w-0">
        <div className={`min-w-0 grow overflow-auto bg-sheet ${LIST_BESIDE_PANEL}`}>
          <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
            <ChipSelect
              name={t.state}
              label={t.state}
              value={place.state}
              options={STATE_WORDS}
              onChoose={(value) =>
                go({ state: STATE_WORDS.find(([state]) => state === value)?.[0] ?? 'open' })
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
            {canMapCompanies && (
              <SectionLink
                href="/monitoring/ticketing"
                className="ml-auto text-accent underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
              >
                {t.ticketingSystem}
              </SectionLink>
            )}
          </div>
          {offline && (
            <div className="px-4 py-3 tablet:px-5">
              <Callout tone="warning">
                {rows === null
                  ? t.notOnDevice({ reason: MESSAGES.needsNetwork })
                  : request.at === null
                    ? t.offline
                    : t.offlineSince({ when: formatWhen(request.at, zone) })}
              </Callout>
            </div>
          )}
          {!offline && request.failure !== null && (
            <div className="px-4 py-3 tablet:px-5">
              <RetryCallout failure={request.failure} onRetry={request.again}>
                {getFailureText(request.failure)}
              </RetryCallout>
            </div>
          )}
          {rows === null && request.failure === null && !offline && (
            <DelayedFallback>
              <PageLoading />
            </DelayedFallback>
          )}
          {rows !== null &&
            rows.length === 0 &&
            !request.isLoading &&
            (hasTicketsFilter(place) || place.page > 1 ? (
              <Notice
                icon="ticket"
                level={2}
                title={t.noneFound}
                actions={<Button onClick={() => go(TICKETS_DEFAULTS)}>{t.showOpen}</Button>}
              >
                <p className="m-0">{t.noneFoundHint}</p>
              </Notice>
            ) : (
              <Notice
                icon="ticket"
                level={2}
                title={t.none}
                actions={
                  <SectionLink
                    href="/monitoring/daily-checks?review=pending"
                    className="text-accent underline pointer-coarse:inline-flex pointer-coarse:min-h-11 pointer-coarse:items-center"
                  >
                    {t.goToDailyChecks}
                  </SectionLink>
                }
              >
                <p className="m-0">{t.noneHint}</p>
              </Notice>
            ))}
          {page !== null && rows !== null && rows.length > 0 && (
            <>
              <TicketList
                rows={rows}
                open={open}
                now={now}
                busy={request.isLoading}
                narrow={open !== null}
                onOpen={(id) => go({ open: id })}
              />
              <Pager
                page={place.page}
                size={place.size}
                count={page.count}
                total={t.ticketCount({ count: page.count })}
                onPage={(n) => go({ page: n })}
                onSize={(size) => go({ size })}
              />
            </>
          )}
        </div>
        {open !== null && ticket !== null && (
          <SidePanel
            key={open}
            title={ticket.subject}
            detail={`${ticket.number}, ${ticket.companyName}`}
            onClose={close}
          >
            <TicketDetails
              key={open}
              ticket={ticket}
              canAct={canAct}
              offline={offline}
              zone={zone}
              now={now}
              onSaved={again}
              onDelete={() => setDeleting(true)}
            />
          </SidePanel>
        )}
        {open !== null && ticket === null && (one.failure !== null || offline) && (
          <SidePanel
            key={`no ${open}`}
            title={t.notFound}
            detail={
              offline
                ? MESSAGES.needsNetwork
                : one.failure?.kind === 'not-found'
                  ? t.notFoundHint
                  : (one.failure?.message ?? '')
            }
            onClose={close}
          >
            <span />
          </SidePanel>
        )}
      </div>
      {deleting && ticket !== null && (
        <DeleteDialog
          title={t.deleteTitle}
          confirmLabel={t.deleteTicket}
          name={
            <>
              <b>{ticket.number}</b> {ticket.subject}
            </>
          }
          consequence={ticket.system === 'own' ? t.deleteHint : t.deleteHintRemote}
          onDelete={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}

const COUNTS = { open: t.countOpen, closed: t.countClosed, all: t.countAll } as const;
const STATE_WORDS = [
  ['open', t.open],
  ['closed', t.closed],
  ['all', t.all],
] as const;
const EMPTY = {};
