import { useArea } from '../router/area.ts';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { seesSubscriptions } from '#contract/billing/subscriber.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { getAppMenu } from '../router/menu.ts';
import type { Entry, Outside } from '../router/menu.ts';
import { useBranding, useMe } from '../session/session.ts';
import { SSO_WORDS } from '../session/single-sign-on.ts';
import { Icon } from '../../ui/icon.tsx';
import { BrandMark } from './branding/brand-mark.tsx';
import { getSidebarTitle } from './branding/apply-branding.ts';
import { hasChat, setChat } from './chat/chat-state.ts';
import { setSmall, useSmall } from './drawer-state.ts';
import { LogOut } from './log-out/log-out.tsx';
import { setPalette } from './palette-state.ts';
import { ThemeChoice } from './branding/theme-choice.tsx';
import { ToCheck } from './open-problems-badge.tsx';
import { shellMessages as t } from './shell.messages.en.ts';

/** Few users need it, so it is loaded on demand. */
const AppSwitcher = lazyPart(async () => (await import('./app-switcher.tsx')).AppSwitcher);

const Exit = lazyPart(async () => (await import('./impersonation/exit-button.tsx')).Exit);

/** 240 px pinned, 56 px minimized. */
export function Sidebar() {
  const mini = useSmall();
  return (
    <aside
      aria-label={t.sidebar}
      className={`min-h-0 transition-[width] duration-250 ${mini ? 'w-14' : 'w-60'}`}
    >
      <SidebarContent mini={mini} onToggle={() => setSmall(!mini)} />
    </aside>
  );
}

export interface SidebarContentProps {
  readonly mini: boolean;
  readonly onToggle?: () => void;
  /** Called after an entry is followed. */
  readonly onGo?: () => void;
}

