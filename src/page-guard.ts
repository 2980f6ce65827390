import type { PagePath } from '#contract/page-paths.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { passage } from './guards.ts';
import type { KnownWho, Passage, Way } from './guards.ts';

/** All the guards before a page, the ability and the switch last. Apart from the first ones: who is signed out needs no table of pages. */
export function passageTo(page: PagePath, who: KnownWho, way: Way): Passage {
  const first = passage(who, 'signed-in', way);
  if (first.is !== 'pass' || who.is === 'out' || mayOpen(PAGES[page], who.me.roles, who.branding.features)) return first;
  // The other app is not there at all for who has no part in it.
  return { is: page.startsWith('/o365/') && !who.me.roles.includes('o365_admin') ? 'onward' : 'forbidden' };
}
