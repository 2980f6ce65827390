import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import { useWatch } from '../worker/worker-client.ts';

const NOTHING = {};

/** Null where nobody is signed in, or it is not known yet. */
export function useMe(): Me | null {
  const who = useWatch('who', NOTHING);
  return who?.is === 'in' ? who.me : null;
}

/**
 * The roles and companies of who is signed in, as one text: what was answered to other rights is
 * not shown to these.
 */
export function useRights(): string {
  const me = useMe();
  return me === null ? '' : JSON.stringify([me.roles, me.companies]);
}

/** Null until it is known, and where it could not be had. */
export function useBranding(): Branding | null {
  const who = useWatch('who', NOTHING);
  return who === undefined || who.is === 'starting' ? null : who.branding;
}

/** The zone in which times are told: the provider's; this browser's until that is known. */
export const useZone = (): string => useBranding()?.timeZone ?? HERE;

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
