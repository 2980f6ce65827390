import { can } from '#contract/abilities.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Profile } from '#contract/auth/profile-calls.ts';

/** Delay of the prompt after the page has loaded (section 9 of the specification). */
export const PROMPT_DELAY_MS = 500;

/** Where the prompt leads; it is not shown there. */
export const FIRST_STEP = '/monitoring/sources';

/**
 * WIZARD-1: whether the user may be shown the prompt at all. Only who can take the first step is
 * asked to, in their own name, on a page of the monitoring app, and after a flagged password has
 * been changed.
 */
export const mayPrompt = (me: Me, path: string, dismissedBy: string | null): boolean =>
  can(me.roles, 'monitoring.sources') &&
  me.acting === null &&
  !me.passwordReset &&
  dismissedBy !== me.id &&
  path.startsWith('/monitoring/') &&
  path !== FIRST_STEP;

/**
 * Whether the provider still has to begin: no job has reported, and the user has not dismissed the
 * prompt on any device.
 */
export const needsPrompt = ({
  hasJobs,
  wizardPromptDismissed,
}: Pick<Profile, 'hasJobs' | 'wizardPromptDismissed'>): boolean =>
  !hasJobs && wizardPromptDismissed !== true;
