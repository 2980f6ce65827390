import { Outlet, useRouter } from '@tanstack/react-router';
import { Suspense, lazy, useEffect } from 'react';
import { bringAhead } from '../ahead.ts';
import { Toasts } from '../ui/toast.tsx';
import { useWide } from '../ui/wide.ts';
import { useDrawer } from './drawer-state.ts';
import { useFrameKeys } from './frame-keys.ts';
import { setPalette, usePalette } from './palette-state.ts';
import { usePreferredTheme } from './preferred.ts';
import { useReauthAsked } from './reauth.ts';
import { Sidebar } from './sidebar.tsx';

const stay = async (): Promise<void> => { await (await import('../offline.ts')).stay(); };
const palette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await palette()).Palette }));
const ReauthQuestion = lazy(async () => ({ default: (await import('./reauth.tsx')).ReauthQuestion }));
const Drawer = lazy(async () => ({ default: (await import('./drawer.tsx')).Drawer }));

/** Sidebar and screen. On a phone the sidebar is a drawer. */
export function Frame() {
  const wide = useWide();
  const drawer = useDrawer();
  const asking = usePalette();
  const reauth = useReauthAsked();
  const { history } = useRouter();
  usePreferredTheme();
  useFrameKeys({ asking, onPalette: () => setPalette(!asking), onGo: (to) => history.push(to) });
  useEffect(() => bringAhead(stay, palette), []);
  return (
    <div className="grid h-dvh grid-cols-[minmax(0,1fr)] tablet:grid-cols-[auto_minmax(0,1fr)]">
      <a
        href="#content" onClick={(event) => { event.preventDefault(); document.getElementById('content')?.focus(); }}
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-part border border-control bg-sheet px-3 py-2 text-ink focus:translate-y-0"
      >
        Skip to the content
      </a>
      {wide && <Sidebar />}
      <div className="relative min-h-0 min-w-0"><Outlet /></div>
      {!wide && drawer && <Suspense><Drawer /></Suspense>}
      {asking && <Suspense><Palette onClose={() => setPalette(false)} /></Suspense>}
      {reauth && <Suspense><ReauthQuestion /></Suspense>}
      <Toasts />
    </div>
  );
}
