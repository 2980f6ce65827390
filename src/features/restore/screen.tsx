import { formatList } from '#contract/i18n/list.ts';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import type { RefCallback } from 'react';
import { RESTORE_CAPABILITIES } from '#contract/engine/restore-capabilities.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Page } from '#src/app/shell/page.tsx';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { isTyping } from '#src/ui/is-typing.ts';
import { SearchField } from '#src/ui/search-field.tsx';
import { Select } from '#src/ui/select.tsx';
import { useIsTablet } from '#src/ui/use-is-tablet.ts';
import { MAX_FILTER_CHARS, restoreAddress, restorePlace } from './address.ts';
import type { RestorePlace } from './address.ts';
import { Browser } from './browser.tsx';
import { WaitingRestores } from './approval/waiting-restores.tsx';
import { CapabilitiesContext, getReason } from './capabilities.ts';
import { BasketButton } from './basket/basket-button.tsx';
import { BasketPanel } from './basket/panel.tsx';
import { BasketContext, useBasket } from './basket/use-basket.ts';
import { PeopleNotices } from './people-notices.tsx';
import { RestoreHistory } from './history/restore-history.tsx';
import { NoSession, Offline } from './no-session.tsx';
import { getServicePath } from './operator/address.ts';
import { NEW_SEARCH } from './search/place.ts';
import { restoreSearchMessages as searchWords } from './search/messages.en.ts';
import { SearchView } from './search/view.tsx';
import type { NamedOrganization } from './operator/context.ts';
import { PointPicker } from './points/point-picker.tsx';
import { SessionBar } from './session-bar.tsx';
import { useLastingFocus } from './use-lasting-focus.ts';
import { useRestoreSession } from './use-restore-session.ts';
import type { RestoreSession } from './use-restore-session.ts';
import {
  getOnlyOrganization,
  getOrganizationOptions,
  isRestorable,
} from '../shared/organizations/options.ts';
import { TEXTS } from './texts.ts';
import { canSearch, getSearchText, ONEDRIVE, OUTLOOK, SHAREPOINT, TEAMS } from './workload.ts';
import type { WorkloadPage } from './workload.ts';
import { restoreMessages as t } from './messages.en.ts';

/** `/o365/restore/outlook`: mailboxes as they were at a restore point. */
export const OutlookRestore = () => <SuiteRestore workload={OUTLOOK} />;
/** `/o365/restore/onedrive`: the same of drives. */
export const OneDriveRestore = () => <SuiteRestore workload={ONEDRIVE} />;
/** `/o365/restore/sharepoint`: sites with their libraries and lists. */
export const SharePointRestore = () => <SuiteRestore workload={SHAREPOINT} />;
/** `/o365/restore/teams`: teams with their channels, posts, files and tabs. */
export const TeamsRestore = () => <SuiteRestore workload={TEAMS} />;

function SuiteRestore({ workload }: { readonly workload: WorkloadPage }) {
  const organizations = useWatch('organizations', EMPTY) ?? null;
  return <RestorePage workload={workload} organizations={organizations} />;
}

