import { useRouter, useRouterState } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { can } from '#contract/abilities.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Page } from '#src/app/shell/page.tsx';
import { Button } from '#src/ui/button.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatCount, formatDay } from '#src/ui/format.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { getStoredList } from '../runs/stored-list.ts';
import { parseListAddress } from '../runs/list-address.ts';
import { toRunsFilter } from '../runs/list-state.ts';
import { besidePlace, besideQuery, LIST_PATHS } from './address.ts';
import type { BesidePlace, ListKey } from './address.ts';
import { leftAt } from './tab-state.ts';
import { ListsFrame } from './list-tabs.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { listMessages as t } from './messages.en.ts';

const STEP = 200;

/** State in the address, and the number of displayed rows. */
export interface ListPageState {
  readonly place: BesidePlace;
  readonly go: (next: BesidePlace, how: 'push' | 'replace') => void;
  readonly max: number;
  readonly more: () => void;
}

export function useListPage(list: Exclude<ListKey, 'results'>): ListPageState {
  const { history } = useRouter();
  const place = besidePlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const [max, setMax] = useState(STEP);
  return {
    place,
    max,
    more: () => setMax(max + STEP),
    go: (next, how) => {
      const query = besideQuery(next);
      history[how](`${LIST_PATHS[list]}${query === '' ? '' : `?${query}`}`);
    },
  };
}

export interface ListPageProps extends ListPageState {
  readonly me: Me;
  readonly branding: Branding;
  readonly list: Exclude<ListKey, 'results'>;
  readonly search: string;
  /** Column headers, for wide screens. */
  readonly heads: readonly { readonly label: string; readonly className: string }[];
  /** Number of all rows; null while unknown. */
  readonly count: number | null;
  readonly ignored: number;
  /** Shown instead of rows if there are none, or while unknown. */
  readonly instead: ReactNode;
  readonly notice: ReactNode;
  /** The first `most` rows. */
  readonly children: ReactNode;
}

/**
 * Layout of a list beside the results: tabs, search, `Show ignored`, and rows as a table, or as
 * cards on a phone.
 */
export function ListPage({
  me,
  branding,
  list,
  search,
  heads,
  count,
  ignored,
  instead,
  notice,
  place,
  go,
  max,
  more,
  children,
}: ListPageProps) {
  const now = useNow(60_000);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const [stored] = useState(() => parseListAddress(leftAt(me.id, 'results') || getStoredList(me)));
  const results = useWatch('runs', {
    filter: toRunsFilter(stored, dayAt(now, rule), rule),
    window: NO_ROWS,
    isInUse: false,
    folded: NONE,
    round: 0,
    facets: 'none',
  });
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <Page
      title={t.dailyChecks}
      detail={formatDay(now, rule.zone)}
      scroll="own"
      search={
        <SearchField
          label={search}
          value={place.text}
          focusKey="/"
          onChange={(text) => go({ ...place, text }, 'replace')}
          onLeave={() => table.current?.querySelector<HTMLElement>('button')?.focus()}
        />
      }
    >
      <ListsFrame
        me={me}
        now={now}
        chosen={list}
        query={besideQuery(place)}
        results={results?.total}
      >
        <div className="h-full overflow-auto bg-sheet">
          <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-4 bg-paper px-4 py-1 tablet:px-5">
            <div className="w-auto">
              <Switch
                label={
                  ignored === 0
                    ? t.showIgnored
                    : t.showIgnoredCount({ count: formatCount(ignored) })
                }
                on={place.ignored}
                onChange={(on) => go({ ...place, ignored: on }, 'push')}
              />
            </div>
          </div>
          {notice}
          {count === null || count === 0 ? (
            instead
          ) : (
            <>
              <EntryTable
                ref={table}
                heads={
                  <>
                    {heads.map(({ label, className }) => (
                      <TableHead key={label} className={className}>
                        {label}
                      </TableHead>
                    ))}
                    {can(me.roles, 'monitoring.job-actions') && (
                      <TableHead className="w-56 pr-5">
                        <span className="sr-only">{t.actions}</span>
                      </TableHead>
                    )}
                  </>
                }
              >
                {children}
              </EntryTable>
              {count > max && (
                <p className="m-0 px-5 py-3">
                  <Button onClick={more}>{t.showMore({ count: formatCount(count - max) })}</Button>
                </p>
              )}
            </>
          )}
        </div>
      </ListsFrame>
    </Page>
  );
}

const NO_ROWS = { first: 0, count: 0 };
const NONE: readonly number[] = [];
