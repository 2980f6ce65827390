import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { OutputOf } from '#contract/calls.ts';
import { useNow } from '#src/app/clock.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { SpanChoice } from '#src/features/shared/date-range/date-range-choice.tsx';
import { Badge } from '#src/ui/badge.tsx';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { FilterChip } from '#src/ui/chip.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { DownloadButton } from '../../shared/export/download.tsx';
import { ListState } from '../../shared/lists/list-parts.tsx';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import { getId } from '../../shared/ids.ts';
import { ListCell } from '../../shared/suite-list/suite-list.tsx';
import { ACTIONS, AUDIT_DEFAULTS, auditAddress, auditPlace, auditQuery } from './address.ts';
import type { AuditFilterAction, AuditPlace } from './address.ts';
import { auditMessages as t } from './messages.en.ts';

type Entry = OutputOf<'listRestoreAudit'>['rows'][number];

/** `/o365/restore/audit`: who looked at, restored and downloaded backed-up data. */
export function RestoreAudit() {
  const branding = useBranding();
  return branding === null ? null : <AuditPage branding={branding} />;
}

function AuditPage({ branding }: { readonly branding: Branding }) {
  const { history } = useRouter();
  const place = auditPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const organizations = useWatch('organizations', EMPTY) ?? [];
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const now = useNow(60_000);
  const [max, setMax] = useState(STEP);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const query = auditQuery(place, now, rule);
  const request = useSearchQuery('listRestoreAudit', { ...query, limit: String(max) });
  const go = (next: Partial<AuditPlace>): void => {
    setMax(STEP);
    history.push(auditAddress({ ...place, ...next }));
  };
  const rows = request.value?.rows ?? null;
  const count = request.value?.count ?? 0;
  const years = request.value?.retentionYears ?? null;
  const isFiltered = [place.organization, place.action, place.user, place.session].some(
    (filter) => filter !== null,
  );
  return (
    <Page title={t.title} detail={t.detail}>
      <div className="min-h-full bg-sheet">
        <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 bg-paper px-4 py-1 tablet:px-5">
          <SpanChoice span={place.span} rule={rule} now={now} onSpan={(span) => go({ span })} />
          <Filter
            name={t.organization}
            all={t.allOrganizations}
            value={place.organization}
            options={organizations.map(({ id, name }) => [id, name] as const)}
            onChoose={(organization) => go({ organization })}
          />
          <Filter
            name={t.action}
            all={t.allActions}
            value={place.action}
            options={ACTIONS.map((action) => [action, getLabel(action)] as const)}
            onChoose={(action) => go({ action: ACTIONS.find((one) => one === action) ?? null })}
          />
          <Filter
            name={t.user}
            all={t.allUsers}
            value={place.user}
            options={(request.value?.users ?? []).map(({ _id, name }) => [_id, name] as const)}
            onChoose={(user) => go({ user })}
          />
          {place.session !== null && (
            <FilterChip
              label={t.session}
              value={t.oneSession}
              onRemove={() => go({ session: null })}
            />
          )}
          <span className="ml-auto">
            <DownloadButton
              name="exportRestoreAudit"
              input={query}
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
            title={isFiltered ? t.noMatches : t.none}
            {...(isFiltered && {
              actions: (
                <Button onClick={() => go({ ...AUDIT_DEFAULTS, span: place.span })}>
                  {t.clearFilters}
                </Button>
              ),
            })}
          >
            <p className="m-0">{isFiltered ? t.noMatchesHint : t.noneHint}</p>
          </Notice>
        )}
        {rows !== null && rows.length > 0 && (
          <>
            <Entries rows={rows} zone={rule.zone} isLoading={request.isLoading} />
            <div className="flex flex-wrap items-center gap-3 px-4 py-3 text-ink-2 tablet:px-5">
              <span>{t.count({ count })}</span>
              {count > rows.length && max < MAX && (
                <Button size="sm" busy={request.isLoading} onClick={() => setMax(max + STEP)}>
                  {t.showMore}
                </Button>
              )}
              <span className="text-agate text-ink-3">
                {years === null ? t.storedForever : t.stored({ years })}
              </span>
            </div>
          </>
        )}
      </div>
    </Page>
  );
}

function Filter({
  name,
  all,
  value,
  options,
  onChoose,
}: {
  readonly name: string;
  readonly all: string;
  readonly value: string | null;
  readonly options: readonly (readonly [string, string])[];
  readonly onChoose: (value: string | null) => void;
}) {
  const isKnown = value === null || options.some(([id]) => id === value);
  return (
    <ChipSelect
      name={name}
      label={name}
      value={value ?? ''}
      options={[['', all], ...options, ...(isKnown ? [] : [[value, '…'] as const])]}
      onChoose={(chosen) => onChoose(chosen === '' ? null : chosen)}
    />
  );
}

function Entries({
  rows,
  zone,
  isLoading,
}: {
  readonly rows: readonly Entry[];
  readonly zone: string;
  readonly isLoading: boolean;
}) {
  return (
    <EntryTable
      caption={t.title}
      busy={isLoading}
      heads={
        <>
          <TableHead className="w-40 pl-5">{t.time}</TableHead>
          <TableHead className="w-[24%]">{t.user}</TableHead>
          <TableHead className="w-[24%]">{t.what}</TableHead>
          <TableHead>{t.where}</TableHead>
          <TableHead className="w-36 pr-5 max-desk:hidden">{t.from}</TableHead>
        </>
      }
    >
      {rows.map((row) => (
        <tr
          key={getId(row)}
          className="block border-b border-hair px-4 py-2 tablet:table-row tablet:h-10 tablet:p-0"
        >
          <td className="block text-ink-2 tablet:table-cell tablet:pr-3 tablet:pl-5">
            <time data-tip={formatUtc(row.at)}>{formatWhen(row.at, zone)}</time>
          </td>
          <td className="block min-w-0 tablet:table-cell tablet:truncate tablet:pr-3">
            {row.isAutomatic ? t.automatic : (row.user?.name ?? t.unknownUser)}
            {row.actedAs !== null && (
              <span className="text-ink-3"> {t.actedAs({ name: row.actedAs.name })}</span>
            )}
            {row.isOperator && (
              <span className="pl-2">
                <Badge>{t.operator}</Badge>
              </span>
            )}
          </td>
          <td
            className="block min-w-0 tablet:table-cell tablet:truncate tablet:pr-3"
            data-tip={row.words}
          >
            {row.words}
          </td>
          <ListCell className="tablet:truncate" tip={getPlace(row)}>
            {getPlace(row)}
          </ListCell>
          <ListCell className="max-desk:hidden tablet:pr-5">
            <span data-tip={row.agent}>{row.ip}</span>
          </ListCell>
        </tr>
      ))}
    </EntryTable>
  );
}

/** What an entry is about, from the item to its organization. */
const getPlace = (row: Entry): string =>
  [
    row.item,
    row.object,
    row.organizationName,
    row.count === null ? null : t.items({ count: row.count }),
  ]
    .filter((part) => part !== null && part !== '')
    .join(' · ');

const getLabel = (action: AuditFilterAction): string =>
  ({
    session: t.actionSession,
    list: t.actionList,
    search: t.actionSearch,
    size: t.actionSize,
    preview: t.actionPreview,
    compare: t.actionCompare,
    restore: t.actionRestore,
    download: t.actionDownload,
    role: t.actionRole,
    rights: t.actionRights,
    import: t.actionImport,
  })[action];

const STEP = 100;
const MAX = 1_000;
const EMPTY = {};