/** `organizations`: those whose data the user restores; null: not known yet. */
export function RestorePage({
  workload,
  organizations,
}: {
  readonly workload: WorkloadPage;
  readonly organizations: readonly NamedOrganization[] | null;
}) {
  const { history } = useRouter();
  const query = useRouterState({ select: ({ location }) => location.searchStr });
  const written = restorePlace(query);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const canChoose = isRestorable(workload.kind);
  const only = organizations === null ? null : getOnlyOrganization(organizations, canChoose);
  const place = {
    ...written,
    organization: written.organization ?? only,
    text: getSearchText(workload, written),
  };
  const address = restoreAddress(workload.page, place);
  const isFinding = place.find !== null;
  const ownSession = useRestoreSession(
    workload,
    // A search needs no session. One that is open stays open.
    isFinding ? { ...place, organization: null } : place,
    address,
  );
  const organization = organizations?.find(({ id }) => id === place.organization) ?? null;
  const capabilities = RESTORE_CAPABILITIES[organization?.engine ?? 'embedded'];
  const basket = useBasket(organization?.id ?? null);
  const session: RestoreSession = {
    ...ownSession,
    stop: () => {
      if (basket !== null && basket.basket.length > 0) basket.clear();
      ownSession.stop();
    },
  };
  const [isBasketOpen, setIsBasketOpen] = useState(false);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set(written.path.slice(0, -1)),
  );
  const [isHistory, setIsHistory] = useState(false);
  const [isPicking, setIsPicking] = useState(false);
  const changeButton = useLastingFocus();
  const go = (change: Partial<RestorePlace>, how: 'push' | 'replace' = 'push'): void => {
    // The address may be ahead of what is rendered.
    const latest = restorePlace(history.location.search);
    history[how](
      restoreAddress(workload.page, {
        ...latest,
        organization: latest.organization ?? only,
        at: latest.at ?? session.point?.at ?? null,
        ...change,
      }),
    );
  };
  const texts = TEXTS[workload.kind];
  const isTablet = useIsTablet();
  // On a phone, an open folder has the whole screen.
  const isCompact =
    !isTablet && (session.state === 'open' || session.state === 'opening') && place.path.length > 0;
  const picker = organization !== null && session.points !== null && session.points.length > 0 && (
    <PointPicker
      workload={workload}
      organization={organization.id}
      points={session.points}
      isComplete={session.hasAllPoints}
      // While another point is opened, the next step begins there.
      at={
        (session.state === 'open' ? session.point?.at : null) ??
        place.at ??
        session.points[0]?.at ??
        0
      }
      onChoose={(at) => go({ at, item: null })}
    />
  );
  const isBrowsing = session.state === 'open' && session.id !== null && !isFinding;
  const openSearch = (): void => {
    if (organization !== null && !isFinding && capabilities.search)
      go({ find: NEW_SEARCH, locate: null });
  };
  const onSearchKey = useEffectEvent(openSearch);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'f' || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      onSearchKey();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <Page
      title={texts.title}
      detail={texts.page}
      scroll="own"
      {...(organization !== null && {
        action: (
          <span className="flex flex-wrap gap-2">
            {!isFinding && (
              <Button
                icon="search"
                keycap="F"
                data-tip={searchWords.openHint}
                onClick={openSearch}
                {...getReason(capabilities.search)}
              >
                {searchWords.open}
              </Button>
            )}
            {basket !== null && capabilities.basket && (
              <BasketButton basket={basket.basket} onClick={() => setIsBasketOpen(true)} />
            )}
            <Button
              icon="history"
              {...(!isTablet && { 'aria-label': t.restores })}
              onClick={() => setIsHistory(true)}
            >
              {isTablet && t.restores}
            </Button>
          </span>
        ),
      })}
      {...(isBrowsing &&
        canSearch(workload, place.path) && {
          search: (
            <SearchField
              label={texts.search}
              value={place.text}
              focusKey="/"
              onChange={(text) =>
                go({ text: text.slice(0, MAX_FILTER_CHARS), item: null }, 'replace')
              }
            />
          ),
        })}
    >
      <div className="flex h-full min-h-0 min-w-0 flex-col max-tablet:overflow-auto">
        {!isCompact && <WaitingRestores />}
        <OpenSession
          session={session}
          organization={organization}
          isCompact={isCompact || isFinding}
          onPoints={isCompact && !isFinding ? () => setIsPicking(true) : null}
          changeButton={changeButton.ref}
        />
        {organizations !== null && organizations.length > 0 && !isCompact && (
          <div className="flex shrink-0 flex-wrap items-start gap-x-7 gap-y-2 border-b border-rule bg-sheet px-4 py-2.5 tablet:px-5">
            <div className="grid w-56 max-w-full gap-1">
              <span aria-hidden className="text-agate text-ink-3">
                {t.organization}
              </span>
              <Select
                label={t.organization}
                hideLabel
                value={organization?.id ?? ''}
                placeholder={t.chooseOrganization}
                options={getOrganizationOptions(organizations, canChoose)}
                onChange={(id) => {
                  if (id === place.organization && session.isStopped) session.reopen();
                  else
                    history.push(
                      restoreAddress(workload.page, { ...restorePlace(''), organization: id }),
                    );
                }}
              />
            </div>
            {!isFinding && picker}
          </div>
        )}
        {organization !== null && isBrowsing && <PeopleNotices organization={organization.id} />}
        {session.point !== null && session.point.lacks.length > 0 && isBrowsing && (
          <div className="px-4 py-2 tablet:px-5">
            <Callout tone="warning">{lacksText(session.point.lacks)}</Callout>
          </div>
        )}
        <div className="min-h-0 min-w-0 grow max-tablet:min-h-[22rem]">
          <BasketContext value={capabilities.basket ? basket : null}>
            <CapabilitiesContext value={capabilities}>
              {place.find !== null && organization !== null ? (
                <SearchView
                  key={organization.id}
                  organizationId={organization.id}
                  place={place.find}
                  getAddress={({ id, sessionType, openAt }) =>
                    restoreAddress(getPage(workload, sessionType), {
                      ...restorePlace(''),
                      organization: organization.id,
                      at: openAt,
                      locate: id,
                    })
                  }
                  onChange={(find) => go({ find }, 'replace')}
                  onClose={() => go({ find: null })}
                />
              ) : offline && !isBrowsing ? (
                <Offline />
              ) : session.id !== null && place.organization !== null && session.state === 'open' ? (
                <div className="flex h-full min-h-0 flex-col">
                  {offline && (
                    <div className="px-4 py-2 tablet:px-5">
                      <Callout tone="warning">
                        {t.offline} {t.offlineHint}
                      </Callout>
                    </div>
                  )}
                  <div className="min-h-0 grow">
                    <Browser
                      workload={workload}
                      session={{ ...session, id: session.id }}
                      organization={place.organization}
                      place={place}
                      expanded={expanded}
                      onExpand={(id, isExpanded) =>
                        setExpanded((before) => {
                          if (before.has(id) === isExpanded) return before;
                          const after = new Set(before);
                          if (isExpanded) after.add(id);
                          else after.delete(id);
                          return after;
                        })
                      }
                      go={go}
                    />
                  </div>
                </div>
              ) : (
                <NoSession
                  workload={workload}
                  session={session}
                  organizations={organizations}
                  organization={organization}
                  place={place}
                />
              )}
            </CapabilitiesContext>
          </BasketContext>
        </div>
      </div>
      {isPicking && isCompact && picker !== false && (
        <Dialog
          title={t.points}
          place="bottom"
          onClose={() => {
            setIsPicking(false);
            changeButton.focus();
          }}
        >
          <div className="px-4 pt-3 pb-4">{picker}</div>
        </Dialog>
      )}
      {isBasketOpen && organization !== null && basket !== null && (
        <BasketPanel
          store={basket}
          organizationId={organization.id}
          organization={organization.name}
          workload={workload}
          session={
            session.id === null || session.point === null
              ? null
              : {
                  id: session.id,
                  workload: workload.kind,
                  point: session.point.id,
                  showDeleted: place.showDeleted,
                }
          }
          onClose={() => setIsBasketOpen(false)}
        />
      )}
      {isHistory && organization !== null && (
        <CapabilitiesContext value={capabilities}>
          <RestoreHistory
            organizationId={organization.id}
            organization={organization.name}
            onClose={() => setIsHistory(false)}
          />
        </CapabilitiesContext>
      )}
    </Page>
  );
}

