import type { AnyRouter } from '@tanstack/react-router';
import { onWho, whoNow } from './door.ts';
import { pauseRemembering } from './remembered.ts';

/** Whoever comes or goes, or gets other roles, passes the guards anew. */
export function watchWho(router: Pick<AnyRouter, 'invalidate'>): void {
  let last = '';
  onWho(() => {
    const who = whoNow();
    const key = who.is === 'in' ? `in ${who.me.id} ${who.me.roles.join()}` : who.is;
    if (key === last || who.is === 'starting') return;
    last = key;
    if (who.is === 'in') pauseRemembering(false);
    void router.invalidate();
  });
}
