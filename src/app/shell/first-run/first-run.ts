import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';

/** The page that the prompt links to; the prompt is not shown there. */
export const FIRST_STEP = '/monitoring/sources';

/**
 * WIZARD-1: returns whether the prompt may be shown to this user. The user must be able to take the
 * first step, not be impersonated, be on a page of the monitoring app, and have no password change
 * pending.
 */
export const mayPrompt = (me: Me, path: string, dismissedBy: string | null): boolean =>
  can(me.roles, 'monitoring.sources') &&
  me.acting === null &&
  !me.passwordReset &&
  dismissedBy !== me.id &&
  path.startsWith('/monitoring/') &&
  path !== FIRST_STEP;
