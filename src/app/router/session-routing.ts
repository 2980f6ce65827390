import type { AnyRouter } from '@tanstack/react-router';
import { onSessionChange, currentSession } from '../worker/worker-client.ts';
import { pauseRedirectTarget } from './redirect-target.ts';

/**
 * Runs the guards again when the session changes: sign-in, sign-out, roles, impersonation, or a
 * required password change or security questions.
 */
export function watchSession(router: Pick<AnyRouter, 'invalidate'>): void {
  let last = '';
  onSessionChange(() => {
    const who = currentSession();
    if (who.kind === 'starting') return;
    const key =
      who.kind === 'out'
        ? who.kind
        : JSON.stringify([
            who.me.id,
            who.me.roles,
            who.me.impersonator?.impersonation,
            who.me.passwordReset,
            who.me.forceSecurityQuestions,
            who.branding.authType,
          ]);
    if (key === last) return;
    last = key;
    if (who.kind === 'in') pauseRedirectTarget(false);
    void router.invalidate();
  });
}
