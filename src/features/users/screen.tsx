import { useAreaPage } from '#src/app/router/area.ts';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { ROLES } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { useMe, useZone } from '#src/app/session/session.ts';
import { Button } from '#src/ui/button.tsx';
import { ChipSelect } from '#src/ui/chip-select.tsx';
import { Pager } from '#src/ui/pager.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { Tabs } from '#src/ui/tabs.tsx';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { DownloadButton } from '../shared/export/download.tsx';
import { focusEntry, ListState } from '../shared/lists/list-parts.tsx';
import { LIST_BESIDE_PANEL, SidePanel } from '#src/ui/side-panel.tsx';
import { getId, isThe } from '../shared/ids.ts';
import { Access } from './access.tsx';
import { Accounts } from './accounts.tsx';
import { USERS_DEFAULTS, usersAsk, usersMoved, usersPlace, usersQuery } from './address.ts';
import type { UsersPlace, UserSort } from './address.ts';
import { Details } from './details.tsx';
import { UserList } from './list.tsx';
import { ROLE_NAMES } from '../shared/role-names.ts';
import { userMessages as t } from './messages.en.ts';

/** `/monitoring/users`: users and their access. */
export function Users() {
  const me = useMe();
  return me === null ? null : <UsersOf me={me} />;
}

function UsersOf({ me }: { readonly me: Me }) {
  const { history } = useRouter();
  const path = useAreaPage('/monitoring/users');
  const place = usersPlace(useRouterState({ select: ({ location }) => location.searchStr }));
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const zone = useZone();
  const now = useNow(60_000);
  const request = useSearchQuery('listUsers', {
    ...usersAsk(place),
    page: String(place.page),
    pageSize: String(place.size),
  });
  // A saved user is shown before the list is loaded again. A new one can be on another page of it.
  const [saved, setSaved] = useState<UserListed | null>(null);
  const { open } = place;
  const rows = request.value?.rows ?? null;
  const count = request.value?.count ?? 0;
  const listed = rows?.find(({ _id }) => _id === open) ?? null;
  const user =
    open === null
      ? null
      : isThe(open, saved) && (request.isLoading || listed === null)
        ? saved
        : listed;
  const filtered = place.text.trim() !== '' || place.role !== null || place.deleted === 'only';

  const go = (next: Partial<UsersPlace>, how: 'push' | 'replace' = 'push'): void => {
    const query = usersQuery(usersMoved(place, next));
    history[how](`${path}${query === '' ? '' : `?${query}`}`);
  };
  const close = (): void => {
    go({ open: null, tab: 'details' });
    focusEntry(open === 'new' ? null : open);
  };
  const renew = (next: UserListed | null): void => {
    setSaved(next);
    request.again();
  };
  const make = (
    <CallButton
      call="createUser"
      variant="primary"
      icon="plus"
      disabled={offline}
      {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
      onClick={() => go({ open: 'new', tab: 'details' })}
    >
      {t.newUser}
    </CallButton>
  );

  return (
    <Page
      title={t.users}
      scroll="own"
      action={make}
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
              name={t.role}
              label={t.role}
              value={place.role ?? ''}
              options={[
                ['', t.allRoles],
                ...ROLES.map((role) => [role, ROLE_NAMES[role]] as const),
              ]}
              onChoose={(value) => go({ role: ROLES.find((role) => role === value) ?? null })}
            />
            <ChipSelect
              name={t.deletedUsers}
              value={place.deleted}
              options={[
                ['without', t.withoutDeleted],
                ['all', t.withDeleted],
                ['only', t.deletedOnly],
              ]}
              onChoose={(value) =>
                go({ deleted: value === 'all' || value === 'only' ? value : 'without' })
              }
            />
            <ChipSelect
              name={t.order}
              label={t.sort}
              value={place.sort}
              options={ORDERS}
              onChoose={(value) =>
                go({ sort: ORDERS.find(([sort]) => sort === value)?.[0] ?? USERS_DEFAULTS.sort })
              }
            />
            <span className="ml-auto">
              <DownloadButton
                name="exportUsers"
                input={usersAsk(place)}
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
          {rows !== null && rows.length === 0 && !request.isLoading && (
            <Notice
              icon="users"
              level={2}
              title={filtered ? t.noMatches : t.noUsersOnPage}
              actions={
                <Button onClick={() => go({ text: '', role: null, deleted: 'without', page: 1 })}>
                  {t.showAll}
                </Button>
              }
            >
              <p className="m-0">{filtered ? t.noMatchesDetail : t.noUsersOnPageDetail}</p>
            </Notice>
          )}
          {rows !== null && rows.length > 0 && (
            <>
              <UserList
                rows={rows}
                open={open}
                sort={place.sort}
                zone={zone}
                now={now}
                busy={request.isLoading}
                narrow={open !== null}
                onSort={(sort) => go({ sort })}
                onOpen={(id) => go({ open: id, tab: 'details' })}
              />
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
        {open === 'new' && (
          <SidePanel key="new" title={t.newUser} detail={t.newUserDetail} onClose={close}>
            <Details
              key="new"
              me={me}
              user={null}
              offline={offline}
              onSaved={(made) => {
                renew(made);
                go({ open: getId(made), tab: 'access' }, 'replace');
              }}
            />
          </SidePanel>
        )}
        {open !== null &&
          open !== 'new' &&
          user === null &&
          rows !== null &&
          !request.isLoading && (
            <SidePanel key={open} title={t.notInList} detail={t.notInListDetail} onClose={close}>
              <span />
            </SidePanel>
          )}
        {user !== null && (
          <SidePanel key={getId(user)} title={user.name} detail={user.username} onClose={close}>
            <Tabs
              label={t.userSections}
              className="shrink-0 px-4 tablet:px-5"
              panelClassName="flex min-h-0 grow flex-col"
              chosen={place.tab}
              onChoose={(tab) => go({ tab }, 'replace')}
              tabs={[
                { key: 'details', label: t.details },
                { key: 'accounts', label: t.accounts, count: user.accounts.length },
                { key: 'access', label: t.access },
              ]}
            >
              {place.tab === 'details' && (
                <Details key={getId(user)} me={me} user={user} offline={offline} onSaved={renew} />
              )}
              {place.tab === 'accounts' && (
                <Accounts user={user} offline={offline} onSaved={renew} />
              )}
              {place.tab === 'access' && (
                <Access
                  me={me}
                  user={user}
                  offline={offline}
                  zone={zone}
                  now={now}
                  onFollow={(href) => history.push(href)}
                  onChanged={() => renew(null)}
                  onGone={() => {
                    renew(null);
                    close();
                  }}
                />
              )}
            </Tabs>
          </SidePanel>
        )}
      </div>
    </Page>
  );
}

const ORDERS: readonly (readonly [UserSort, string])[] = [
  ['username', t.usernameAscending],
  ['-username', t.usernameDescending],
  ['name', t.nameAscending],
  ['-name', t.nameDescending],
  ['email', t.emailAscending],
  ['-email', t.emailDescending],
  ['-lastSignIn', t.lastSignInDescending],
  ['lastSignIn', t.lastSignInAscending],
  ['-madeAt', t.newestFirst],
  ['madeAt', t.oldestFirst],
];
const EMPTY = {};
