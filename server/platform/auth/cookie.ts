import type { Ms } from '#contract/ids.ts';

/** The prefix makes browsers insist on Secure, on the path `/` and on this very host. */
export const COOKIE = '__Host-daybook-refresh';
/** Opens nothing: it says on which device a name and a password are typed. */
export const DEVICE_COOKIE = '__Host-daybook-device';
/** Of a sign-in, or another deed of several steps, that is under way. */
export const ATTEMPT_COOKIE = '__Host-daybook-attempt';
/** Of a sign-in at an issuer: it has to come along when that leads back, which is another site. */
export const OIDC_COOKIE = '__Host-daybook-oidc';
const FIXED = 'Path=/; HttpOnly; Secure; SameSite=Strict';

const cookie = (name: string, token: string, forMs: Ms): string =>
  `${name}=${token}; Max-Age=${Math.max(0, Math.ceil(forMs / 1000))}; ${FIXED}`;
export const refreshCookie = (token: string, until: Ms, now: Ms): string =>
  cookie(COOKIE, token, until - now);
export const deviceCookie = (token: string, forMs: Ms): string =>
  cookie(DEVICE_COOKIE, token, forMs);
export const noCookie = cookie(COOKIE, '', 0);
export const attemptCookie = (token: string, forMs: Ms): string =>
  cookie(ATTEMPT_COOKIE, token, forMs);
export const noAttempt = cookie(ATTEMPT_COOKIE, '', 0);
export const oidcCookie = (token: string, forMs: Ms): string =>
  cookie(OIDC_COOKIE, token, forMs).replace('SameSite=Strict', 'SameSite=Lax');

/** Null where there is none of this name, or more than one. */
export function cookieOf(
  headers: Headers,
  name: typeof COOKIE | typeof DEVICE_COOKIE | typeof ATTEMPT_COOKIE | typeof OIDC_COOKIE,
): string | null {
  const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const own = parts.filter((part) => part.startsWith(`${name}=`));
  return own.length === 1 ? (own[0]?.slice(name.length + 1) ?? null) : null;
}
