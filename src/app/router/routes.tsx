import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { PAGE_PATHS } from '#contract/page-paths.ts';
import type { PagePath } from '#contract/page-paths.ts';
import { checkAppVersion } from '../session/app-version.ts';
import { withChunkTimeout } from '../../ui/chunk-load.ts';
import type { Gate } from './route-guards.ts';
import { guardRoute } from './route-guards.ts';
import { whenSessionKnown } from '../worker/worker-client.ts';
import { App } from '../shell/app.tsx';
import { storeRedirectTarget, takeRedirectTarget } from './redirect-target.ts';
import type { ScreenName } from './screens.ts';
import { isEntering, takeFragment } from '../session/sign-in-context.ts';

const root = createRootRoute({ component: App, notFoundComponent: screen('notFound') });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: behind('signed-out'),
  component: lazyRouteComponent(
    () => withChunkTimeout(import('../../features/auth/sign-in/sign-in.tsx')),
    'SignIn',
  ),
});

/** The other pages for those who are not signed in. */
const step = <P extends string>(path: P) =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: behind('signed-out'),
    component: screen('step'),
  });
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  beforeLoad: behind('signed-out'),
  component: screen('forgotPassword'),
});
const unlock = createRoute({
  getParentRoute: () => root,
  path: '/unlock',
  beforeLoad: behind('signed-out'),
  component: screen('unlock'),
});
const forgotPasswordDb = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password-db',
  beforeLoad: behind('signed-out'),
  component: screen('forgotPasswordDb'),
});
const resetPasswordDb = createRoute({
  getParentRoute: () => root,
  path: '/reset-password-db',
  beforeLoad: behind('signed-out'),
  component: screen('resetPasswordDb'),
});
/** Opened while signed in, it signs out first. */
const register = createRoute({
  getParentRoute: () => root,
  path: '/o365/register/{-$userId}',
  beforeLoad: takeFragment,
  component: screen('register'),
});

/** The link from an email; it confirms an address without a sign-in. */
const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  component: screen('confirmEmail'),
  beforeLoad: async () => {
    takeFragment();
    await whenSessionKnown();
  },
});

/** Everything with the sidebar beside it. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  beforeLoad: behind('signed-in'),
  component: screen('frame'),
});

/** Where a user begins: at the own landing page, or at the first that the roles open. */
const begin = <P extends string>(path: P) =>
  createRoute({
    getParentRoute: () => framed,
    path,
    beforeLoad: async () => {
      const [who, { beginOf }] = await Promise.all([
        whenSessionKnown(),
        withChunkTimeout(import('./menu.ts')),
      ]);
      onward(beginOf(who, path));
    },
  });
/** The admin area opens at its dashboard. */
const adminHome = createRoute({
  getParentRoute: () => framed,
  path: '/admin',
  beforeLoad: () => onward('/admin/dashboard'),
});
const pages = PAGE_PATHS.map((path) =>
  createRoute({
    getParentRoute: () => framed,
    path,
    beforeLoad: behind(path),
    component: screen(path),
  }),
);

/** Into another system: whose account is in it, the server says. */
const apps = createRoute({
  getParentRoute: () => framed,
  path: '/monitoring/apps/$provider',
  beforeLoad: behind('signed-in'),
  component: screen('apps'),
});

/** On a screen of its own, without the sidebar. */
const wall = createRoute({
  getParentRoute: () => root,
  path: '/monitoring/wall',
  beforeLoad: behind('/monitoring/daily-checks'),
  component: screen('wall'),
});

/** Every address of the page. */
export const routes = root.addChildren([
  login,
  step('/sms-verification'),
  step('/phone'),
  step('/verification'),
  step('/enrol'),
  forgotPassword,
  unlock,
  forgotPasswordDb,
  resetPasswordDb,
  register,
  confirmEmail,
  wall,
  framed.addChildren([begin('/'), begin('/monitoring'), begin('/o365'), adminHome, apps, ...pages]),
]);

/**
 * A screen by its address or its name; where it is stands in a file that comes when the first is
 * asked for.
 */
function screen(which: ScreenName | PagePath) {
  const load = async () => {
    const { SCREENS, PAGE_SCREENS } = await import('./screens.ts');
    return { default: await { ...SCREENS, ...PAGE_SCREENS }[which]() };
  };
  return lazyRouteComponent(() => withChunkTimeout(load()));
}

function behind(gate: Gate | PagePath) {
  return async ({
    location,
  }: {
    readonly location: { readonly href: string; readonly pathname: string };
  }): Promise<void> => {
    takeFragment();
    await checkAppVersion(location.pathname);
    const who = await whenSessionKnown();
    const way = { path: location.pathname, entering: isEntering() };
    const isPage = gate !== 'signed-out' && gate !== 'signed-in';
    const passed =
      isPage && who.is === 'in'
        ? (await withChunkTimeout(import('./page-route-guard.ts'))).guardPage(gate, who, way)
        : guardRoute(who, isPage ? 'signed-in' : gate, way);
    switch (passed.is) {
      case 'pass':
        return;
      case 'sign-in':
        storeRedirectTarget(location.href);
        return onward('/login');
      case 'onward':
        return onward(takeRedirectTarget() ?? '/');
      case 'first':
        storeRedirectTarget(location.href); // for after it, and after the next of them
        return onward(passed.to);
      case 'forbidden':
        return onward(passed.to);
    }
  };
}

function onward(href: string): never {
  throw redirect({ href, replace: true });
}
