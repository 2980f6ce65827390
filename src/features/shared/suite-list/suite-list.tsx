import { useRouter, useRouterState } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import type { IconName } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { focusEntry, OpenName } from '../lists/list-parts.tsx';
import { useRowKeys } from '../lists/use-row-keys.ts';
import { suiteListAddress, listPlace } from './address.ts';
import type { ListPlace } from './address.ts';
import { suiteListMessages as t } from './messages.en.ts';

interface ListedRow {
  readonly id: string;
  readonly name: string;
}

export interface SuiteListProps<Row extends ListedRow> {
  readonly path: string;
  readonly title: string;
  readonly searchLabel: string;
  /** Null while unknown. By name. */
  readonly rows: readonly Row[] | null;
  /** Other texts of a row that the search looks at. */
  readonly getSearchWords: (row: Row) => readonly string[];
  readonly getDescription: (row: Row) => string;
  readonly heads: readonly { readonly label: string; readonly className: string }[];
  /** The cells after the name. `narrow`: the panel is open. */
  readonly renderCells: (row: Row, narrow: boolean) => ReactNode;
  readonly empty: {
    readonly icon: IconName;
    readonly title: string;
    readonly hint: string;
    readonly action?: ReactNode;
  };
  readonly action?: ReactNode;
  readonly getPanelDetail: (row: Row) => ReactNode;
  readonly renderPanel: (row: Row, close: () => void) => ReactNode;
  /** The form of a new entry beside the list, open at `open=new`. */
  readonly newEntry?: {
    readonly title: string;
    readonly detail: ReactNode;
    readonly render: () => ReactNode;
  };
  /** Puts the list into tabs. */
  readonly renderFrame?: (list: ReactNode) => ReactNode;
}

/** The state of a list of the cloud suite, in its address. */
export function useListPlace(path: string): {
  readonly place: ListPlace;
  readonly go: (next: Partial<ListPlace>, how?: 'push' | 'replace') => void;
} {
  const { history } = useRouter();
  const place = listPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  return {
    place,
    go: (next, how = 'push') => history[how](suiteListAddress(path, { ...place, ...next })),
  };
}

