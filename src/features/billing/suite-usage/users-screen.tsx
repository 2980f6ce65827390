import type { Branding } from '#contract/branding/branding.ts';
import { LICENSE_STATES, type LicensedUser } from '#contract/billing/suite-usage-calls.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useBranding } from '#src/app/session/session.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { DownloadButton } from '#src/features/shared/export/download.tsx';
import { ListState } from '#src/features/shared/lists/list-parts.tsx';
import { useSearchQuery } from '#src/features/shared/queries/use-search-query.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { EntryTable, TableHead } from '#src/ui/entry-table.tsx';
import { formatBytes, formatDate, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Pager } from '#src/ui/pager.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { getUsageInput, USAGE_DEFAULTS } from './address.ts';
import { suiteUsageMessages as t } from './messages.en.ts';
import { ReportBar, useUsageReport } from './report-bar.tsx';

/** `/o365/license-consumption`: the users who need or needed a license in a period (BILL-12). */
export function LicensedUsers() {
  const branding = useBranding();
  return branding === null ? null : <UsersReport branding={branding} />;
}

function UsersReport({ branding }: { readonly branding: Branding }) {
  const { place, go, rule, now, offline } = useUsageReport('/o365/license-consumption', branding);
  const text = place.text.trim();
  const input = {
    ...getUsageInput(place, now, rule),
    ...(place.state !== null && { state: place.state }),
    ...(text !== '' && { text }),
  };
  const request = useSearchQuery(
    'listSuiteConsumption',
    { ...input, page: String(place.page), pageSize: String(place.size) },
    { isStored: true },
  );
  const canExport = useAbility('o365.consumption-export');
  const rows = request.value?.rows ?? null;
  const count = request.value?.count ?? 0;
  const isFiltered = text !== '' || place.state !== null || place.organization !== null;
  return (
    <Page
      title={t.licensedUsers}
      search={
        <SearchField
          label={t.search}
          value={place.text}
          focusKey="/"
          onChange={(typed) => go({ text: typed.slice(0, 100) }, 'replace')}
        />
      }
    >
      <div className="min-h-full bg-sheet">
        <ReportBar
          place={place}
          rule={rule}
          now={now}
          go={go}
          action={
            canExport && (
              <DownloadButton
                name="exportSuiteConsumption"
                input={input}
                offline={offline}
                disabled={count === 0}
              />
            )
          }
        >
          <ChipSelect
            name={t.license}
            label={t.license}
            value={place.state ?? ''}
            options={[
              ['', t.allLicenses],
              ['licensed', t.stateLicensed],
              ['free', t.stateFree],
            ]}
            onChoose={(chosen) =>
              go({ state: LICENSE_STATES.find((state) => state === chosen) ?? null })
            }
          />
        </ReportBar>
        <ListState
          query={request}
          offline={offline}
          zone={rule.zone}
          unavailableText={t.notOnDevice}
          needs={t.needsNetwork}
        />
        {rows !== null && rows.length === 0 && !request.isLoading && (
          <Notice
            icon="users"
            level={2}
            title={isFiltered ? t.noMatches : t.noUsers}
            {...(isFiltered && {
              actions: (
                <Button onClick={() => go({ ...USAGE_DEFAULTS, span: place.span })}>
                  {t.clearFilters}
                </Button>
              ),
            })}
          >
            <p className="m-0">{isFiltered ? t.noMatchesHint : t.noUsersHint}</p>
          </Notice>
        )}
        {rows !== null && rows.length > 0 && (
          <>
            <EntryTable
              caption={t.licensedUsers}
              busy={request.isLoading}
              heads={
                <>
                  <TableHead className="pl-5">{t.user}</TableHead>
                  <TableHead className="w-[22%]">{t.organization}</TableHead>
                  <TableHead className="w-[18%]">{t.license}</TableHead>
                  <TableHead className="w-[20%]">{t.lastPoint}</TableHead>
                  <TableHead className="w-24 pr-5 text-right">{t.size}</TableHead>
                </>
              }
            >
              {rows.map((user) => (
                <UserRow key={`${user.organizationId} ${user.id}`} user={user} zone={rule.zone} />
              ))}
            </EntryTable>
            <Pager
              page={place.page}
              size={place.size}
              count={count}
              total={t.userCount({ count })}
              onPage={(page) => go({ page })}
              onSize={(size) => go({ size })}
            />
          </>
        )}
      </div>
    </Page>
  );
}

function UserRow({ user, zone }: { readonly user: LicensedUser; readonly zone: string }) {
  return (
    <tr className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-b border-hair px-4 py-2 tablet:table-row tablet:h-12 tablet:p-0">
      <td className="col-start-1 row-start-1 min-w-0 tablet:py-1.5 tablet:pr-3 tablet:pl-5">
        <span className="block break-words font-semibold">{user.name}</span>
        <span className="block break-words text-agate text-ink-3">{user.address}</span>
      </td>
      <td className="col-span-2 min-w-0 text-agate text-ink-2 tablet:pr-3 tablet:text-body">
        <span className="break-words tablet:block">{user.organizationName}</span>
        <span className="tablet:hidden"> · </span>
        <span className="break-words tablet:block tablet:text-agate tablet:text-ink-3">
          {user.companyName}
        </span>
      </td>
      <td className="col-span-2 min-w-0 text-agate text-ink-2 tablet:pr-3 tablet:text-body">
        <span className={`tablet:block ${user.state === 'free' ? '' : 'text-ink'}`}>
          {user.state === 'free' ? t.stateFree : t.stateLicensed}
        </span>
        <span className="tablet:hidden"> · </span>
        <span className="tablet:block tablet:text-agate tablet:text-ink-3">
          {[...user.kinds.map((kind) => t[kind]), ...(user.hasLeft ? [t.hasLeft] : [])].join(' · ')}
        </span>
      </td>
      <td className="col-span-2 min-w-0 text-agate text-ink-2 tablet:pr-3 tablet:text-body">
        <span className="text-ink-3 tablet:hidden">{t.lastPoint} </span>
        <time data-tip={formatUtc(user.lastPointAt)}>{formatWhen(user.lastPointAt, zone)}</time>
        <span className="text-ink-3 tablet:hidden">, </span>
        <span className="text-ink-3 tablet:block tablet:text-agate">
          {t.firstPoint({ day: formatDate(user.firstPointAt, zone) })}
        </span>
      </td>
      <td className="col-start-2 row-start-1 text-right tabular-nums text-ink-2 tablet:pr-5">
        {user.bytes === null ? '–' : formatBytes(user.bytes)}
      </td>
    </tr>
  );
}