export function SidebarContent({ mini, onToggle, onGo }: SidebarContentProps) {
  const branding = useBranding();
  const me = useMe();
  const title = getSidebarTitle(branding);
  const area = useArea();
  // Users without the cloud suite role keep the monitoring menu, also on the suite's forbidden
  // page.
  const app = area === 'o365' && me?.roles.includes('o365_admin') === true ? 'o365' : 'monitoring';
  return (
    <div className="flex h-full min-h-0 flex-col overflow-x-hidden overflow-y-auto bg-side px-3 pb-3 text-side-ink-2 [scrollbar-width:thin]">
      <div
        className={`flex shrink-0 items-center gap-2.5 text-side-ink ${mini ? 'flex-col py-4' : 'h-14 pl-2'}`}
      >
        <BrandMark branding={branding} height={24} />
        {!mini && (
          <span className="min-w-0 grow truncate font-semibold" data-tip={title}>
            {title}
          </span>
        )}
        {onToggle && (
          <button
            type="button"
            onClick={onToggle}
            aria-label={mini ? t.pinSidebar : t.minimizeSidebar}
            data-tip={mini ? t.pinSidebar : t.minimizeSidebar}
            className={`grid size-8 place-items-center rounded-part hover:bg-side-on ${INK_FOCUS}`}
          >
            <Icon name="sidebar" className="text-side-ink-2" />
          </button>
        )}
      </div>
      {me?.roles.includes('o365_admin') === true && (
        <Suspense>
          <AppSwitcher mini={mini} app={app} roles={me.roles} {...(onGo && { onGo })} />
        </Suspense>
      )}
      <GoTo mini={mini} {...(onGo && { onGo })} />
      <nav
        ref={showCurrent}
        aria-label={t.main}
        className="-mx-3 grid min-h-40 content-start gap-px overflow-x-hidden overflow-y-auto px-3 [scrollbar-width:thin]"
      >
        {getAppMenu(app, me?.roles ?? [], branding, me === null || seesSubscriptions(me)).map(
          ({ heading, entries, outside }) => (
            <div key={heading} className="grid gap-px">
              {heading !== null && !mini && (
                <h2 className="m-0 px-2 pt-3.5 pb-1 text-agate font-normal">{heading}</h2>
              )}
              {heading !== null && mini && <hr className="mx-2 my-2 border-side-line" />}
              {entries.map((entry) => (
                <Row key={entry.to} entry={entry} mini={mini} {...(onGo && { onGo })} />
              ))}
              {outside?.(branding?.features ?? null, app).map((to) => (
                <Away key={to.href} to={to} mini={mini} />
              ))}
            </div>
          ),
        )}
        {me !== null && me.sso.length > 0 && (
          <Systems systems={me.sso} mini={mini} {...(onGo && { onGo })} />
        )}
      </nav>
      <div className="mt-auto grid shrink-0 gap-px border-t border-side-line pt-2">
        {hasChat(me, branding) && <ChatButton mini={mini} {...(onGo && { onGo })} />}
        <ThemeChoice mini={mini} />
        {me?.impersonator ? (
          <Suspense>
            <Exit me={me} mini={mini} />
          </Suspense>
        ) : (
          <LogOut mini={mini} />
        )}
        {me && (
          <div
            className="flex items-center gap-2.5 overflow-hidden px-0.5 pt-2 text-side-ink"
            data-tip={mini ? me.name : undefined}
          >
            <span
              aria-hidden
              className="grid size-7 shrink-0 place-items-center rounded-full border border-side-line text-agate font-semibold"
            >
              {initials(me.name)}
            </span>
            {!mini && (
              <span className="min-w-0">
                <span className="block truncate" data-tip={me.name}>
                  {me.name}
                </span>
                <span
                  className="block truncate text-agate text-side-ink-2"
                  data-tip={branding?.name}
                >
                  {branding?.name ?? me.username}
                </span>
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Scrolls a long menu to the entry of the page that is open. */
function showCurrent(menu: HTMLElement | null): void {
  menu?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

/** Opens the command palette, for users who do not know its shortcut. */
function GoTo({ mini, onGo }: { readonly mini: boolean; readonly onGo?: () => void }) {
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      data-tip={mini ? t.goToTip({ keys: t.goToKeys }) : undefined}
      className={`mb-2 flex h-8 shrink-0 items-center gap-2.5 rounded-part border border-side-line px-2 hover:text-side-ink pointer-coarse:h-11 ${INK_FOCUS}`}
      onClick={() => {
        onGo?.();
        setPalette(true);
      }}
    >
      <Icon name="search" />
      <span className="sr-only">{t.goToPage}</span>
      {!mini && (
        <>
          <span aria-hidden className="grow truncate text-left">
            {t.goTo}
          </span>
          <span aria-hidden className="text-agate pointer-coarse:hidden">
            {t.goToKeys}
          </span>
        </>
      )}
    </button>
  );
}

/** Opens the support chat over the current page. */
function ChatButton({ mini, onGo }: { readonly mini: boolean; readonly onGo?: () => void }) {
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      {...(mini && { 'aria-label': t.chat, 'data-tip': t.chat })}
      className={`flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink pointer-coarse:h-11 ${INK_FOCUS}`}
      onClick={() => {
        onGo?.();
        setChat('open');
      }}
    >
      <Icon name="request" />
      {!mini && t.chat}
    </button>
  );
}

function Row({
  entry,
  mini,
  onGo,
}: {
  readonly entry: Entry;
  readonly mini: boolean;
  readonly onGo?: () => void;
}) {
  return (
    <Link
      to={entry.to}
      onClick={onGo}
      data-tip={entry.tip ?? (mini ? entry.word : undefined)}
      aria-description={entry.tip}
      {...(mini && { 'aria-label': entry.word })}
      activeProps={{
        'className': 'bg-side-on text-side-ink font-semibold',
        'aria-current': 'page',
      }}
      className={`group relative flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink pointer-coarse:h-11 ${INK_FOCUS}`}
    >
      <i
        aria-hidden
        className="absolute inset-y-1 -left-3 hidden w-[3px] rounded-r-[2px] bg-side-ink group-aria-[current=page]:block"
      />
      <Icon name={entry.icon} />
      {!mini && <span className="truncate">{entry.word}</span>}
      {!mini && entry.to === DAILY && <ToCheck />}
    </Link>
  );
}

/** A link to an external page, opened in a new tab. */
function Away({ to, mini }: { readonly to: Outside; readonly mini: boolean }) {
  return (
    <a
      href={to.href}
      target="_blank"
      rel="noreferrer"
      aria-label={t.newTab({ name: to.word })}
      data-tip={to.tip ?? t.newTab({ name: to.word })}
      {...(to.tip !== undefined && { 'aria-description': to.tip })}
      className={`flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink pointer-coarse:h-11 ${INK_FOCUS}`}
    >
      <Icon name="external" />
      {!mini && <span className="truncate">{to.word}</span>}
    </a>
  );
}

/** Links to other systems in which this user has an account. */
function Systems({
  systems,
  mini,
  onGo,
}: {
  readonly systems: Me['sso'];
  readonly mini: boolean;
  readonly onGo?: () => void;
}) {
  return (
    <div className="grid gap-px">
      {mini ? (
        <hr className="mx-2 my-2 border-side-line" />
      ) : (
        <h2 className="m-0 px-2 pt-3.5 pb-1 text-agate font-normal">{t.otherSystems}</h2>
      )}
      {systems.map((provider) => (
        <Link
          key={provider}
          to="/monitoring/apps/$provider"
          params={{ provider }}
          onClick={onGo}
          data-tip={SSO_WORDS[provider]}
          {...(mini && { 'aria-label': SSO_WORDS[provider] })}
          activeProps={{
            'className': 'bg-side-on text-side-ink font-semibold',
            'aria-current': 'page',
          }}
          className={`group relative flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink pointer-coarse:h-11 ${INK_FOCUS}`}
        >
          <Icon name="source" />
          {!mini && <span className="truncate">{SSO_WORDS[provider]}</span>}
        </Link>
      ))}
    </div>
  );
}

const DAILY = '/monitoring/daily-checks';

/**
 * The accent has too little contrast on some sidebar colors, so the focus ring uses the sidebar's
 * own ink.
 */
export const INK_FOCUS = 'focus-visible:outline-side-ink focus-visible:-outline-offset-2';

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0x20))
    .join('')
    .toUpperCase();
}