/** The page of a service beside the page of a workload: in the console of operators, or in the suite. */
function getPage({ page, kind }: WorkloadPage, sessionType: WorkloadPage['sessionType']): string {
  const other = [OUTLOOK, ONEDRIVE, SHAREPOINT, TEAMS].find(
    (one) => one.sessionType === sessionType,
  );
  if (other === undefined) return page;
  return page === getServicePath(kind) ? getServicePath(other.kind) : other.page;
}

/** The bar of the open session, and why stopping it failed. */
function OpenSession({
  session,
  organization,
  isCompact,
  onPoints,
  changeButton,
}: {
  readonly session: RestoreSession;
  readonly organization: NamedOrganization | null;
  readonly isCompact: boolean;
  readonly onPoints: (() => void) | null;
  readonly changeButton: RefCallback<HTMLButtonElement>;
}) {
  const jobs = useWatch('backupJobs', EMPTY);
  if (organization === null || (session.state !== 'open' && session.state !== 'stopping'))
    return null;
  return (
    <>
      <SessionBar
        session={session}
        organization={organization.name}
        isCompact={isCompact}
        onPoints={onPoints}
        changeButton={changeButton}
        job={jobs?.find(({ id }) => id === session.point?.job)?.name ?? null}
      />
      {session.failure !== null && (
        <div className="px-4 py-2 tablet:px-5">
          <Callout tone="failed" alert>
            {getFailureText(session.failure)}
          </Callout>
        </div>
      )}
    </>
  );
}

function lacksText(lacks: readonly string[]): string {
  const first = formatList(lacks.slice(0, MAX_LACKS), 'plain');
  return t.lacks({
    names:
      lacks.length > MAX_LACKS
        ? t.lacksMore({ names: first, count: lacks.length - MAX_LACKS })
        : first,
  });
}
const MAX_LACKS = 3;
const EMPTY = {};
