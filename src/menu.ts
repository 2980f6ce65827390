import { can } from '#contract/abilities.ts';
import type { Ability, Role } from '#contract/abilities.ts';
import type { Features } from '#contract/brand/branding.ts';
import type { Who } from '#workers/api.ts';
import { localPath } from './remembered.ts';
import type { IconName } from './ui/icon.tsx';

/** `ability` null: for everybody who is signed in. `when`: what of the branding has to be switched on. */
export interface Entry {
  readonly to: string;
  readonly word: string;
  readonly icon: IconName;
  readonly ability: Ability | null;
  readonly when?: (features: Features) => boolean;
}
export interface Group { readonly heading: string | null; readonly entries: readonly Entry[] }

/** The sidebar, in its order. An entry stands here when its page does. */
export const MENU: readonly Group[] = [
  { heading: null, entries: [
    { to: '/monitoring/dashboard', word: 'Dashboard', icon: 'dashboard', ability: 'monitoring.dashboard' },
    { to: '/monitoring/calendar-report', word: 'Calendar view', icon: 'calendar', ability: 'monitoring.calendar-report' },
    { to: '/monitoring/daily-checks', word: 'Daily checks', icon: 'daily-checks', ability: 'monitoring.daily-checks' },
    { to: '/monitoring/rules', word: 'Rules', icon: 'rules', ability: 'monitoring.rules', when: ({ rules }) => rules },
    { to: '/monitoring/users', word: 'Users', icon: 'users', ability: 'monitoring.users' },
    { to: '/monitoring/companies', word: 'Companies', icon: 'companies', ability: 'common.companies' },
  ] },
  { heading: 'Reports', entries: [
    { to: '/monitoring/users-logs', word: 'Users Logs', icon: 'log', ability: 'monitoring.userLogs' },
    { to: '/monitoring/evidence', word: 'Evidence', icon: 'log', ability: 'monitoring.daily-checks' },
  ] },
  { heading: 'Sources', entries: [
    { to: '/monitoring/sources', word: 'Connect a source', icon: 'source', ability: 'monitoring.sources' },
  ] },
  { heading: 'Administration', entries: [
    { to: '/admin/dashboard', word: 'Overview', icon: 'trends', ability: 'admin.dashboard' },
    { to: '/admin/events', word: 'Events', icon: 'note', ability: 'admin.dashboard' },
    { to: '/admin/providers', word: 'Providers', icon: 'repository', ability: 'admin.dashboard' },
    { to: '/admin/branding', word: 'Branding', icon: 'eye', ability: 'admin.dashboard' },
    { to: '/admin/settings', word: 'Provider settings', icon: 'settings', ability: 'admin.dashboard' },
    { to: '/admin/notices', word: 'Notices', icon: 'hint', ability: 'admin.dashboard' },
  ] },
  { heading: 'Settings', entries: [
    { to: '/monitoring/profile', word: 'Profile', icon: 'person', ability: null },
    { to: '/monitoring/security', word: 'Security', icon: 'lock', ability: null },
    { to: '/monitoring/change-password', word: 'Change password', icon: 'key', ability: null },
  ] },
];

/** What these roles may open of what the portal shows, without empty groups. */
export const menuOf = (roles: readonly Role[], features: Features | null = null, menu: readonly Group[] = MENU): readonly Group[] =>
  menu.map((group) => ({ ...group, entries: group.entries.filter((entry) => mayOpen(entry, roles, features)) })).filter((group) => group.entries.length > 0);

export const mayOpen = ({ ability, when }: Entry, roles: readonly Role[], features: Features | null): boolean =>
  (ability === null || can(roles, ability)) && (when === undefined || (features !== null && when(features)));

/** Where these roles begin: the first page that they may open. Everybody has a profile. */
export const homeOf = (roles: readonly Role[], features: Features | null = null): string => menuOf(roles, features)[0]?.entries[0]?.to ?? '/monitoring/profile';

/** Where somebody goes on from an address that is no page: to the landing page of its own, where that is another page of this site, or to its first. */
export function beginOf(who: Who, from: string): string {
  const { me, branding } = who.is === 'in' ? who : { me: null, branding: null };
  const landing = localPath(me?.landingPage ?? '');
  return landing !== null && !NO_PAGES.has(landing) && from === '/' ? landing : homeOf(me?.roles ?? [], branding?.features ?? null);
}
const NO_PAGES: ReadonlySet<string> = new Set(['/', '/monitoring', '/monitoring/forbidden']);
