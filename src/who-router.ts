import type { AnyRouter } from '@tanstack/react-router';
import { onWho, whoNow } from './door.ts';
import { pauseRemembering } from './remembered.ts';

/**
 * Whoever comes or goes, gets other roles, acts as another, or has a password or questions to
 * choose, passes the guards anew.
 */
export function watchWho(router: Pick<AnyRouter, 'invalidate'>): void {
  let last = '';
  onWho(() => {
    const who = whoNow();
    if (who.is === 'starting') return;
    const key =
      who.is === 'out'
        ? who.is
        : JSON.stringify([
            who.me.id,
            who.me.roles,
            who.me.acting?.impersonation,
            who.me.passwordReset,
            who.me.forceSecurityQuestions,
            who.branding.authType,
          ]);
    if (key === last) return;
    last = key;
    if (who.is === 'in') pauseRemembering(false);
    void router.invalidate();
  });
}
