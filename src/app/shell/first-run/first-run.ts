import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';

/** The page that the prompt links to; the prompt is not shown there. */
export const FIRST_STEP = '/monitoring/sources';
const CLOUD_WIZARDS = /^\/o365\/(organizations|jobs)\/./;

const isRequested = (me: Me, dismissedBy: string | null): boolean =>
  me.impersonator === null && !me.passwordReset && dismissedBy !== me.id;

/**
 * WIZARD-1: returns whether the prompt may be shown to this user. The user must be able to take the
 * first step, not be impersonated, be on a page of the monitoring app, and have no password change
 * pending.
 */
export const mayPrompt = (me: Me, path: string, dismissedBy: string | null): boolean =>
  can(me.roles, 'monitoring.sources') &&
  isRequested(me, dismissedBy) &&
  path.startsWith('/monitoring/') &&
  path !== FIRST_STEP;

/** WIZARD-2: the same on the pages of Microsoft 365, except for its wizards. */
export const mayPromptCloud = (me: Me, path: string, dismissedBy: string | null): boolean =>
  can(me.roles, 'o365.organizations') &&
  isRequested(me, dismissedBy) &&
  path.startsWith('/o365/') &&
  !CLOUD_WIZARDS.test(path);

/** Returns whether there is an app in which the user may be prompted. */
export const mayPromptAnywhere = (me: Me): boolean =>
  mayPrompt(me, '/monitoring/', null) || mayPromptCloud(me, '/o365/', null);
