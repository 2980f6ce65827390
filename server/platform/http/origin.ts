import type { CallName } from '#contract/calls.ts';
import type { Caller } from './client-address.ts';

/** A header that another site can't send without a CORS preflight. */
export const CLIENT_HEADER = 'daybook-client';

/** Calls that a cookie alone authenticates. */
const BY_COOKIE: ReadonlySet<CallName> = new Set(['refresh']);

/**
 * Returns whether another site may have made a state-changing call (AUTH-5). A header that the browser
 * doesn't send is no evidence of it.
 */
export function forged(name: CallName, headers: Headers, caller: Caller): boolean {
  if (BY_COOKIE.has(name) && headers.get(CLIENT_HEADER) !== '1') return true;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return true;
  const origin = headers.get('origin');
  // Behind an undeclared proxy that ends TLS, our own scheme looks like http. Accepting https for
  // the same host is never weaker.
  return (
    origin !== null &&
    origin !== `https://${caller.host}` &&
    (caller.tls || origin !== `http://${caller.host}`)
  );
}
