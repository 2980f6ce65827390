import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useBranding } from '../session/session.ts';
import { IconButton } from '../../ui/button.tsx';
import { useIsTablet } from '../../ui/use-is-tablet.ts';
import { getTitle } from './branding/apply-branding.ts';
import { openDrawer } from './drawer-state.ts';
import { SyncLine, SyncStatusButton } from './sync-status/sync-status.tsx';
import { shellMessages as t } from './shell.messages.en.ts';
import { startMessages } from './start.messages.en.ts';

export interface PageProps {
  readonly title: string;
  /** Small text beside the title: the date. */
  readonly detail?: ReactNode;
  /** Beside the title, on its own line on a phone: `<Ring … />`. */
  readonly progress?: ReactNode;
  /** A `<SearchField />`; collapsed to a button on a phone. */
  readonly search?: ReactNode;
  /** The page's primary action. On a phone it replaces the progress on the second line. */
  readonly action?: ReactNode;
  /**
   * `page` (default): the whole page scrolls. `own`: the content fills the remaining height and
   * scrolls on its own.
   */
  readonly scroll?: 'page' | 'own';
  readonly children: ReactNode;
}

/** The first page appears without a transition. */
let hasShown = false;

/** A screen inside the shell: header above, content below. */
export function Page({
  title,
  detail,
  progress,
  search,
  action,
  scroll = 'page',
  children,
}: PageProps) {
  const portal = getTitle(useBranding());
  const [searching, setSearching] = useState(false);
  const wide = useIsTablet();
  const [appears] = useState(hasShown);
  useEffect(() => {
    hasShown = true;
  }, []);
  return (
    <div className="grid h-full min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)] print:block">
      <title>{startMessages.pageTitle({ page: title, portal })}</title>
      <header className="flex min-h-14 min-w-0 flex-wrap items-center gap-x-4 border-b border-rule bg-paper px-2 tablet:flex-nowrap tablet:px-5">
        <div className="flex min-h-14 min-w-0 grow basis-0 items-center gap-x-2 tablet:grow-0 tablet:basis-auto tablet:gap-x-4">
          <IconButton
            icon="menu"
            label={t.menu}
            className="h-11 min-w-11 tablet:hidden"
            onClick={openDrawer}
          />
          <h1 className="m-0 line-clamp-2 min-w-0 break-words text-head tablet:line-clamp-1">
            {title}
          </h1>
          {detail !== undefined && (
            <span className="hidden pt-[7px] text-agate whitespace-nowrap text-ink-3 desk:block">
              {detail}
            </span>
          )}
        </div>
        <div className="order-1 flex h-14 items-center gap-1 print:hidden tablet:order-2 tablet:grow tablet:justify-end tablet:gap-4">
          {search !== undefined && !wide && (
            <IconButton
              icon="search"
              label={t.search}
              aria-expanded={searching}
              className="order-last h-11 min-w-11"
              onClick={() => setSearching(!searching)}
            />
          )}
          {search !== undefined && wide && (
            <div className="w-0 max-w-80 min-w-24 grow">{search}</div>
          )}
          {wide && action}
          <SyncStatusButton />
        </div>
        <div className="order-3 flex w-full min-w-0 flex-wrap items-center justify-between gap-x-3 gap-y-1 px-2 pb-2 tablet:order-1 tablet:w-auto tablet:shrink-0 tablet:px-0 tablet:pb-0">
          {progress ?? (wide ? null : action) ?? <span />}
          <span className="ml-auto min-w-0 tablet:hidden">
            <SyncLine />
          </span>
        </div>
        {search !== undefined && searching && !wide && (
          <div className="order-4 w-full px-2 pb-3">{search}</div>
        )}
      </header>
      <main
        id="content"
        tabIndex={-1}
        className={`min-h-0 min-w-0 outline-none ${appears ? 'animate-page' : ''} print:overflow-visible ${scroll === 'page' ? 'overflow-auto' : 'overflow-hidden'}`}
      >
        {children}
      </main>
    </div>
  );
}
