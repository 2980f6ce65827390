import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { guardRoute } from './route-guards.ts';
import type { KnownWho, GuardResult, Way } from './route-guards.ts';

/**
 * Runs all guards of a page; the ability and the feature switch are checked last. This module is
 * separate from `route-guards.ts` because signed-out visitors do not need the page table.
 */
export function guardPage(page: PagePath, who: KnownWho, way: Way): GuardResult {
  const first = guardRoute(who, 'signed-in', way);
  if (
    first.kind !== 'pass' ||
    who.kind === 'out' ||
    mayOpen(PAGES[page], who.me.roles, who.branding.features)
  )
    return first;
  // The cloud suite doesn't exist for users without its role.
  const isOutside = page.startsWith('/o365/') && !who.me.roles.includes('o365_admin');
  return { kind: 'forbidden', to: isOutside ? '/monitoring' : forbiddenPage(page) };
}

/** Each area has its own forbidden page, so that a refused user stays in the same area. */
const forbiddenPage = (page: PagePath): PagePath =>
  page.startsWith('/o365/')
    ? '/o365/forbidden'
    : page.startsWith('/admin/')
      ? '/admin/forbidden'
      : '/monitoring/forbidden';
