import type { CallName } from '#contract/calls.ts';
import type { Caller } from './client-address.ts';

/** The header that no other site can send without asking first. */
export const CLIENT_HEADER = 'daybook-client';

/** Calls that a cookie alone authenticates. */
const BY_COOKIE: ReadonlySet<CallName> = new Set(['refresh']);

/**
 * Whether a state-changing call may have been made by another site (A3). What the browser does not
 * send cannot be held against it.
 */
export function forged(name: CallName, headers: Headers, caller: Caller): boolean {
  if (BY_COOKIE.has(name) && headers.get(CLIENT_HEADER) !== '1') return true;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  const origin = headers.get('origin');
  // A proxy that ends TLS without being declared makes ours look plain: https of the same host is
  // never the weaker claim.
  return (
    origin !== null &&
    origin !== `https://${caller.host}` &&
    (caller.tls || origin !== `http://${caller.host}`)
  );
}
