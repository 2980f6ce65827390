import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { PAGE_PATHS } from '#contract/page-paths.ts';
import type { PagePath } from '#contract/page-paths.ts';
import { checkAppVersion } from '../session/app-version.ts';
import { loadPart, withChunkTimeout } from '../../ui/chunk-load.ts';
import type { RouteGate } from './route-guards.ts';
import { guardRoute, isStepPage } from './route-guards.ts';
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
    'SignInScreen',
  ),
});

/** The other pages for signed-out visitors. */
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
/** Signs out an existing session first. */
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

/** All pages with the sidebar. */
const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  beforeLoad: behind('signed-in'),
  component: screen('frame'),
});

/** Redirects to the user's landing page, or to the first page that the roles can open. */
const begin = <P extends string>(path: P) =>
  createRoute({
    getParentRoute: () => framed,
    path,
    beforeLoad: async () => {
      const [who, { getStartPage }] = await Promise.all([
        whenSessionKnown(),
        withChunkTimeout(import('./menu.ts')),
      ]);
      onward(getStartPage(who, path));
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

/** Opens another system. The server decides whose account to use there. */
const apps = createRoute({
  getParentRoute: () => framed,
  path: '/monitoring/apps/$provider',
  beforeLoad: behind('signed-in'),
  component: screen('apps'),
});

/** The wizard's steps are parts of its address; it stays open from step to step. */
const organizationWizard = createRoute({
  getParentRoute: () => framed,
  path: '/o365/organizations/new/$',
  beforeLoad: behind('/o365/organizations'),
  component: screen('organizationWizard'),
});

const renewCertificate = createRoute({
  getParentRoute: () => framed,
  path: '/o365/organizations/certificate/$companyId/$organizationId',
  beforeLoad: behind('/o365/organizations'),
  component: screen('renewCertificate'),
});

/** As for organizations, for a backup job. */
const jobWizard = createRoute({
  getParentRoute: () => framed,
  path: '/o365/jobs/$step',
  beforeLoad: behind('/o365/jobs'),
  component: screen('jobWizard'),
});

/** As for organizations, for a role of restore operators. */
const restoreRoleWizard = createRoute({
  getParentRoute: () => framed,
  path: '/o365/restore-operator-roles/$step',
  beforeLoad: behind('/o365/restore-operator-roles'),
  component: screen('restoreRoleWizard'),
});

/** Where restore operators sign in. Signed in, it leads to their first service. */
const operatorSignIn = createRoute({
  getParentRoute: () => root,
  path: '/restore',
  component: screen('operatorSignIn'),
  beforeLoad: async () => {
    takeFragment();
    if ((await whenSessionKnown()).kind === 'in') onward('/restore/outlook');
  },
});

const operatorConsole = createRoute({
  getParentRoute: () => framed,
  path: '/restore/$service',
  beforeLoad: async (at) => {
    if ((await whenSessionKnown()).kind === 'out') onward('/restore');
    await behind('signed-in')(at);
  },
  component: screen('operatorConsole'),
});

/** One of the downloads in the background. */
const restoreDownload = createRoute({
  getParentRoute: () => framed,
  path: '/o365/restore/downloads/$fileId',
  beforeLoad: behind('/o365/restore/downloads'),
  component: screen('restoreDownload'),
});

/** Where the pages of the payment provider lead back to. */
const checkoutResult = createRoute({
  getParentRoute: () => framed,
  path: '/subscriptions/checkout/$',
  component: screen('checkoutResult'),
});

/** Fullscreen, without the sidebar. */
const wall = createRoute({
  getParentRoute: () => root,
  path: '/monitoring/wall',
  beforeLoad: behind('/monitoring/daily-checks'),
  component: screen('wall'),
});

/** The route tree of the whole page. */
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
  operatorSignIn,
  wall,
  framed.addChildren([
    begin('/'),
    begin('/monitoring'),
    begin('/o365'),
    adminHome,
    apps,
    organizationWizard,
    renewCertificate,
    jobWizard,
    restoreRoleWizard,
    operatorConsole,
    restoreDownload,
    checkoutResult,
    ...pages,
  ]),
]);

/**
 * Returns the lazy component of a screen. `load-screen.ts` has the loaders and is itself loaded with
 * the first screen.
 */
function screen(which: ScreenName | PagePath) {
  return lazyRouteComponent(async () => {
    const { loadScreen } = await loadPart(() => import('./load-screen.ts'));
    return { default: await loadScreen(which) };
  });
}

function behind(gate: RouteGate | PagePath) {
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
      isPage && who.kind === 'in'
        ? (await withChunkTimeout(import('./page-route-guard.ts'))).guardPage(gate, who, way)
        : guardRoute(who, isPage ? 'signed-in' : gate, way);
    switch (passed.kind) {
      case 'pass':
        return;
      case 'sign-in':
        storeRedirectTarget(location.href);
        return onward('/login');
      case 'onward':
        return onward(takeRedirectTarget() ?? '/');
      case 'first':
        // For this step and the next one, whose page is no target itself.
        if (!isStepPage(location.pathname)) storeRedirectTarget(location.href);
        return onward(passed.to);
      case 'forbidden':
        return onward(passed.to);
    }
  };
}

function onward(href: string): never {
  throw redirect({ href, replace: true });
}
