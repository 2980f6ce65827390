import type { AnyRouter } from '@tanstack/react-router';
import { onSessionChange, currentSession } from '../worker/worker-client.ts';
import { pauseRedirectTarget } from './redirect-target.ts';

/**
 * Whoever comes or goes, gets other roles, acts as another, or has a password or questions to
 * choose, passes the guards anew.
 */
export function watchSession(router: Pick<AnyRouter, 'invalidate'>): void {
  let last = '';
  onSessionChange(() => {
    const who = currentSession();
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
    if (who.is === 'in') pauseRedirectTarget(false);
    void router.invalidate();
  });
}
