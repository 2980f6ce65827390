import { useEffect, useRef, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import { SESSION_TYPES } from '#contract/restore/sessions.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { useBranding, useZone } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { formatCount } from '#src/ui/format.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { ListState } from '../../shared/lists/list-parts.tsx';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import type { BasketPlace } from '../basket/basket.ts';
import { useOpenBasket } from '../basket/use-basket.ts';
import { useCapabilities } from '../capabilities.ts';
import { TEXTS } from '../texts.ts';
import { ONEDRIVE, OUTLOOK, SHAREPOINT, TEAMS } from '../workload.ts';
import { MAX_SEARCH_CHARS, NEW_SEARCH, type SearchPlace } from './place.ts';
import { SearchResult } from './result.tsx';
import { restoreSearchMessages as t } from './messages.en.ts';

export type FoundInSearch = OutputOf<'searchBackups'>['rows'][number];

/** One search over mailboxes, drives, sites and teams at all restore points. */
export function SearchView({
  organizationId,
  place,
  getAddress,
  onChange,
  onClose,
}: {
  readonly organizationId: string;
  readonly place: SearchPlace;
  /** The address that opens an item where it was seen last. */
  readonly getAddress: (item: FoundInSearch) => string;
  readonly onChange: (place: SearchPlace) => void;
  readonly onClose: () => void;
}) {
  const zone = useZone();
  const basket = useOpenBasket();
  const canCollect = useCapabilities().basket;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const [typed, setTyped] = useState(place.text);
  const [max, setMax] = useState(STEP);
  const text = place.text.trim();
  const change = (next: Partial<SearchPlace>): void => {
    setMax(STEP);
    onChange({ ...place, ...next });
  };
  // Each search is recorded, so letters are not searched one by one.
  useEffect(() => {
    if (typed === place.text) return;
    const timer = setTimeout(() => change({ text: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  });
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.querySelector('input')?.focus(), []);
  const query = useSearchQuery(
    'searchBackups',
    {
      organizationId,
      search: text,
      limit: String(max),
      ...(place.sessionType !== null && { sessionType: place.sessionType }),
      ...(place.deleted !== null && { deleted: place.deleted ? 'true' : 'false' }),
    },
    { wanted: text !== '' },
  );
  const page = text === '' ? null : query.value;
  // What is found of a service whose page is switched off couldn't be opened.
  const portal = useBranding()?.features.office365.restorePortal;
  const services = WORKLOADS.filter(({ kind }) => portal?.[kind] === true);
  const found = page?.rows ?? [];
  const rows = found.filter((row) =>
    services.some(({ sessionType }) => sessionType === row.sessionType),
  );
  const isFiltered = place.sessionType !== null || place.deleted !== null;
  // The search ended before this page was full: a longer one would have the same items.
  const isCut = !query.isLoading && page !== null && page.next !== null && found.length < max;
  return (
    <section aria-label={t.title} className="flex h-full min-h-0 flex-col bg-sheet">
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-rule bg-paper px-4 py-2 tablet:px-5">
        <div ref={head} className="w-96 max-w-full min-w-0 max-tablet:w-full">
          <SearchField
            label={t.field}
            value={typed}
            focusKey="/"
            onChange={(next) => setTyped(next.slice(0, MAX_SEARCH_CHARS))}
            onLeave={() => {
              if (typed === '') onClose();
              else if (typed !== place.text) change({ text: typed });
              else document.querySelector<HTMLElement>('[data-entry]')?.focus();
            }}
          />
        </div>
        <ChipSelect
          name={t.where}
          label={t.where}
          value={place.sessionType ?? ''}
          options={[
            ['', t.everywhere],
            ...services.map(({ sessionType, kind }) => [sessionType, TEXTS[kind].objects] as const),
          ]}
          onChoose={(chosen) =>
            change({
              sessionType: SESSION_TYPES.find((type) => type === chosen) ?? null,
            })
          }
        />
        <ChipSelect
          name={t.state}
          label={t.state}
          value={place.deleted === null ? '' : String(place.deleted)}
          options={[
            ['', t.anyState],
            ['true', t.deletedOnly],
            ['false', t.presentOnly],
          ]}
          onChoose={(chosen) => change({ deleted: chosen === '' ? null : chosen === 'true' })}
        />
        <span className="ml-auto">
          <Button size="sm" icon="close" onClick={onClose}>
            {t.close}
          </Button>
        </span>
      </div>
      <div className="min-h-0 grow overflow-auto">
        {text !== '' && (
          <ListState
            query={query}
            offline={offline}
            zone={zone}
            unavailableText={t.offline}
            needs={t.offline}
          />
        )}
        {text === '' && (
          <Notice icon="search" level={2} title={t.start}>
            <p className="m-0">{t.startHint}</p>
          </Notice>
        )}
        {page !== null && rows.length === 0 && !query.isLoading && (
          <Notice
            icon="search"
            level={2}
            title={page.next === null ? t.none : t.tooMany}
            {...(isFiltered && {
              actions: (
                <Button onClick={() => change({ ...NEW_SEARCH, text: place.text })}>
                  {t.clearFilters}
                </Button>
              ),
            })}
          >
            <p className="m-0">
              {page.next !== null ? t.tooManyHint : isFiltered ? t.noneFilteredHint : t.noneHint}
            </p>
          </Notice>
        )}
        {rows.length > 0 && (
          <ul
            aria-label={t.results}
            aria-busy={query.isLoading}
            className={`m-0 list-none p-0 ${query.isLoading ? 'opacity-60' : ''}`}
          >
            {rows.map((row) => {
              const at = getBasketPlace(row);
              const isInBasket = basket?.has(at, [row.id]) ?? false;
              return (
                <SearchResult
                  key={`${row.sessionType} ${row.id}`}
                  item={row}
                  href={getAddress(row)}
                  zone={zone}
                  isInBasket={isInBasket}
                  onBasket={
                    basket !== null && canCollect
                      ? () => (isInBasket ? basket.remove(at, [row.id]) : basket.add(at, [row.id]))
                      : null
                  }
                />
              );
            })}
          </ul>
        )}
        <output className="flex flex-wrap items-center gap-3 px-4 py-3 text-ink-2 empty:hidden tablet:px-5">
          {page !== null && rows.length > 0 && (
            <>
              <span>
                {page.next === null
                  ? t.count({ count: rows.length })
                  : t.countMore({ count: formatCount(rows.length) })}
              </span>
              {isCut && <span>{t.tooManyHint}</span>}
              {page.next !== null && !isCut && max < MAX && (
                <Button size="sm" busy={query.isLoading} onClick={() => setMax(max + STEP)}>
                  {t.showMore}
                </Button>
              )}
            </>
          )}
        </output>
      </div>
    </section>
  );
}

/** A found item is collected at the last restore point that has this version. */
const getBasketPlace = ({ sessionType, point, openAt, object }: FoundInSearch): BasketPlace => ({
  workload: (WORKLOADS.find((one) => one.sessionType === sessionType) ?? OUTLOOK).kind,
  point,
  at: openAt,
  showDeleted: false,
  object: object.id,
});

const WORKLOADS = [OUTLOOK, ONEDRIVE, SHAREPOINT, TEAMS];
const TYPING_MS = 400;
const STEP = 100;
const MAX = 1_000;
const EMPTY = {};
