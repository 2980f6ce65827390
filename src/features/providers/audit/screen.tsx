import { useRouter, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { lazyDialog } from '#src/ui/lazy-dialog.ts';
import { useNow } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useChosenProvider } from '#src/features/shared/provider-choice.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { saveFile } from '#src/ui/save-file.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { eventsAsk, eventsPlace, eventsQuery, filtersOn } from './address.ts';
import type { EventsPlace } from './address.ts';
import { EventList } from './event-list.tsx';
import { Filters } from './filters.tsx';
import { getEmptyHint, LogEnd } from './log-end.tsx';
import { useEvents } from './use-events.ts';
import { adminEventsMessages as t } from './messages.en.ts';

const EventPanel = lazyDialog(async () => (await import('./event-panel.tsx')).EventPanel);

/** `/admin/events`: the log of all changes. */
export function AdminEvents() {
  const branding = useBranding();
  return branding === null ? null : <Log branding={branding} />;
}

function Log({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = eventsPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const chosen = useChosenProvider();
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const zone = branding.timeZone;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const ask = eventsAsk(place, now, rule);
  const { page, busy, failure, again } = useEvents(
    { ...ask, ...(place.before !== '' && { before: place.before }) },
    !offline,
  );
  const mutation = useServerMutation();
  const own = place.provider === '' || place.provider === branding.id;
  const open = page?.events.find(({ seq }) => String(seq) === place.open);
  const go = (next: Partial<EventsPlace>, how: 'push' | 'replace' = 'push'): void => {
    const query = eventsQuery({ ...place, ...next });
    history[how](`/admin/events${query === '' ? '' : `?${query}`}`);
  };
  const filter = (next: Partial<EventsPlace>): void => go({ ...next, before: '', open: '' });

  async function download(): Promise<void> {
    const made = await mutation.send(() =>
      withReauth(() => client().file('exportAdminEvents', ask)),
    );
    if (!made.ok) {
      showFailure(made.failure.message);
      return;
    }
    saveFile(made.value.name, made.value.file);
    showSuccess(t.fileDownloaded({ name: made.value.name }));
  }

  const said = offline ? BASE.needsNetwork : (failure?.message ?? null);
  return (
    <Page
      title={t.events}
      search={<Search text={place.text} onText={(text) => filter({ text })} />}
      action={
        <CallButton
          call="exportAdminEvents"
          icon="download"
          busy={mutation.busy}
          disabled={offline || page === null || page.events.length === 0}
          {...(offline && { 'data-tip': BASE.needsNetwork })}
          onClick={() => void download()}
        >
          {t.downloadCsv}
        </CallButton>
      }
    >
      <div className="flex min-h-full flex-col bg-sheet">
        <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-2 tablet:px-5">
          {chosen !== null && (chosen.all.value?.length ?? 0) > 1 && (
            <ChipSelect
              name={t.provider}
              label={t.provider}
              icon="companies"
              value={own ? '' : place.provider}
              onChoose={(provider) => filter({ provider, company: '' })}
              options={(chosen.all.value ?? []).map(
                ({ _id: id, name, own: here }) =>
                  [here ? '' : id, here ? t.ownProvider({ name }) : name] as const,
              )}
            />
          )}
          <Filters
            place={place}
            types={page?.types ?? []}
            own={own}
            rule={rule}
            now={now}
            onPlace={filter}
          />
          {page !== null && (
            <span className="text-agate text-ink-3">
              {busy
                ? t.loading
                : page.next === null && place.before === ''
                  ? t.eventCount({ count: page.events.length })
                  : t.eventsOnPage({ count: page.events.length })}
            </span>
          )}
        </div>
        {said !== null && (
          <div className="px-5 py-3">
            <RetryCallout failure={failure} offline={offline} onRetry={again}>
              {offline ? t.offline : said}
            </RetryCallout>
          </div>
        )}
        {page === null && busy && (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        )}
        {page !== null && page.events.length === 0 && page.next === null && (
          <Notice icon="log" level={2} title={filtersOn(place) > 0 ? t.noMatches : t.noEvents}>
            <p className="m-0">{getEmptyHint(filtersOn(place) > 0, page.reachesArchive)}</p>
          </Notice>
        )}
        {page !== null && page.events.length > 0 && (
          <EventList events={page.events} zone={zone} onOpen={(seq) => go({ open: String(seq) })} />
        )}
        {page !== null && <LogEnd page={page} />}
        {page !== null && (page.next !== null || place.before !== '') && (
          <nav aria-label={t.pages} className="flex flex-wrap gap-2 px-5 py-3">
            {place.before !== '' && (
              <Button size="sm" onClick={() => go({ before: '', open: '' })}>
                {t.newest}
              </Button>
            )}
            {page.next !== null && (
              <Button
                size="sm"
                busy={mutation.busy}
                onClick={() => go({ before: String(page.next), open: '' })}
              >
                {t.older}
              </Button>
            )}
          </nav>
        )}
      </div>
      {open && (
        <Suspense>
          <EventPanel
            one={open}
            zone={zone}
            onClose={() => go({ open: '' })}
            onAbout={() => filter({ entity: open.entity })}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Searches when typing pauses. */
function Search({
  text,
  onText,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  const [from, setFrom] = useState(text);
  // The address changed for another reason: back, or the filters were cleared.
  if (from !== text) {
    setFrom(text);
    if (typed.trim() !== text) setTyped(text);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const now = (next: string): void => {
    clearTimeout(timer.current);
    if (next.trim() !== text) onText(next.trim());
  };
  const later = (next: string): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => now(next), RESTS_MS);
  };
  return (
    <SearchField
      label={t.search}
      value={typed}
      focusKey="/"
      onChange={later}
      onLeave={() => now(typed)}
    />
  );
}

const RESTS_MS = 400;
const EMPTY = {};
