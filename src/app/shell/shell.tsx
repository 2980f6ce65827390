import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyDialog } from '../../ui/lazy-dialog.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { prefetch, whenIdle } from '../prefetch.ts';
import { Toasts } from '../../ui/toast.tsx';
import { useIsTablet } from '../../ui/use-is-tablet.ts';
import { hasChat, useChat } from './chat/chat-state.ts';
import { useDrawer } from './drawer-state.ts';
import { mayPromptAnywhere } from './first-run/first-run.ts';
import { useAlone } from './forced-pages.ts';
import { onPage } from '../router/last-page.ts';
import { isResetPage } from '../router/route-guards.ts';
import { useShellShortcuts } from './shell-shortcuts.ts';
import { setPalette, usePalette } from './palette-state.ts';
import { usePreferredTheme } from './branding/preferred-theme.ts';
import { useIsReauthOpen } from './reauth/reauth.ts';
import { useBranding, useMe } from '../session/session.ts';
import { Sidebar } from './sidebar.tsx';
import { termsFor } from './terms/pending-terms.ts';
import { shellMessages as t } from './shell.messages.en.ts';

const stay = async (): Promise<void> => {
  await (await import('../worker/offline-support.ts')).stay();
};
const palette = () => import('../../features/search/palette.tsx');
const Palette = lazyDialog(async () => (await palette()).Palette);
const ReauthQuestion = lazyDialog(
  async () => (await import('./reauth/reauth-question.tsx')).ReauthQuestion,
);
const ImpersonationBanner = lazyPart(
  async () => (await import('./impersonation/impersonation-banner.tsx')).ImpersonationBanner,
);
const Notifications = lazyPart(
  async () => (await import('./notifications/notifications.tsx')).Notifications,
);
const FirstRunQuestions = lazyPart(
  async () => (await import('./first-run/first-run-questions.tsx')).FirstRunQuestions,
);
const Footer = lazyPart(async () => (await import('./footer.tsx')).Footer);
const ChatPanel = lazyDialog(async () => (await import('./chat/chat-panel.tsx')).ChatPanel);
const Drawer = lazyDialog(async () => (await import('./drawer.tsx')).Drawer);

/**
 * Sidebar and screen, with the banners above and the footer below. On a phone the sidebar is a
 * drawer. Forced pages have no sidebar.
 */
export function Shell() {
  const wide = useIsTablet();
  const drawer = useDrawer();
  const asking = usePalette();
  const reauth = useIsReauthOpen();
  const { history } = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const me = useMe();
  const branding = useBranding();
  const chat = useChat();
  const forced = useAlone(path) || isResetPage(path);
  const terms = termsFor(me, branding?.features);
  useEffect(() => onPage(path), [path]);
  usePreferredTheme();
  useShellShortcuts({
    off: forced,
    asking,
    onPalette: () => setPalette(!asking),
    onGo: (to) => history.push(to),
  });
  // The prompt is no part of what the first rows wait for.
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    prefetch(stay, palette);
    whenIdle(() => setLoaded(true));
  }, []);
  if (forced) {
    return (
      <>
        <Outlet />
        {reauth && (
          <Suspense>
            <ReauthQuestion />
          </Suspense>
        )}
        <Toasts />
      </>
    );
  }
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] tablet:grid-cols-[auto_minmax(0,1fr)] print:block print:h-auto">
      <a
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-part border border-control bg-sheet px-3 py-2 text-ink focus:translate-y-0"
      >
        {t.skipToContent}
      </a>
      {wide && (
        <div className="contents print:hidden">
          <Sidebar />
        </div>
      )}
      <div className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)_auto] print:block">
        <div>
          {me?.impersonator != null && (
            <Suspense>
              <ImpersonationBanner />
            </Suspense>
          )}
          {me !== null && (
            <Suspense>
              <Notifications key={me.id} me={me} />
            </Suspense>
          )}
          {me !== null && (terms !== null || (isLoaded && mayPromptAnywhere(me))) && (
            <Suspense>
              <FirstRunQuestions key={me.id} me={me} terms={terms} path={path} />
            </Suspense>
          )}
        </div>
        <div className="relative min-h-0 min-w-0">
          <Outlet />
        </div>
        {branding?.features.footer === true && path === '/monitoring/dashboard' && (
          <Suspense>
            <Footer branding={branding} />
          </Suspense>
        )}
      </div>
      {!wide && drawer && (
        <Suspense>
          <Drawer />
        </Suspense>
      )}
      {me !== null && chat !== 'none' && hasChat(me, branding) && (
        <Suspense>
          <ChatPanel key={me.id} me={me} open={chat === 'open'} />
        </Suspense>
      )}
      {asking && (
        <Suspense>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
      {reauth && (
        <Suspense>
          <ReauthQuestion />
        </Suspense>
      )}
      <Toasts />
    </div>
  );
}
