import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { DownloadButton } from '../shared/export/download.tsx';
import { focusEntry, ListState } from '../shared/lists/list-parts.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { getId, isThe } from '../shared/ids.ts';
import {
  COMPANIES_DEFAULTS,
  COMPANIES_PATH,
  companiesAsk,
  companiesMoved,
  companiesPlace,
  companiesQuery,
} from './address.ts';
import type { CompaniesPlace, CompanySort } from './address.ts';
import { DeleteCompany } from './delete-dialog.tsx';
import { CompanyDetails } from './details.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { CompanyList } from './list.tsx';
import { companyMessages as t } from './messages.en.ts';

/** `/monitoring/companies`: the companies whose backups are monitored. */
export function Companies() {
  const me = useMe();
  return me === null ? null : <CompaniesOf me={me} />;
}

function CompaniesOf({ me }: { readonly me: Me }) {
  const { history } = useRouter();
  const place = companiesPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const request = useSearchQuery(
    'reportCompanies',
    { ...companiesAsk(place), page: String(place.page), pageSize: String(place.size) },
    { isStored: true },
  );
  const [saved, setSaved] = useState<CompanyListed | null>(null);
  const [deleting, setDeleting] = useState(false);
  const { open } = place;
  const rows = request.value?.rows ?? null;
  const count = request.value?.count ?? 0;
  const listed = rows?.find(({ _id }) => _id === open) ?? null;
  const company =
    open === null
      ? null
      : isThe(open, saved) && (request.isLoading || listed === null)
        ? saved
        : listed;
  /** Users with access to some companies only cannot create one. */
  const all = me.companies === null;
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};

  const go = (next: Partial<CompaniesPlace>, how: 'push' | 'replace' = 'push'): void => {
    const query = companiesQuery(companiesMoved(place, next));
    history[how](`${COMPANIES_PATH}${query === '' ? '' : `?${query}`}`);
  };
  const close = (): void => {
    go({ open: null });
    focusEntry(open === 'new' ? null : open);
  };
  const renew = (next: CompanyListed | null): void => {
    setSaved(next);
    request.again();
  };
  const make = all && (
    <Button
      variant="primary"
      icon="plus"
      disabled={offline}
      {...why}
      onClick={() => go({ open: 'new' })}
    >
      {t.newCompany}
    </Button>
  );

  return (
    <Page
      title={t.companies}
      scroll="own"
      {...(make && { action: make })}
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
              name={t.order}
              label={t.sort}
              value={place.sort}
              options={ORDERS}
              onChoose={(value) =>
                go({
                  sort: ORDERS.find(([sort]) => sort === value)?.[0] ?? COMPANIES_DEFAULTS.sort,
                })
              }
            />
            <span className="ml-auto flex flex-wrap gap-2">
              {all && (
                <Button
                  size="sm"
                  icon="source"
                  disabled={offline}
                  {...why}
                  onClick={() => go({ importing: true })}
                >
                  {t.importFromVspc}
                </Button>
              )}
              <DownloadButton
                name="exportCompanies"
                input={companiesAsk(place)}
                offline={offline}
                disabled={count === 0}
              />
            </span>
          </div>
          <ListState
            query={request}
            offline={offline}
            zone={zone}
            unavailableText={t.notOnDevice}
            needs={t.needsNetwork}
          />
          {rows !== null &&
            rows.length === 0 &&
            !request.isLoading &&
            (place.text.trim() !== '' || place.page > 1 ? (
              <Notice
                icon="companies"
                level={2}
                title={t.noMatches}
                actions={<Button onClick={() => go({ text: '', page: 1 })}>{t.showAll}</Button>}
              >
                <p className="m-0">{t.noMatchesDetail}</p>
              </Notice>
            ) : (
              <Notice
                icon="companies"
                level={2}
                title={t.noCompanies}
                {...(make && { actions: make })}
              >
                <p className="m-0">{all ? t.noCompaniesDetail : t.noCompaniesLeft}</p>
              </Notice>
            ))}
          {rows !== null && rows.length > 0 && (
            <>
              <CompanyList
                rows={rows}
                open={open}
                sort={place.sort}
                zone={zone}
                busy={request.isLoading}
                narrow={open !== null}
                onSort={(sort) => go({ sort })}
                onOpen={(id) => go({ open: id })}
              />
              <Pager
                page={place.page}
                size={place.size}
                count={count}
                total={t.companyCount({ count })}
                onPage={(page) => go({ page })}
                onSize={(size) => go({ size })}
              />
            </>
          )}
        </div>
        {open === 'new' && all && (
          <SidePanel key="new" title={t.newCompany} detail={t.newCompanyDetail} onClose={close}>
            <CompanyDetails
              key="new"
              company={null}
              offline={offline}
              onDelete={null}
              onSaved={(made) => {
                renew(made);
                go({ open: getId(made) }, 'replace');
              }}
            />
          </SidePanel>
        )}
        {open !== null &&
          open !== 'new' &&
          company === null &&
          rows !== null &&
          !request.isLoading && (
            <SidePanel
              key={open}
              title={t.notInThisList}
              detail={t.notInListDetail}
              onClose={close}
            >
              <span />
            </SidePanel>
          )}
        {company !== null && (
          <SidePanel
            key={getId(company)}
            title={company.name}
            detail={t.panelDetail({
              jobs: t.jobCount({ count: company.jobs }),
              sources: t.sourceCount({ count: company.keys }),
              users: t.limitedUserCount({ count: company.users.length }),
            })}
            onClose={close}
          >
            <CompanyDetails
              key={getId(company)}
              company={company}
              offline={offline}
              onSaved={renew}
              onDelete={all ? () => setDeleting(true) : null}
            />
          </SidePanel>
        )}
      </div>
      {deleting && company !== null && (
        <DeleteCompany
          company={company}
          onClose={() => setDeleting(false)}
          onDone={() => {
            setDeleting(false);
            renew(null);
            close();
          }}
        />
      )}
      {place.importing && (
        <ImportDialog onChanged={() => renew(null)} onClose={() => go({ importing: false })} />
      )}
    </Page>
  );
}

const ORDERS: readonly (readonly [CompanySort, string])[] = [
  ['name', t.nameAscending],
  ['-name', t.nameDescending],
  ['-madeAt', t.newestFirst],
  ['madeAt', t.oldestFirst],
];
const EMPTY = {};
