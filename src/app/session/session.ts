import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { useWatch } from '../worker/worker-client.ts';

const EMPTY = {};

/** Returns the signed-in user, or null if nobody is signed in or the session is not known yet. */
export function useMe(): Me | null {
  const who = useWatch('who', EMPTY);
  return who?.kind === 'in' ? who.me : null;
}

/** Returns null until the branding is loaded, or if it cannot be loaded. */
export function useBranding(): Branding | null {
  const who = useWatch('who', EMPTY);
  return who === undefined || who.kind === 'starting' ? null : who.branding;
}

/**
 * Returns the time zone for displayed times: the provider's, or the browser's until that is known.
 */
export const useZone = (): string => useBranding()?.timeZone ?? HERE;

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
