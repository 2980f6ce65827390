import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ScreenGate } from './guards.ts';
import { passage } from './guards.ts';
import { whoKnown } from './door.ts';
import { App } from './frame/app.tsx';
import { homeOf } from './menu.ts';
import { remember, takeRemembered } from './remembered.ts';

const root = createRootRoute({ component: App, notFoundComponent: lazyRouteComponent(() => import('./frame/not-found.tsx'), 'NotFound') });

const login = createRoute({
  getParentRoute: () => root, path: '/login', beforeLoad: behind('signed-out'),
  component: lazyRouteComponent(() => import('./areas/account/sign-in.tsx'), 'SignIn'),
});

/** Everything with the sidebar beside it. */
const framed = createRoute({
  getParentRoute: () => root, id: 'framed', beforeLoad: behind('signed-in'),
  component: lazyRouteComponent(() => import('./frame/frame.tsx'), 'Frame'),
});

const home = createRoute({ getParentRoute: () => framed, path: '/', beforeLoad: () => onward('/monitoring') });
const monitoring = createRoute({
  getParentRoute: () => framed, path: '/monitoring',
  beforeLoad: async () => {
    const who = await whoKnown();
    onward(homeOf(who.is === 'in' ? who.me.roles : []));
  },
});
const dashboard = createRoute({
  getParentRoute: () => framed, path: '/monitoring/dashboard', beforeLoad: behind('monitoring.dashboard'),
  component: lazyRouteComponent(() => import('./areas/monitoring/dashboard/screen.tsx'), 'Dashboard'),
});
const calendar = createRoute({
  getParentRoute: () => framed, path: '/monitoring/calendar-report', beforeLoad: behind('monitoring.calendar-report'),
  component: lazyRouteComponent(() => import('./areas/monitoring/calendar/screen.tsx'), 'Calendar'),
});
const dailyChecks = createRoute({
  getParentRoute: () => framed, path: '/monitoring/daily-checks', beforeLoad: behind('monitoring.daily-checks'),
  component: lazyRouteComponent(() => import('./areas/monitoring/daily-checks/screen.tsx'), 'DailyChecks'),
});
const disabledJobs = createRoute({
  getParentRoute: () => framed, path: '/monitoring/daily-checks/disabled-jobs', beforeLoad: behind('monitoring.daily-checks'),
  component: lazyRouteComponent(() => import('./areas/monitoring/other-lists/disabled-jobs.tsx'), 'DisabledJobs'),
});
const computers = createRoute({
  getParentRoute: () => framed, path: '/monitoring/daily-checks/computers', beforeLoad: behind('monitoring.daily-checks'),
  component: lazyRouteComponent(() => import('./areas/monitoring/other-lists/computers.tsx'), 'Computers'),
});
const evidence = createRoute({
  getParentRoute: () => framed, path: '/monitoring/evidence', beforeLoad: behind('monitoring.daily-checks'),
  component: lazyRouteComponent(() => import('./areas/monitoring/evidence/evidence.tsx'), 'EvidenceScreen'),
});
const sources = createRoute({
  getParentRoute: () => framed, path: '/monitoring/sources', beforeLoad: behind('monitoring.sources'),
  component: lazyRouteComponent(() => import('./areas/monitoring/sources.tsx'), 'Sources'),
});
const forbidden = createRoute({
  getParentRoute: () => framed, path: '/monitoring/forbidden',
  component: lazyRouteComponent(() => import('./frame/forbidden.tsx'), 'Forbidden'),
});

/** On a screen of its own, without the sidebar. */
const wall = createRoute({
  getParentRoute: () => root, path: '/monitoring/wall', beforeLoad: behind('monitoring.daily-checks'),
  component: lazyRouteComponent(() => import('./areas/monitoring/wall/screen.tsx'), 'Wall'),
});

/** Every address of the page. */
export const routes = root.addChildren([login, wall, framed.addChildren([home, monitoring, dashboard, calendar, dailyChecks, disabledJobs, computers, evidence, sources, forbidden])]);

function behind(gate: ScreenGate) {
  return async ({ location }: { readonly location: { readonly href: string } }): Promise<void> => {
    const way = passage(await whoKnown(), gate);
    switch (way.is) {
      case 'pass': return;
      case 'sign-in':
        remember(location.href);
        return onward('/login');
      case 'onward': return onward(takeRemembered() ?? '/');
      case 'forbidden': return onward('/monitoring/forbidden');
    }
  };
}

function onward(href: string): never {
  throw redirect({ href, replace: true });
}
