import { useAreaPage } from '#src/app/router/area.ts';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { can } from '#contract/abilities.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding, useMe } from '#src/app/session/session.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { FilterChip } from '#src/ui/chip.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import { DownloadButton } from '../../shared/export/download.tsx';
import { ListState } from '../../shared/lists/list-parts.tsx';
import { PersonPicker } from '../../shared/forms/person-picker.tsx';
import { getId, isThe } from '../../shared/ids.ts';
import { LOGS_DEFAULTS, logsAsk, logsMoved, logsPlace, logsQuery } from './address.ts';
import type { LogsPlace } from './address.ts';
import { LogList } from './list.tsx';
import { getEventLabel } from '#contract/users/log-labels.ts';
import { userLogMessages as t } from './messages.en.ts';

/** `/monitoring/users-logs`: the account log: who did what for whom, when and from where. */
export function UserLogs() {
  const me = useMe();
  const branding = useBranding();
  return me === null || branding === null ? null : <UserLogsOf me={me} branding={branding} />;
}

function UserLogsOf({ me, branding }: { readonly me: Me; readonly branding: Branding }) {
  const { history } = useRouter();
  const path = useAreaPage('/monitoring/users-logs');
  const place = logsPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const ask = logsAsk(place, now, rule);
  const request = useSearchQuery(
    'listUserLogs',
    { ...ask, page: String(place.page), pageSize: String(place.size) },
    { isStored: true },
  );
  const [choosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState<{
    readonly _id: string;
    readonly name: string | null;
  } | null>(null);
  const rows = request.value?.rows ?? null;
  const kinds = request.value?.kinds ?? [];
  const count = request.value?.count ?? 0;

  const go = (next: Partial<LogsPlace>, how: 'push' | 'replace' = 'push'): void => {
    const query = logsQuery(logsMoved(place, next));
    history[how](`${path}${query === '' ? '' : `?${query}`}`);
  };
  const about =
    place.user === null
      ? null
      : ([chosen, ...(rows ?? []).flatMap(({ user, actor }) => [user, actor])].find((one) =>
          isThe(place.user, one),
        )?.name ?? t.oneUser);
  const filtered = place.user !== null || place.what !== null || place.text.trim() !== '';
  const options = [
    ['', t.allActions] as const,
    ...kinds.map(({ what }) => [what, getEventLabel(what)] as const),
  ];
  const known = place.what === null || kinds.some(({ what }) => what === place.what);

  return (
    <Page
      title={t.usersLogs}
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ text: text.slice(0, 100) }, 'replace')}
        />
      }
    >
      <div className="min-h-full bg-sheet">
        <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
          <SpanChoice span={place.span} rule={rule} now={now} onSpan={(span) => go({ span })} />
          <ChipSelect
            name={t.action}
            label={t.action}
            value={place.what ?? ''}
            options={known ? options : [...options, [place.what ?? '', place.what ?? '']]}
            onChoose={(what) => go({ what: what === '' ? null : what })}
          />
          {about === null ? (
            can(me.roles, 'monitoring.users') && (
              <Button size="sm" icon="person" disabled={offline} onClick={() => setChoosing(true)}>
                {t.filterByUser}
              </Button>
            )
          ) : (
            <FilterChip label={t.user} value={about} onRemove={() => go({ user: null })} />
          )}
          <span className="ml-auto">
            <DownloadButton
              name="exportUserLogs"
              input={ask}
              offline={offline}
              disabled={count === 0}
            />
          </span>
        </div>
        <ListState
          query={request}
          offline={offline}
          zone={rule.zone}
          unavailableText={t.notOnDevice}
          needs={t.needsNetwork}
        />
        {rows !== null && rows.length === 0 && !request.isLoading && (
          <Notice
            icon="log"
            level={2}
            title={filtered ? t.noMatches : t.noEntries}
            actions={
              filtered ? (
                <Button onClick={() => go({ ...LOGS_DEFAULTS, span: place.span })}>
                  {t.clearFilters}
                </Button>
              ) : (
                <Button onClick={() => go({ span: { kind: 'last', days: 90 } })}>
                  {t.show90Days}
                </Button>
              )
            }
          >
            <p className="m-0">{filtered ? t.noMatchesDetail : t.noEntriesDetail}</p>
          </Notice>
        )}
        {rows !== null && rows.length > 0 && (
          <>
            <LogList rows={rows} zone={rule.zone} busy={request.isLoading} />
            <Pager
              page={place.page}
              size={place.size}
              count={count}
              total={t.entryCount({ count })}
              onPage={(page) => go({ page })}
              onSize={(size) => go({ size })}
            />
          </>
        )}
      </div>
      {choosing && (
        <Dialog title={t.chooseUser} onClose={() => setChoosing(false)}>
          <div className="grid min-h-80 content-start px-5 py-4">
            <PersonPicker
              label={t.user}
              onChoose={(person) => {
                setChosen(person);
                setChoosing(false);
                go({ user: getId(person) });
              }}
            />
          </div>
        </Dialog>
      )}
    </Page>
  );
}

const EMPTY = {};
