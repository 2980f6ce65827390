import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ScreenGate } from './guards.ts';
import { passage } from './guards.ts';
import { whoKnown } from './door.ts';
import { App } from './frame/app.tsx';
import { remember, takeRemembered } from './remembered.ts';
import type { ScreenName } from './screens.ts';
import { isEntering, takeFragment } from './way-in.ts';

const root = createRootRoute({ component: App, notFoundComponent: screen('notFound') });

const login = createRoute({
  getParentRoute: () => root, path: '/login', beforeLoad: behind('signed-out'),
  component: lazyRouteComponent(() => import('./areas/account/sign-in.tsx'), 'SignIn'),
});

/** The other pages for those who are not signed in. */
const step = <P extends string>(path: P) => createRoute({ getParentRoute: () => root, path, beforeLoad: behind('signed-out'), component: screen('step') });
const forgotPassword = createRoute({ getParentRoute: () => root, path: '/forgot-password', beforeLoad: behind('signed-out'), component: screen('forgotPassword') });
const unlock = createRoute({ getParentRoute: () => root, path: '/unlock', beforeLoad: behind('signed-out'), component: screen('unlock') });
const forgotPasswordDb = createRoute({ getParentRoute: () => root, path: '/forgot-password-db', beforeLoad: behind('signed-out'), component: screen('forgotPasswordDb') });
const resetPasswordDb = createRoute({ getParentRoute: () => root, path: '/reset-password-db', beforeLoad: behind('signed-out'), component: screen('resetPasswordDb') });
/** Opened while signed in, it signs out first. */
const register = createRoute({ getParentRoute: () => root, path: '/o365/register/{-$userId}', beforeLoad: takeFragment, component: screen('register') });

/** Everything with the sidebar beside it. */
const framed = createRoute({ getParentRoute: () => root, id: 'framed', beforeLoad: behind('signed-in'), component: screen('frame') });

/** Where a user begins: at the own landing page, or at the first that the roles open. */
const begin = <P extends string>(path: P) => createRoute({
  getParentRoute: () => framed, path,
  beforeLoad: async () => {
    const [who, { beginOf }] = await Promise.all([whoKnown(), import('./menu.ts')]);
    onward(beginOf(who, path));
  },
});
/** The user's own account. */
const own = <P extends string>(path: P, name: ScreenName) => createRoute({ getParentRoute: () => framed, path, component: screen(name) });
const dashboard = createRoute({ getParentRoute: () => framed, path: '/monitoring/dashboard', beforeLoad: behind('monitoring.dashboard'), component: screen('dashboard') });
const calendar = createRoute({ getParentRoute: () => framed, path: '/monitoring/calendar-report', beforeLoad: behind('monitoring.calendar-report'), component: screen('calendar') });
const dailyChecks = createRoute({ getParentRoute: () => framed, path: '/monitoring/daily-checks', beforeLoad: behind('monitoring.daily-checks'), component: screen('dailyChecks') });
const disabledJobs = createRoute({ getParentRoute: () => framed, path: '/monitoring/daily-checks/disabled-jobs', beforeLoad: behind('monitoring.daily-checks'), component: screen('disabledJobs') });
const computers = createRoute({ getParentRoute: () => framed, path: '/monitoring/daily-checks/computers', beforeLoad: behind('monitoring.daily-checks'), component: screen('computers') });
const rules = createRoute({ getParentRoute: () => framed, path: '/monitoring/rules', beforeLoad: behind('monitoring.rules'), component: screen('rules') });
const evidence = createRoute({ getParentRoute: () => framed, path: '/monitoring/evidence', beforeLoad: behind('monitoring.daily-checks'), component: screen('evidence') });
const sources = createRoute({ getParentRoute: () => framed, path: '/monitoring/sources', beforeLoad: behind('monitoring.sources'), component: screen('sources') });
const users = createRoute({ getParentRoute: () => framed, path: '/monitoring/users', beforeLoad: behind('monitoring.users'), component: screen('users') });
const userLogs = createRoute({ getParentRoute: () => framed, path: '/monitoring/users-logs', beforeLoad: behind('monitoring.userLogs'), component: screen('userLogs') });
const companies = createRoute({ getParentRoute: () => framed, path: '/monitoring/companies', beforeLoad: behind('common.companies'), component: screen('companies') });
const forbidden = createRoute({ getParentRoute: () => framed, path: '/monitoring/forbidden', component: screen('forbidden') });

/** The pages about the provider itself. */
const adminHome = createRoute({ getParentRoute: () => framed, path: '/admin', beforeLoad: () => onward('/admin/dashboard') });
const admin = <P extends string>(path: P, name: ScreenName) => createRoute({ getParentRoute: () => framed, path, beforeLoad: behind('admin.dashboard'), component: screen(name) });

/** On a screen of its own, without the sidebar. */
const wall = createRoute({ getParentRoute: () => root, path: '/monitoring/wall', beforeLoad: behind('monitoring.daily-checks'), component: screen('wall') });

/** Every address of the page. */
export const routes = root.addChildren([login, step('/sms-verification'), step('/phone'), step('/verification'), step('/enrol'), forgotPassword, unlock, forgotPasswordDb, resetPasswordDb, register, wall, framed.addChildren([begin('/'), begin('/monitoring'), own('/monitoring/profile', 'profile'), own('/monitoring/security', 'security'), own('/monitoring/change-password', 'changePassword'), own('/monitoring/reset-password', 'resetPassword'), own('/monitoring/security-questions', 'securityQuestions'), dashboard, calendar, dailyChecks, disabledJobs, computers, rules, evidence, sources, users, userLogs, companies, adminHome, admin('/admin/dashboard', 'adminDashboard'), admin('/admin/events', 'adminEvents'), admin('/admin/providers', 'adminProviders'), admin('/admin/branding', 'branding'), admin('/admin/settings', 'providerSettings'), admin('/admin/notices', 'adminNotices'), forbidden])]);

/** A screen by its name; where it is stands in a file that comes when the first is asked for. */
function screen(name: ScreenName) {
  return lazyRouteComponent(async () => ({ default: await (await import('./screens.ts')).SCREENS[name]() }));
}

function behind(gate: ScreenGate) {
  return async ({ location }: { readonly location: { readonly href: string; readonly pathname: string } }): Promise<void> => {
    takeFragment();
    const way = passage(await whoKnown(), gate, { path: location.pathname, entering: isEntering() });
    switch (way.is) {
      case 'pass': return;
      case 'sign-in':
        remember(location.href);
        return onward('/login');
      case 'onward': return onward(takeRemembered() ?? '/');
      case 'first': return onward(way.to);
      case 'forbidden': return onward('/monitoring/forbidden');
    }
  };
}

function onward(href: string): never {
  throw redirect({ href, replace: true });
}
