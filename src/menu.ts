import { can } from '#contract/abilities.ts';
import type { Ability, Role } from '#contract/abilities.ts';
import type { IconName } from './ui/icon-paths.ts';

export interface Entry { readonly to: string; readonly word: string; readonly icon: IconName; readonly ability: Ability }
export interface Group { readonly heading: string | null; readonly entries: readonly Entry[] }

/** The sidebar, in its order. An entry stands here when its page does. */
export const MENU: readonly Group[] = [
  { heading: null, entries: [
    { to: '/monitoring/dashboard', word: 'Dashboard', icon: 'dashboard', ability: 'monitoring.dashboard' },
    { to: '/monitoring/calendar-report', word: 'Calendar view', icon: 'calendar', ability: 'monitoring.calendar-report' },
    { to: '/monitoring/daily-checks', word: 'Daily checks', icon: 'daily-checks', ability: 'monitoring.daily-checks' },
  ] },
  { heading: 'Reports', entries: [
    { to: '/monitoring/evidence', word: 'Evidence', icon: 'log', ability: 'monitoring.daily-checks' },
  ] },
  { heading: 'Sources', entries: [
    { to: '/monitoring/sources', word: 'Connect a source', icon: 'source', ability: 'monitoring.sources' },
  ] },
];

/** What these roles may open, without empty groups. */
export const menuOf = (roles: readonly Role[], menu: readonly Group[] = MENU): readonly Group[] =>
  menu.map((group) => ({ ...group, entries: group.entries.filter((entry) => can(roles, entry.ability)) })).filter((group) => group.entries.length > 0);

/** Where these roles begin: the first page that they may open. Who may open none is told so by the first page's own guard. */
export const homeOf = (roles: readonly Role[]): string => menuOf(roles)[0]?.entries[0]?.to ?? '/monitoring/daily-checks';
