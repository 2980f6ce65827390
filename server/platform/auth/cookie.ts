import type { Ms } from '#contract/ids.ts';

/** With this prefix, browsers require Secure, the path `/` and this exact host. */
export const COOKIE = '__Host-daybook-refresh';
/** Grants no access. It identifies the device on which a name and password are typed. */
export const DEVICE_COOKIE = '__Host-daybook-device';
/** Of a sign-in, or another action of several steps, in progress. */
export const ATTEMPT_COOKIE = '__Host-daybook-attempt';
/**
 * Of a sign-in at an identity provider. Browsers must send it with the redirect back, which comes
 * from another site.
 */
export const OIDC_COOKIE = '__Host-daybook-oidc';
/** Of the preview of a mail, and of a download: each for its own path. */
export const PREVIEW_COOKIE = '__Secure-daybook-preview';
export const DOWNLOAD_COOKIE = '__Secure-daybook-download';
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

/** A cookie that the browser sends with requests below one path only. */
export const pathCookie = (
  name: typeof PREVIEW_COOKIE | typeof DOWNLOAD_COOKIE,
  token: string,
  path: string,
  forMs: Ms,
): string => cookie(name, token, forMs).replace('Path=/;', `Path=${path};`);

/** Returns the value of the cookie; null if there is none with this name, or more than one. */
export function getCookie(
  headers: Headers,
  name:
    | typeof COOKIE
    | typeof DEVICE_COOKIE
    | typeof ATTEMPT_COOKIE
    | typeof OIDC_COOKIE
    | typeof PREVIEW_COOKIE
    | typeof DOWNLOAD_COOKIE,
): string | null {
  const parts = (headers.get('cookie') ?? '').split(';').map((part) => part.trim());
  const own = parts.filter((part) => part.startsWith(`${name}=`));
  return own.length === 1 ? (own[0]?.slice(name.length + 1) ?? null) : null;
}