/** A list that this device stores, offline too, and the open entry beside it. */
export function SuiteList<Row extends ListedRow>({
  path,
  title,
  searchLabel,
  rows,
  getSearchWords,
  getDescription: renderDetails,
  heads,
  renderCells,
  empty,
  action,
  getPanelDetail,
  renderPanel,
  newEntry,
  renderFrame = (list) => list,
}: SuiteListProps<Row>) {
  const { place, go } = useListPlace(path);
  const status = useWatch('status', EMPTY);
  const zone = useZone();
  const table = useRef<HTMLTableElement>(null);
  const [max, setMax] = useState(STEP);
  useRowKeys(table);
  const text = place.text.trim().toLowerCase();
  const found =
    text === ''
      ? rows
      : (rows?.filter((row) =>
          [row.name, ...getSearchWords(row)].some((word) => word.toLowerCase().includes(text)),
        ) ?? null);
  const open = rows?.find(({ id }) => id === place.open) ?? null;
  const isOffline = status?.kind === 'offline';
  const entry = open === null && place.open === NEW ? newEntry : undefined;
  const isLoading = rows === null || (rows.length === 0 && status?.kind === 'catching-up');
  const close = (): void => {
    go({ open: null });
    focusEntry(place.open === NEW ? null : place.open);
  };
  return (
    <Page
      title={title}
      scroll="own"
      {...(action !== undefined && rows !== null && rows.length > 0 && { action })}
      search={
        <SearchField
          label={searchLabel}
          value={place.text}
          focusKey="/"
          onChange={(typed) => go({ text: typed.slice(0, 100) }, 'replace')}
          onLeave={() => table.current?.querySelector<HTMLElement>('button')?.focus()}
        />
      }
    >
      <div className="flex h-full min-w-0">
        <div className={`flex min-w-0 grow flex-col overflow-auto bg-sheet ${LIST_BESIDE_PANEL}`}>
          {renderFrame(
            <>
              {isOffline && (
                <div className="px-4 py-3 tablet:px-5">
                  <Callout tone="warning">
                    {status.syncedAt === null
                      ? t.offlineEmpty
                      : t.offline({ when: formatWhen(status.syncedAt, zone) })}
                  </Callout>
                </div>
              )}
              {isLoading || found === null ? (
                <DelayedFallback>
                  <PageLoading />
                </DelayedFallback>
              ) : rows.length === 0 ? (
                <div className="grid grow">
                  <Notice
                    icon={empty.icon}
                    level={2}
                    title={empty.title}
                    {...(empty.action !== undefined && { actions: empty.action })}
                  >
                    <p className="m-0">{empty.hint}</p>
                  </Notice>
                </div>
              ) : found.length === 0 ? (
                <div className="grid grow">
                  <Notice
                    icon="search"
                    level={2}
                    title={t.noMatches}
                    actions={<Button onClick={() => go({ text: '' })}>{t.showAll}</Button>}
                  >
                    <p className="m-0">{t.noMatchesHint}</p>
                  </Notice>
                </div>
              ) : (
                <EntryTable
                  ref={table}
                  caption={title}
                  heads={heads.map(({ label, className }) => (
                    <TableHead key={label} className={className}>
                      {label}
                    </TableHead>
                  ))}
                >
                  {found.slice(0, max).map((row) => (
                    <tr
                      key={row.id}
                      data-row=""
                      className={`block cursor-pointer border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0 ${place.open === row.id ? 'bg-accent-wash' : 'hover:bg-wash'}`}
                      onClick={(event) => {
                        if (!(event.target instanceof Element && event.target.closest('button, a')))
                          go({ open: row.id });
                      }}
                    >
                      <td className="block min-w-0 tablet:table-cell tablet:pr-3 tablet:pl-5">
                        <OpenName
                          id={row.id}
                          name={row.name}
                          below={renderDetails(row)}
                          open={place.open === row.id}
                          onOpen={() => go({ open: row.id })}
                        />
                      </td>
                      {renderCells(row, place.open !== null)}
                    </tr>
                  ))}
                </EntryTable>
              )}
              {found !== null && found.length > max && (
                <p className="m-0 px-5 py-3">
                  <Button onClick={() => setMax(max + STEP)}>
                    {t.showMore({ count: formatCount(found.length - max) })}
                  </Button>
                </p>
              )}
            </>,
          )}
        </div>
        {place.open !== null && rows !== null && !isLoading && (
          <SidePanel
            key={place.open}
            title={open?.name ?? entry?.title ?? t.gone}
            detail={open === null ? (entry?.detail ?? t.goneHint) : getPanelDetail(open)}
            onClose={close}
          >
            {open === null ? (entry?.render() ?? <span />) : renderPanel(open, close)}
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

/** A cell of a row: in its column on wide screens, a line of the card on a phone. */
export function ListCell({
  label,
  tip,
  className = '',
  children,
}: {
  /** Shown before the value on a phone, where there are no heads. */
  readonly label?: string;
  /** The whole of a value that is cut where its column is narrow. */
  readonly tip?: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <td
      {...(tip !== undefined && { 'data-tip': tip })}
      className={`block min-w-0 text-ink-2 tablet:table-cell tablet:pr-3 ${className}`}
    >
      {label !== undefined && <span className="text-agate text-ink-3 tablet:hidden">{label} </span>}
      {children}
    </td>
  );
}

/** Facts of a panel, as a list of terms. */
export function FactList({
  facts,
}: {
  readonly facts: readonly (readonly [term: string, value: ReactNode])[];
}) {
  return (
    <dl className="m-0 grid grid-cols-[minmax(0,11rem)_minmax(0,1fr)] gap-x-4">
      {facts.map(([term, value]) => (
        <div
          key={term}
          className="col-span-2 grid grid-cols-subgrid border-b border-hair py-2 last:border-0"
        >
          <dt className="text-ink-3">{term}</dt>
          <dd className="m-0 min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const NEW = 'new';
const STEP = 200;
const EMPTY = {};
